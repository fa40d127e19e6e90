/* SPDX-License-Identifier: Apache-2.0 */
/* usage_top - the largest users, groups and projects of each target, and the sum of the
 * rest.
 *
 *     accounts ─▶ the count_max with the most (bytes of an OST, inodes of an MDT) of
 *                 each target and kind ─▶ lines; the others as one, "others"
 *
 *     lustre_user_bytes,cluster=lustre,hostname=oss01,type=ost,type-id=s-OST0001,
 *     stype=user,stype-id=1001 value=4096 1669010520000000000     (one line)
 *
 * Memory is bounded by targets, not by users.
 * Threads  one at a time.
 */
#ifndef AGENT_TOTALS_USAGE_TOP_H
#define AGENT_TOTALS_USAGE_TOP_H

#include "agent/totals/metric_line.h"
#include "source/lustre/lustre.h"

#define USAGE_COUNT_MAX 10000
#define USAGE_TARGETS_MAX 512

struct usage_list;

struct usage_top {
    size_t count_max; /* 1 .. USAGE_COUNT_MAX; set by the caller, the rest is 0 */
    struct usage_list *lists;
    size_t count;
};

/* Errors: -ENOMEM, -ENOSPC (more than USAGE_TARGETS_MAX targets). */
int usage_top_add(struct usage_top *top, const struct lustre_account *account);
/* Everything as lines, the largest first; a failure of the memory is the line's out's.
 */
void usage_top_emit(struct usage_top *top, const struct metric_line *line);
/* Empty again; count_max stays. */
void usage_top_clear(struct usage_top *top);

#endif
