/* SPDX-License-Identifier: Apache-2.0 */
/* metric_pair - in what the metrics of two runs differ: of jobs that have no log. */
#include "analysis/pair/metric_pair.h"

#include "analysis/stats/stats.h"
#include "base/span.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define DISTANCE_NOTHING 20.0 /* between nothing and something, as of counters */
#define PAIRS_QUANTILE 0.95
#define PAIRS_MAX (METRIC_PAIR_PEERS_MAX * (METRIC_PAIR_PEERS_MAX - 1) / 2)

/* ---- one number of a run ---- */

static const struct job_metric *metric_of(const struct metric_run *run,
                                          struct span name)
{
    for (size_t i = 0; i < run->count; i++)
        if (span_eq(run->metrics[i].metric, name))
            return &run->metrics[i];
    return NULL;
}

static double value_of(const struct metric_run *run, struct span name)
{
    const struct job_metric *metric = metric_of(run, name);
    if (span_is(name, METRIC_PAIR_TIME))
        return run->run_s;
    return metric ? metric->mean : NAN;
}

bool metric_run_has(const struct metric_run *run, struct span metric)
{
    const struct job_metric *found = metric_of(run, metric);
    return found && !isnan(found->mean);
}

/* NaN: one of them is not known. */
static double distance_between(double a, double b)
{
    if (isnan(a) || isnan(b))
        return NAN;
    if (a == b)
        return 0;
    return a * b > 0 ? fabs(log(b / a)) : DISTANCE_NOTHING;
}

/* ---- the noise ---- */

/* How many runs measured it: 0, then *ret is untouched. */
static size_t floor_measure(const struct metric_run *peers, size_t count,
                            struct span name, double *ret)
{
    double pairs[PAIRS_MAX], values[METRIC_PAIR_PEERS_MAX];
    size_t known = 0, n = 0;
    for (size_t i = 0; i < count && known < METRIC_PAIR_PEERS_MAX; i++) {
        values[known] = value_of(&peers[i], name);
        known += !isnan(values[known]);
    }
    if (known < METRIC_PAIR_PEERS_MIN)
        return 0;
    for (size_t i = 0; i < known; i++)
        for (size_t k = i + 1; k < known; k++)
            pairs[n++] = distance_between(values[i], values[k]);
    n = numbers_sort(pairs, n);
    *ret = fmax(2 * quantile(pairs, n, PAIRS_QUANTILE), METRIC_PAIR_FLOOR_MIN);
    return known;
}

/* ---- differences ---- */

struct pairing {
    const struct metric_run *peers;
    size_t peer_count;
    struct metric_pair *ret;
};

static void metric_compare(struct pairing *p, struct span name, struct span unit)
{
    struct metric_pair *ret = p->ret;
    struct metric_difference d = {
        .metric = name,
        .unit = unit,
        .a = value_of(&ret->runs[0], name),
        .b = value_of(&ret->runs[1], name),
        .floor = log1p(ret->floor),
        .is_result = span_starts(name, "app_") || span_is(name, METRIC_PAIR_TIME),
    };
    d.distance = distance_between(d.a, d.b);
    if (isnan(d.distance))
        return;
    ret->compared++;
    d.peers = floor_measure(p->peers, p->peer_count, name, &d.floor);
    d.score = d.distance / d.floor;
    if (d.score > 1 && ret->count < METRIC_PAIR_MAX)
        ret->items[ret->count++] = d;
}

static int by_kind_and_score(const void *a, const void *b)
{
    const struct metric_difference *x = a;
    const struct metric_difference *y = b;
    if (x->is_result != y->is_result)
        return x->is_result ? 1 : -1;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return span_compare(x->metric, y->metric);
}

static size_t count_only(const struct metric_run *run, const struct metric_run *other)
{
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        struct span name = run->metrics[i].metric;
        count +=
            name.size > 0 && metric_run_has(run, name) && !metric_run_has(other, name);
    }
    return count;
}

void metric_pair_find(const struct metric_run *a, const struct metric_run *b,
                      const struct metric_run *peers, size_t peer_count, double floor,
                      struct metric_pair *ret)
{
    struct pairing p = { peers, peer_count, ret };
    *ret =
        (struct metric_pair){ .runs = { *a, *b }, .peers = peer_count, .floor = floor };
    for (size_t i = 0; i < a->count; i++)
        if (a->metrics[i].metric.size > 0)
            metric_compare(&p, a->metrics[i].metric, a->metrics[i].unit);
    metric_compare(&p, SPAN(METRIC_PAIR_TIME), SPAN("s"));
    for (int i = 0; i < 2; i++)
        ret->only[i] = count_only(&ret->runs[i], &ret->runs[1 - i]);
    qsort(ret->items, ret->count, sizeof ret->items[0], by_kind_and_score);
}
