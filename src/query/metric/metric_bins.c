/* SPDX-License-Identifier: Apache-2.0 */
/* metric_bins - one metric of one level as values of equal pieces of time. */
#include "query/metric/metric_bins.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* One series: of gauges amount is a sum and weight a count, of counters an increase and
 * seconds. */
struct bin {
    double amount, weight;
};

struct binning {
    const struct metric_bins_opts *opts;
    struct bin *bins;
    struct metric_bins_summary *summary;
    uint64_t samples;
    int64_t before_ns; /* of a counter's last sample; INT64_MIN: none */
    double before;
    double *values;  /* of all parts together */
    uint32_t *parts; /* that have a value, a bin each */
    size_t part_count;
};

/* Behind the last sample that counts. */
static int64_t bins_end(const struct metric_bins_opts *opts)
{
    int64_t end_ns = opts->from_ns + (int64_t)opts->count * opts->bin_ns;
    return opts->to_ns != 0 && opts->to_ns < end_ns ? opts->to_ns : end_ns;
}

static void counter_add(struct binning *b, struct bin *bin, int64_t t_ns, double value)
{
    if (b->before_ns != INT64_MIN && value >= b->before && t_ns > b->before_ns) {
        bin->amount += value - b->before;
        bin->weight += (double)(t_ns - b->before_ns) / 1e9;
    }
    b->before_ns = t_ns;
    b->before = value;
}

static void summary_add(struct metric_bins_summary *s, int64_t t_ns, double value)
{
    if (s->samples++ == 0) {
        s->min = s->max = value;
        s->first_ns = t_ns;
        s->is_integral = true;
    }
    s->min = fmin(s->min, value);
    s->max = fmax(s->max, value);
    s->is_integral &= value == rint(value);
    s->first_ns = t_ns < s->first_ns ? t_ns : s->first_ns;
    s->last_ns = t_ns > s->last_ns ? t_ns : s->last_ns;
}

static int on_samples(void *arg, const int64_t *times, const double *values,
                      size_t count)
{
    struct binning *b = arg;
    const struct metric_bins_opts *opts = b->opts;
    const int64_t end_ns = bins_end(opts);
    for (size_t i = 0; i < count; i++) {
        size_t index = (size_t)((times[i] - opts->from_ns) / opts->bin_ns);
        if (isnan(values[i]) || times[i] < opts->from_ns || times[i] >= end_ns)
            continue;
        struct bin *bin = &b->bins[index];
        b->samples++;
        summary_add(b->summary, times[i], values[i]);
        if (opts->metric->kind == METRIC_COUNTER) {
            counter_add(b, bin, times[i], values[i]);
            continue;
        }
        bin->amount += values[i];
        bin->weight += 1;
    }
    return 0;
}

/* Of a series without a sample in the range: when its newest was, if that is before. */
static void last_before(struct binning *b, const struct level_series *series)
{
    int64_t last_ns = series_last_ns(&series->series);
    if (last_ns < bins_end(b->opts) && last_ns > b->summary->last_ns)
        b->summary->last_ns = last_ns;
}

static int series_add(struct binning *b, struct metric_store *store,
                      const struct level_series *series)
{
    const struct metric_bins_opts *opts = b->opts;
    struct metric_read read = { 0 };
    const struct metric_range range = { opts->from_ns, bins_end(opts), on_samples, b };
    for (size_t i = 0; i < opts->count; i++)
        b->bins[i] = (struct bin){ 0 };
    b->before_ns = INT64_MIN;
    b->samples = 0;
    int rc = metric_store_read(store, series, &range, &read);
    if (rc < 0)
        return rc;
    if (b->samples == 0)
        last_before(b, series);
    if (b->samples > b->summary->samples_max)
        b->summary->samples_max = b->samples;
    b->part_count++;
    for (size_t i = 0; i < opts->count; i++) {
        if (b->bins[i].weight <= 0)
            continue;
        b->values[i] += b->bins[i].amount / b->bins[i].weight;
        b->parts[i]++;
    }
    return 0;
}

/* What a level has itself is used as it is; else what is nearest below it. */
static int level_add(struct binning *b, struct metric_store *store,
                     const struct level *level)
{
    const struct level_series *series = level_series_find(
        metric_store_tree(store, level->shard), level, b->opts->metric->id);
    if (series)
        return series_add(b, store, series);
    if (b->opts->metric->aggregation == AGGREGATE_NONE)
        return 0;
    int rc = 0;
    const struct level *child =
        atomic_load_explicit(&level->child, memory_order_acquire);
    for (; child && rc == 0; child = child->next)
        if (b->opts->job.size == 0 || !level_is_of_job(child))
            rc = level_add(b, store, child);
    return rc;
}

static int bins_add_host(struct binning *b, struct metric_store *store,
                         const struct level *host)
{
    const struct level *own =
        b->opts->job.size > 0 ? level_child(host, b->opts->job) : NULL;
    const struct level_series *series =
        own ? level_series_find(metric_store_tree(store, own->shard), own,
                                b->opts->metric->id)
            : NULL;
    return series ? series_add(b, store, series) : level_add(b, store, host);
}

static void values_finish(struct binning *b)
{
    bool is_sum = b->opts->metric->aggregation != AGGREGATE_AVG;
    for (size_t i = 0; i < b->opts->count; i++) {
        if (b->parts[i] == 0 || (is_sum && b->parts[i] < b->part_count))
            b->values[i] = NAN;
        else if (!is_sum)
            b->values[i] /= b->parts[i];
    }
}

int metric_bins_read(struct metric_store *store, const struct level *level,
                     const struct metric_bins_opts *opts, double *values,
                     struct metric_bins_summary *ret)
{
    struct metric_bins_summary summary = {
        .min = NAN, .max = NAN, .first_ns = INT64_MIN, .last_ns = INT64_MIN
    };
    AUTO_FREE struct bin *bins = calloc(opts->count, sizeof *bins);
    AUTO_FREE uint32_t *parts = calloc(opts->count, sizeof *parts);
    struct binning b = { .opts = opts,
                         .bins = bins,
                         .summary = &summary,
                         .values = values,
                         .parts = parts };
    if (!bins || !parts)
        return -ENOMEM;
    for (size_t i = 0; i < opts->count; i++)
        values[i] = 0;
    int rc = bins_add_host(&b, store, level);
    if (rc < 0)
        return rc;
    values_finish(&b);
    *ret = summary;
    return b.part_count > 0 ? 0 : -ENOENT;
}
