/* SPDX-License-Identifier: Apache-2.0 */
/* view - what a series consists of at one moment: made, replaced, retired. */
#include "store/series/view.h"

#include <errno.h>

#define VIEW_BLOCKS 8
#define LINE_WORDS 8 /* of a line of the cache */

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

struct series_head *series_head_new(struct memory *memory, bool is_chunked,
                                    int64_t step_ns, int64_t start_ns)
{
    struct series_head like = { .is_chunked = is_chunked, .step_ns = step_ns };
    struct series_head *head = memory_alloc(memory, head_size(&like));
    if (!head)
        return NULL;
    head->start_ns = start_ns;
    head->last_ns = start_ns;
    head->step_ns = step_ns;
    head->is_chunked = is_chunked;
    head->near_border = 0;
    head->contention = 0;
    head->chunk_count = 0;
    atomic_init(&head->count, 0);
    return head;
}

void series_head_free(struct memory *memory, struct series_head *head)
{
    for (size_t i = 0; head && i < head->chunk_count; i++)
        memory_free(memory, head->chunks[i], sizeof *head->chunks[i]);
    if (head)
        memory_free(memory, head, head_size(head));
}

void series_head_retire(struct memory *memory, struct series_head *head)
{
    size_t chunk_count = head->chunk_count;
    struct head_chunk *chunks[CHUNKS_MAX];
    memcpy(chunks, head->chunks, chunk_count * sizeof chunks[0]);
    memory_retire(memory, head, head_size(head));
    for (size_t i = 0; i < chunk_count; i++)
        memory_retire(memory, chunks[i], sizeof *chunks[i]);
}

void series_head_samples(struct series_head *head, size_t first, struct samples *ret)
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

struct series_view *series_view_new(struct memory *memory,
                                    const struct series_view *old, size_t block_count)
{
    struct series_view *view = memory_alloc(memory, view_size(block_count));
    if (!view)
        return NULL;
    view->block_count = (uint32_t)block_count;
    view->head = old ? old->head : NULL;
    view->late = old ? old->late : NULL;
    view->floor_s = old ? old->floor_s : 0;
    size_t copied = old ? old->block_count : 0;
    if (copied > block_count)
        copied = block_count;
    if (copied > 0)
        memcpy(view->blocks, old->blocks, copied * sizeof view->blocks[0]);
    return view;
}

void series_view_free(struct memory *memory, struct series_view *view)
{
    if (view)
        memory_free(memory, view, view_size(view->block_count));
}

void series_view_retire(struct memory *memory, struct series_view *view)
{
    memory_retire(memory, view, view_size(view->block_count));
}

void series_view_publish(struct metric_series *series, struct memory *memory,
                         struct series_view *view)
{
    struct series_view *old = atomic_exchange(&series->view, view);
    if (old)
        series_view_retire(memory, old);
}

void series_done(struct metric_series *series, struct memory *memory)
{
    struct series_view *view = atomic_exchange(&series->view, NULL);
    if (!view)
        return;
    for (size_t i = 0; i < view->block_count; i++)
        block_memory_retire(memory, view->blocks[i]);
    series_head_retire(memory, view->head);
    memory_retire(memory, view->late, sizeof *view->late);
    series_view_retire(memory, view);
}

bool series_has_view(const struct metric_series *series)
{
    return atomic_load_explicit(&series->view, memory_order_relaxed) != NULL;
}

int series_begin(struct metric_series *series, struct memory *memory, int64_t start_ns,
                 size_t block_count)
{
    struct series_head *head =
        series_head_new(memory, false, series_grid_ns(series), start_ns);
    struct series_view *view = series_view_new(memory, NULL, block_count);
    if (!head || !view) {
        series_head_free(memory, head);
        series_view_free(memory, view);
        return -ENOMEM;
    }
    view->head = head;
    series_view_publish(series, memory, view);
    return 0;
}

/* The same head, with chunks, in the place of a small one. */
static int head_make_chunked(struct metric_series *series, struct memory *memory)
{
    struct series_view *old = atomic_load_explicit(&series->view, memory_order_relaxed);
    struct series_head *from = old->head;
    struct series_head *head =
        series_head_new(memory, true, series_grid_ns(series), from->start_ns);
    struct series_view *view = series_view_new(memory, old, old->block_count);
    struct head_chunk *chunk = memory_alloc(memory, sizeof *chunk);
    if (!head || !view || !chunk) {
        series_head_free(memory, head);
        series_view_free(memory, view);
        memory_free(memory, chunk, sizeof *chunk);
        return -ENOMEM;
    }
    head->chunks[head->chunk_count++] = chunk;
    for (size_t i = 0; i < HEAD_WORDS_MIN; i++)
        atomic_init(&chunk->words[i],
                    atomic_load_explicit(&from->words[i], memory_order_relaxed));
    head->last_ns = from->last_ns;
    head->near_border = from->near_border;
    head->contention = from->contention;
    atomic_init(&head->count, atomic_load_explicit(&from->count, memory_order_relaxed));
    view->head = head;
    series_view_publish(series, memory, view);
    series_head_retire(memory, from);
    return 0;
}

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
        struct head_chunk *chunk = memory_alloc(memory, sizeof *chunk);
        if (!chunk)
            return -ENOMEM;
        /* Readers come here only after a count that is stored later. */
        head->chunks[head->chunk_count++] = chunk;
    }
    return 0;
}

int series_set_blocks(struct metric_series *series, struct memory *memory,
                      struct block *const *blocks, size_t count)
{
    struct series_view *old = atomic_load_explicit(&series->view, memory_order_relaxed);
    struct series_view *view = series_view_new(memory, old, count);
    if (!view)
        return -ENOMEM;
    memcpy(view->blocks, blocks, count * sizeof *blocks);
    series_view_publish(series, memory, view);
    return 0;
}

int series_replace_blocks(struct metric_series *series, struct memory *memory,
                          struct block *const *blocks, size_t count)
{
    struct series_view *old = atomic_load_explicit(&series->view, memory_order_relaxed);
    struct series_view *view = series_view_new(memory, old, count);
    if (!view)
        return -ENOMEM;
    if (count > 0)
        memcpy(view->blocks, blocks, count * sizeof *blocks);
    struct series_late *late = view->late;
    view->late = NULL;
    series_view_publish(series, memory, view);
    memory_retire(memory, late, sizeof *late);
    return 0;
}

int64_t view_part_start(const struct series_view *view, size_t part)
{
    return part < view->block_count ? view->blocks[part]->start_ns
                                    : view->head->start_ns;
}

int64_t view_part_step(const struct series_view *view, size_t part)
{
    return part < view->block_count ? view->blocks[part]->step_ns : view->head->step_ns;
}
