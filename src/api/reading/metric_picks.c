/* SPDX-License-Identifier: Apache-2.0 */
/* metric_picks - which series a /v1/query is about, one after another. */
#include "api/reading/metric_picks.h"

#include "base/span.h"
#include "base/suggest.h"

#include "model/model.h"
#include "store/store.h"

#include <stdlib.h>

enum { BEST_FIRST = 16 };

/* How many levels from index on are one: all, or those of one path. */
static size_t count_level(const struct metric_picks *picks, size_t index)
{
    size_t count = 1;
    const struct metric_levels *levels = picks->levels;
    const struct level *first = levels->items[index];
    for (; index + count < levels->count; count++) {
        const struct level *level = levels->items[index + count];
        struct span a = { first->path, first->path_size };
        if (!picks->is_together &&
            !span_eq(a, (struct span){ level->path, level->path_size }))
            break;
    }
    return count;
}

int metric_picks_refuse(const struct metric_table *metrics, struct span patterns,
                        struct err *err)
{
    struct suggest suggest;
    suggest_init(&suggest, patterns);
    for (uint32_t id = 0; id < metric_count(metrics); id++)
        suggest_offer(&suggest, metric_at(metrics, id)->name);
    (void)err_set(err, ENOENT, "metric: there is no " SPAN_FMT, SPAN_ARG(patterns));
    return suggest_add(&suggest, "", -ENOENT, err);
}

int metric_picks_init(struct metric_picks *picks, const struct metric_table *metrics,
                      struct span patterns, const struct metric_levels *levels,
                      struct budget_hold *hold, struct err *err)
{
    uint32_t count = metric_count(metrics);
    picks->levels = levels;
    picks->hold = hold;
    int rc = budget_hold_add(hold, levels->capacity * sizeof *levels->items +
                                       count * sizeof *picks->metrics);
    if (rc < 0)
        return rc;
    picks->metrics = calloc(count + 1, sizeof *picks->metrics);
    if (!picks->metrics)
        return -ENOMEM;
    for (uint32_t id = 0; id < count; id++) {
        const struct metric *metric = metric_at(metrics, id);
        if (component_name_matches(metric->name, patterns))
            picks->metrics[picks->metric_count++] = metric;
    }
    return picks->metric_count == 0 ? metric_picks_refuse(metrics, patterns, err) : 0;
}

void metric_picks_done(struct metric_picks *picks)
{
    free(picks->metrics);
    free(picks->best);
    *picks = (struct metric_picks){ 0 };
}

bool metric_picks_next(struct metric_picks *picks, struct metric_pick *ret)
{
    if (picks->is_ranked) {
        if (picks->best_at == picks->best_count)
            return false;
        *ret = picks->best[picks->best_at++];
        return true;
    }
    if (picks->metric == picks->metric_count) {
        picks->level += picks->level_count;
        picks->metric = picks->level_count = 0;
    }
    if (picks->level >= picks->levels->count)
        return false;
    if (picks->level_count == 0)
        picks->level_count = count_level(picks, picks->level);
    *ret = (struct metric_pick){ picks->metrics[picks->metric++], picks->level,
                                 picks->level_count, 0 };
    return true;
}

/* ---- the largest ---- */

/* In the order of the response: the larger rank, then the earlier component, then the
 * earlier metric. */
static int compare(const void *a, const void *b)
{
    const struct metric_pick *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? 1 : -1;
    if (x->level != y->level)
        return x->level > y->level ? 1 : -1;
    return (x->metric->id > y->metric->id) - (x->metric->id < y->metric->id);
}

static void swap(struct metric_pick *a, struct metric_pick *b)
{
    struct metric_pick c = *a;
    *a = *b;
    *b = c;
}

static void sift_up(struct metric_pick *heap, size_t at)
{
    while (at > 0 && compare(&heap[(at - 1) / 2], &heap[at]) < 0) {
        swap(&heap[(at - 1) / 2], &heap[at]);
        at = (at - 1) / 2;
    }
}

static void sift_down(struct metric_pick *heap, size_t count)
{
    for (size_t at = 0, child = 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && compare(&heap[child], &heap[child + 1]) < 0)
            child++;
        if (compare(&heap[at], &heap[child]) >= 0)
            return;
        swap(&heap[at], &heap[child]);
        at = child;
    }
}

static int grow(struct metric_picks *picks)
{
    size_t capacity = picks->best_capacity ? 2 * picks->best_capacity : BEST_FIRST;
    size_t more = (capacity - picks->best_capacity) * sizeof *picks->best;
    int rc = budget_hold_add(picks->hold, more);
    if (rc < 0)
        return rc;
    struct metric_pick *grown =
        reallocarray(picks->best, capacity, sizeof *picks->best);
    if (!grown)
        return -ENOMEM;
    picks->best = grown;
    picks->best_capacity = capacity;
    return 0;
}

int metric_picks_offer(struct metric_picks *picks, const struct metric_pick *pick,
                       uint64_t count)
{
    if (count == 0)
        return 0;
    if (picks->best_count == count) {
        if (compare(pick, &picks->best[0]) < 0) {
            picks->best[0] = *pick;
            sift_down(picks->best, picks->best_count);
        }
        return 0;
    }
    int rc = picks->best_count == picks->best_capacity ? grow(picks) : 0;
    if (rc < 0)
        return rc;
    picks->best[picks->best_count] = *pick;
    sift_up(picks->best, picks->best_count++);
    return 0;
}

void metric_picks_rank(struct metric_picks *picks)
{
    if (picks->best_count > 1)
        qsort(picks->best, picks->best_count, sizeof *picks->best, compare);
    picks->is_ranked = true;
}
