/* SPDX-License-Identifier: Apache-2.0 */
/* job_climate - a job against the runs of its class: what about it was unusual. */
#include "analysis/job/job_climate.h"

#include "analysis/stats/stats.h"
#include "base/figure.h"

#include <math.h>

struct percentile pairs_percentile(const double *sorted, size_t count, double distance)
{
    struct percentile s = { 0 };
    size_t near = 0; /* the first that is at most so far below i */
    size_t just = 0; /* the first that is less far below i */
    for (size_t i = 0; i < count; i++) {
        while (near < i && sorted[i] - sorted[near] > distance)
            near++;
        while (just < i && sorted[i] - sorted[just] >= distance)
            just++;
        s.below += i - just;
        s.equal += just - near;
        s.count += i;
    }
    return s;
}

double pairs_apart(const double *sorted, size_t count, double share)
{
    if (count < 2)
        return NAN;
    double low = 0;
    double high = sorted[count - 1] - sorted[0];
    const double near = high * 1e-9;
    struct percentile s = pairs_percentile(sorted, count, 0);
    if ((double)s.equal >= share * (double)s.count)
        return 0;
    while (high - low > near) {
        double middle = low + (high - low) / 2;
        s = pairs_percentile(sorted, count, middle);
        if ((double)(s.below + s.equal) >= share * (double)s.count)
            high = middle;
        else
            low = middle;
    }
    return high;
}

void climate_value_print(char *out, size_t size, const char *unit, double value)
{
    if (strcmp(unit, "bytes") == 0 || strcmp(unit, "bytes/s") == 0) {
        figure_print_bytes(out, size, value);
        size_t used = strlen(out);
        if (strcmp(unit, "bytes/s") == 0)
            (void)snprintf(out + used, size - used, "/s");
        return;
    }
    (void)snprintf(out, size, "%.4g%s%s", value, unit[0] ? " " : "", unit);
}

static const struct run *run_find(const struct runs *runs, uint32_t wanted)
{
    for (size_t i = 0; i < runs->count; i++)
        if (runs->runs[i].wanted == wanted)
            return &runs->runs[i];
    return NULL;
}

static double term_of(const struct run *run, size_t term)
{
    return term == 0 ? run->fraction : run->measures[term - 1];
}

/* Of all pairs that are alike so many are as far apart: n runs tell as much as about
 * n / 2 pairs that have no run in common. */
static double pair_chance(const struct percentile *s, size_t others)
{
    if (others < PERCENTILE_OTHERS_MIN)
        return NAN;
    double share = (double)(s->count - s->below) / (double)s->count;
    double pairs = (double)others / 2;
    return (share * pairs + 1) / (pairs + 1);
}

/* The others of the set; returns how many have the term. */
static size_t others_gather(const struct runs *runs, const struct run_set *set,
                            size_t term, double *ret)
{
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        const struct run *run = &runs->runs[set->first + i];
        if (run->wanted == 0)
            ret[count++] = term_of(run, term);
    }
    return numbers_sort(ret, count);
}

/* before: the first of two jobs; NULL: there is one. */
static void climate_value_add(struct job_climate *c, const struct mapping_item *item,
                              double value, const double *before, const double *others,
                              size_t count)
{
    struct climate_value v = {
        .name = item ? item->name : JOB_CLIMATE_SPEED,
        .label = item ? item->label : "Fraction of peak",
        .unit = item ? item->unit : "",
        .is_big_good = !item || item->is_big_good,
        .is_contributor = item && item->is_contributor,
        .value = value,
        .before = before ? *before : NAN,
        .q25 = quantile(others, count, 0.25),
        .q50 = quantile(others, count, 0.5),
        .q75 = quantile(others, count, 0.75),
        .rank = percentile_of(others, count, value),
    };
    if (isnan(value) || (before && isnan(*before)))
        return;
    if (before) {
        v.difference = pairs_percentile(others, count, fabs(value - *before));
        v.chance = pair_chance(&v.difference, count);
        v.apart = pairs_apart(others, count, JOB_CLIMATE_APART);
    } else {
        v.chance = percentile_chance(&v.rank);
    }
    c->values[c->count++] = v;
}

/* How far from the usual, for those that are as rare: in widths of the middle half. */
static double distance_of(const struct climate_value *v)
{
    double width = v->q75 - v->q25;
    double from = isnan(v->before) ? v->q50 : v->before;
    return width > 0 ? fabs(v->value - from) / width : v->value != from ? INFINITY : 0;
}

static int value_order(const void *a, const void *b)
{
    const struct climate_value *x = a;
    const struct climate_value *y = b;
    if (isnan(x->chance) || isnan(y->chance))
        return isnan(x->chance) - isnan(y->chance);
    if (x->chance != y->chance)
        return x->chance < y->chance ? -1 : 1;
    double x_distance = distance_of(x);
    double y_distance = distance_of(y);
    return (x_distance < y_distance) - (x_distance > y_distance);
}

static int climate_make(const struct mapping *mapping, const struct runs *runs,
                        const struct run *run, const struct run *before,
                        struct job_climate *c)
{
    const struct run_set *set = &runs->sets[run->set];
    size_t terms = mapping->measures.count + 1;
    double *others = arena_alloc(&c->arena, (set->count + 1) * sizeof(double));
    c->values = arena_alloc(&c->arena, terms * sizeof *c->values);
    if (!others || !c->values)
        return -ENOMEM;
    c->set = set->name;
    c->others = others_gather(runs, set, 0, others);
    if (before && before->set != run->set)
        c->other = runs->sets[before->set].name;
    for (size_t term = 0; term < terms; term++) {
        size_t count = others_gather(runs, set, term, others);
        double first = before ? term_of(before, term) : NAN;
        climate_value_add(c, term > 0 ? &mapping->measures.items[term - 1] : NULL,
                          term_of(run, term), before ? &first : NULL, others, count);
    }
    qsort(c->values, c->count, sizeof *c->values, value_order);
    return 0;
}

static int climate_begin(const struct mapping *mapping, const struct runs *runs,
                         uint32_t wanted, uint32_t before, struct job_climate *ret)
{
    struct job_climate c = { 0 };
    const struct run *run = run_find(runs, wanted);
    const struct run *first = before > 0 ? run_find(runs, before) : NULL;
    int rc = 0;
    arena_init(&c.arena, 0);
    if (!run)
        c.refused = runs->refused[wanted - 1];
    else if (before > 0 && !first)
        c.refused = runs->refused[before - 1];
    else
        rc = climate_make(mapping, runs, run, first, &c);
    if (rc < 0)
        job_climate_done(&c);
    else
        *ret = c;
    return rc;
}

int job_climate_make(const struct mapping *mapping, const struct runs *runs,
                     uint32_t wanted, struct job_climate *ret)
{
    return climate_begin(mapping, runs, wanted, 0, ret);
}

int job_climate_pair(const struct mapping *mapping, const struct runs *runs,
                     struct job_climate *ret)
{
    return climate_begin(mapping, runs, 2, 1, ret);
}

void job_climate_done(struct job_climate *climate)
{
    arena_done(&climate->arena);
    *climate = (struct job_climate){ 0 };
}

const struct climate_value *job_climate_find(const struct job_climate *climate,
                                             const char *name)
{
    for (size_t i = 0; i < climate->count; i++)
        if (strcmp(climate->values[i].name, name) == 0)
            return &climate->values[i];
    return NULL;
}
