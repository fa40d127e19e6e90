/* SPDX-License-Identifier: Apache-2.0 */
/* divergence - when runs were slower or faster than their season, and what went with
 * it. */
#include "analysis/climate/divergence.h"

#include "analysis/stats/stats.h"
#include "base/number.h"
#include "base/span.h"

#include <math.h>

struct making {
    const struct mapping *mapping;
    const char *name; /* of the selection */
    struct run_series series;
    double *near, *far; /* the averages */
    struct anomaly_tally tally;
    struct divergence *ret;
};

struct column {
    const char *name;
    enum table_type type;
    const char *unit;
};

static void columns_add(struct table *t, const struct column *columns, size_t count)
{
    table_init(t);
    for (size_t i = 0; i < count; i++)
        table_add_column(t, columns[i].name, columns[i].type, columns[i].unit);
}

static void tables_begin(struct divergence *d)
{
    static const struct column regions[] = {
        { "class", TABLE_TEXT, "" },     { "from", TABLE_TIME, "" },
        { "to", TABLE_TIME, "" },        { "days", TABLE_DOUBLE, "" },
        { "runs", TABLE_U64, "" },       { "is", TABLE_TEXT, "" },
        { "mean", TABLE_DOUBLE, "" },    { "season", TABLE_DOUBLE, "" },
        { "slowest", TABLE_TEXT, "" },   { "slowest_time", TABLE_TIME, "" },
        { "fraction", TABLE_DOUBLE, "" }
    };
    static const struct column correlations[] = {
        { "class", TABLE_TEXT, "" },   { "from", TABLE_TIME, "" },
        { "to", TABLE_TIME, "" },      { "runs", TABLE_U64, "" },
        { "measure", TABLE_TEXT, "" }, { "n", TABLE_U64, "" },
        { "r", TABLE_DOUBLE, "" },     { "p", TABLE_DOUBLE, "" }
    };
    static const struct column measures[] = {
        { "measure", TABLE_TEXT, "" },    { "label", TABLE_TEXT, "" },
        { "contributed", TABLE_U64, "" }, { "asked", TABLE_U64, "" },
        { "fraction", TABLE_DOUBLE, "" }, { "p", TABLE_DOUBLE, "" }
    };
    static const struct column anomalies[] = {
        { "class", TABLE_TEXT, "" },       { "run", TABLE_TEXT, "" },
        { "time", TABLE_TIME, "" },        { "fraction", TABLE_DOUBLE, "" },
        { "runs", TABLE_U64, "" },         { "asked", TABLE_U64, "" },
        { "contributors", TABLE_TEXT, "" }
    };
    columns_add(&d->regions, regions, COUNT_OF(regions));
    columns_add(&d->correlations, correlations, COUNT_OF(correlations));
    columns_add(&d->measures, measures, COUNT_OF(measures));
    columns_add(&d->anomalies, anomalies, COUNT_OF(anomalies));
}

static double mean(const double *values, const struct region *region)
{
    double sum = 0;
    for (size_t i = region->first; i < region->end; i++)
        sum += values[i];
    return sum / (double)(region->end - region->first);
}

static void times_set(struct table *t, const struct run_series *c,
                      const struct region *region)
{
    table_set_i64(t, 1, c->runs[region->first]->t_ns / NS_PER_MS);
    table_set_i64(t, 2, c->runs[region->end - 1]->t_ns / NS_PER_MS);
}

static void region_row(struct making *m, const struct region *region,
                       const struct anomaly *found)
{
    const struct run_series *c = &m->series;
    const struct run *slowest = c->runs[found->slowest];
    bool is_above = m->near[region->first] > m->far[region->first];
    int64_t span_ns = c->times[region->end - 1] - c->times[region->first];
    struct table *t = &m->ret->regions;
    table_add_row(t);
    table_set_text(t, 0, span_of(m->name));
    times_set(t, c, region);
    table_set_double(t, 3, (double)span_ns / (double)(86400 * NS_PER_S));
    table_set_u64(t, 4, region->end - region->first);
    table_set_text(t, 5, is_above ? SPAN("faster") : SPAN("slower"));
    table_set_double(t, 6, mean(c->fractions, region));
    table_set_double(t, 7, mean(m->far, region));
    table_set_text(t, 8, span_of(slowest->id));
    table_set_i64(t, 9, slowest->t_ns / NS_PER_MS);
    table_set_double(t, 10, slowest->fraction);
}

/* "Data server load 78.2 (p 0.04)", the least likely first is not wanted: the mapping's
 * order is one that people know. */
static int anomaly_row(struct making *m, const struct region *region,
                       const struct anomaly *found)
{
    AUTO(strbuf_done) struct strbuf words = STRBUF_INIT;
    const struct run *run = m->series.runs[found->slowest];
    struct table *t = &m->ret->anomalies;
    uint64_t asked = 0;
    for (size_t i = 0; i < m->mapping->measures.count; i++) {
        const struct contributor *c = &found->measures[i];
        asked += c->is_asked;
        if (c->is_contributor)
            strbuf_addf(&words, "%s%s %.4g (p %.2g)", words.size > 0 ? "; " : "",
                        m->mapping->measures.items[i].label, c->worst, c->p);
    }
    table_add_row(t);
    table_set_text(t, 0, span_of(m->name));
    table_set_text(t, 1, span_of(run->id));
    table_set_i64(t, 2, run->t_ns / NS_PER_MS);
    table_set_double(t, 3, run->fraction);
    table_set_u64(t, 4, region->end - region->first);
    table_set_u64(t, 5, asked);
    if (words.size > 0)
        table_set_text(t, 6, strbuf_span(&words));
    return strbuf_error(&words);
}

