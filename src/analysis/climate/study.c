/* SPDX-License-Identifier: Apache-2.0 */
/* study - the climate of many runs. */
#include "analysis/climate/study.h"

#include "analysis/climate/anomaly.h"
#include "analysis/climate/runs_notes.h"
#include "analysis/stats/stats.h"
#include "base/number.h"
#include "base/span.h"

#include <math.h>

static const char *const part_names[STUDY_PARTS] = {
    [STUDY_SUMMARY] = "summary",           [STUDY_SETS] = "sets",
    [STUDY_CORRELATIONS] = "correlations", [STUDY_REGIONS] = "regions",
    [STUDY_CONTRIBUTORS] = "contributors", [STUDY_EXPECTED] = "expected",
};

const char *study_part_name(enum study_part part)
{
    return part_names[part];
}

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
    if (s->figure_count == s->figure_capacity) {
        size_t capacity = s->figure_capacity ? 2 * s->figure_capacity : 256;
        struct figure_known *more = reallocarray(s->figures, capacity, sizeof *more);
        if (!more)
            return -ENOMEM;
        s->figures = more;
        s->figure_capacity = capacity;
    }
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

static void set_row(struct table *t, const struct run_set *set,
                    const struct run_series *c, double *sorted)
{
    static const double quantiles[] = { 0.05, 0.25, 0.5, 0.75, 0.95 };
    size_t row = t->column_count - COUNT_OF(quantiles) - 1;
    memcpy(sorted, c->fractions, c->count * sizeof *sorted);
    size_t count = numbers_sort(sorted, c->count);
    table_add_row(t);
    table_set_text(t, 0, span_of(set->name));
    table_set_u64(t, 1, set->count);
    table_set_double(t, 2, set->best);
    for (size_t q = 0; q < COUNT_OF(quantiles); q++)
        table_set_double(t, row + q, quantile(sorted, count, quantiles[q]));
    table_set_u64(t, t->column_count - 1, c->region_count);
}

static int sets_make(struct study *s, struct run_series *c, uint64_t *ret_utc)
{
    struct table *t = &s->parts[STUDY_SETS];
    table_add_column(t, "set", TABLE_TEXT, "");
    table_add_column(t, "runs", TABLE_U64, "");
    table_add_column(t, "best", TABLE_DOUBLE, "");
    table_add_column(t, "q05", TABLE_DOUBLE, "");
    table_add_column(t, "q25", TABLE_DOUBLE, "");
    table_add_column(t, "q50", TABLE_DOUBLE, "");
    table_add_column(t, "q75", TABLE_DOUBLE, "");
    table_add_column(t, "q95", TABLE_DOUBLE, "");
    table_add_column(t, "regions", TABLE_U64, "");
    uint64_t regions = 0;
    for (size_t i = 0; i < s->runs->set_count; i++) {
        const struct run_set *set = &s->runs->sets[i];
        run_series_of_set(c, s->runs, set);
        run_series_fill(c, s->mapping, RUN_CLOCK_UTC);
        *ret_utc += c->region_count;
        run_series_fill(c, s->mapping, RUN_CLOCK_SITE);
        regions += c->region_count;
        set_row(t, set, c, c->measure);
    }
    int rc = figure_add(s, (double)regions, "regions");
    return rc < 0 ? rc : figure_add(s, (double)s->runs->set_count, "sets");
}

/* ---- groups ---- */

static int correlation_row(struct study *s, const char *group, struct run_series *c,
                           size_t measure)
{
    const struct mapping_item *item = &s->mapping->measures.items[measure];
    struct correlation all =
        correlate(c->fractions, run_series_measure(c, measure), c->count);
    struct table *t = &s->parts[STUDY_CORRELATIONS];
    table_add_row(t);
    table_set_text(t, 0, span_of(group));
    table_set_text(t, 1, span_of(item->name));
    table_set_u64(t, 2, all.count);
    if (!isnan(all.r)) {
        table_set_double(t, 3, all.r);
        table_set_double(t, 4, all.p);
    }
    int rc = figure_add(s, all.r, "%s %s r", group, item->name);
    if (rc == 0)
        rc = figure_add(s, all.p, "%s %s p", group, item->name);
    return rc < 0 ? rc : figure_add(s, (double)all.count, "%s %s n", group, item->name);
}

static void region_row(struct study *s, const char *group, const struct run_series *c,
                       const struct region *region, const char *measure,
                       const struct correlation *found)
{
    struct table *t = &s->parts[STUDY_REGIONS];
    table_add_row(t);
    table_set_text(t, 0, span_of(group));
    table_set_i64(t, 1, c->runs[region->first]->t_ns / NS_PER_MS);
    table_set_i64(t, 2, c->runs[region->end - 1]->t_ns / NS_PER_MS);
    table_set_u64(t, 3, region->end - region->first);
    table_set_text(t, 4, span_of(measure));
    table_set_u64(t, 5, found->count);
    table_set_double(t, 6, found->r);
    table_set_double(t, 7, found->p);
}

