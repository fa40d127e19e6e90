/* SPDX-License-Identifier: Apache-2.0 */
/* correlations - which measures go with the fraction of peak, in each class. */
#include "analysis/climate/correlations.h"

#include "base/span.h"

#include "analysis/stats/stats.h"

#include <math.h>

enum { CLASS, MEASURE, N, R, P, P_MANY, RHO, P_RHO, P_RHO_MANY };

static void columns_add(struct table *t)
{
    table_init(t);
    table_add_column(t, "class", TABLE_TEXT, "");
    table_add_column(t, "measure", TABLE_TEXT, "");
    table_add_column(t, "n", TABLE_U64, "");
    table_add_column(t, "r", TABLE_DOUBLE, "");
    table_add_column(t, "p", TABLE_DOUBLE, "");
    table_add_column(t, "p_many", TABLE_DOUBLE, "");
    table_add_column(t, "rho", TABLE_DOUBLE, "");
    table_add_column(t, "p_rho", TABLE_DOUBLE, "");
    table_add_column(t, "p_rho_many", TABLE_DOUBLE, "");
}

static int measure_row(const struct mapping *mapping, struct run_series *series,
                       const char *name, size_t measure, struct table *t)
{
    const double *values = run_series_measure(series, measure);
    struct correlation linear = correlate(series->fractions, values, series->count);
    struct correlation ranks;
    if (isnan(linear.r))
        return 0;
    int rc = correlate_ranks(series->fractions, values, series->count, &ranks);
    if (rc < 0)
        return rc;
    table_add_row(t);
    table_set_text(t, CLASS, span_of(name));
    table_set_text(t, MEASURE, span_of(mapping->measures.items[measure].name));
    table_set_u64(t, N, linear.count);
    table_set_double(t, R, linear.r);
    table_set_double(t, P, linear.p);
    table_set_double(t, RHO, ranks.r);
    table_set_double(t, P_RHO, ranks.p);
    return 0;
}

/* How many tests there are is known at the end. */
static void tests_count(struct table *t)
{
    for (size_t row = 0; row < t->row_count; row++) {
        struct table_cell *cells = &t->cells[row * t->column_count];
        cells[P_MANY] =
            (struct table_cell){ .dbl = p_of_many(cells[P].dbl, t->row_count) };
        cells[P_RHO_MANY] =
            (struct table_cell){ .dbl = p_of_many(cells[P_RHO].dbl, t->row_count) };
    }
    table_add_note(t,
                   "%zu tests: p_many is p times as many (Bonferroni), the chance that "
                   "the least of them is as small",
                   t->row_count);
}

int correlations_make(const struct mapping *mapping, const struct runs *runs,
                      struct run_selection *selection, struct table *ret,
                      struct err *err)
{
    AUTO(run_series_done) struct run_series series = { 0 };
    struct table t;
    size_t found = 0;
    columns_add(&t);
    int rc = run_series_init(&series, runs);
    while (rc == 0 && run_series_next(&series, mapping, runs, selection)) {
        found++;
        for (size_t i = 0; rc == 0 && i < mapping->measures.count; i++)
            rc = measure_row(mapping, &series, selection->name, i, &t);
    }
    if (rc == 0 && (rc = table_error(&t)) == 0 && found == 0)
        rc = -ENOENT;
    if (rc == 0) {
        tests_count(&t);
        *ret = t;
        return 0;
    }
    table_done(&t);
    if (rc == -ENOENT)
        return err_set(err, ENOENT, "of %zu classes none is called '%s'",
                       runs->set_count, selection->pattern ? selection->pattern : "*");
    return err_set(err, -rc, "%s", strerror(-rc));
}
