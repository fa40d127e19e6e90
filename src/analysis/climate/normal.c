/* SPDX-License-Identifier: Apache-2.0 */
/* normal - what is normal in each class of comparable runs, and how the last runs were.
 */
#include "analysis/climate/normal.h"

#include "analysis/climate/item_list.h"
#include "base/span.h"

#include <math.h>

/* The values of a run: its performance, the fraction, then the measures. */
enum { TERM_PERFORMANCE, TERM_FRACTION, TERM_MEASURES };

struct normal_work {
    const struct mapping *mapping;
    const struct runs *runs;
    const struct normal_opts *opts;
    struct normal *ret;
    double *sorted; /* the values of a set */
};

static const char *term_name(const struct normal_work *w, size_t term)
{
    if (term == TERM_PERFORMANCE)
        return "performance";
    return term == TERM_FRACTION
               ? "fraction"
               : w->mapping->measures.items[term - TERM_MEASURES].name;
}

static double term_of(const struct run *run, size_t term)
{
    if (term == TERM_PERFORMANCE)
        return run->raw;
    return term == TERM_FRACTION ? run->fraction : run->measures[term - TERM_MEASURES];
}

static int class_add(struct normal_work *w, const struct run_set *set, size_t term,
                     const struct rolling *late)
{
    struct normal *n = w->ret;
    for (size_t i = 0; i < set->count; i++)
        w->sorted[i] = term_of(&w->runs->runs[set->first + i], term);
    size_t count = numbers_sort(w->sorted, set->count);
    if (count == 0)
        return 0;
    struct normal_class *classes =
        item_list_grow(n->classes, n->class_count, &n->class_capacity, sizeof *classes);
    if (!classes)
        return -ENOMEM;
    n->classes = classes;
    size_t late_runs = rolling_count(late);
    classes[n->class_count++] = (struct normal_class){
        .class_name = set->name,
        .measure = term_name(w, term),
        .runs = count,
        .missing = set->count - count,
        .q05 = quantile(w->sorted, count, 0.05),
        .q25 = quantile(w->sorted, count, 0.25),
        .q50 = quantile(w->sorted, count, 0.5),
        .q75 = quantile(w->sorted, count, 0.75),
        .q95 = quantile(w->sorted, count, 0.95),
        .late_runs = late_runs,
        .late_q25 = late_runs > 0 ? rolling_quantile(late, 0.25) : NAN,
        .late_q50 = late_runs > 0 ? rolling_quantile(late, 0.5) : NAN,
        .late_q75 = late_runs > 0 ? rolling_quantile(late, 0.75) : NAN,
    };
    return 0;
}

/* The rank of one term of one of the last runs, and the value where it is unusual. */
static int rank_add(struct normal_work *w, struct normal_run *run, size_t term,
                    double value, const struct percentile *rank)
{
    if (term == TERM_FRACTION)
        run->rank = *rank;
    if (term < TERM_MEASURES || !(percentile_chance(rank) <= NORMAL_CHANCE))
        return 0;
    struct normal_unusual *unusual = arena_alloc(&w->ret->arena, sizeof *unusual);
    if (!unusual)
        return -ENOMEM;
    *unusual =
        (struct normal_unusual){ w->mapping->measures.items[term - TERM_MEASURES].label,
                                 value, *rank, NULL };
    struct normal_unusual **end = &run->unusual;
    while (*end)
        end = &(*end)->next;
    *end = unusual;
    return 0;
}

/* last: the items of the last runs of the set, last_count of them. */
static int term_make(struct normal_work *w, const struct run_set *set, size_t term,
                     struct normal_run *last, size_t last_count)
{
    AUTO(rolling_free) struct rolling *late = NULL;
    int rc = rolling_new(w->opts->window_runs, w->opts->window_ns, &late);
    for (size_t i = 0; rc == 0 && i < set->count; i++) {
        const struct run *run = &w->runs->runs[set->first + i];
        double value = term_of(run, term);
        /* Time moves on before the run is ranked: what is too old has no part in it. */
        rc = rolling_put(late, run->clock_ns, NAN);
        if (rc == 0 && i + last_count >= set->count) {
            struct percentile rank = rolling_percentile(late, value);
            rc = rank_add(w, &last[i + last_count - set->count], term, value, &rank);
        }
        if (rc == 0)
            rc = rolling_put(late, run->clock_ns, value);
    }
    return rc < 0 ? rc : class_add(w, set, term, late);
}

/* Items for the last runs of a set, in *ret; their count, or -ENOMEM. */
static int last_add(struct normal_work *w, const struct run_set *set, size_t *ret_count)
{
    struct normal *n = w->ret;
    size_t count = set->count < w->opts->last_count ? set->count : w->opts->last_count;
    for (size_t i = 0; i < count; i++) {
        struct normal_run *last =
            item_list_grow(n->last, n->last_count, &n->last_capacity, sizeof *last);
        if (!last)
            return -ENOMEM;
        n->last = last;
        last[n->last_count++] = (struct normal_run){
            .class_name = set->name,
            .run = &w->runs->runs[set->first + set->count - count + i],
        };
    }
    *ret_count = count;
    return 0;
}

static int set_make(struct normal_work *w, const struct run_set *set)
{
    size_t count = 0;
    int rc = last_add(w, set, &count);
    size_t terms = TERM_MEASURES + w->mapping->measures.count;
    for (size_t term = 0; rc == 0 && term < terms; term++)
        rc =
            term_make(w, set, term, w->ret->last + (w->ret->last_count - count), count);
    return rc;
}

static int sets_make(struct normal_work *w, struct err *err)
{
    size_t found = 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < w->runs->set_count; i++) {
        const struct run_set *set = &w->runs->sets[i];
        if (w->opts->set && !span_glob(span_of(set->name), w->opts->set))
            continue;
        found++;
        rc = set_make(w, set);
    }
    if (rc < 0)
        return err_set(err, -rc, "%s", strerror(-rc));
    if (found == 0)
        return err_set(err, ENOENT, "of %zu classes none is called '%s'",
                       w->runs->set_count, w->opts->set ? w->opts->set : "*");
    return 0;
}

int normal_make(const struct mapping *mapping, const struct runs *runs,
                const struct normal_opts *opts, struct normal *ret, struct err *err)
{
    AUTO(normal_done) struct normal normal = { 0 };
    AUTO_FREE double *sorted = calloc(runs->count + 1, sizeof *sorted);
    struct normal_work w = { mapping, runs, opts, &normal, sorted };
    if (!sorted)
        return err_set(err, ENOMEM, "%s", strerror(ENOMEM));
    int rc = sets_make(&w, err);
    if (rc < 0)
        return rc;
    *ret = normal;
    normal = (struct normal){ 0 };
    return 0;
}

void normal_done(struct normal *normal)
{
    arena_done(&normal->arena);
    free(normal->classes);
    free(normal->last);
    *normal = (struct normal){ 0 };
}
