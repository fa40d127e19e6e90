/* SPDX-License-Identifier: Apache-2.0 */
/* read - the samples of one series: the readers' side. */
#include "store/series/read.h"

#include "store/series/late.h"

#include <errno.h>
#include <math.h>

static void add_stats(struct series_stats *stats, uint64_t count, double min,
                      double max, double sum)
{
    if (count == 0)
        return;
    stats->min = stats->count == 0 || min < stats->min ? min : stats->min;
    stats->max = stats->count == 0 || max > stats->max ? max : stats->max;
    stats->sum += sum;
    stats->count += count;
}

static void note_part(const struct series_reading *reading, int64_t first_ns,
                      int64_t last_ns)
{
    struct series_stats *stats = reading->stats;
    int64_t from_ns = reading->from_ns;
    if (reading->step_ns > 0 && stats->last_ns > 0 &&
        (first_ns - from_ns) / reading->step_ns ==
            (stats->last_ns - from_ns) / reading->step_ns)
        stats->contention++;
    stats->last_ns = last_ns;
}

static int deliver_samples(const struct series_reading *reading,
                           const struct samples *s)
{
    size_t begin = 0, end = s->count;
    while (begin < end && s->times[begin] < reading->from_ns)
        begin++;
    while (end > begin && s->times[end - 1] >= reading->to_ns)
        end--;
    if (begin == end)
        return 0;
    if (reading->fn)
        return reading->fn(reading->arg, s->times + begin, s->values + begin,
                           end - begin);
    note_part(reading, s->times[begin], s->times[end - 1]);
    for (size_t i = begin; i < end; i++) {
        double v = s->values[i];
        if (!isnan(v))
            add_stats(reading->stats, 1, v, v, v);
    }
    return 0;
}

/* A block whose bytes have changed is a gap, if the caller counts it. */
static int read_damaged(const struct series_reading *reading)
{
    if (!reading->unreadable)
        return -EBADMSG;
    (*reading->unreadable)++;
    return 0;
}

static int read_block(const struct series_reading *reading, const struct block *block,
                      const struct late_samples *late, size_t position)
{
    struct samples samples;
    bool is_whole = block->start_ns >= reading->from_ns &&
                    block->end_ns < reading->to_ns && !late_samples_has(late, position);
    if (block->end_ns < reading->from_ns || block->start_ns >= reading->to_ns)
        return 0;
    /* A point may have many of its samples, or it many points. */
    if (reading->stats && reading->step_ns > 0 && block->step_ns != reading->step_ns)
        reading->stats->contention++;
    if (reading->stats && is_whole) {
        note_part(reading, block->start_ns, block->end_ns);
        add_stats(reading->stats, block->count, block->min, block->max, block->sum);
        return 0;
    }
    int rc = block_decode(block, &samples);
    if (rc < 0) {
        samples.count = 0;
        rc = read_damaged(reading);
    }
    if (rc < 0)
        return rc;
    if (reading->stats)
        reading->stats->blocks_decoded++;
    late_samples_merge(late, position, &samples);
    return deliver_samples(reading, &samples);
}

int reading_block(const struct series_reading *reading, const struct block *block)
{
    static const struct late_samples none = { .count = 0 };
    return read_block(reading, block, &none, 0);
}

/* The parts before it end before from_ns.  From the newest on: a query of the last
 * minutes looks at no block. */
static size_t find_first_part(const struct series_view *view, int64_t from_ns)
{
    size_t part = view->block_count;
    while (part > 0 && view_part_start(view, part) > from_ns)
        part--;
    return part;
}

static int read_view(const struct series_reading *reading,
                     const struct series_view *view)
{
    struct late_samples late;
    struct samples samples;
    late_samples_of(view, &late);
    for (size_t part = find_first_part(view, reading->from_ns);
         part <= view->block_count; part++) {
        int rc = 0;
        /* Nor at those behind the range. */
        if (late.count == 0 && view_part_start(view, part) >= reading->to_ns)
            return 0;
        samples.count = 0;
        if (late.count > 0)
            late_samples_merge(&late, 2 * part, &samples);
        if (samples.count > 0)
            rc = deliver_samples(reading, &samples);
        if (rc == 0 && part < view->block_count)
            rc = read_block(reading, view->blocks[part], &late, 2 * part + 1);
        if (rc != 0)
            return rc;
    }
    /* On a grid what lies before the range need not be looked at, nor a head behind it.
     */
    size_t head_position = 2 * (size_t)view->block_count + 1, first = 0;
    int64_t start_ns = view->head->start_ns;
    if (!late_samples_has(&late, head_position)) {
        if (start_ns >= reading->to_ns)
            return 0;
        int64_t step_ns = view->head->step_ns;
        if (step_ns > 0 && reading->from_ns > start_ns)
            first = (size_t)((reading->from_ns - start_ns) / step_ns);
    }
    series_head_samples(view->head, first, &samples);
    late_samples_merge(&late, head_position, &samples);
    return deliver_samples(reading, &samples);
}

