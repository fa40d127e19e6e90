/* SPDX-License-Identifier: Apache-2.0 */
/* series - the samples of one metric of one component: the writer's side. */
#include "store/series.h"

#include "base/number.h"
#include "store/series_step.h"
#include "store/series_view.h"

#include <errno.h>

#define BORDER_RUN 8 /* samples near a border before the phase moves */
#define SLOT_OUTSIDE CODEC_VALUES_MAX
#define VIEW_BLOCKS 8
/* Two samples in a slot count so many times as much as a slot that has one: 64 is
 * reached after four in a row, after ten where one in nine slots has two, and never
 * where one in seventeen has.  At the most no other step was found: in this head none
 * is sought any more. */
#define CROWDED_WEIGHT 16
#define CROWDED_TOO 64
#define CROWDED_ANYWAY UINT8_MAX

void series_init(struct metric_series *series, int64_t step_ns)
{
    atomic_init(&series->step_ns, step_ns);
    atomic_init(&series->view, NULL);
}

/* A head with chunks has only as many pointers as its series can need. */
static size_t head_size(const struct series_head *head)
{
    size_t chunks = head->step_ns ? CHUNKS_MAX / 2 : CHUNKS_MAX;
    return offsetof(struct series_head, words) +
           (head->is_chunked ? chunks * sizeof head->chunks[0] : sizeof head->words);
}

/* With room for a few blocks more: all series grow at about one time, and if each block
 * made a view of another size, no view could ever use the piece of an older one. */
static size_t view_size(size_t block_count)
{
    size_t room = (block_count + VIEW_BLOCKS - 1) / VIEW_BLOCKS * VIEW_BLOCKS;
    return sizeof(struct series_view) + room * sizeof(struct block *);
}

static struct series_head *head_new(const struct metric_series *series,
                                    struct memory *memory, bool is_chunked,
                                    int64_t start_ns)
{
    struct series_head like = { .is_chunked = is_chunked,
                                .step_ns = series_grid_ns(series) };
    struct series_head *head = memory_take(memory, head_size(&like));
    if (!head)
        return NULL;
    head->start_ns = start_ns;
    head->last_ns = start_ns;
    head->step_ns = like.step_ns;
    head->is_chunked = like.is_chunked;
    head->near_border = 0;
    head->crowded = 0;
    head->chunk_count = 0;
    atomic_init(&head->count, 0);
    return head;
}

/* For a head that was never published. */
static void head_give(struct memory *memory, struct series_head *head)
{
    for (size_t i = 0; head && i < head->chunk_count; i++)
        memory_give(memory, head->chunks[i], sizeof *head->chunks[i]);
    if (head)
        memory_give(memory, head, head_size(head));
}

static void head_retire(struct memory *memory, struct series_head *head)
{
    size_t chunk_count = head->chunk_count;
    struct head_chunk *chunks[CHUNKS_MAX];
    memcpy(chunks, head->chunks, chunk_count * sizeof chunks[0]);
    memory_retire(memory, head, head_size(head));
    for (size_t i = 0; i < chunk_count; i++)
        memory_retire(memory, chunks[i], sizeof *chunks[i]);
}

static struct series_view *view_new(struct memory *memory,
                                    const struct series_view *old, size_t block_count)
{
    struct series_view *view = memory_take(memory, view_size(block_count));
    if (!view)
        return NULL;
    view->block_count = (uint32_t)block_count;
    view->head = old ? old->head : NULL;
    view->late = old ? old->late : NULL;
    view->floor_s = old ? old->floor_s : 0;
    size_t kept = old ? old->block_count : 0;
    if (kept > block_count)
        kept = block_count;
    if (kept > 0)
        memcpy(view->blocks, old->blocks, kept * sizeof view->blocks[0]);
    return view;
}

static void publish(struct metric_series *series, struct memory *memory,
                    struct series_view *view)
{
    struct series_view *old = atomic_exchange(&series->view, view);
    if (old)
        memory_retire(memory, old, view_size(old->block_count));
}

