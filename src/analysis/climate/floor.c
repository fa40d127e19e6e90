/* SPDX-License-Identifier: Apache-2.0 */
/* floor - how far apart runs are that are alike in every counter. */
#include "analysis/climate/floor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    double factor;
    double weight;
};

/* Pairs of one kind, of one set or of all. */
struct pairs {
    struct pair *items;
    size_t count, capacity;
};

struct making {
    const struct runs *runs;
    const struct run **members; /* of the set being made, by likeness and time */
    struct pairs set_any, set_next, all_any, all_next;
};

static int pair_add(struct pairs *to, double factor, double weight)
{
    if (to->count == to->capacity) {
        size_t capacity = to->capacity ? to->capacity * 2 : 1024;
        struct pair *more = reallocarray(to->items, capacity, sizeof *more);
        if (!more)
            return -ENOMEM;
        to->items = more;
        to->capacity = capacity;
    }
    to->items[to->count++] = (struct pair){ factor, weight };
    return 0;
}

static double factor_of(const struct run *a, const struct run *b)
{
    return fmax(a->raw, b->raw) / fmin(a->raw, b->raw);
}

/* Run i with its partners: of n runs the others, or every so many of them. */
static int partners_add(struct making *m, const struct run *const *group, size_t count,
                        size_t i)
{
    size_t others = count - 1;
    size_t partners = others < FLOOR_PARTNERS_MAX ? others : FLOOR_PARTNERS_MAX;
    int rc = 0;
    for (size_t k = 0; k < partners && rc == 0; k++) {
        size_t at = (i + 1 + k * others / partners) % count;
        double factor = factor_of(group[i], group[at]);
        rc = pair_add(&m->set_any, factor, 1.0 / (double)partners);
        if (rc == 0)
            rc = pair_add(&m->all_any, factor, 1.0 / (double)partners);
    }
    return rc;
}

static int group_add(struct making *m, const struct run *const *group, size_t count,
                     struct floor *floor)
{
    int rc = 0;
    if (count < 2) {
        floor->single_runs += count;
        return 0;
    }
    floor->groups++;
    floor->runs += count;
    floor->any.pairs += count * (count - 1) / 2;
    floor->next.pairs += count - 1;
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = partners_add(m, group, count, i);
    for (size_t i = 1; i < count && rc == 0; i++) {
        double factor = factor_of(group[i - 1], group[i]);
        rc = pair_add(&m->set_next, factor, 1);
        if (rc == 0)
            rc = pair_add(&m->all_next, factor, 1);
    }
    return rc;
}

/* Alike ones together, in the order of time within them. */
static int by_likeness(const void *a, const void *b)
{
    const struct run *x = *(const struct run *const *)a;
    const struct run *y = *(const struct run *const *)b;
    if (x->alike != y->alike)
        return x->alike < y->alike ? -1 : 1;
    if (x->t_ns != y->t_ns)
        return x->t_ns < y->t_ns ? -1 : 1;
    return strcmp(x->id, y->id);
}

static int by_factor(const void *a, const void *b)
{
    const struct pair *x = a;
    const struct pair *y = b;
    return (x->factor > y->factor) - (x->factor < y->factor);
}

/* The smallest factor that a share of the weight is not above. */
static double weighted_quantile(const struct pairs *pairs, double total, double share)
{
    double sum = 0;
    const double wanted = total * share * (1 - 1e-12);
    for (size_t i = 0; i < pairs->count; i++) {
        sum += pairs->items[i].weight;
        if (sum >= wanted)
            return pairs->items[i].factor;
    }
    return NAN;
}

/* Empties pairs. */
static void spread_fill(struct pairs *pairs, struct floor_spread *ret)
{
    double total = 0;
    if (pairs->count > 0)
        qsort(pairs->items, pairs->count, sizeof *pairs->items, by_factor);
    for (size_t i = 0; i < pairs->count; i++)
        total += pairs->items[i].weight;
    ret->median = weighted_quantile(pairs, total, 0.5);
    ret->q90 = weighted_quantile(pairs, total, 0.9);
    ret->q95 = weighted_quantile(pairs, total, 0.95);
    ret->q99 = weighted_quantile(pairs, total, 0.99);
    pairs->count = 0;
}

static int set_make(struct making *m, const struct run_set *set, struct floor *floor)
{
    size_t count = 0;
    int rc = 0;
    *floor = (struct floor){ .name = set->name };
    for (size_t i = set->first; i < set->first + set->count; i++) {
        const struct run *run = &m->runs->runs[i];
        if (run->wanted > 0)
            continue;
        if (run->alike == 0 || !(run->raw > 0))
            floor->unknown_runs++;
        else
            m->members[count++] = run;
    }
    qsort(m->members, count, sizeof *m->members, by_likeness);
    for (size_t first = 0, end; first < count && rc == 0; first = end) {
        for (end = first + 1; end < count;)
            if (m->members[end]->alike == m->members[first]->alike)
                end++;
            else
                break;
        rc = group_add(m, &m->members[first], end - first, floor);
    }
    if (rc < 0)
        return rc;
    spread_fill(&m->set_any, &floor->any);
    spread_fill(&m->set_next, &floor->next);
    return 0;
}

static void all_add(struct floor *all, const struct floor *set)
{
    all->groups += set->groups;
    all->runs += set->runs;
    all->single_runs += set->single_runs;
    all->unknown_runs += set->unknown_runs;
    all->any.pairs += set->any.pairs;
    all->next.pairs += set->next.pairs;
}

int floors_make(const struct runs *runs, struct floors *ret)
{
    AUTO(floors_done) struct floors floors = { .count = runs->set_count };
    struct making m = { .runs = runs };
    floors.sets = calloc(runs->set_count + 1, sizeof *floors.sets);
    m.members = calloc(runs->count + 1, sizeof(void *));
    int rc = floors.sets && m.members ? 0 : -ENOMEM;
    for (size_t i = 0; i < runs->set_count && rc == 0; i++) {
        rc = set_make(&m, &runs->sets[i], &floors.sets[i]);
        all_add(&floors.all, &floors.sets[i]);
    }
    if (rc == 0) {
        spread_fill(&m.all_any, &floors.all.any);
        spread_fill(&m.all_next, &floors.all.next);
    }
    free(m.members);
    free(m.set_any.items);
    free(m.set_next.items);
    free(m.all_any.items);
    free(m.all_next.items);
    if (rc < 0)
        return rc;
    *ret = floors;
    floors = (struct floors){ 0 };
    return 0;
}

void floors_done(struct floors *floors)
{
    free(floors->sets);
    *floors = (struct floors){ 0 };
}

const struct floor *floors_find(const struct floors *floors, const char *set)
{
    for (size_t i = 0; i < floors->count; i++)
        if (set && strcmp(floors->sets[i].name, set) == 0 &&
            floors->sets[i].any.pairs >= FLOOR_PAIRS_MIN)
            return &floors->sets[i];
    return floors->all.any.pairs >= FLOOR_PAIRS_MIN ? &floors->all : NULL;
}

double floor_timed(const struct floor *floor)
{
    return fmax(floor->any.q95 - 1, FLOOR_TIMED_MIN);
}
