/* SPDX-License-Identifier: Apache-2.0 */
/* ranking - the k largest or smallest of values, and values in order. */
#include "promql/ranking.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define INSERTION_MAX 12

/* Whether a leaves the heap before b: the worse one, NaN before all. */
static bool is_worse(enum ranking ranking, double a, double b)
{
    if (isnan(a))
        return true;
    return ranking == RANKING_TOP ? a < b : a > b;
}

static void swap_entries(struct ranked *a, struct ranked *b)
{
    struct ranked other = *a;
    *a = *b;
    *b = other;
}

static void sift_up(struct ranking_heap *heap, size_t at)
{
    while (at > 0) {
        size_t parent = (at - 1) / 2;
        if (!is_worse(heap->ranking, heap->entries[at].value,
                      heap->entries[parent].value))
            return;
        swap_entries(&heap->entries[at], &heap->entries[parent]);
        at = parent;
    }
}

static void sift_down(struct ranking_heap *heap, size_t at)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= heap->count)
            return;
        if (child + 1 < heap->count &&
            is_worse(heap->ranking, heap->entries[child + 1].value,
                     heap->entries[child].value))
            child++;
        if (!is_worse(heap->ranking, heap->entries[child].value,
                      heap->entries[at].value))
            return;
        swap_entries(&heap->entries[at], &heap->entries[child]);
        at = child;
    }
}

void ranking_put(struct ranking_heap *heap, struct ranked entry)
{
    if (heap->count < heap->limit) {
        heap->entries[heap->count++] = entry;
        sift_up(heap, heap->count - 1);
        return;
    }
    double worst = heap->entries[0].value;
    bool is_better = isnan(worst)                   ? !isnan(entry.value)
                     : heap->ranking == RANKING_TOP ? worst < entry.value
                                                    : worst > entry.value;
    if (!is_better)
        return;
    heap->entries[0] = entry;
    sift_down(heap, 0);
}

static int compare_top(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (isnan(x->value) || isnan(y->value))
        return isnan(x->value) - isnan(y->value);
    int order = (x->value < y->value) - (x->value > y->value);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

static int compare_bottom(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (isnan(x->value) || isnan(y->value))
        return isnan(x->value) - isnan(y->value);
    int order = (x->value > y->value) - (x->value < y->value);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

void ranking_sort(enum ranking ranking, struct ranked *entries, size_t count)
{
    if (count > INSERTION_MAX) {
        qsort(entries, count, sizeof *entries,
              ranking == RANKING_TOP ? compare_top : compare_bottom);
        return;
    }
    for (size_t i = 1; i < count; i++)
        for (size_t j = i;
             j > 0 && is_worse(ranking, entries[j - 1].value, entries[j].value); j--)
            swap_entries(&entries[j], &entries[j - 1]);
}