void series_done(struct metric_series *series, struct memory *memory)
{
    struct series_view *view = atomic_exchange(&series->view, NULL);
    if (!view)
        return;
    for (size_t i = 0; i < view->block_count; i++)
        block_memory_retire(memory, view->blocks[i]);
    head_retire(memory, view->head);
    memory_retire(memory, view->late, sizeof *view->late);
    memory_retire(memory, view, view_size(view->block_count));
}

/* Write a slot and what lies missing before it, then say that it is there. */
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

/* The same head, with chunks, in the place of a small one. */
static int head_make_chunked(struct metric_series *series, struct memory *memory)
{
    struct series_view *old = atomic_load_explicit(&series->view, memory_order_relaxed);
    struct series_head *from = old->head;
    struct series_head *head = head_new(series, memory, true, from->start_ns);
    struct series_view *view = view_new(memory, old, old->block_count);
    struct head_chunk *chunk = memory_take(memory, sizeof *chunk);
    if (!head || !view || !chunk) {
        head_give(memory, head);
        memory_give(memory, view, view_size(old->block_count));
        memory_give(memory, chunk, sizeof *chunk);
        return -ENOMEM;
    }
    head->chunks[head->chunk_count++] = chunk;
    for (size_t i = 0; i < HEAD_WORDS_MIN; i++)
        atomic_init(&chunk->words[i],
                    atomic_load_explicit(&from->words[i], memory_order_relaxed));
    head->last_ns = from->last_ns;
    head->near_border = from->near_border;
    head->crowded = from->crowded;
    atomic_init(&head->count, atomic_load_explicit(&from->count, memory_order_relaxed));
    view->head = head;
    publish(series, memory, view);
    head_retire(memory, from);
    return 0;
}

/* Room for need words in the head. */
int series_reserve_head(struct metric_series *series, struct memory *memory,
                        size_t need)
{
    struct series_head *head =
        atomic_load_explicit(&series->view, memory_order_relaxed)->head;
    if (!head->is_chunked) {
        if (need <= HEAD_WORDS_MIN)
            return 0;
        int rc = head_make_chunked(series, memory);
        if (rc < 0)
            return rc;
        head = atomic_load_explicit(&series->view, memory_order_relaxed)->head;
    }
    while (need > (size_t)head->chunk_count * CHUNK_WORDS) {
        struct head_chunk *chunk = memory_take(memory, sizeof *chunk);
        if (!chunk)
            return -ENOMEM;
        /* Readers come here only after a count that is stored later. */
        head->chunks[head->chunk_count++] = chunk;
    }
    return 0;
}

/* Turn the head into a block, if it has anything, and begin an empty one at start_ns.
 */
int series_seal_head(struct metric_series *series, struct memory *memory,
                     struct series_counts *counts, int64_t start_ns)
{
    struct series_view *old = atomic_load_explicit(&series->view, memory_order_relaxed);
    struct series_head *from = old->head;
    struct samples samples;
    view_head_samples(from, &samples);
    /* A head is empty where memory ran out between this and its first sample. */
    size_t more = samples.count > 0;
    struct block *block = more ? block_memory_new(memory, from->step_ns, samples.times,
                                                  samples.values, samples.count)
                               : NULL;
    struct series_head *head = head_new(series, memory, false, start_ns);
    struct series_view *view = view_new(memory, old, old->block_count + more);
    if ((more && !block) || !head || !view) {
        memory_give(memory, block, block ? block_size(block) : 0);
        head_give(memory, head);
        memory_give(memory, view, view_size(old->block_count + more));
        return -ENOMEM;
    }
    if (more)
        view->blocks[old->block_count] = block;
    view->head = head;
    publish(series, memory, view);
    head_retire(memory, from);
    counts->sealed += more;
    return 0;
}

