/* SPDX-License-Identifier: Apache-2.0 */
/* job_runs_table - several runs as a table: a row a run, a column a measure. */
#include "report/pair/job_runs_table.h"

#include "base/number.h"
#include "base/span.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

#define START_S_MAX INT64_C(9000000000) /* later ones are no times in nanoseconds */

enum {
    COLUMN_RUN,
    COLUMN_PROGRAM,
    COLUMN_START,
    COLUMN_RUN_TIME,
    COLUMN_MEASURE, /* the first of the spread, in its order */
};

/* Names of units as tables have them. */
static const char *table_unit(const struct profile_term *term)
{
    return strcmp(term->unit, "bytes") == 0 ? "bytes" : "";
}

static void runs_columns_add(const struct run_spread *spread, struct table *table)
{
    table_add_column(table, "run", TABLE_TEXT, "");
    table_add_column(table, "program", TABLE_TEXT, "");
    table_add_column(table, "start", TABLE_TIME, "");
    table_add_column(table, "run_time_s", TABLE_DOUBLE, "");
    for (size_t i = 0; i < spread->count; i++) {
        const struct profile_term *term = profile_term(spread->items[i].measure);
        table_add_column(table, term->name, TABLE_DOUBLE, table_unit(term));
    }
}

static void run_row_add(const struct run_spread *spread, const struct profile *run,
                        const char *name, struct table *table)
{
    table_add_row(table);
    cell_set_bytes(table, COLUMN_RUN, span_of(name));
    cell_set_bytes(table, COLUMN_PROGRAM, span_of(run->program));
    if (run->start_s > 0 && run->start_s < START_S_MAX)
        cell_set_job_time(table, COLUMN_START, run->start_s * NS_PER_S);
    if (!isnan(run->run_s))
        table_set_double(table, COLUMN_RUN_TIME, run->run_s);
    for (size_t i = 0; i < spread->count; i++) {
        double value = run->values[spread->items[i].measure];
        if (isfinite(value))
            table_set_double(table, COLUMN_MEASURE + i, value);
    }
}

static void differing_note(const struct run_spread *spread, size_t count,
                           struct table *table)
{
    AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
    for (size_t i = 0; i < spread->differing; i++) {
        const struct run_spread_item *item = &spread->items[i];
        strbuf_addf(&names, "%s%s (%.1f)", i > 0 ? ", " : "",
                    profile_term(item->measure)->name, item->score);
    }
    if (spread->is_program)
        table_add_note(table, "the runs are not all of one program");
    if (spread->differing > 0)
        table_add_note(table, "above the noise floor differ, in multiples of it: %s",
                       strbuf_text(&names));
    else
        table_add_note(
            table, "no measure of the %zu runs differs above the noise floor", count);
}

void job_runs_table(const struct run_spread *spread, const struct profile *runs,
                    const char *const *names, size_t count, struct table *table)
{
    runs_columns_add(spread, table);
    for (size_t i = 0; i < count; i++)
        run_row_add(spread, &runs[i], names[i], table);
    differing_note(spread, count, table);
}
