/* SPDX-License-Identifier: Apache-2.0 */
/* state - all of a series at one moment. */
#include "store/series/state.h"

#include "base/cleanup.h"

#include <errno.h>

bool series_capture(const struct metric_series *series, struct series_state *ret)
{
    struct series_view *view =
        atomic_load_explicit(&series->view, memory_order_relaxed);
    if (!view)
        return false;
    ret->floor_s = view->floor_s;
    ret->near_border = view->head->near_border;
    ret->start_ns = view->head->start_ns;
    ret->last_ns = view->head->last_ns;
    ret->contention = view->head->contention;
    series_head_samples(view->head, 0, &ret->head);
    ret->late_count =
        view->late ? atomic_load_explicit(&view->late->count, memory_order_relaxed) : 0;
    for (size_t i = 0; i < ret->late_count; i++) {
        ret->late_times[i] = view->late->items[i].t_ns;
        ret->late_bits[i] = view->late->items[i].bits;
    }
    ret->block_count = view->block_count;
    ret->blocks = view->blocks;
    return true;
}

static bool is_time(int64_t t_ns)
{
    return t_ns >= 0 && t_ns <= INT64_MAX / 2;
}

static bool is_possible(const struct metric_series *series,
                        const struct series_state *state)
{
    const struct samples *head = &state->head;
    if (!is_time(state->start_ns) || !is_time(state->last_ns) ||
        head->count > CODEC_VALUES_MAX || state->late_count > SERIES_LATE_MAX)
        return false;
    for (size_t i = 0; i < state->late_count; i++) {
        if (!is_time(state->late_times[i]))
            return false;
    }
    for (size_t i = 0; series_grid_ns(series) == 0 && i < head->count; i++) {
        if (!is_time(head->times[i]) || (i > 0 && head->times[i] <= head->times[i - 1]))
            return false;
    }
    for (size_t i = 1; i < state->block_count; i++) {
        if (state->blocks[i]->start_ns <= state->blocks[i - 1]->end_ns)
            return false;
    }
    return true;
}

/* Words of a head: values, or times and values. */
static int restore_head(struct metric_series *series, struct memory *memory,
                        const struct series_state *state)
{
    bool has_times = series_grid_ns(series) == 0;
    size_t count = state->head.count;
    int rc = series_reserve_head(series, memory, has_times ? 2 * count : count);
    if (rc < 0)
        return rc;
    struct series_head *head =
        atomic_load_explicit(&series->view, memory_order_relaxed)->head;
    for (size_t i = 0; i < count; i++) {
        size_t at = has_times ? 2 * i + 1 : i;
        if (has_times)
            atomic_store_explicit(head_word(head, 2 * i),
                                  (uint64_t)state->head.times[i], memory_order_relaxed);
        atomic_store_explicit(head_word(head, at), double_bits(state->head.values[i]),
                              memory_order_relaxed);
    }
    head->last_ns = state->last_ns;
    head->near_border = state->near_border;
    head->contention = state->contention;
    atomic_store_explicit(&head->count, (uint32_t)count, memory_order_release);
    return 0;
}

int series_restore(struct metric_series *series, struct memory *memory,
                   const struct series_state *state)
{
    if (!is_possible(series, state) || series_has_view(series))
        return -EBADMSG;
    struct series_late *late = NULL;
    if (state->late_count > 0) {
        late = memory_alloc(memory, sizeof *late);
        if (!late)
            return -ENOMEM;
        for (size_t i = 0; i < state->late_count; i++)
            late->items[i] =
                (struct series_late_item){ state->late_times[i], state->late_bits[i] };
        atomic_init(&late->count, (uint32_t)state->late_count);
    }
    int rc = series_begin(series, memory, state->start_ns, state->block_count);
    if (rc < 0) {
        memory_free(memory, late, sizeof *late);
        return rc;
    }
    struct series_view *view =
        atomic_load_explicit(&series->view, memory_order_relaxed);
    view->floor_s = state->floor_s;
    view->late = late;
    if (state->block_count > 0)
        memcpy(view->blocks, state->blocks,
               state->block_count * sizeof view->blocks[0]);
    return restore_head(series, memory, state);
}

static bool is_same(const struct block *block, const struct block *filed)
{
    struct block a = *block, b = *filed;
    a.is_filed = b.is_filed = 0;
    return memcmp(&a, &b, offsetof(struct block, data)) == 0 &&
           memcmp(block->data, filed->data, block_size(block) - sizeof *block) == 0;
}

int series_adopt(struct metric_series *series, struct memory *memory,
                 struct block *const *filed, size_t count)
{
    const struct series_view *old =
        atomic_load_explicit(&series->view, memory_order_relaxed);
    size_t block_count = old ? old->block_count : 0;
    AUTO_FREE struct block **blocks = calloc(block_count + 1, sizeof *blocks);
    AUTO_FREE struct block **replaced = calloc(block_count + 1, sizeof *replaced);
    size_t replaced_count = 0, next = 0;
    if (!blocks || !replaced)
        return -ENOMEM;
    for (size_t i = 0; i < block_count; i++) {
        struct block *block = blocks[i] = old->blocks[i];
        while (next < count && filed[next]->start_ns < block->start_ns)
            next++;
        if (next < count && !block->is_filed && is_same(block, filed[next])) {
            replaced[replaced_count++] = block;
            blocks[i] = filed[next];
        }
    }
    if (replaced_count == 0)
        return 0;
    int rc = series_set_blocks(series, memory, blocks, block_count);
    for (size_t i = 0; rc == 0 && i < replaced_count; i++)
        block_memory_retire(memory, replaced[i]);
    return rc;
}
