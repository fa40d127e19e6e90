/* SPDX-License-Identifier: Apache-2.0 */
/* store_source - samples of the metric store, for the engine of the language. */
#include "api/prometheus/store_source.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <stdlib.h>

struct reading {
    struct store_source *source;
    const struct promql_selection *selection;
    promql_series_fn *put;
    void *put_arg;
    int64_t *times_ms;
    double *values;
    size_t count, capacity;
};

static int reserve_samples(struct reading *r, size_t count)
{
    size_t wanted = r->capacity ? r->capacity : 1024;
    while (wanted < r->count + count)
        wanted *= 2;
    if (wanted == r->capacity)
        return 0;
    int rc = budget_hold_add(r->source->hold, (wanted - r->capacity) * 16);
    if (rc < 0)
        return rc;
    int64_t *times_ms = reallocarray(r->times_ms, wanted, sizeof *times_ms);
    if (times_ms)
        r->times_ms = times_ms;
    double *values = reallocarray(r->values, wanted, sizeof *values);
    if (values)
        r->values = values;
    if (!times_ms || !values)
        return -ENOMEM;
    r->capacity = wanted;
    return 0;
}

static int64_t ms_of(int64_t t_ns)
{
    int64_t t_ms = t_ns / NS_PER_MS;
    return t_ms * NS_PER_MS > t_ns ? t_ms - 1 : t_ms;
}

static int add_samples(void *arg, const int64_t *times, const double *values,
                       size_t count)
{
    struct reading *r = arg;
    int rc = r->count + count > r->capacity ? reserve_samples(r, count) : 0;
    if (rc == 0 && r->source->watch)
        rc = r->source->watch(r->source->watch_arg);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        int64_t t_ms = ms_of(times[i]);
        if (double_bits(values[i]) == MISSING_BITS)
            continue;
        if (r->count > 0 && r->times_ms[r->count - 1] == t_ms)
            r->count--;
        r->times_ms[r->count] = t_ms;
        r->values[r->count++] = values[i];
    }
    return rc;
}

static int64_t ns_of(int64_t t_ms)
{
    if (t_ms > INT64_MAX / NS_PER_MS)
        return INT64_MAX;
    return t_ms < INT64_MIN / NS_PER_MS ? INT64_MIN : t_ms * NS_PER_MS;
}

static int put_series(void *arg, const struct component_labels *labels,
                      struct level_series *series)
{
    struct reading *r = arg;
    struct metric_read read = { 0 };
    const struct metric_range range = {
        .from_ns = ns_of(r->selection->from_ms),
        .to_ns = ns_of(r->selection->to_ms + 1),
        .fn = add_samples,
        .arg = r,
    };
    r->count = 0;
    int rc = metric_store_read(r->source->store, series, &range, &read);
    r->source->unreadable += read.unreadable;
    if (rc < 0 || r->count == 0)
        return rc;
    const struct promql_samples samples = { r->count, r->times_ms, r->values };
    return r->put(r->put_arg, &labels->labels, &samples);
}

static int source_select(void *arg, const struct promql_selection *selection,
                         promql_series_fn *put, void *put_arg, struct err *err)
{
    struct store_source *source = arg;
    (void)err;
    struct metric_visit visit;
    struct reading r = {
        .source = source, .selection = selection, .put = put, .put_arg = put_arg
    };
    const struct series_walk walk = { .visit = &visit,
                                      .watch = source->watch,
                                      .watch_arg = source->watch_arg,
                                      .matchers = selection->matchers,
                                      .matcher_count = selection->matcher_count,
                                      .fn = put_series,
                                      .arg = &r };
    metric_visit_begin(&visit, source->store);
    int rc = series_walk_run(&walk);
    metric_visit_end(&visit);
    free(r.times_ms);
    free(r.values);
    return rc;
}

struct promql_source store_source_for_query(struct store_source *source)
{
    return (struct promql_source){ .arg = source, .select = source_select };
}
