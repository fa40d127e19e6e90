/* SPDX-License-Identifier: Apache-2.0 */
/* contrast - all in which two runs differ, in one order. */
#include "analysis/pair/contrast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLOOR_LEAST 0.05 /* of the greater of both values: as of counters */

const char *contrast_word(enum contrast_kind kind)
{
    static const char *const words[] = { [CONTRAST_DID] = "did",
                                         [CONTRAST_AROUND] = "around",
                                         [CONTRAST_FOLLOWS] = "follows",
                                         [CONTRAST_WENT] = "went" };
    return words[kind];
}

/* What was done and what was met are held against one another by how unusual it is. */
static int rank_of(const struct contrast_item *item)
{
    return item->kind == CONTRAST_AROUND ? CONTRAST_DID : (int)item->kind;
}

static int by_rank(const void *a, const void *b)
{
    const struct contrast_item *x = a;
    const struct contrast_item *y = b;
    if (rank_of(x) != rank_of(y))
        return rank_of(x) - rank_of(y);
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    if (x->kind != y->kind)
        return (int)x->kind - (int)y->kind;
    if (!x->of_log != !y->of_log)
        return x->of_log ? -1 : 1;
    /* As they came: qsort() itself keeps no order. */
    return x->of_log ? (x->of_log > y->of_log) - (x->of_log < y->of_log)
                     : (x->around > y->around) - (x->around < y->around);
}

static struct contrast_item of_log(const struct difference *d)
{
    return (struct contrast_item){ .kind = d->is_effect    ? CONTRAST_WENT
                                           : d->is_because ? CONTRAST_FOLLOWS
                                                           : CONTRAST_DID,
                                   .of_log = d,
                                   .floor = d->floor,
                                   .score = d->score };
}

/* The first value of a climate is how fast the run was. */
static struct contrast_item of_climate(const struct climate_value *v)
{
    bool is_speed = strcmp(v->name, JOB_CLIMATE_SPEED) == 0;
    double least = FLOOR_LEAST * fmax(fabs(v->value), fabs(v->before));
    struct contrast_item item = {
        .kind = is_speed            ? CONTRAST_WENT
                : v->is_contributor ? CONTRAST_AROUND
                                    : CONTRAST_FOLLOWS,
        .around = v,
        .floor = v->apart > least ? v->apart : least,
    };
    item.score = item.floor > 0 ? fabs(v->value - v->before) / item.floor : 0;
    return item;
}

void contrast_make(const struct differences *found, const struct job_climate *climate,
                   struct contrast *ret)
{
    size_t around = 0;
    *ret = (struct contrast){ 0 };
    for (size_t i = 0; i < found->count; i++)
        ret->items[ret->count++] = of_log(&found->items[i]);
    for (size_t i = 0; climate && i < climate->count; i++) {
        const struct climate_value *v = &climate->values[i];
        ret->looked_at += !isnan(v->chance);
        const struct contrast_item item = of_climate(v);
        if (!(v->chance <= CONTRAST_CHANCE_MAX && item.score > 1))
            continue;
        if (around++ < CONTRAST_AROUND_MAX)
            ret->items[ret->count++] = item;
        else
            ret->left_out++;
    }
    if (ret->count > 1)
        qsort(ret->items, ret->count, sizeof *ret->items, by_rank);
}
