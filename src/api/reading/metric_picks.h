/* SPDX-License-Identifier: Apache-2.0 */
/* metric_picks - which series a /v1/query is about, one after another.
 *
 *     levels × metrics ──next──▶ pick, pick, ...             nothing is stored of them
 *     levels × metrics ──next──▶ offer(rank) ──▶ the best n, then next gives these
 *
 * Memory  the levels and metrics themselves, and of ranked picks as many as are
 *         wanted; charged to a hold as it grows.
 */
#ifndef API_METRIC_PICKS_H
#define API_METRIC_PICKS_H

#include "base/system/budget.h"
#include "query/query.h"

/* One metric of one component, or of all together. */
struct metric_pick {
    const struct metric *metric;
    size_t level, level_count; /* more than one: a cluster, that several shards have */
    double rank;
};

struct metric_picks {
    const struct metric_levels *levels;
    const struct metric **metrics; /* that fit, by id */
    size_t metric_count;
    bool is_together;                  /* all levels are one */
    size_t level, level_count, metric; /* the next */
    struct metric_pick *best; /* a heap, the worst first; after picks_rank sorted */
    size_t best_count, best_capacity, best_at;
    bool is_ranked;
    struct budget_hold *hold;
};

/* No metric fits: with the name of the nearest one.  Returns -ENOENT. */
int metric_picks_refuse(const struct metric_table *metrics, struct span patterns,
                        struct err *err);
/* patterns: of metrics, comma-separated.  levels and hold must outlive it.
 * Errors: -ENOENT (no metric fits), -ENOMEM, those of budget_hold_set(). */
int metric_picks_init(struct metric_picks *picks, const struct metric_table *metrics,
                      struct span patterns, const struct metric_levels *levels,
                      struct budget_hold *hold, struct err *err);
void metric_picks_done(struct metric_picks *picks);

/* false: there is no further one. */
bool metric_picks_next(struct metric_picks *picks, struct metric_pick *ret);
/* Keep it if it is among the count largest.  Errors: as above. */
int metric_picks_offer(struct metric_picks *picks, const struct metric_pick *pick,
                       uint64_t count);
/* From now on next gives those that were kept, the largest first. */
void metric_picks_rank(struct metric_picks *picks);

#endif
