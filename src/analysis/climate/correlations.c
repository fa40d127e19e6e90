/* SPDX-License-Identifier: Apache-2.0 */
/* correlations - which measures go with the fraction of peak, in each class. */
#include "analysis/climate/correlations.h"

#include "analysis/climate/item_list.h"

#include <math.h>

static int measure_correlate(const struct mapping *mapping, struct run_series *series,
                             const char *class_name, size_t measure,
                             struct correlations *all)
{
    const double *values = run_series_measure(series, measure);
    struct class_correlation found = {
        .class_name = class_name,
        .measure = mapping->measures.items[measure].name,
        .linear = correlate(series->fractions, values, series->count),
    };
    if (isnan(found.linear.r))
        return 0;
    int rc = correlate_ranks(series->fractions, values, series->count, &found.ranks);
    if (rc < 0)
        return rc;
    struct class_correlation *items =
        item_list_grow(all->items, all->count, &all->capacity, sizeof *items);
    if (!items)
        return -ENOMEM;
    all->items = items;
    items[all->count++] = found;
    return 0;
}

/* How many tests there are is known at the end. */
static void tests_count(struct correlations *all)
{
    for (size_t i = 0; i < all->count; i++) {
        struct class_correlation *item = &all->items[i];
        item->p_many = p_of_many(item->linear.p, all->count);
        item->p_ranks_many = p_of_many(item->ranks.p, all->count);
    }
}

int correlations_make(const struct mapping *mapping, const struct runs *runs,
                      struct run_selection *selection, struct correlations *ret,
                      struct err *err)
{
    AUTO(run_series_done) struct run_series series = { 0 };
    AUTO(correlations_done) struct correlations all = { 0 };
    size_t found = 0;
    int rc = run_series_init(&series, runs);
    while (rc == 0 && run_series_next(&series, mapping, runs, selection)) {
        found++;
        for (size_t i = 0; rc == 0 && i < mapping->measures.count; i++)
            rc = measure_correlate(mapping, &series, selection->name, i, &all);
    }
    if (rc < 0)
        return err_set(err, -rc, "%s", strerror(-rc));
    if (found == 0)
        return err_set(err, ENOENT, "of %zu classes none is called '%s'",
                       runs->set_count, selection->pattern ? selection->pattern : "*");
    tests_count(&all);
    *ret = all;
    all = (struct correlations){ 0 };
    return 0;
}

void correlations_done(struct correlations *correlations)
{
    free(correlations->items);
    *correlations = (struct correlations){ 0 };
}
