/* SPDX-License-Identifier: Apache-2.0 */
/* failure_stats - sums of timelines: of a class, or of one component; and the worst.
 *
 * Threads  none inside.
 */
#ifndef ANALYSIS_RELIABILITY_FAILURE_STATS_H
#define ANALYSIS_RELIABILITY_FAILURE_STATS_H

#include "analysis/reliability/timeline.h"

/* Of all components, twice: intervals and repairs. */
#define FAILURE_LENGTHS_MAX ((size_t)8 << 20)
#define FAILURE_WORST_MAX 100

typedef unsigned __int128 failure_sum;

struct failure_lengths {
    int64_t *items;
    size_t count, capacity;
    bool is_cut; /* there were more than FAILURE_LENGTHS_MAX */
};

struct failure_stats {
    uint64_t components;
    failure_sum up_ns, degraded_ns, down_ns, unknown_ns, drained_ns;
    uint64_t failures, degradations, drains;
    uint64_t failed;          /* at the end of the range */
    uint64_t repairs_unknown; /* of a length that is not known */
    struct failure_lengths intervals, repairs;
};

/* Errors: -ENOMEM. */
int failure_stats_add(struct failure_stats *stats, const struct timeline *timeline);
void failure_stats_done(struct failure_stats *stats);
/* After the last: lengths are sorted. */
void failure_stats_finish(struct failure_stats *stats);

/* Time in which it was known whether it was down, and it was not drained. */
failure_sum failure_stats_observed(const struct failure_stats *stats);

/* The p-th percentile of sorted lengths, p in percent; between two of them in
 * proportion.  False: there are none. */
bool failure_lengths_percentile(const struct failure_lengths *lengths, unsigned percent,
                                int64_t *ret_ns);
/* False: there are none. */
bool failure_lengths_mean(const struct failure_lengths *lengths, double *ret_ns);

/* One of the worst components of a class. */
struct failure_worst {
    char *path;
    struct failure_stats stats;
};

/* The worst first, at most max: of most failures, then down for the longest time, then
 * most often degraded; of equal ones that which comes first.  What did none of these is
 * not among them. */
struct failure_worst_list {
    struct failure_worst *items;
    size_t count, max;
};

/* Errors: -ENOMEM. */
int failure_worst_consider(struct failure_worst_list *list, struct span path,
                           const struct timeline *timeline);
void failure_worst_done(struct failure_worst_list *list);

#endif
