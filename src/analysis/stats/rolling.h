/* SPDX-License-Identifier: Apache-2.0 */
/* rolling - quantiles of the latest values, kept while values come in.
 *
 *     ring     oldest ─▶ · · · ─▶ newest    not older than the window, and no more than
 *     sorted   least  ─▶ · · · ─▶ greatest  there is room for
 *
 * A value that comes in is put in its place among the sorted ones, those that are too
 * old are taken out: quantiles are exact, and cost nothing to ask.
 *
 * Memory   24 bytes a value of its capacity, all taken at once.
 * Threads  none inside.
 */
#ifndef ANALYSIS_STATS_ROLLING_H
#define ANALYSIS_STATS_ROLLING_H

#include "analysis/stats/percentile.h"

#define ROLLING_CAPACITY_MAX ((size_t)1 << 20)

struct rolling;

/* window_ns: how much older than the newest a value may be; 0: for ever.
 * Errors: -EINVAL (capacity is not in 1 .. ROLLING_CAPACITY_MAX), -ENOMEM. */
int rolling_new(size_t capacity, int64_t window_ns, struct rolling **ret);
void rolling_free(struct rolling *rolling);
DEFINE_AUTO(struct rolling, rolling_free);

/* A missing value only moves the time on.  A full window forgets its oldest value.
 * Errors: -EINVAL (earlier than the newest); then nothing changed. */
int rolling_put(struct rolling *rolling, int64_t t_ns, double value);

size_t rolling_count(const struct rolling *rolling);
/* As quantile() of statistics.h. */
double rolling_quantile(const struct rolling *rolling, double q);
struct percentile rolling_percentile(const struct rolling *rolling, double value);
/* Values that left for lack of room, not of age. */
uint64_t rolling_crowded(const struct rolling *rolling);

#endif