/* Regions of a group in which a measure goes with the fraction. */
static int group_regions(struct study *s, const char *group, struct run_series *c,
                         size_t measure)
{
    const char *name = s->mapping->measures.items[measure].name;
    const double *values = run_series_measure(c, measure);
    uint64_t significant = 0;
    for (size_t i = 0; i < c->region_count; i++) {
        const struct region *region = &c->regions[i];
        if (region->end - region->first < s->mapping->region_runs_min)
            continue;
        struct correlation found =
            correlate(c->fractions + region->first, values + region->first,
                      region->end - region->first);
        if (!(found.p < s->mapping->p_region))
            continue;
        region_row(s, group, c, region, name, &found);
        significant++;
    }
    return figure_add(s, (double)significant, "%s %s regions", group, name);
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
        rc = correlation_row(s, name, c, m);
        if (rc == 0 && group)
            rc = group_regions(s, name, c, m);
    }
    return rc;
}

static int groups_make(struct study *s, struct run_series *c)
{
    struct table *t = &s->parts[STUDY_CORRELATIONS];
    table_add_column(t, "group", TABLE_TEXT, "");
    table_add_column(t, "measure", TABLE_TEXT, "");
    table_add_column(t, "n", TABLE_U64, "");
    table_add_column(t, "r", TABLE_DOUBLE, "");
    table_add_column(t, "p", TABLE_DOUBLE, "");
    t = &s->parts[STUDY_REGIONS];
    table_add_column(t, "group", TABLE_TEXT, "");
    table_add_column(t, "from", TABLE_TIME, "");
    table_add_column(t, "to", TABLE_TIME, "");
    table_add_column(t, "runs", TABLE_U64, "");
    table_add_column(t, "measure", TABLE_TEXT, "");
    table_add_column(t, "n", TABLE_U64, "");
    table_add_column(t, "r", TABLE_DOUBLE, "");
    table_add_column(t, "p", TABLE_DOUBLE, "");
    int rc = group_make(s, NULL, c);
    for (size_t i = 0; rc == 0 && i < s->runs->set_count; i++) {
        const char *group = s->runs->sets[i].group;
        if (i == 0 || strcmp(group, s->runs->sets[i - 1].group) != 0)
            rc = group_make(s, group, c);
    }
    return rc;
}

/* ---- contributors ---- */

static int contributor_row(struct study *s, size_t measure,
                           const struct anomaly_tally *a)
{
    const struct mapping_item *item = &s->mapping->measures.items[measure];
    struct table *t = &s->parts[STUDY_CONTRIBUTORS];
    uint64_t worst = a->measure_worst[measure];
    uint64_t asked = a->measure_asked[measure];
    double fraction = asked ? (double)worst / (double)asked : NAN;
    table_add_row(t);
    table_set_text(t, 0, span_of(item->name));
    table_set_text(t, 1, span_of(item->label));
    table_set_u64(t, 2, worst);
    table_set_u64(t, 3, asked);
    if (asked) {
        table_set_double(t, 4, fraction);
        table_set_double(t, 5, binomial_tail(worst, asked, s->mapping->p_contributor));
    }
    int rc = figure_add(s, (double)worst, "%s contributed", item->name);
    if (rc == 0)
        rc = figure_add(s, (double)asked, "%s asked", item->name);
    return rc < 0 ? rc : figure_add(s, fraction, "%s fraction", item->name);
}

static int contributors_make(struct study *s, struct run_series *c,
                             struct anomaly_tally *ret)
{
    struct table *t = &s->parts[STUDY_CONTRIBUTORS];
    table_add_column(t, "measure", TABLE_TEXT, "");
    table_add_column(t, "label", TABLE_TEXT, "");
    table_add_column(t, "contributed", TABLE_U64, "");
    table_add_column(t, "asked", TABLE_U64, "");
    table_add_column(t, "fraction", TABLE_DOUBLE, "");
    table_add_column(t, "p", TABLE_DOUBLE, "");
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
    for (size_t m = 0; rc == 0 && m < s->mapping->measures.count; m++)
        if (s->mapping->measures.items[m].is_contributor)
            rc = contributor_row(s, m, ret);
    return rc;
}

/* ---- summary and expectations ---- */

