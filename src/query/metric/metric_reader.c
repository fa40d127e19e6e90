/* SPDX-License-Identifier: Apache-2.0 */
/* metric_reader - the buffers for reading metrics. */
#include "query/metric/metric_reader.h"

#include <math.h>

int metric_reader_new(struct metric_store *store, struct metric_reader **ret)
{
    struct metric_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return -ENOMEM;
    reader->store = store;
    *ret = reader;
    return 0;
}

void metric_reader_free(struct metric_reader *reader)
{
    if (!reader)
        return;
    free(reader->sum.values);
    free(reader->child.values);
    free(reader->own.times);
    free(reader->own.values);
    free(reader->lengths_ns);
    free(reader->contributors);
    free(reader->series);
    free(reader);
}

void metric_reader_watch(struct metric_reader *reader, int (*watch)(void *arg),
                         void *arg)
{
    reader->watch = watch;
    reader->watch_arg = arg;
}

int metric_reader_watched(const struct metric_reader *reader)
{
    return reader->watch ? reader->watch(reader->watch_arg) : 0;
}

static int add_series(struct metric_reader *reader, const struct level_series *s)
{
    if (reader->series_count == reader->series_capacity) {
        size_t capacity = reader->series_capacity ? 2 * reader->series_capacity : 16;
        const struct level_series **grown =
            reallocarray(reader->series, capacity, sizeof(struct level_series *));
        if (!grown)
            return -ENOMEM;
        reader->series = grown;
        reader->series_capacity = capacity;
    }
    reader->series[reader->series_count++] = s;
    return 0;
}

static const struct level_series *series_of(const struct metric_reader *reader,
                                            const struct level *level, uint32_t metric)
{
    return level_series_find(metric_store_tree(reader->store, level->shard), level,
                             metric);
}

/* The nearest at or below a level: what it has itself is used as it is. */
static int find_below(struct metric_reader *reader, const struct level *level,
                      const struct metric_read_opts *opts)
{
    const struct level_series *s = series_of(reader, level, opts->metric->id);
    int rc = 0;
    if (s)
        return add_series(reader, s);
    rc = metric_reader_watched(reader);
    const struct level *child =
        atomic_load_explicit(&level->child, memory_order_acquire);
    for (; rc == 0 && child; child = child->next)
        if (opts->job.size == 0 || !level_is_of_job(child))
            rc = find_below(reader, child, opts); /* as deep as LEVEL_DEPTH_MAX */
    return rc;
}

static int find_of_level(struct metric_reader *reader, const struct level *level,
                         const struct metric_read_opts *opts)
{
    const struct level *own = opts->job.size > 0 ? level_child(level, opts->job) : NULL;
    const struct level_series *s =
        own ? series_of(reader, own, opts->metric->id) : NULL;
    return s ? add_series(reader, s) : find_below(reader, level, opts);
}

static int compare_series(const void *a, const void *b)
{
    const struct level *x = (*(const struct level_series *const *)a)->level;
    const struct level *y = (*(const struct level_series *const *)b)->level;
    size_t size = x->path_size < y->path_size ? x->path_size : y->path_size;
    int order = memcmp(x->path, y->path, size);
    return order ? order
                 : (x->path_size > y->path_size) - (x->path_size < y->path_size);
}

/* Levels come in the order of the request; what is below one of them in that of a hash
 * table with the peer, by name here. */
int metric_reader_find(struct metric_reader *reader,
                       const struct metric_read_opts *opts)
{
    int rc = metric_reader_watched(reader);
    reader->series_count = 0;
    for (size_t i = 0; rc == 0 && i < opts->level_count; i++) {
        size_t first = reader->series_count;
        rc = find_of_level(reader, opts->levels[i], opts);
        if (opts->strictness == METRIC_STRICT && reader->series_count - first > 1)
            qsort(reader->series + first, reader->series_count - first,
                  sizeof(struct level_series *), compare_series);
    }
    return rc == 0 && reader->series_count == 0 ? -ENOENT : rc;
}

int metric_reader_reserve(struct metric_reader *reader, size_t *known, size_t count)
{
    if (count > reader->contributors_capacity) {
        size_t capacity = 2 * count;
        uint32_t *grown = reallocarray(reader->contributors, capacity, sizeof *grown);
        if (!grown)
            return -ENOMEM;
        reader->contributors = grown;
        reader->contributors_capacity = capacity;
    }
    for (; *known < count; ++*known)
        reader->contributors[*known] = 0;
    return 0;
}

void metric_reader_add_child(struct metric_reader *reader)
{
    double *sum = reader->sum.values;
    const double *values = reader->child.values;
    for (size_t i = 0; i < reader->child.count; i++) {
        if (isnan(values[i]))
            continue;
        sum[i] = reader->contributors[i]++ ? sum[i] + values[i] : values[i];
    }
}

int metric_reader_reserve_lengths(struct metric_reader *reader, size_t count)
{
    if (count <= reader->lengths_capacity)
        return 0;
    int64_t *grown = reallocarray(reader->lengths_ns, 2 * count, sizeof *grown);
    if (!grown)
        return -ENOMEM;
    reader->lengths_ns = grown;
    reader->lengths_capacity = 2 * count;
    return 0;
}

void metric_reader_finish_sum(struct metric_reader *reader,
                              const struct metric_read_opts *opts,
                              struct metric_result *result)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (size_t i = 0; i < reader->sum.count; i++) {
        uint32_t count = reader->contributors[i];
        if (count == 0)
            continue;
        if (opts->aggregation == AGGREGATE_AVG)
            reader->sum.values[i] *= 1.0 / count; /* as cc-metric-store has it */
        least = count < least ? count : least;
        most = count > most ? count : most;
    }
    result->contributors_min = most ? least : 0;
    result->contributors_max = most;
}

void metric_numbers_count(const double *values, size_t count,
                          struct metric_numbers *ret)
{
    struct metric_numbers n = { .min = INFINITY, .max = -INFINITY };
    for (size_t i = 0; i < count; i++) {
        double v = values[i];
        if (isnan(v))
            continue;
        n.count++;
        n.sum += v;
        n.min = v < n.min ? v : n.min;
        n.max = v > n.max ? v : n.max;
    }
    if (n.count == 0)
        n.min = n.max = NAN;
    *ret = n;
}
