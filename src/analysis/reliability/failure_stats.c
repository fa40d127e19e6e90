/* SPDX-License-Identifier: Apache-2.0 */
/* failure_stats - sums of timelines: of a class, or of one component; and the worst. */
#include "analysis/reliability/failure_stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- lengths ---- */

static int lengths_add(struct failure_lengths *lengths,
                       const struct timeline_times *times)
{
    size_t count = times->count;
    if (count > FAILURE_LENGTHS_MAX - lengths->count) {
        count = FAILURE_LENGTHS_MAX - lengths->count;
        lengths->is_cut = true;
    }
    if (count == 0)
        return 0;
    if (lengths->count + count > lengths->capacity) {
        size_t capacity = 2 * lengths->capacity + count;
        int64_t *grown = reallocarray(lengths->items, capacity, sizeof *grown);
        if (!grown)
            return -ENOMEM;
        lengths->items = grown;
        lengths->capacity = capacity;
    }
    memcpy(lengths->items + lengths->count, times->items, count * sizeof *times->items);
    lengths->count += count;
    return 0;
}

static int compare_lengths(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void lengths_sort(struct failure_lengths *lengths)
{
    if (lengths->count > 0)
        qsort(lengths->items, lengths->count, sizeof *lengths->items, compare_lengths);
}

bool failure_lengths_percentile(const struct failure_lengths *lengths, unsigned percent,
                                int64_t *ret_ns)
{
    if (lengths->count == 0)
        return false;
    size_t hundredths = (lengths->count - 1) * percent;
    int64_t below = lengths->items[hundredths / 100];
    if (hundredths % 100 == 0) {
        *ret_ns = below;
        return true;
    }
    int64_t step = lengths->items[hundredths / 100 + 1] - below;
    *ret_ns = below + (int64_t)((__int128)step * (int64_t)(hundredths % 100) / 100);
    return true;
}

bool failure_lengths_mean(const struct failure_lengths *lengths, double *ret_ns)
{
    __int128 sum = 0;
    for (size_t i = 0; i < lengths->count; i++)
        sum += lengths->items[i];
    if (lengths->count > 0)
        *ret_ns = (double)sum / (double)lengths->count;
    return lengths->count > 0;
}

/* ---- sums ---- */

int failure_stats_add(struct failure_stats *stats, const struct timeline *t)
{
    int rc = lengths_add(&stats->intervals, &t->intervals);
    if (rc == 0)
        rc = lengths_add(&stats->repairs, &t->repairs);
    if (rc < 0)
        return rc;
    stats->components++;
    stats->up_ns += (failure_sum)t->up_ns;
    stats->degraded_ns += (failure_sum)t->degraded_ns;
    stats->down_ns += (failure_sum)t->down_ns;
    stats->unknown_ns += (failure_sum)t->unknown_ns;
    stats->drained_ns += (failure_sum)t->drained_ns;
    stats->failures += t->failures;
    stats->degradations += t->degradations;
    stats->drains += t->drains;
    stats->failed += t->is_failed;
    stats->repairs_unknown += t->repairs_unknown;
    return 0;
}

void failure_stats_done(struct failure_stats *stats)
{
    free(stats->intervals.items);
    free(stats->repairs.items);
    *stats = (struct failure_stats){ 0 };
}

void failure_stats_finish(struct failure_stats *stats)
{
    lengths_sort(&stats->intervals);
    lengths_sort(&stats->repairs);
}

failure_sum failure_stats_observed(const struct failure_stats *stats)
{
    return stats->up_ns + stats->degraded_ns + stats->down_ns;
}

/* ---- the worst ---- */

static bool is_worse(const struct timeline *t, const struct failure_stats *than)
{
    if (t->failures != than->failures)
        return t->failures > than->failures;
    if ((failure_sum)t->down_ns != than->down_ns)
        return (failure_sum)t->down_ns > than->down_ns;
    return t->degradations > than->degradations;
}

static void worst_free(struct failure_worst *worst)
{
    free(worst->path);
    failure_stats_done(&worst->stats);
}

static int worst_make(struct failure_worst *ret, struct span path,
                      const struct timeline *timeline)
{
    struct failure_worst made = { .path = strndup(path.data, path.size) };
    int rc = made.path ? failure_stats_add(&made.stats, timeline) : -ENOMEM;
    if (rc < 0)
        worst_free(&made);
    else
        *ret = made;
    return rc;
}

int failure_worst_consider(struct failure_worst_list *list, struct span path,
                           const struct timeline *t)
{
    struct failure_worst made;
    size_t at = list->count;
    if (t->failures == 0 && t->degradations == 0 && t->down_ns == 0)
        return 0;
    while (at > 0 && is_worse(t, &list->items[at - 1].stats))
        at--;
    if (at == list->max)
        return 0;
    if (!list->items) {
        list->items = calloc(list->max, sizeof *list->items);
        if (!list->items)
            return -ENOMEM;
    }
    int rc = worst_make(&made, path, t);
    if (rc < 0)
        return rc;
    if (list->count == list->max)
        worst_free(&list->items[--list->count]);
    memmove(&list->items[at + 1], &list->items[at],
            (list->count - at) * sizeof *list->items);
    list->items[at] = made;
    list->count++;
    return 0;
}

void failure_worst_done(struct failure_worst_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        worst_free(&list->items[i]);
    free(list->items);
    *list = (struct failure_worst_list){ 0 };
}
