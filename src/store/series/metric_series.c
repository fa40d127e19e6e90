/* SPDX-License-Identifier: Apache-2.0 */
/* metric_series - the samples of one metric of one component: the writer's side. */
#include "store/series/metric_series.h"

#include "base/number.h"
#include "store/series/fold.h"
#include "store/series/late.h"
#include "store/series/step.h"

#include <errno.h>

#define BORDER_RUN 8 /* samples near a border before the phase moves */
#define SLOT_OUTSIDE CODEC_VALUES_MAX
/* Two samples in a slot count so many times as much as a slot that has one: 64 is
 * reached after four in a row, after ten where one in nine slots has two, and never
 * where one in seventeen has.  At the most no other step was found: in this head none
 * is sought any more. */
#define CONTENTION_WEIGHT 16
#define CONTENTION_LIMIT 64
#define CONTENTION_IGNORED UINT8_MAX

/* Write a slot and what lies missing before it, then publish that it is there. */
static void head_store(struct series_head *head, size_t slot, double value)
{
    size_t count = atomic_load_explicit(&head->count, memory_order_relaxed);
    for (size_t i = count; i < slot; i++)
        atomic_store_explicit(head_word(head, i), MISSING_BITS, memory_order_relaxed);
    atomic_store_explicit(head_word(head, slot), double_bits(value),
                          memory_order_relaxed);
    if (slot >= count)
        atomic_store_explicit(&head->count, (uint32_t)slot + 1, memory_order_release);
}

/* Turn the head into a block, if it has anything, and begin an empty one at start_ns.
 */
static int seal_head(struct metric_series *series, struct memory *memory,
                     struct series_counts *counts, int64_t start_ns)
{
    struct series_view *old = atomic_load_explicit(&series->view, memory_order_relaxed);
    struct series_head *from = old->head;
    struct samples samples;
    series_head_samples(from, 0, &samples);
    /* A head is empty where memory ran out between this and its first sample. */
    size_t more = samples.count > 0;
    struct block *block = more ? block_memory_new(memory, from->step_ns, samples.times,
                                                  samples.values, samples.count)
                               : NULL;
    struct series_head *head =
        series_head_new(memory, false, series_grid_ns(series), start_ns);
    struct series_view *view = series_view_new(memory, old, old->block_count + more);
    if ((more && !block) || !head || !view) {
        memory_free(memory, block, block ? block_size(block) : 0);
        series_head_free(memory, head);
        series_view_free(memory, view);
        return -ENOMEM;
    }
    if (more)
        view->blocks[old->block_count] = block;
    view->head = head;
    series_view_publish(series, memory, view);
    series_head_retire(memory, from);
    counts->sealed += more;
    return 0;
}

/* Fold the late ones; those that lie within a head without a step want it sealed. */
static int series_seal_late(struct metric_series *series, struct memory *memory,
                            struct series_counts *counts)
{
    struct series_head *head =
        atomic_load_explicit(&series->view, memory_order_relaxed)->head;
    if (head->step_ns == 0 &&
        atomic_load_explicit(&head->count, memory_order_relaxed) > 0) {
        int rc = seal_head(series, memory, counts, head->last_ns + 1);
        if (rc < 0)
            return rc;
    }
    return series_fold(series, memory);
}

static int put_late(struct metric_series *series, struct memory *memory,
                    struct series_counts *counts, int64_t t_ns, double value)
{
    struct series_view *old = atomic_load_explicit(&series->view, memory_order_relaxed);
    struct series_late *late = old->late;
    if (late &&
        atomic_load_explicit(&late->count, memory_order_relaxed) == SERIES_LATE_MAX) {
        int rc = series_seal_late(series, memory, counts);
        if (rc < 0)
            return rc;
        old = atomic_load_explicit(&series->view, memory_order_relaxed);
        late = NULL;
    }
    if (!late) {
        struct series_view *view = series_view_new(memory, old, old->block_count);
        late = memory_alloc(memory, sizeof *late);
        if (!late || !view) {
            memory_free(memory, late, sizeof *late);
            series_view_free(memory, view);
            return -ENOMEM;
        }
        atomic_init(&late->count, 0);
        view->late = late;
        series_view_publish(series, memory, view);
    }
    uint32_t count = atomic_load_explicit(&late->count, memory_order_relaxed);
    late->items[count] = (struct series_late_item){ t_ns, double_bits(value) };
    atomic_store_explicit(&late->count, count + 1, memory_order_release);
    counts->late++;
    return 0;
}

