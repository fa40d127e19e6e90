/* SPDX-License-Identifier: Apache-2.0 */
/* study - the climate of many runs. */
#include "analysis/climate/study.h"

#include "analysis/climate/item_list.h"
#include "base/number.h"
#include "base/span.h"

#include <math.h>

/* ---- figures by name ---- */

__attribute__((format(printf, 3, 4))) static int figure_add(struct study *s,
                                                            double value,
                                                            const char *fmt, ...)
{
    char name[256];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    struct figure_known *figures = item_list_grow(s->figures, s->figure_count,
                                                  &s->figure_capacity, sizeof *figures);
    if (!figures)
        return -ENOMEM;
    s->figures = figures;
    const char *copy = arena_dup(&s->arena, span_of(name));
    if (!copy)
        return -ENOMEM;
    s->figures[s->figure_count++] = (struct figure_known){ copy, value };
    return 0;
}

static const struct figure_known *figure_find(const struct study *s, struct span name)
{
    for (size_t i = 0; i < s->figure_count; i++)
        if (span_is(name, s->figures[i].name))
            return &s->figures[i];
    return NULL;
}

/* ---- sets ---- */

static struct study_set set_quantiles(const struct run_set *set,
                                      const struct run_series *c, double *sorted)
{
    memcpy(sorted, c->fractions, c->count * sizeof *sorted);
    size_t count = numbers_sort(sorted, c->count);
    return (struct study_set){
        .set = set,
        .q05 = quantile(sorted, count, 0.05),
        .q25 = quantile(sorted, count, 0.25),
        .q50 = quantile(sorted, count, 0.5),
        .q75 = quantile(sorted, count, 0.75),
        .q95 = quantile(sorted, count, 0.95),
        .regions = c->region_count,
    };
}

static int sets_make(struct study *s, struct run_series *c, uint64_t *ret_utc)
{
    s->sets = calloc(s->runs->set_count + 1, sizeof *s->sets);
    if (!s->sets)
        return -ENOMEM;
    uint64_t regions = 0;
    for (size_t i = 0; i < s->runs->set_count; i++) {
        const struct run_set *set = &s->runs->sets[i];
        run_series_of_set(c, s->runs, set);
        run_series_fill(c, s->mapping, RUN_CLOCK_UTC);
        *ret_utc += c->region_count;
        run_series_fill(c, s->mapping, RUN_CLOCK_SITE);
        regions += c->region_count;
        s->sets[i] = set_quantiles(set, c, c->measure);
    }
    int rc = figure_add(s, (double)regions, "regions");
    return rc < 0 ? rc : figure_add(s, (double)s->runs->set_count, "sets");
}

/* ---- groups ---- */

static int correlation_add(struct study *s, const char *group, struct run_series *c,
                           size_t measure)
{
    const char *name = s->mapping->measures.items[measure].name;
    struct correlation all =
        correlate(c->fractions, run_series_measure(c, measure), c->count);
    struct study_correlation *items = item_list_grow(
        s->correlations, s->correlation_count, &s->correlation_capacity, sizeof *items);
    if (!items)
        return -ENOMEM;
    s->correlations = items;
    items[s->correlation_count++] = (struct study_correlation){ group, name, all };
    int rc = figure_add(s, all.r, "%s %s r", group, name);
    if (rc == 0)
        rc = figure_add(s, all.p, "%s %s p", group, name);
    return rc < 0 ? rc : figure_add(s, (double)all.count, "%s %s n", group, name);
}

static int region_add(struct study *s, const char *group, const struct run_series *c,
                      const struct region *region, const char *measure,
                      const struct correlation *found)
{
    struct study_region *items =
        item_list_grow(s->regions, s->region_count, &s->region_capacity, sizeof *items);
    if (!items)
        return -ENOMEM;
    s->regions = items;
    items[s->region_count++] = (struct study_region){
        .group = group,
        .from_ns = c->runs[region->first]->t_ns,
        .to_ns = c->runs[region->end - 1]->t_ns,
        .runs = region->end - region->first,
        .measure = measure,
        .found = *found,
    };
    return 0;
}

