/* SPDX-License-Identifier: Apache-2.0 */
/* divergence - when runs were slower or faster than their season, and what went with
 * it. */
#include "analysis/climate/divergence.h"

#include "analysis/climate/item_list.h"

struct divergence_work {
    const struct mapping *mapping;
    const char *class_name;
    struct run_series series;
    double *near, *far; /* the averages */
    struct anomaly_counts counts;
    struct divergence *ret;
};

static double mean_of(const double *values, const struct region *region)
{
    double sum = 0;
    for (size_t i = region->first; i < region->end; i++)
        sum += values[i];
    return sum / (double)(region->end - region->first);
}

static int contributors_add(struct divergence_work *w, const struct anomaly *anomaly,
                            struct divergence_region *region)
{
    const struct mapping_items *measures = &w->mapping->measures;
    size_t count = 0;
    for (size_t i = 0; i < measures->count; i++) {
        region->asked += anomaly->measures[i].is_asked;
        count += anomaly->measures[i].is_contributor;
    }
    if (count == 0)
        return 0;
    struct divergence_contributor *items =
        arena_alloc(&w->ret->arena, count * sizeof *items);
    if (!items)
        return -ENOMEM;
    for (size_t i = 0; i < measures->count; i++) {
        const struct contributor *c = &anomaly->measures[i];
        if (c->is_contributor)
            items[region->contributor_count++] =
                (struct divergence_contributor){ measures->items[i].label, c->worst,
                                                 c->p };
    }
    region->contributors = items;
    return 0;
}

static int region_add(struct divergence_work *w, const struct region *region,
                      const struct anomaly *anomaly)
{
    const struct run_series *c = &w->series;
    struct divergence *d = w->ret;
    struct divergence_region *regions = item_list_grow(
        d->regions, d->region_count, &d->region_capacity, sizeof *regions);
    if (!regions)
        return -ENOMEM;
    d->regions = regions;
    regions[d->region_count] = (struct divergence_region){
        .class_name = w->class_name,
        .from_ns = c->runs[region->first]->t_ns,
        .to_ns = c->runs[region->end - 1]->t_ns,
        .length_ns = c->times[region->end - 1] - c->times[region->first],
        .runs = region->end - region->first,
        .is_faster = w->near[region->first] > w->far[region->first],
        .mean = mean_of(c->fractions, region),
        .season_mean = mean_of(w->far, region),
        .slowest = c->runs[anomaly->slowest],
    };
    return contributors_add(w, anomaly, &regions[d->region_count++]);
}

static int correlation_add(struct divergence_work *w, const struct region *region,
                           size_t measure, const struct correlation *found)
{
    struct divergence *d = w->ret;
    struct divergence_correlation *items = item_list_grow(
        d->correlations, d->correlation_count, &d->correlation_capacity, sizeof *items);
    if (!items)
        return -ENOMEM;
    d->correlations = items;
    items[d->correlation_count++] = (struct divergence_correlation){
        .class_name = w->class_name,
        .from_ns = w->series.runs[region->first]->t_ns,
        .to_ns = w->series.runs[region->end - 1]->t_ns,
        .runs = region->end - region->first,
        .measure = w->mapping->measures.items[measure].name,
        .found = *found,
    };
    return 0;
}

static int measure_correlate(struct divergence_work *w, size_t measure)
{
    struct run_series *c = &w->series;
    const double *values = run_series_measure(c, measure);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < c->region_count; i++) {
        const struct region *region = &c->regions[i];
        size_t runs = region->end - region->first;
        if (runs < w->mapping->region_runs_min)
            continue;
        struct correlation found =
            correlate(c->fractions + region->first, values + region->first, runs);
        if (found.p < w->mapping->p_region)
            rc = correlation_add(w, region, measure, &found);
    }
    return rc;
}

static int selection_make(struct divergence_work *w)
{
    struct run_series *c = &w->series;
    int rc = 0;
    moving_average(c->times, c->fractions, c->count, w->mapping->short_ns, w->near);
    moving_average(c->times, c->fractions, c->count, w->mapping->long_ns, w->far);
    for (size_t i = 0; rc == 0 && i < c->region_count; i++) {
        struct anomaly found;
        anomaly_find(w->mapping, c, &c->regions[i], &found);
        anomaly_count(&w->counts, w->mapping, &found);
        rc = region_add(w, &c->regions[i], &found);
    }
    for (size_t i = 0; rc == 0 && i < w->mapping->measures.count; i++)
        rc = measure_correlate(w, i);
    return rc;
}

static int selections_make(struct divergence_work *w, const struct runs *runs,
                           struct run_selection *selection)
{
    AUTO_FREE double *near = reallocarray(NULL, runs->count + 1, sizeof(double));
    AUTO_FREE double *far = reallocarray(NULL, runs->count + 1, sizeof(double));
    size_t found = 0;
    int rc = near && far ? run_series_init(&w->series, runs) : -ENOMEM;
    w->near = near;
    w->far = far;
    while (rc == 0 && run_series_next(&w->series, w->mapping, runs, selection)) {
        w->class_name = selection->name;
        rc = selection_make(w);
        found++;
    }
    run_series_done(&w->series);
    return rc < 0 || found > 0 ? rc : -ENOENT;
}

int divergence_make(const struct mapping *mapping, const struct runs *runs,
                    struct run_selection *selection, struct divergence *ret,
                    struct err *err)
{
    AUTO(divergence_done) struct divergence d = { 0 };
    struct divergence_work w = { .mapping = mapping, .ret = &d };
    int rc = selections_make(&w, runs, selection);
    if (rc == -ENOENT)
        return err_set(err, ENOENT, "of %zu classes none is called '%s'",
                       runs->set_count, selection->pattern ? selection->pattern : "*");
    if (rc < 0)
        return err_set(err, -rc, "%s", strerror(-rc));
    d.measure_count = anomaly_measures(&w.counts, mapping, d.measures);
    d.p_contributor = mapping->p_contributor;
    d.asked = w.counts.asked;
    d.explained = w.counts.explained;
    *ret = d;
    d = (struct divergence){ 0 };
    return 0;
}

void divergence_done(struct divergence *divergence)
{
    arena_done(&divergence->arena);
    free(divergence->regions);
    free(divergence->correlations);
    *divergence = (struct divergence){ 0 };
}