/* Whether so many samples in a row lay near a border that the phase has to move. */
static bool is_drifting(struct series_head *head, int64_t offset_ns, int64_t step_ns)
{
    int64_t distance = offset_ns < 0 ? -offset_ns : offset_ns;
    if (distance <= step_ns / 4)
        head->near_border = 0;
    else if (head->near_border < BORDER_RUN)
        head->near_border++;
    return head->near_border == BORDER_RUN;
}

/* How much more often than it should be a slot gets a second sample of a later time. */
static void note_contention(struct series_head *head, size_t slot, size_t count,
                            int64_t t_ns)
{
    if (head->contention == CONTENTION_IGNORED || slot + 1 < count)
        return;
    if (slot + 1 > count)
        head->contention = (uint8_t)(head->contention - (head->contention > 0));
    else if (t_ns > head->last_ns && head->contention < CONTENTION_LIMIT)
        head->contention = (uint8_t)(head->contention + CONTENTION_WEIGHT);
}

static int put_in_slot(struct metric_series *series, struct memory *memory,
                       struct series_counts *counts, int64_t t_ns, size_t slot,
                       double value)
{
    int rc = series_reserve_head(series, memory, slot + 1);
    if (rc < 0)
        return rc;
    struct series_head *head =
        atomic_load_explicit(&series->view, memory_order_relaxed)->head;
    size_t count = atomic_load_explicit(&head->count, memory_order_relaxed);
    note_contention(head, slot, count, t_ns);
    if (slot + 1 == count) {
        counts->overwritten += t_ns != head->last_ns;
        counts->repeated += t_ns == head->last_ns;
    }
    if (slot + 1 >= count)
        head->last_ns = t_ns;
    head_store(head, slot, value);
    return 0;
}

static int put_on_grid(struct metric_series *series, struct memory *memory,
                       struct series_counts *counts, int64_t t_ns, double value)
{
    struct series_head *head =
        atomic_load_explicit(&series->view, memory_order_relaxed)->head;
    int64_t step_ns = series_grid_ns(series);
    int64_t slot = grid_slot(t_ns - head->start_ns, step_ns);
    if (slot < 0)
        return put_late(series, memory, counts, t_ns, value);
    size_t count = atomic_load_explicit(&head->count, memory_order_relaxed);
    int64_t slot_ns = head->start_ns + slot * step_ns;
    if (slot >= (int64_t)count && count > 0 &&
        is_drifting(head, t_ns - slot_ns, step_ns)) {
        slot = SLOT_OUTSIDE;
        slot_ns = t_ns;
        counts->phase_moved++;
    }
    if (slot >= SLOT_OUTSIDE) {
        int rc = seal_head(series, memory, counts, slot_ns);
        if (rc < 0)
            return rc;
        slot = 0;
    }
    return put_in_slot(series, memory, counts, t_ns, (size_t)slot, value);
}

