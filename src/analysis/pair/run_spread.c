/* SPDX-License-Identifier: Apache-2.0 */
/* run_spread - in which measures any of several runs differ. */
#include "analysis/pair/run_spread.h"

#include "analysis/pair/difference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the two runs that are farthest apart. */
static double widest(enum profile_measure measure, const struct profile *runs,
                     size_t count)
{
    double most = NAN;
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++)
            most = fmax(most, difference_distance(measure, &runs[i], &runs[k]));
    return most;
}

static bool is_known(enum profile_measure measure, const struct profile *runs,
                     size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isnan(runs[i].values[measure]))
            return true;
    return false;
}

static int spread_rank(const struct run_spread_item *item)
{
    const struct profile_term *term = profile_term(item->measure);
    return !(item->score > 1) ? 3 : term->is_effect ? 2 : item->is_because ? 1 : 0;
}

static int spread_order(const void *a, const void *b)
{
    const struct run_spread_item *x = a;
    const struct run_spread_item *y = b;
    int rank = spread_rank(x);
    if (rank != spread_rank(y))
        return rank - spread_rank(y);
    if (rank < 3 && x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return (int)x->measure - (int)y->measure;
}

void run_spread_find(const struct profile *runs, size_t count, const double *floors,
                     struct run_spread *ret)
{
    double scores[PROFILE_MEASURE_COUNT];
    memset(ret, 0, sizeof *ret);
    for (size_t i = 0; i < PROFILE_MEASURE_COUNT; i++)
        scores[i] = widest((enum profile_measure)i, runs, count) / floors[i];
    for (size_t i = 0; i < PROFILE_MEASURE_COUNT; i++) {
        enum profile_measure measure = (enum profile_measure)i;
        int because = profile_term(measure)->because;
        if (!is_known(measure, runs, count))
            continue;
        ret->items[ret->count++] =
            (struct run_spread_item){ measure, scores[i],
                                      because >= 0 && scores[because] > 1 };
        ret->differing += scores[i] > 1;
    }
    for (size_t i = 1; i < count; i++)
        ret->is_program =
            ret->is_program || strcmp(runs[i].program, runs[0].program) != 0;
    qsort(ret->items, ret->count, sizeof *ret->items, spread_order);
}
