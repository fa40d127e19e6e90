/* SPDX-License-Identifier: Apache-2.0 */
/* study_table - a study as tables, and its figures as text. */
#include "report/study_table.h"

#include "base/decimal_text.h"
#include "base/number.h"
#include "base/span.h"
#include "report/divergence_table.h"
#include "report/runs_notes.h"

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

static void summary_fill(const struct study *study, struct table *t)
{
    table_add_column(t, "what", TABLE_TEXT, "");
    table_add_column(t, "count", TABLE_U64, "");
    for (size_t i = 0; i < study->summary_count; i++) {
        table_add_row(t);
        table_set_text(t, 0, span_of(study->summary[i].what));
        table_set_u64(t, 1, study->summary[i].count);
    }
    runs_notes_add(study->mapping, study->runs, t);
}

static void sets_fill(const struct study *study, struct table *t)
{
    static const char *const numbers[] = { "best", "q05", "q25", "q50", "q75", "q95" };
    table_add_column(t, "set", TABLE_TEXT, "");
    table_add_column(t, "runs", TABLE_U64, "");
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        table_add_column(t, numbers[i], TABLE_DOUBLE, "");
    table_add_column(t, "regions", TABLE_U64, "");
    for (size_t i = 0; i < study->runs->set_count; i++) {
        const struct study_set *s = &study->sets[i];
        const double values[] = {
            s->set->best, s->q05, s->q25, s->q50, s->q75, s->q95
        };
        table_add_row(t);
        table_set_text(t, 0, span_of(s->set->name));
        table_set_u64(t, 1, s->set->count);
        for (size_t n = 0; n < COUNT_OF(values); n++)
            table_set_double(t, 2 + n, values[n]);
        table_set_u64(t, 2 + COUNT_OF(values), s->regions);
    }
}

/* n, r and p, from the column that follows those of the table. */
static void correlation_columns_add(struct table *t)
{
    table_add_column(t, "measure", TABLE_TEXT, "");
    table_add_column(t, "n", TABLE_U64, "");
    table_add_column(t, "r", TABLE_DOUBLE, "");
    table_add_column(t, "p", TABLE_DOUBLE, "");
}

static void correlation_set(struct table *t, size_t column, const char *measure,
                            const struct correlation *found)
{
    table_set_text(t, column, span_of(measure));
    table_set_u64(t, column + 1, found->count);
    if (isnan(found->r))
        return;
    table_set_double(t, column + 2, found->r);
    table_set_double(t, column + 3, found->p);
}

static void correlations_fill(const struct study *study, struct table *t)
{
    table_add_column(t, "group", TABLE_TEXT, "");
    correlation_columns_add(t);
    for (size_t i = 0; i < study->correlation_count; i++) {
        const struct study_correlation *item = &study->correlations[i];
        table_add_row(t);
        table_set_text(t, 0, span_of(item->group));
        correlation_set(t, 1, item->measure, &item->found);
    }
}

static void regions_fill(const struct study *study, struct table *t)
{
    table_add_column(t, "group", TABLE_TEXT, "");
    table_add_column(t, "from", TABLE_TIME, "");
    table_add_column(t, "to", TABLE_TIME, "");
    table_add_column(t, "runs", TABLE_U64, "");
    correlation_columns_add(t);
    for (size_t i = 0; i < study->region_count; i++) {
        const struct study_region *region = &study->regions[i];
        table_add_row(t);
        table_set_text(t, 0, span_of(region->group));
        table_set_i64(t, 1, region->from_ns / NS_PER_MS);
        table_set_i64(t, 2, region->to_ns / NS_PER_MS);
        table_set_u64(t, 3, region->runs);
        correlation_set(t, 4, region->measure, &region->found);
    }
}

static void expected_fill(const struct study *study, struct table *t)
{
    static const char *const columns[] = { "figure", "published", "ours", "is" };
    for (size_t i = 0; i < COUNT_OF(columns); i++)
        table_add_column(t, columns[i], TABLE_TEXT, "");
    for (size_t i = 0; i < study->expected_count; i++) {
        const struct study_expected *e = &study->expected[i];
        table_add_row(t);
        table_set_text(t, 0, e->figure);
        table_set_text(t, 1, span_of(e->published));
        table_set_text(t, 2, span_of(e->ours));
        table_set_text(t, 3, e->is_equal ? SPAN("equal") : SPAN("unlike"));
    }
}

int study_tables_make(const struct study *study, struct study_tables *ret,
                      struct err *err)
{
    AUTO(study_tables_done) struct study_tables tables = { 0 };
    int rc = 0;
    for (size_t i = 0; i < STUDY_PARTS; i++)
        table_init(&tables.parts[i]);
    summary_fill(study, &tables.parts[STUDY_SUMMARY]);
    sets_fill(study, &tables.parts[STUDY_SETS]);
    correlations_fill(study, &tables.parts[STUDY_CORRELATIONS]);
    regions_fill(study, &tables.parts[STUDY_REGIONS]);
    contributor_rows_add(study->contributors, study->contributor_count,
                         &tables.parts[STUDY_CONTRIBUTORS]);
    expected_fill(study, &tables.parts[STUDY_EXPECTED]);
    for (size_t i = 0; rc == 0 && i < STUDY_PARTS; i++)
        rc = table_error(&tables.parts[i]);
    if (rc < 0)
        return err_set(err, ENOMEM, "out of memory");
    *ret = tables;
    for (size_t i = 0; i < STUDY_PARTS; i++)
        table_init(&tables.parts[i]);
    return 0;
}

void study_tables_done(struct study_tables *tables)
{
    for (size_t i = 0; i < STUDY_PARTS; i++)
        table_done(&tables->parts[i]);
}

void study_figures_print(const struct study *study, struct strbuf *out)
{
    for (size_t i = 0; i < study->figure_count; i++) {
        strbuf_addf(out, "%s ", study->figures[i].name);
        decimal_add_shortest(out, study->figures[i].value);
        strbuf_addc(out, '\n');
    }
}