bool series_has_view(const struct metric_series *series)
{
    return atomic_load_explicit(&series->view, memory_order_relaxed) != NULL;
}

int series_begin(struct metric_series *series, struct memory *memory, int64_t start_ns,
                 size_t block_count)
{
    struct series_head *head = head_new(series, memory, false, start_ns);
    struct series_view *view = view_new(memory, NULL, block_count);
    if (!head || !view) {
        head_give(memory, head);
        memory_give(memory, view, view_size(block_count));
        return -ENOMEM;
    }
    view->head = head;
    publish(series, memory, view);
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
        int rc = series_seal_head(series, memory, counts, head->last_ns + 1);
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
        struct series_view *view = view_new(memory, old, old->block_count);
        late = memory_take(memory, sizeof *late);
        if (!late || !view) {
            memory_give(memory, late, sizeof *late);
            memory_give(memory, view, view_size(old->block_count));
            return -ENOMEM;
        }
        atomic_init(&late->count, 0);
        view->late = late;
        publish(series, memory, view);
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
static void note_crowd(struct series_head *head, size_t slot, size_t count,
                       int64_t t_ns)
{
    if (head->crowded == CROWDED_ANYWAY || slot + 1 < count)
        return;
    if (slot + 1 > count)
        head->crowded = (uint8_t)(head->crowded - (head->crowded > 0));
    else if (t_ns > head->last_ns && head->crowded < CROWDED_TOO)
        head->crowded = (uint8_t)(head->crowded + CROWDED_WEIGHT);
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
    note_crowd(head, slot, count, t_ns);
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
        int rc = series_seal_head(series, memory, counts, slot_ns);
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
        rc = series_seal_head(series, memory, counts, t_ns);
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

bool series_takes(const struct metric_series *series, int64_t t_ns)
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
static int keep_late(struct memory *memory, const struct series_view *old,
                     struct series_late **ret)
{
    struct series_late *late = NULL;
    uint32_t kept = 0;
    size_t count =
        old->late ? atomic_load_explicit(&old->late->count, memory_order_relaxed) : 0;
    for (size_t i = 0; i < count; i++) {
        const struct series_late_item *item = &old->late->items[i];
        if (view_place_of(old, item->t_ns) >= 2 * (size_t)old->block_count)
            continue;
        if (!late && !(late = memory_take(memory, sizeof *late)))
            return -ENOMEM;
        late->items[kept++] = *item;
    }
    if (late)
        atomic_init(&late->count, kept);
    *ret = late;
    return 0;
}

/* Behind the blocks of series comes what grid has.  The step first: who sees the new
 * view sees it. */
static int adopt_grid(struct metric_series *series, struct memory *memory,
                      struct metric_series *grid)
{
    struct series_view *old = atomic_load_explicit(&series->view, memory_order_relaxed);
    struct series_view *new = atomic_load_explicit(&grid->view, memory_order_relaxed);
    size_t count = old->block_count + new->block_count;
    struct series_head *head = old->head;
    struct series_late *late = old->late, *kept = NULL;
    struct series_view *view = view_new(memory, old, count);
    if (!view || keep_late(memory, old, &kept) < 0) {
        memory_give(memory, view, view_size(count));
        return -ENOMEM;
    }
    if (new->block_count > 0)
        memcpy(view->blocks + old->block_count, new->blocks,
               new->block_count * sizeof new->blocks[0]);
    view->head = new->head;
    view->late = kept;
    atomic_store(&series->step_ns, grid->step_ns);
    publish(series, memory, view);
    atomic_store(&grid->view, NULL);
    memory_give(memory, new, view_size(new->block_count));
    head_retire(memory, head);
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
        atomic_load_explicit(&grid->view, memory_order_relaxed)->head->crowded =
            CROWDED_ANYWAY;
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
    struct placed late;
    size_t late_count =
        view->late ? atomic_load_explicit(&view->late->count, memory_order_relaxed) : 0;
    if (atomic_load_explicit(&view->head->count, memory_order_relaxed) + late_count <
        STEP_SOUGHT_SAMPLES)
        return;
    view_head_samples(view->head, &samples);
    view_place_late(view, &late);
    for (size_t i = 0; i < 2; i++)
        placed_merge(&late, 2 * (size_t)view->block_count + i, &samples);
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
     * however much of it was folded when memory let go of blocks. */
    if (series_fold(series, memory) < 0)
        return;
    struct series_view *old = atomic_load_explicit(&series->view, memory_order_relaxed);
    struct series_head *from = old->head;
    int64_t step_ns = series->step_ns;
    struct samples samples;
    view_head_samples(from, &samples);
    size_t last = --samples.count, more = last > 0;
    struct block *block =
        more ? block_memory_new(memory, step_ns, samples.times, samples.values, last)
             : NULL;
    atomic_store(&series->step_ns, STEP_ANEW + step_ns);
    struct series_head *head = head_new(series, memory, false, from->last_ns);
    struct series_view *view = view_new(memory, old, old->block_count + more);
    if ((more && !block) || !head || !view) {
        memory_give(memory, block, block ? block_size(block) : 0);
        head_give(memory, head);
        memory_give(memory, view, view_size(old->block_count + more));
        atomic_store(&series->step_ns, step_ns);
        return;
    }
    atomic_init(&head->words[0], (uint64_t)from->last_ns);
    atomic_init(&head->words[1], double_bits(samples.values[last]));
    atomic_init(&head->count, 1);
    if (more)
        view->blocks[old->block_count] = block;
    view->head = head;
    publish(series, memory, view);
    head_retire(memory, from);
    counts->sealed += more;
    counts->steps_doubted++;
}

static bool is_crowded(const struct metric_series *series)
{
    const struct series_head *head =
        atomic_load_explicit(&series->view, memory_order_relaxed)->head;
    return head->crowded >= CROWDED_TOO && head->crowded != CROWDED_ANYWAY;
}

int series_put(struct metric_series *series, struct memory *memory,
               struct series_counts *counts, int64_t oldest_ns, int64_t t_ns,
               double value)
{
    /* Half the range of time: differences of times and a step more must not overflow.
     */
    if (t_ns < oldest_ns || !series_takes(series, t_ns)) {
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
    else if (rc == 0 && is_crowded(series))
        doubt_step(series, memory, counts);
    return rc;
}

int series_set_blocks(struct metric_series *series, struct memory *memory,
                      struct block *const *blocks, size_t count)
{
    struct series_view *old = atomic_load_explicit(&series->view, memory_order_relaxed);
    struct series_view *view = view_new(memory, old, count);
    if (!view)
        return -ENOMEM;
    memcpy(view->blocks, blocks, count * sizeof *blocks);
    publish(series, memory, view);
    return 0;
}

int series_replace_blocks(struct metric_series *series, struct memory *memory,
                          struct block *const *blocks, size_t count)
{
    struct series_view *old = atomic_load_explicit(&series->view, memory_order_relaxed);
    struct series_view *view = view_new(memory, old, count);
    if (!view)
        return -ENOMEM;
    if (count > 0)
        memcpy(view->blocks, blocks, count * sizeof *blocks);
    struct series_late *late = view->late;
    view->late = NULL;
    publish(series, memory, view);
    memory_retire(memory, late, sizeof *late);
    return 0;
}

size_t series_release(struct metric_series *series, struct memory *memory,
                      struct series_counts *counts, int64_t t_ns)
{
    struct series_view *old = atomic_load_explicit(&series->view, memory_order_relaxed);
    size_t released = 0, gone = 0;
    /* Which step is found depends on what is in the head, and must not on what memory
     * had to let go: a replay would find another. */
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
    struct series_view *view = view_new(memory, old, left);
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
    memory_retire(memory, old, view_size(old->block_count));
    return released;
}
