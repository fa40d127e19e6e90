/* SPDX-License-Identifier: Apache-2.0 */
/* sacct_comment - which jobs of sacct's output have an AdminComment, and which not.
 *
 *     SLURM_TIME_FORMAT=%s sacct -a -P -o JobID,JobIDRaw,Cluster,Start,End,AdminComment
 *
 * The columns may come in any order, and others among them, JobName as the last one
 * alone: it may have the delimiter, and line ends.  Steps and what has not ended are
 * passed over.
 *
 * Memory   spans point into the text.  Threads  none inside.
 */
#ifndef SOURCE_SCHEDULER_SACCT_COMMENT_H
#define SOURCE_SCHEDULER_SACCT_COMMENT_H

#include "base/err.h"
#include "base/span_type.h"

#include <stdint.h>

struct sacct_comment {
    struct span id;      /* "5_1" */
    struct span raw_id;  /* "7"; without that column as id */
    struct span cluster; /* may be empty */
    int64_t start_s;     /* as Slurm's database has it; -1: no number */
    struct span comment; /* empty: none */
};

/* A negative return ends the reading and is returned. */
typedef int sacct_comment_fn(void *arg, const struct sacct_comment *job);

/* fn is called for every run that has ended; *ret_unreadable, lines that are no row.
 * Errors: -EINVAL (the header has no JobID, Start, End or AdminComment), what fn
 * returns. */
int sacct_comments_read(struct span text, sacct_comment_fn *fn, void *arg,
                        uint64_t *ret_unreadable, struct err *err);

#endif