static void correlation_rows(struct making *m, size_t measure)
{
    struct run_series *c = &m->series;
    struct table *t = &m->ret->correlations;
    const double *values = run_series_measure(c, measure);
    for (size_t i = 0; i < c->region_count; i++) {
        const struct region *region = &c->regions[i];
        size_t runs = region->end - region->first;
        if (runs < m->mapping->region_runs_min)
            continue;
        struct correlation found =
            correlate(c->fractions + region->first, values + region->first, runs);
        if (!(found.p < m->mapping->p_region))
            continue;
        table_add_row(t);
        table_set_text(t, 0, span_of(m->name));
        times_set(t, c, region);
        table_set_u64(t, 3, runs);
        table_set_text(t, 4, span_of(m->mapping->measures.items[measure].name));
        table_set_u64(t, 5, found.count);
        table_set_double(t, 6, found.r);
        table_set_double(t, 7, found.p);
    }
}

static int selection_make(struct making *m)
{
    struct run_series *c = &m->series;
    int rc = 0;
    moving_average(c->times, c->fractions, c->count, m->mapping->short_ns, m->near);
    moving_average(c->times, c->fractions, c->count, m->mapping->long_ns, m->far);
    for (size_t i = 0; rc == 0 && i < c->region_count; i++) {
        struct anomaly found;
        anomaly_find(m->mapping, c, &c->regions[i], &found);
        anomaly_count(&m->tally, m->mapping, &found);
        region_row(m, &c->regions[i], &found);
        rc = anomaly_row(m, &c->regions[i], &found);
    }
    for (size_t i = 0; i < m->mapping->measures.count; i++)
        correlation_rows(m, i);
    return rc;
}

static void measure_rows(struct making *m)
{
    struct table *t = &m->ret->measures;
    for (size_t i = 0; i < m->mapping->measures.count; i++) {
        const struct mapping_item *item = &m->mapping->measures.items[i];
        uint64_t asked = m->tally.measure_asked[i];
        uint64_t worst = m->tally.measure_worst[i];
        if (!item->is_contributor)
            continue;
        table_add_row(t);
        table_set_text(t, 0, span_of(item->name));
        table_set_text(t, 1, span_of(item->label));
        table_set_u64(t, 2, worst);
        table_set_u64(t, 3, asked);
        if (asked == 0)
            continue;
        table_set_double(t, 4, (double)worst / (double)asked);
        table_set_double(t, 5, binomial_tail(worst, asked, m->mapping->p_contributor));
    }
    table_add_note(t,
                   "%llu regions; of the slowest run of each a measure can be asked "
                   "for %llu, and has an answer for %llu",
                   (unsigned long long)m->tally.all, (unsigned long long)m->tally.asked,
                   (unsigned long long)m->tally.explained);
    table_add_note(t, "p is the chance of as many by chance alone, at %g each",
                   m->mapping->p_contributor);
}

static int selections_make(struct making *m, const struct runs *runs,
                           struct run_selection *selection)
{
    size_t found = 0;
    int rc = run_series_init(&m->series, runs);
    m->near = reallocarray(NULL, runs->count + 1, sizeof(double));
    m->far = reallocarray(NULL, runs->count + 1, sizeof(double));
    if (!m->near || !m->far)
        rc = -ENOMEM;
    while (rc == 0 && run_series_next(&m->series, m->mapping, runs, selection)) {
        m->name = selection->name;
        rc = selection_make(m);
        found++;
    }
    free(m->near);
    free(m->far);
    run_series_done(&m->series);
    return rc < 0 || found > 0 ? rc : -ENOENT;
}

int divergence_make(const struct mapping *mapping, const struct runs *runs,
                    struct run_selection *selection, struct divergence *ret,
                    struct err *err)
{
    struct divergence d;
    struct making m = { .mapping = mapping, .ret = &d };
    tables_begin(&d);
    int rc = selections_make(&m, runs, selection);
    const struct table *const tables[] = { &d.regions, &d.correlations, &d.measures,
                                           &d.anomalies };
    if (rc == 0)
        measure_rows(&m);
    for (size_t i = 0; rc == 0 && i < COUNT_OF(tables); i++)
        rc = table_error(tables[i]);
    if (rc == 0) {
        *ret = d;
        return 0;
    }
    divergence_done(&d);
    if (rc == -ENOENT)
        return err_set(err, ENOENT, "of %zu classes none is called '%s'",
                       runs->set_count, selection->pattern ? selection->pattern : "*");
    return err_set(err, -rc, "%s", strerror(-rc));
}

void divergence_done(struct divergence *divergence)
{
    table_done(&divergence->regions);
    table_done(&divergence->correlations);
    table_done(&divergence->measures);
    table_done(&divergence->anomalies);
}
