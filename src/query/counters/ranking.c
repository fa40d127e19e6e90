/* SPDX-License-Identifier: Apache-2.0 */
/* ranking - the groups of a finished accumulator, the biggest first. */
#include "query/counters/ranking.h"

#include <stdlib.h>
#include <string.h>

void ranking_done(struct ranking *r)
{
    free(r->items);
    free(r->whole);
}

static bool group_is_seen(const struct accumulator *accumulator,
                          const struct accumulator_group *group)
{
    if (group->is_unbounded)
        return true;
    for (size_t i = 0; i < accumulator->sel->measure_count; i++)
        if (group->unknown[i] || accumulator_total(accumulator, group, i))
            return true;
    return false;
}

static int compare_texts(struct span a, struct span b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size ? memcmp(a.data, b.data, size) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

/* By share, then by name, so that the order does not depend on where rows came from. */
static int compare_ranked(const void *a, const void *b, void *arg)
{
    const struct ranked *x = a, *y = b;
    const struct accumulator *accumulator = arg;
    if (x->share != y->share)
        return x->share < y->share ? 1 : -1;
    for (size_t i = 0; i < accumulator->sel->by_count; i++) {
        int order = compare_texts(accumulator_text(accumulator, x->group->key[i]),
                                  accumulator_text(accumulator, y->group->key[i]));
        if (order)
            return order;
    }
    return 0;
}

static double share_of(const struct accumulator *accumulator,
                       const struct accumulator_group *group,
                       const accumulator_sum *whole)
{
    double most = 0;
    for (size_t i = 0; i < accumulator->sel->measure_count; i++) {
        if (!whole[i])
            continue;
        double share =
            (double)accumulator_total(accumulator, group, i) / (double)whole[i];
        if (share > most)
            most = share;
    }
    return most;
}

int ranking_make(const struct accumulator *accumulator, struct ranking *ret)
{
    size_t measures = accumulator->sel->measure_count;
    AUTO(ranking_done) struct ranking r = { 0 };
    r.items = calloc(accumulator->group_count + 1, sizeof *r.items);
    r.whole = calloc(measures + 1, sizeof *r.whole);
    if (!r.items || !r.whole)
        return -ENOMEM;
    for (size_t i = 0; i < accumulator->group_count; i++) {
        struct accumulator_group *group = accumulator->groups[i];
        if (!group_is_seen(accumulator, group))
            continue;
        r.items[r.count++].group = group;
        for (size_t m = 0; m < measures; m++)
            r.whole[m] += accumulator_total(accumulator, group, m);
    }
    for (size_t i = 0; i < r.count; i++)
        r.items[i].share = share_of(accumulator, r.items[i].group, r.whole);
    struct accumulator unchanged = *accumulator; /* qsort_r takes no const */
    qsort_r(r.items, r.count, sizeof *r.items, compare_ranked, &unchanged);
    ret->count = r.count;
    ret->items = TAKE(r.items);
    ret->whole = TAKE(r.whole);
    return 0;
}