/* Without a step: behind the newest, or in the place of the same time; else late. */
static int put_with_time(struct metric_series *series, struct memory *memory,
                         struct series_counts *counts, int64_t t_ns, double value)
{
    struct series_head *head =
        atomic_load_explicit(&series->view, memory_order_relaxed)->head;
    size_t count = atomic_load_explicit(&head->count, memory_order_relaxed);
    if (t_ns < head->last_ns)
        return put_late(series, memory, counts, t_ns, value);
    if (count > 0 && t_ns == head->last_ns) {
        counts->repeated++;
        atomic_store_explicit(head_word(head, 2 * count - 1), double_bits(value),
                              memory_order_relaxed);
        return 0;
    }
    int rc = 0;
    if (count == CODEC_VALUES_MAX) {
        rc = seal_head(series, memory, counts, t_ns);
        count = 0;
    }
    if (rc == 0)
        rc = series_reserve_head(series, memory, 2 * count + 2);
    if (rc < 0)
        return rc;
    head = atomic_load_explicit(&series->view, memory_order_relaxed)->head;
    count = atomic_load_explicit(&head->count, memory_order_relaxed);
    atomic_store_explicit(head_word(head, 2 * count), (uint64_t)t_ns,
                          memory_order_relaxed);
    atomic_store_explicit(head_word(head, 2 * count + 1), double_bits(value),
                          memory_order_relaxed);
    head->last_ns = t_ns;
    atomic_store_explicit(&head->count, (uint32_t)count + 1, memory_order_release);
    return 0;
}

int64_t series_shown_ns(const struct metric_series *series, int64_t t_ns)
{
    const struct series_view *view = atomic_load(&series->view);
    int64_t step_ns = view && view->head ? view->head->step_ns : 0;
    if (step_ns <= 0)
        return t_ns;
    int64_t start_ns = view->head->start_ns, distance_ns;
    if (__builtin_sub_overflow(t_ns, start_ns, &distance_ns) ||
        distance_ns > INT64_MAX / 2 || distance_ns < INT64_MIN / 2)
        return t_ns;
    return start_ns + grid_slot(distance_ns, step_ns) * step_ns;
}

bool series_accepts(const struct metric_series *series, int64_t t_ns)
{
    const struct series_view *view = atomic_load(&series->view);
    if (t_ns < 0 || t_ns > INT64_MAX / 2)
        return false;
    return !view || t_ns >= (int64_t)view->floor_s * NS_PER_S ||
           t_ns >= view->head->start_ns;
}

/* ---- a step that is sought ---- */

/* The same samples as a series on a grid. */
static int put_all(struct metric_series *series, struct memory *memory,
                   struct series_counts *counts, const struct samples *samples)
{
    int rc = series_has_view(series)
                 ? 0
                 : series_begin(series, memory, samples->times[0], 0);
    for (size_t i = 0; rc == 0 && i < samples->count; i++)
        rc = put_on_grid(series, memory, counts, samples->times[i], samples->values[i]);
    return rc;
}

/* What is late for blocks stays late. */
static int retain_late(struct memory *memory, const struct series_view *old,
                       struct series_late **ret)
{
    struct series_late *late = NULL;
    uint32_t retained = 0;
    size_t count =
        old->late ? atomic_load_explicit(&old->late->count, memory_order_relaxed) : 0;
    for (size_t i = 0; i < count; i++) {
        const struct series_late_item *item = &old->late->items[i];
        if (late_position(old, item->t_ns) >= 2 * (size_t)old->block_count)
            continue;
        if (!late && !(late = memory_alloc(memory, sizeof *late)))
            return -ENOMEM;
        late->items[retained++] = *item;
    }
    if (late)
        atomic_init(&late->count, retained);
    *ret = late;
    return 0;
}

/* Behind the blocks of series comes what grid has.  The step first: a reader of the new
 * view sees it. */