/* Regions of a group in which a measure goes with the fraction. */
static int group_regions(struct study *s, const char *group, struct run_series *c,
                         size_t measure)
{
    const char *name = s->mapping->measures.items[measure].name;
    const double *values = run_series_measure(c, measure);
    uint64_t significant = 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < c->region_count; i++) {
        const struct region *region = &c->regions[i];
        if (region->end - region->first < s->mapping->region_runs_min)
            continue;
        struct correlation found =
            correlate(c->fractions + region->first, values + region->first,
                      region->end - region->first);
        if (!(found.p < s->mapping->p_region))
            continue;
        rc = region_add(s, group, c, region, name, &found);
        significant++;
    }
    return rc < 0 ? rc
                  : figure_add(s, (double)significant, "%s %s regions", group, name);
}

static int group_make(struct study *s, const char *group, struct run_series *c)
{
    const char *name = group ? group : "all";
    run_series_of_group(c, s->runs, group);
    run_series_fill(c, s->mapping, RUN_CLOCK_SITE);
    uint64_t long_enough = 0;
    for (size_t i = 0; i < c->region_count; i++)
        long_enough +=
            c->regions[i].end - c->regions[i].first >= s->mapping->region_runs_min;
    int rc = figure_add(s, (double)c->count, "%s runs", name);
    if (rc == 0)
        rc = figure_add(s, (double)c->region_count, "%s regions", name);
    if (rc == 0)
        rc = figure_add(s, (double)long_enough, "%s regions_correlated", name);
    for (size_t m = 0; rc == 0 && m < s->mapping->measures.count; m++) {
        rc = correlation_add(s, name, c, m);
        if (rc == 0 && group)
            rc = group_regions(s, name, c, m);
    }
    return rc;
}

static int groups_make(struct study *s, struct run_series *c)
{
    int rc = group_make(s, NULL, c);
    for (size_t i = 0; rc == 0 && i < s->runs->set_count; i++) {
        const char *group = s->runs->sets[i].group;
        if (i == 0 || strcmp(group, s->runs->sets[i - 1].group) != 0)
            rc = group_make(s, group, c);
    }
    return rc;
}

/* ---- contributors ---- */

static int contributor_figures_add(struct study *s, const struct anomaly_measure *m)
{
    int rc = figure_add(s, (double)m->contributed, "%s contributed", m->name);
    if (rc == 0)
        rc = figure_add(s, (double)m->asked, "%s covered", m->name);
    return rc < 0 ? rc : figure_add(s, m->fraction, "%s fraction", m->name);
}

static int contributors_make(struct study *s, struct run_series *c,
                             struct anomaly_counts *ret)
{
    for (size_t i = 0; i < s->runs->set_count; i++) {
        run_series_of_set(c, s->runs, &s->runs->sets[i]);
        run_series_fill(c, s->mapping, RUN_CLOCK_SITE);
        for (size_t r = 0; r < c->region_count; r++) {
            struct anomaly found;
            anomaly_find(s->mapping, c, &c->regions[r], &found);
            anomaly_count(ret, s->mapping, &found);
        }
    }
    int rc = 0;
    s->contributor_count = anomaly_measures(ret, s->mapping, s->contributors);
    for (size_t i = 0; rc == 0 && i < s->contributor_count; i++)
        rc = contributor_figures_add(s, &s->contributors[i]);
    return rc;
}

/* ---- summary and expectations ---- */

/* what outlives the study. */
static int count_add(struct study *s, const char *name, const char *what,
                     uint64_t count)
{
    s->summary[s->summary_count++] = (struct study_count){ what, count };
    return figure_find(s, span_of(name)) ? 0 : figure_add(s, (double)count, "%s", name);
}

static int dropped_add(struct study *s, size_t drop)
{
    char what[160];
    (void)snprintf(what, sizeof what, "dropped: %s",
                   s->mapping->drops.items[drop].name);
    const char *copy = arena_dup(&s->arena, span_of(what));
    return copy ? count_add(s, copy, copy, s->runs->dropped[drop]) : -ENOMEM;
}

#define SUMMARY_COUNTS_MAX (10 + MAPPING_ITEMS_MAX)

