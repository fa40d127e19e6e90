/* SPDX-License-Identifier: Apache-2.0 */
/* normal - what is normal in each class of alike runs, and how the last runs were. */
#include "analysis/climate/normal.h"

#include "analysis/stats/stats.h"
#include "base/number.h"
#include "base/span.h"

#include <math.h>

static const double quantiles[] = { 0.05, 0.25, 0.5, 0.75, 0.95 };

/* What is asked of a run: its performance, the fraction, then the measures. */
enum { TERM_PERFORMANCE, TERM_FRACTION, TERM_MEASURES };

enum {
    CLASS_SET,
    CLASS_MEASURE,
    CLASS_RUNS,
    CLASS_MISSING,
    CLASS_QUANTILES,
    CLASS_LATE_RUNS = CLASS_QUANTILES + (int)COUNT_OF(quantiles),
    CLASS_LATE,
};

enum {
    LAST_SET,
    LAST_ID,
    LAST_TIME,
    LAST_PERFORMANCE,
    LAST_FRACTION,
    LAST_RUNS,
    LAST_SHARE,
    LAST_UNUSUAL,
};

struct making {
    const struct mapping *mapping;
    const struct runs *runs;
    const struct normal_opts *opts;
    struct normal *ret;
    double *sorted;          /* room for the values of a set */
    struct strbuf *unusual;  /* of each of the last runs of a set */
    struct percentile *rank; /* of its fraction */
};

static const char *term_name(const struct making *m, size_t term)
{
    if (term == TERM_PERFORMANCE)
        return "performance";
    return term == TERM_FRACTION
               ? "fraction"
               : m->mapping->measures.items[term - TERM_MEASURES].name;
}

static double term_of(const struct run *run, size_t term)
{
    if (term == TERM_PERFORMANCE)
        return run->raw;
    return term == TERM_FRACTION ? run->fraction : run->measures[term - TERM_MEASURES];
}

static void columns_add(struct normal *n)
{
    static const char *const names[] = { "q05", "q25", "q50", "q75", "q95" };
    table_add_column(&n->classes, "class", TABLE_TEXT, "");
    table_add_column(&n->classes, "measure", TABLE_TEXT, "");
    table_add_column(&n->classes, "runs", TABLE_U64, "");
    table_add_column(&n->classes, "missing", TABLE_U64, "");
    for (size_t q = 0; q < COUNT_OF(names); q++)
        table_add_column(&n->classes, names[q], TABLE_DOUBLE, "");
    table_add_column(&n->classes, "late_runs", TABLE_U64, "");
    table_add_column(&n->classes, "late_q25", TABLE_DOUBLE, "");
    table_add_column(&n->classes, "late_q50", TABLE_DOUBLE, "");
    table_add_column(&n->classes, "late_q75", TABLE_DOUBLE, "");
    table_add_column(&n->last, "class", TABLE_TEXT, "");
    table_add_column(&n->last, "run", TABLE_TEXT, "");
    table_add_column(&n->last, "time", TABLE_TIME, "");
    table_add_column(&n->last, "performance", TABLE_DOUBLE, "");
    table_add_column(&n->last, "fraction", TABLE_DOUBLE, "");
    table_add_column(&n->last, "others", TABLE_U64, "");
    table_add_column(&n->last, "slower_share", TABLE_DOUBLE, "");
    table_add_column(&n->last, "unusual", TABLE_TEXT, "");
}

static void class_row(struct making *m, const struct run_set *set, size_t term,
                      const struct rolling *late)
{
    static const double late_quantiles[] = { 0.25, 0.5, 0.75 };
    struct table *t = &m->ret->classes;
    for (size_t i = 0; i < set->count; i++)
        m->sorted[i] = term_of(&m->runs->runs[set->first + i], term);
    size_t count = numbers_sort(m->sorted, set->count);
    if (count == 0)
        return;
    table_add_row(t);
    table_set_text(t, CLASS_SET, span_of(set->name));
    table_set_text(t, CLASS_MEASURE, span_of(term_name(m, term)));
    table_set_u64(t, CLASS_RUNS, count);
    table_set_u64(t, CLASS_MISSING, set->count - count);
    for (size_t q = 0; q < COUNT_OF(quantiles); q++)
        table_set_double(t, CLASS_QUANTILES + q,
                         quantile(m->sorted, count, quantiles[q]));
    table_set_u64(t, CLASS_LATE_RUNS, rolling_count(late));
    for (size_t q = 0; rolling_count(late) > 0 && q < COUNT_OF(late_quantiles); q++)
        table_set_double(t, CLASS_LATE + q, rolling_quantile(late, late_quantiles[q]));
}