static int adopt_grid(struct metric_series *series, struct memory *memory,
                      struct metric_series *grid)
{
    struct series_view *old = atomic_load_explicit(&series->view, memory_order_relaxed);
    struct series_view *new = atomic_load_explicit(&grid->view, memory_order_relaxed);
    size_t count = old->block_count + new->block_count;
    struct series_head *head = old->head;
    struct series_late *late = old->late, *retained = NULL;
    struct series_view *view = series_view_new(memory, old, count);
    if (!view || retain_late(memory, old, &retained) < 0) {
        series_view_free(memory, view);
        return -ENOMEM;
    }
    if (new->block_count > 0)
        memcpy(view->blocks + old->block_count, new->blocks,
               new->block_count * sizeof new->blocks[0]);
    view->head = new->head;
    view->late = retained;
    atomic_store(&series->step_ns, grid->step_ns);
    series_view_publish(series, memory, view);
    atomic_store(&grid->view, NULL);
    series_view_free(memory, new);
    series_head_retire(memory, head);
    memory_retire(memory, late, sizeof *late);
    return 0;
}

/* The step of samples; where they have none, the one that was.  They would be alone
 * among grids, and most questions want one. */
static int make_grid(int64_t was_ns, struct memory *memory,
                     struct series_counts *counts, const struct samples *samples,
                     struct metric_series *grid)
{
    struct series_counts ignored = { 0 };
    int64_t step_ns = step_of_times(samples->times, samples->count);
    series_init(grid, step_ns);
    int rc = step_ns ? put_all(grid, memory, &ignored, samples) : -EDOM;
    /* Two in one slot are no grid. */
    if (rc == 0 && ignored.overwritten > 0)
        rc = -EDOM;
    if (rc != -EDOM || was_ns == 0)
        return rc;
    series_done(grid, memory);
    series_init(grid, was_ns);
    ignored = (struct series_counts){ 0 };
    rc = put_all(grid, memory, &ignored, samples);
    counts->overwritten += ignored.overwritten;
    if (rc == 0)
        atomic_load_explicit(&grid->view, memory_order_relaxed)->head->contention =
            CONTENTION_IGNORED;
    return rc;
}

/* Find the step, or let it be, once there are samples enough.  Without memory it is
 * tried again with the next sample. */
static void seek_step(struct metric_series *series, struct memory *memory,
                      struct series_counts *counts)
{
    struct series_view *view =
        atomic_load_explicit(&series->view, memory_order_relaxed);
    struct metric_series grid;
    struct samples samples;
    struct late_samples late;
    size_t late_count =
        view->late ? atomic_load_explicit(&view->late->count, memory_order_relaxed) : 0;
    if (atomic_load_explicit(&view->head->count, memory_order_relaxed) + late_count <
        STEP_SOUGHT_SAMPLES)
        return;
    series_head_samples(view->head, 0, &samples);
    late_samples_of(view, &late);
    for (size_t i = 0; i < 2; i++)
        late_samples_merge(&late, 2 * (size_t)view->block_count + i, &samples);
    if (samples.count < STEP_SOUGHT_SAMPLES &&
        (late_count < SERIES_LATE_MAX || samples.count == 0))
        return;
    int64_t step_ns = series->step_ns, was_ns = step_ns & ~STEP_ANEW;
    int rc =
        make_grid(step_ns == STEP_SOUGHT ? 0 : was_ns, memory, counts, &samples, &grid);
    if (rc == 0)
        rc = adopt_grid(series, memory, &grid);
    else if (rc == -EDOM)
        atomic_store(&series->step_ns, 0);
    series_done(&grid, memory);
    counts->steps_found += rc == 0;
    counts->steps_none += rc == -EDOM;
}

/* The grid is too wide: all slots but the last become a block, and the newest sample is
 * the first of those whose step is sought.  Without memory it is tried again with the
 * next that shares a slot. */
