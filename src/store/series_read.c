/* SPDX-License-Identifier: Apache-2.0 */
/* series_read - the samples of one series: the readers' side. */
#include "store/series.h"
#include "store/series_view.h"

#include <errno.h>
#include <math.h>

#define LINE_WORDS 8 /* of a line of the cache */

/* Samples from number first on. */
static void head_samples(struct series_head *head, size_t first, struct samples *ret)
{
    size_t count = atomic_load_explicit(&head->count, memory_order_acquire);
    ret->count = 0;
    /* They come from far away, and better together than one after the other. */
    for (size_t i = first; i < count; i += LINE_WORDS)
        __builtin_prefetch(head_word(head, head->step_ns ? i : 2 * i));
    for (size_t i = first; i < count; i++) {
        size_t at = i, to = ret->count++;
        ret->times[to] = head->start_ns + (int64_t)i * head->step_ns;
        if (head->step_ns == 0) {
            at = 2 * i + 1;
            ret->times[to] = (int64_t)atomic_load_explicit(head_word(head, 2 * i),
                                                           memory_order_relaxed);
        }
        ret->values[to] = bits_double(
            atomic_load_explicit(head_word(head, at), memory_order_relaxed));
    }
}

void view_head_samples(struct series_head *head, struct samples *ret)
{
    head_samples(head, 0, ret);
}

static int64_t part_start(const struct series_view *view, size_t part)
{
    return part < view->block_count ? view->blocks[part]->start_ns
                                    : view->head->start_ns;
}

int64_t view_part_step(const struct series_view *view, size_t part)
{
    return part < view->block_count ? view->blocks[part]->step_ns : view->head->step_ns;
}

/* Times from here on are the part's.  Its slot 0 reaches half a step before its start,
 * but not into the part before it. */
static int64_t part_reach(const struct series_view *view, size_t part)
{
    int64_t step_ns = view_part_step(view, part);
    int64_t reach_ns = part_start(view, part) - step_ns / 2;
    if (part > 0 && view->blocks[part - 1]->end_ns >= reach_ns)
        return view->blocks[part - 1]->end_ns + 1;
    return reach_ns;
}