static int summary_make(struct study *s, const struct anomaly_counts *a, uint64_t utc)
{
    const struct runs *runs = s->runs;
    s->summary = arena_alloc(&s->arena, SUMMARY_COUNTS_MAX * sizeof *s->summary);
    if (!s->summary)
        return -ENOMEM;
    int rc = count_add(s, "rows", "rows read", runs->rows);
    for (size_t i = 0; rc == 0 && i < s->mapping->drops.count; i++)
        rc = dropped_add(s, i);
    const struct {
        const char *name, *what;
        uint64_t value;
    } rows[] = {
        { "bad", "bad rows", runs->bad_rows },
        { "missing", "without a required value", runs->missing_rows },
        { "outside", "outside of from .. to", runs->outside_rows },
        { "observations", "observations", runs->count },
        { "sets", "sets of comparable runs", runs->set_count },
        { "regions", "divergence regions of all sets", a->all },
        { "regions_utc", "the same with windows in UTC", utc },
        { "anomalies", "anomalies that a measure covers", a->asked },
        { "explained", "of them with a contributor", a->explained },
    };
    for (size_t i = 0; rc == 0 && i < COUNT_OF(rows); i++)
        rc = count_add(s, rows[i].name, rows[i].what, rows[i].value);
    return rc;
}

/* Ours with as many digits as were published, into ours; true when that is the same. */
static bool is_as_published(const char *published, double value, char ours[static 64])
{
    double wanted;
    const char *mantissa_end = strpbrk(published, "eE");
    size_t size = mantissa_end ? (size_t)(mantissa_end - published) : strlen(published);
    const char *point = memchr(published, '.', size);
    int decimals = point ? (int)(size - (size_t)(point - published) - 1) : 0;
    (void)snprintf(ours, 64, mantissa_end ? "%.*e" : "%.*f", decimals, value);
    double rounded;
    return number_parse_double(span_of(published), &wanted) == 0 &&
           number_parse_double(span_of(ours), &rounded) == 0 && rounded == wanted;
}

/* text: "all load r 0.5", as the mapping has it. */
static int expected_add(struct study *s, const char *text, struct err *err)
{
    const char *blank = strrchr(text, ' ');
    double number;
    struct span name =
        span_trim((struct span){ text, blank ? (size_t)(blank - text) : 0 });
    const struct figure_known *figure = figure_find(s, name);
    if (!blank || number_parse_double(span_of(blank + 1), &number) < 0)
        return err_set(err, EINVAL, "study.expect: '%s': write a name and a number",
                       text);
    if (!figure)
        return err_set(err, EINVAL,
                       "study.expect: there is no figure '" SPAN_FMT
                       "'; --list-figures shows their names",
                       SPAN_ARG(name));
    struct study_expected *e = &s->expected[s->expected_count++];
    *e = (struct study_expected){ .figure = name, .published = blank + 1 };
    e->is_equal = is_as_published(e->published, figure->value, e->ours);
    s->expected_unlike += !e->is_equal;
    return 0;
}

static int expected_make(struct study *s, struct err *err)
{
    int rc = 0;
    s->expected =
        arena_alloc(&s->arena, (s->mapping->expect.count + 1) * sizeof *s->expected);
    if (!s->expected)
        return err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; rc == 0 && i < s->mapping->expect.count; i++)
        rc = expected_add(s, s->mapping->expect.items[i], err);
    return rc;
}

int study_make(const struct mapping *mapping, const struct runs *runs,
               struct study *ret, struct err *err)
{
    AUTO(study_done) struct study s = { .mapping = mapping, .runs = runs };
    AUTO(run_series_done) struct run_series c = { 0 };
    struct anomaly_counts anomalies = { 0 };
    uint64_t utc = 0;
    int rc = run_series_init(&c, runs);
    if (rc == 0)
        rc = sets_make(&s, &c, &utc);
    if (rc == 0)
        rc = groups_make(&s, &c);
    if (rc == 0)
        rc = contributors_make(&s, &c, &anomalies);
    if (rc == 0)
        rc = summary_make(&s, &anomalies, utc);
    if (rc < 0)
        return err_set(err, -rc, "out of memory");
    rc = expected_make(&s, err);
    if (rc < 0)
        return rc;
    *ret = s;
    s = (struct study){ 0 };
    return 0;
}

void study_done(struct study *study)
{
    free(study->sets);
    free(study->correlations);
    free(study->regions);
    free(study->figures);
    arena_done(&study->arena);
    *study = (struct study){ 0 };
}
