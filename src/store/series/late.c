/* SPDX-License-Identifier: Apache-2.0 */
/* late - samples that came after a block of their time was sealed. */
#include "store/series/late.h"

/* Times from here on are the part's.  Its slot 0 reaches half a step before its start,
 * but not into the part before it. */
static int64_t part_reach(const struct series_view *view, size_t part)
{
    int64_t step_ns = view_part_step(view, part);
    int64_t reach_ns = view_part_start(view, part) - step_ns / 2;
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
static void find_position(const struct series_view *view, struct late_sample *item)
{
    size_t until = count_parts_until(view, item->t_ns);
    size_t part = until > 0 ? until - 1 : 0;
    const struct block *block = part < view->block_count ? view->blocks[part] : NULL;
    item->position = 2 * until;
    if (until == view->block_count + (size_t)1) {
        item->position = 2 * part + 1;
        return;
    }
    int64_t in_gap_ns = nearest_slot(item->t_ns, view_part_start(view, until),
                                     view_part_step(view, until));
    if (until > 0) {
        int64_t in_block_ns = nearest_slot(item->t_ns, block->start_ns, block->step_ns);
        /* A block reaches half a step behind its end, but not into another step. */
        bool is_same = block->step_ns == view_part_step(view, until);
        if ((is_same ? in_block_ns : item->t_ns) <= block->end_ns ||
            in_gap_ns <= block->end_ns) {
            item->position = 2 * part + 1;
            item->t_ns = in_block_ns < block->end_ns ? in_block_ns : block->end_ns;
            return;
        }
    }
    item->t_ns = in_gap_ns;
}

size_t late_position(const struct series_view *view, int64_t t_ns)
{
    struct late_sample item = { .t_ns = t_ns };
    find_position(view, &item);
    return item.position;
}

static int compare_positions(const struct late_sample *a, const struct late_sample *b)
{
    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    return (a->t_ns > b->t_ns) - (a->t_ns < b->t_ns);
}

void late_samples_of(const struct series_view *view, struct late_samples *ret)
{
    ret->count = 0;
    if (!view->late)
        return;
    size_t count = atomic_load_explicit(&view->late->count, memory_order_acquire);
    for (size_t i = 0; i < count; i++) {
        struct late_sample item = { .t_ns = view->late->items[i].t_ns,
                                    .bits = view->late->items[i].bits };
        find_position(view, &item);
        size_t at = ret->count;
        while (at > 0 && compare_positions(&ret->items[at - 1], &item) > 0)
            at--;
        if (at > 0 && compare_positions(&ret->items[at - 1], &item) == 0) {
            ret->items[at - 1] = item;
            continue;
        }
        memmove(&ret->items[at + 1], &ret->items[at],
                (ret->count - at) * sizeof ret->items[0]);
        ret->items[at] = item;
        ret->count++;
    }
}

bool late_samples_has(const struct late_samples *late, size_t position)
{
    for (size_t i = 0; i < late->count; i++) {
        if (late->items[i].position == position)
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

void late_samples_merge(const struct late_samples *late, size_t position,
                        struct samples *samples)
{
    for (size_t i = 0; i < late->count; i++) {
        if (late->items[i].position == position)
            samples_put(samples, late->items[i].t_ns, late->items[i].bits);
    }
}