static void doubt_step(struct metric_series *series, struct memory *memory,
                       struct series_counts *counts)
{
    /* A full table of late samples would end the search: it begins with an empty one,
     * however much of it was folded when blocks were evicted. */
    if (series_fold(series, memory) < 0)
        return;
    struct series_view *old = atomic_load_explicit(&series->view, memory_order_relaxed);
    struct series_head *from = old->head;
    int64_t step_ns = series->step_ns;
    struct samples samples;
    series_head_samples(from, 0, &samples);
    size_t last = --samples.count, more = last > 0;
    struct block *block =
        more ? block_memory_new(memory, step_ns, samples.times, samples.values, last)
             : NULL;
    atomic_store(&series->step_ns, STEP_ANEW + step_ns);
    struct series_head *head =
        series_head_new(memory, false, series_grid_ns(series), from->last_ns);
    struct series_view *view = series_view_new(memory, old, old->block_count + more);
    if ((more && !block) || !head || !view) {
        memory_free(memory, block, block ? block_size(block) : 0);
        series_head_free(memory, head);
        series_view_free(memory, view);
        atomic_store(&series->step_ns, step_ns);
        return;
    }
    atomic_init(&head->words[0], (uint64_t)from->last_ns);
    atomic_init(&head->words[1], double_bits(samples.values[last]));
    atomic_init(&head->count, 1);
    if (more)
        view->blocks[old->block_count] = block;
    view->head = head;
    series_view_publish(series, memory, view);
    series_head_retire(memory, from);
    counts->sealed += more;
    counts->steps_doubted++;
}

static bool is_contended(const struct metric_series *series)
{
    const struct series_head *head =
        atomic_load_explicit(&series->view, memory_order_relaxed)->head;
    return head->contention >= CONTENTION_LIMIT &&
           head->contention != CONTENTION_IGNORED;
}

int series_put(struct metric_series *series, struct memory *memory,
               struct series_counts *counts, int64_t oldest_ns, int64_t t_ns,
               double value)
{
    /* Half the range of time: differences of times and a step more must not overflow.
     */
    if (t_ns < oldest_ns || !series_accepts(series, t_ns)) {
        counts->too_old++;
        return -ERANGE;
    }
    int rc = 0;
    if (!atomic_load_explicit(&series->view, memory_order_relaxed))
        rc = series_begin(series, memory, t_ns, 0);
    if (rc == 0)
        rc = series_grid_ns(series)
                 ? put_on_grid(series, memory, counts, t_ns, value)
                 : put_with_time(series, memory, counts, t_ns, value);
    counts->accepted += rc == 0;
    if (rc == 0 && step_is_sought(atomic_load(&series->step_ns)))
        seek_step(series, memory, counts);
    else if (rc == 0 && is_contended(series))
        doubt_step(series, memory, counts);
    return rc;
}

size_t series_release(struct metric_series *series, struct memory *memory,
                      struct series_counts *counts, int64_t t_ns)
{
    struct series_view *old = atomic_load_explicit(&series->view, memory_order_relaxed);
    size_t released = 0, gone = 0;
    /* Which step is found depends on what is in the head, and must not on what was
     * evicted from memory: a replay would find another. */
    if (old && old->late && step_is_sought(atomic_load(&series->step_ns)))
        return 0;
    if (old && old->late && series_seal_late(series, memory, counts) == 0)
        old = atomic_load_explicit(&series->view, memory_order_relaxed);
    while (old && gone < old->block_count && old->blocks[gone]->end_ns < t_ns &&
           (old->blocks[gone]->is_filed || !memory->is_backed))
        gone++;
    if (gone == 0)
        return 0;
    size_t left = old->block_count - gone;
    struct series_view *view = series_view_new(memory, old, left);
    if (!view)
        return 0;
    if (left > 0)
        memcpy(view->blocks, old->blocks + gone, left * sizeof view->blocks[0]);
    int64_t floor_s = old->blocks[gone - 1]->end_ns / NS_PER_S + 1;
    view->floor_s = floor_s < UINT32_MAX ? (uint32_t)floor_s : UINT32_MAX;
    (void)atomic_exchange(&series->view, view);
    for (size_t i = 0; i < gone; i++) {
        released += old->blocks[i]->slots;
        block_memory_retire(memory, old->blocks[i]);
    }
    series_view_retire(memory, old);
    return released;
}