/* How many parts begin at t_ns or before. */
static size_t count_parts_until(const struct series_view *view, int64_t t_ns)
{
    size_t low = 0, high = view->block_count + (size_t)1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (part_reach(view, middle) <= t_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* On the grid that has a slot at start_ns; without a step as it is. */
static int64_t nearest_slot(int64_t t_ns, int64_t start_ns, int64_t step_ns)
{
    return step_ns ? start_ns + grid_slot(t_ns - start_ns, step_ns) * step_ns : t_ns;
}

/* A sample in a gap lies on the grid of the part behind it. */
static void place_item(const struct series_view *view, struct placed_item *item)
{
    size_t until = count_parts_until(view, item->t_ns);
    size_t part = until > 0 ? until - 1 : 0;
    const struct block *block = part < view->block_count ? view->blocks[part] : NULL;
    item->place = 2 * until;
    if (until == view->block_count + (size_t)1) {
        item->place = 2 * part + 1;
        return;
    }
    int64_t in_gap_ns =
        nearest_slot(item->t_ns, part_start(view, until), view_part_step(view, until));
    if (until > 0) {
        int64_t in_block_ns = nearest_slot(item->t_ns, block->start_ns, block->step_ns);
        /* A block reaches half a step behind its end, but not into another step. */
        bool is_same = block->step_ns == view_part_step(view, until);
        if ((is_same ? in_block_ns : item->t_ns) <= block->end_ns ||
            in_gap_ns <= block->end_ns) {
            item->place = 2 * part + 1;
            item->t_ns = in_block_ns < block->end_ns ? in_block_ns : block->end_ns;
            return;
        }
    }
    item->t_ns = in_gap_ns;
}

size_t view_place_of(const struct series_view *view, int64_t t_ns)
{
    struct placed_item item = { .t_ns = t_ns };
    place_item(view, &item);
    return item.place;
}

static int compare_places(const struct placed_item *a, const struct placed_item *b)
{
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return (a->t_ns > b->t_ns) - (a->t_ns < b->t_ns);
}

void view_place_late(const struct series_view *view, struct placed *ret)
{
    ret->count = 0;
    if (!view->late)
        return;
    size_t count = atomic_load_explicit(&view->late->count, memory_order_acquire);
    for (size_t i = 0; i < count; i++) {
        struct placed_item item = { .t_ns = view->late->items[i].t_ns,
                                    .bits = view->late->items[i].bits };
        place_item(view, &item);
        size_t at = ret->count;
        while (at > 0 && compare_places(&ret->items[at - 1], &item) > 0)
            at--;
        if (at > 0 && compare_places(&ret->items[at - 1], &item) == 0) {
            ret->items[at - 1] = item;
            continue;
        }
        memmove(&ret->items[at + 1], &ret->items[at],
                (ret->count - at) * sizeof ret->items[0]);
        ret->items[at] = item;
        ret->count++;
    }
}

bool placed_has(const struct placed *placed, size_t place)
{
    for (size_t i = 0; i < placed->count; i++) {
        if (placed->items[i].place == place)
            return true;
    }
    return false;
}

static void samples_put(struct samples *s, int64_t t_ns, uint64_t bits)
{
    size_t at = s->count;
    while (at > 0 && s->times[at - 1] > t_ns)
        at--;
    if (at > 0 && s->times[at - 1] == t_ns) {
        s->values[at - 1] = bits_double(bits);
        return;
    }
    memmove(&s->times[at + 1], &s->times[at], (s->count - at) * sizeof s->times[0]);
    memmove(&s->values[at + 1], &s->values[at], (s->count - at) * sizeof s->values[0]);
    s->times[at] = t_ns;
    s->values[at] = bits_double(bits);
    s->count++;
}

void placed_merge(const struct placed *placed, size_t place, struct samples *samples)
{
    for (size_t i = 0; i < placed->count; i++) {
        if (placed->items[i].place == place)
            samples_put(samples, placed->items[i].t_ns, placed->items[i].bits);
    }
}

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
        stats->crowded++;
    stats->last_ns = last_ns;
}

static int hand_on(const struct series_reading *reading, const struct samples *s)
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

/* A block whose bytes have changed is a hole, if somebody counts it. */
static int read_damaged(const struct series_reading *reading)
{
    if (!reading->unreadable)
        return -EBADMSG;
    (*reading->unreadable)++;
    return 0;
}

static int read_block(const struct series_reading *reading, const struct block *block,
                      const struct placed *placed, size_t place)
{
    struct samples samples;
    bool is_whole = block->start_ns >= reading->from_ns &&
                    block->end_ns < reading->to_ns && !placed_has(placed, place);
    if (block->end_ns < reading->from_ns || block->start_ns >= reading->to_ns)
        return 0;
    /* A point may have many of its samples, or it many points. */
    if (reading->stats && reading->step_ns > 0 && block->step_ns != reading->step_ns)
        reading->stats->crowded++;
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
    placed_merge(placed, place, &samples);
    return hand_on(reading, &samples);
}

int reading_block(const struct series_reading *reading, const struct block *block)
{
    static const struct placed none = { .count = 0 };
    return read_block(reading, block, &none, 0);
}

/* The parts before it end before from_ns.  From the newest on: asked for the last
 * minutes, nobody looks at a block. */
static size_t find_first_part(const struct series_view *view, int64_t from_ns)
{
    size_t part = view->block_count;
    while (part > 0 && part_start(view, part) > from_ns)
        part--;
    return part;
}

static int read_view(const struct series_reading *reading,
                     const struct series_view *view)
{
    struct placed placed;
    struct samples samples;
    view_place_late(view, &placed);
    for (size_t part = find_first_part(view, reading->from_ns);
         part <= view->block_count; part++) {
        int rc = 0;
        /* Nor at those behind the range. */
        if (placed.count == 0 && part_start(view, part) >= reading->to_ns)
            return 0;
        samples.count = 0;
        if (placed.count > 0)
            placed_merge(&placed, 2 * part, &samples);
        if (samples.count > 0)
            rc = hand_on(reading, &samples);
        if (rc == 0 && part < view->block_count)
            rc = read_block(reading, view->blocks[part], &placed, 2 * part + 1);
        if (rc != 0)
            return rc;
    }
    /* On a grid what lies before the range need not be looked at, nor a head behind it.
     */
    size_t head_place = 2 * (size_t)view->block_count + 1, first = 0;
    int64_t start_ns = view->head->start_ns;
    if (!placed_has(&placed, head_place)) {
        if (start_ns >= reading->to_ns)
            return 0;
        int64_t step_ns = view->head->step_ns;
        if (step_ns > 0 && reading->from_ns > start_ns)
            first = (size_t)((reading->from_ns - start_ns) / step_ns);
    }
    head_samples(view->head, first, &samples);
    placed_merge(&placed, head_place, &samples);
    return hand_on(reading, &samples);
}

/* Stage by stage, so that no address is waited for before the others are asked for. */
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
    return view ? part_start(view, 0) : INT64_MAX;
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
        if (!is_head && (part_start(view, part + 1) <= from_ns ||
                         view->blocks[part]->end_ns < from_ns))
            break;
        if (part_start(view, part) >= to_ns ||
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
    /* What begins within the head asks for nothing before, nor for where the first
     * block begins. */
    if (before && (!view || view->head->start_ns > reading->from_ns))
        rc = before(before_arg, view ? part_start(view, 0) : INT64_MAX);
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