/* "Data server load 78.2, more than in 98 of 100 runs; ..." */
static void unusual_add(struct making *m, size_t place, size_t term, double value,
                        const struct percentile *s)
{
    struct strbuf *out = &m->unusual[place];
    if (term < TERM_MEASURES || !(percentile_chance(s) <= NORMAL_CHANCE))
        return;
    strbuf_addf(out, "%s%s %.4g, ", out->size > 0 ? "; " : "",
                m->mapping->measures.items[term - TERM_MEASURES].label, value);
    percentile_print(s, "runs", out);
}

static int term_make(struct making *m, const struct run_set *set, size_t term)
{
    AUTO(rolling_free) struct rolling *late = NULL;
    size_t last = set->count < m->opts->last_count ? set->count : m->opts->last_count;
    int rc = rolling_new(m->opts->window_runs, m->opts->window_ns, &late);
    for (size_t i = 0; rc == 0 && i < set->count; i++) {
        const struct run *run = &m->runs->runs[set->first + i];
        double value = term_of(run, term);
        /* Time moves on before the run is asked about: what is too old says nothing. */
        rc = rolling_put(late, run->clock_ns, NAN);
        if (rc == 0 && i + last >= set->count) {
            size_t place = i + last - set->count;
            struct percentile s = rolling_percentile(late, value);
            if (term == TERM_FRACTION)
                m->rank[place] = s;
            unusual_add(m, place, term, value, &s);
        }
        if (rc == 0)
            rc = rolling_put(late, run->clock_ns, value);
    }
    if (rc == 0)
        class_row(m, set, term, late);
    return rc;
}

static void last_row(struct making *m, const struct run_set *set, size_t place,
                     const struct run *run)
{
    struct table *t = &m->ret->last;
    double share = percentile_share(&m->rank[place]);
    table_add_row(t);
    table_set_text(t, LAST_SET, span_of(set->name));
    table_set_text(t, LAST_ID, span_of(run->id));
    table_set_i64(t, LAST_TIME, run->t_ns / NS_PER_MS);
    table_set_double(t, LAST_PERFORMANCE, run->raw);
    table_set_double(t, LAST_FRACTION, run->fraction);
    table_set_u64(t, LAST_RUNS, m->rank[place].count);
    if (!isnan(share))
        table_set_double(t, LAST_SHARE, share);
    if (m->unusual[place].size > 0)
        table_set_text(t, LAST_UNUSUAL, strbuf_span(&m->unusual[place]));
}

static int set_make(struct making *m, const struct run_set *set)
{
    size_t last = set->count < m->opts->last_count ? set->count : m->opts->last_count;
    int rc = 0;
    for (size_t i = 0; i < last; i++)
        strbuf_clear(&m->unusual[i]);
    for (size_t term = 0; rc == 0 && term < TERM_MEASURES + m->mapping->measures.count;
         term++)
        rc = term_make(m, set, term);
    for (size_t i = 0; rc == 0 && i < last; i++) {
        last_row(m, set, i, &m->runs->runs[set->first + set->count - last + i]);
        rc = strbuf_error(&m->unusual[i]);
    }
    return rc;
}

static int sets_make(struct making *m, struct err *err)
{
    size_t found = 0;
    int rc = m->sorted && m->unusual && m->rank ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < m->runs->set_count; i++) {
        const struct run_set *set = &m->runs->sets[i];
        if (m->opts->set && !span_glob(span_of(set->name), m->opts->set))
            continue;
        found++;
        rc = set_make(m, set);
    }
    if (rc == 0 && (rc = table_error(&m->ret->classes)) == 0)
        rc = table_error(&m->ret->last);
    if (rc < 0)
        return err_set(err, -rc, "%s", strerror(-rc));
    if (found == 0)
        return err_set(err, ENOENT, "of %zu classes none is called '%s'",
                       m->runs->set_count, m->opts->set ? m->opts->set : "*");
    return 0;
}

int normal_make(const struct mapping *mapping, const struct runs *runs,
                const struct normal_opts *opts, struct normal *ret, struct err *err)
{
    struct normal normal;
    size_t last = opts->last_count < runs->count ? opts->last_count : runs->count;
    struct making m = { .mapping = mapping,
                        .runs = runs,
                        .opts = opts,
                        .ret = &normal,
                        .sorted = calloc(runs->count + 1, sizeof(double)),
                        .unusual = calloc(last + 1, sizeof(struct strbuf)),
                        .rank = calloc(last + 1, sizeof(struct percentile)) };
    table_init(&normal.classes);
    table_init(&normal.last);
    columns_add(&normal);
    int rc = sets_make(&m, err);
    for (size_t i = 0; i < last && m.unusual; i++)
        strbuf_done(&m.unusual[i]);
    free(m.sorted);
    free(m.unusual);
    free(m.rank);
    if (rc < 0)
        normal_done(&normal);
    else
        *ret = normal;
    return rc;
}

void normal_done(struct normal *normal)
{
    table_done(&normal->classes);
    table_done(&normal->last);
}