static int summary_row(struct study *s, const char *name, const char *what,
                       uint64_t value)
{
    struct table *t = &s->parts[STUDY_SUMMARY];
    table_add_row(t);
    table_set_text(t, 0, span_of(what));
    table_set_u64(t, 1, value);
    return figure_find(s, span_of(name)) ? 0 : figure_add(s, (double)value, "%s", name);
}

static int summary_make(struct study *s, const struct anomaly_tally *a, uint64_t utc)
{
    const struct runs *runs = s->runs;
    struct table *t = &s->parts[STUDY_SUMMARY];
    table_add_column(t, "what", TABLE_TEXT, "");
    table_add_column(t, "count", TABLE_U64, "");
    int rc = summary_row(s, "rows", "rows read", runs->rows);
    for (size_t i = 0; rc == 0 && i < s->mapping->drops.count; i++) {
        char what[160];
        (void)snprintf(what, sizeof what, "dropped: %s",
                       s->mapping->drops.items[i].name);
        rc = summary_row(s, what, what, runs->dropped[i]);
    }
    const struct {
        const char *name, *what;
        uint64_t value;
    } rows[] = {
        { "bad", "bad rows", runs->bad_rows },
        { "missing", "without a required value", runs->missing_rows },
        { "outside", "outside of from .. to", runs->outside_rows },
        { "observations", "observations", runs->count },
        { "sets", "sets of alike runs", runs->set_count },
        { "regions", "divergence regions of all sets", a->all },
        { "regions_utc", "the same with windows in UTC", utc },
        { "anomalies", "anomalies a measure can be asked about", a->asked },
        { "explained", "of them with a contributor", a->explained },
    };
    for (size_t i = 0; rc == 0 && i < COUNT_OF(rows); i++)
        rc = summary_row(s, rows[i].name, rows[i].what, rows[i].value);
    runs_notes_add(s->mapping, runs, t);
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

static int expected_make(struct study *s, struct err *err)
{
    struct table *t = &s->parts[STUDY_EXPECTED];
    table_add_column(t, "figure", TABLE_TEXT, "");
    table_add_column(t, "published", TABLE_TEXT, "");
    table_add_column(t, "ours", TABLE_TEXT, "");
    table_add_column(t, "is", TABLE_TEXT, "");
    for (size_t i = 0; i < s->mapping->expect.count; i++) {
        const char *text = s->mapping->expect.items[i];
        const char *blank = strrchr(text, ' ');
        double number;
        struct span name = { text, blank ? (size_t)(blank - text) : 0 };
        const struct figure_known *figure = figure_find(s, span_trim(name));
        if (!blank || number_parse_double(span_of(blank + 1), &number) < 0)
            return err_set(err, EINVAL, "study.expect: '%s': write a name and a number",
                           text);
        if (!figure)
            return err_set(err, EINVAL,
                           "study.expect: there is no figure '" SPAN_FMT
                           "'; --list-figures shows their names",
                           SPAN_ARG(span_trim(name)));
        char ours[64];
        bool is_like = is_as_published(blank + 1, figure->value, ours);
        s->expected_unlike += !is_like;
        table_add_row(t);
        table_set_text(t, 0, span_trim(name));
        table_set_text(t, 1, span_of(blank + 1));
        table_set_text(t, 2, span_of(ours));
        table_set_text(t, 3, is_like ? SPAN("equal") : SPAN("unlike"));
    }
    return 0;
}

int study_make(const struct mapping *mapping, const struct runs *runs,
               struct study *ret, struct err *err)
{
    struct study s = { .mapping = mapping, .runs = runs };
    AUTO(run_series_done) struct run_series c = { 0 };
    struct anomaly_tally anomalies = { 0 };
    uint64_t utc = 0;
    arena_init(&s.arena, 0);
    for (size_t i = 0; i < STUDY_PARTS; i++)
        table_init(&s.parts[i]);
    int rc = run_series_init(&c, runs);
    if (rc == 0)
        rc = sets_make(&s, &c, &utc);
    if (rc == 0)
        rc = groups_make(&s, &c);
    if (rc == 0)
        rc = contributors_make(&s, &c, &anomalies);
    if (rc == 0)
        rc = summary_make(&s, &anomalies, utc);
    for (size_t i = 0; rc == 0 && i < STUDY_PARTS; i++)
        rc = table_error(&s.parts[i]);
    if (rc < 0)
        (void)err_set(err, -rc, "out of memory");
    if (rc == 0)
        rc = expected_make(&s, err);
    if (rc < 0) {
        study_done(&s);
        return rc;
    }
    *ret = s;
    return 0;
}

void study_done(struct study *study)
{
    for (size_t i = 0; i < STUDY_PARTS; i++)
        table_done(&study->parts[i]);
    free(study->figures);
    arena_done(&study->arena);
    study->figures = NULL;
}
