/* SPDX-License-Identifier: Apache-2.0 */
/* job_targets - how the targets of a job's file system were while it ran: how full, and
 * which of them moved to another server.
 *
 *     how full targets were (a row each) ─────┐
 *     who moved from where to where, when ────┴▶ targets
 *
 * A move is of the job's time where the new server had the target before the job ended,
 * and after it began.  Of several the first counts.
 *
 * Memory   texts lie in its arena.  Threads  none.
 */
#ifndef ANALYSIS_JOB_JOB_TARGETS_H
#define ANALYSIS_JOB_JOB_TARGETS_H

#include "base/arena.h"
#include "base/table/table.h"

struct job_target {
    const char *name;
    bool is_mdt;
    int index;               /* of "scratch-OST001f": 31 */
    double used_pct;         /* NaN: not known */
    const char *from, *to;   /* servers; NULL: it did not move, or that is not known */
    int64_t last_s, first_s; /* when from reported it last, and to first */
};

struct job_targets {
    struct arena arena;
    struct job_target *items; /* by name */
    size_t count;
};

/* space: columns target and share (percent); moves: target, from_server, to_server,
 * last, first; a table without these is left out.  [from_s, to_s]: the job's time.
 * Errors: -ENOMEM; then *ret is untouched. */
int job_targets_make(const struct table *space, const struct table *moves,
                     int64_t from_s, int64_t to_s, struct job_targets *ret);
void job_targets_done(struct job_targets *targets);

#endif