/* Stage by stage, so that no address is waited for before the others are requested. */
void series_prefetch(const struct metric_series *const *series, size_t count)
{
    for (size_t i = 0; i < count; i++)
        __builtin_prefetch(series[i]);
    for (size_t i = 0; i < count; i++)
        __builtin_prefetch(
            atomic_load_explicit(&series[i]->view, memory_order_relaxed));
    for (size_t i = 0; i < count; i++) {
        const struct series_view *view = atomic_load(&series[i]->view);
        if (view)
            __builtin_prefetch(view->head);
    }
    for (size_t i = 0; i < count; i++) {
        const struct series_view *view = atomic_load(&series[i]->view);
        struct series_head *head = view ? view->head : NULL;
        size_t filled =
            head ? atomic_load_explicit(&head->count, memory_order_acquire) : 0;
        /* Two lines: the last few samples. */
        for (size_t n = filled > 8 ? filled - 8 : 0; n < filled; n += 7)
            __builtin_prefetch(head_word(head, head->step_ns ? n : 2 * n));
    }
}

int64_t series_first_ns(const struct metric_series *series)
{
    const struct series_view *view = atomic_load(&series->view);
    return view ? view_part_start(view, 0) : INT64_MAX;
}

int64_t series_last_ns(const struct metric_series *series)
{
    const struct series_view *view = atomic_load(&series->view);
    if (!view)
        return INT64_MIN;
    struct series_head *head = view->head;
    size_t count = atomic_load_explicit(&head->count, memory_order_acquire);
    if (count > 0 && head->step_ns > 0)
        return head->start_ns + (int64_t)(count - 1) * head->step_ns;
    if (count > 0)
        return (int64_t)atomic_load_explicit(head_word(head, 2 * (count - 1)),
                                             memory_order_relaxed);
    return view->block_count ? view->blocks[view->block_count - 1]->end_ns : INT64_MIN;
}

uint32_t series_late_count(const struct metric_series *series)
{
    const struct series_view *view = atomic_load(&series->view);
    return view && view->late
               ? atomic_load_explicit(&view->late->count, memory_order_acquire)
               : 0;
}

int64_t series_step_between(const struct metric_series *series, int64_t from_ns,
                            int64_t to_ns)
{
    const struct series_view *view = atomic_load(&series->view);
    int64_t step_ns = series_grid_ns(series), longest_ns = 0;
    bool has_any = false;
    if (!view)
        return step_ns;
    for (size_t part = view->block_count + (size_t)1; part-- > 0;) {
        bool is_head = part == view->block_count;
        if (!is_head && (view_part_start(view, part + 1) <= from_ns ||
                         view->blocks[part]->end_ns < from_ns))
            break;
        if (view_part_start(view, part) >= to_ns ||
            (is_head &&
             atomic_load_explicit(&view->head->count, memory_order_acquire) == 0))
            continue;
        int64_t own_ns = view_part_step(view, part);
        longest_ns = own_ns > longest_ns ? own_ns : longest_ns;
        has_any = true;
    }
    return has_any ? longest_ns : step_ns;
}

int reading_series(const struct series_reading *reading,
                   const struct metric_series *series, series_before_fn *before,
                   void *before_arg)
{
    const struct series_view *view = atomic_load(&series->view);
    int rc = 0;
    /* What begins within the head needs nothing before, nor for where the first
     * block begins. */
    if (before && (!view || view->head->start_ns > reading->from_ns))
        rc = before(before_arg, view ? view_part_start(view, 0) : INT64_MAX);
    return rc == 0 && view ? read_view(reading, view) : rc;
}

int series_read(const struct metric_series *series, int64_t from_ns, int64_t to_ns,
                series_samples_fn *fn, void *arg)
{
    struct series_reading reading = {
        .from_ns = from_ns, .to_ns = to_ns, .fn = fn, .arg = arg
    };
    return reading_series(&reading, series, NULL, NULL);
}

int series_stats(const struct metric_series *series, int64_t from_ns, int64_t to_ns,
                 struct series_stats *ret)
{
    struct series_stats stats = { .min = NAN, .max = NAN };
    struct series_reading reading = { .from_ns = from_ns,
                                      .to_ns = to_ns,
                                      .stats = &stats,
                                      .step_ns = series_grid_ns(series) };
    int rc = reading_series(&reading, series, NULL, NULL);
    if (rc == 0)
        *ret = stats;
    return rc;
}
