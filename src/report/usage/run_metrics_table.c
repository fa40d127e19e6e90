/* SPDX-License-Identifier: Apache-2.0 */
/* run_metrics_table - a row a run, with its footprint as columns. */
#include "report/usage/run_metrics_table.h"

#include "base/span.h"

#include <math.h>

enum {
    COLUMN_CLUSTER,
    COLUMN_JOB,
    COLUMN_USER,
    COLUMN_STATE,
    COLUMN_NODES,
    COLUMN_START,
    COLUMN_END,
    COLUMN_COVERED,
    COLUMN_METRICS, /* then what is of least interest */
};
enum { LAST_NAME, LAST_ACCOUNT, LAST_PARTITION };

static void run_columns_add(const struct run_metrics *runs, struct table *table)
{
    table_add_column(table, "cluster", TABLE_TEXT, "");
    table_add_column(table, "job", TABLE_TEXT, "");
    table_add_column(table, "user", TABLE_TEXT, "");
    table_add_column(table, "state", TABLE_TEXT, "");
    table_add_column(table, "nodes", TABLE_U64, "");
    table_add_column(table, "start", TABLE_TIME, "");
    table_add_column(table, "end", TABLE_TIME, "");
    table_add_column(table, "covered", TABLE_DOUBLE, "%");
    for (size_t i = 0; i < runs->column_count; i++)
        table_add_column(table, runs->columns[i].name, TABLE_DOUBLE,
                         runs->columns[i].unit);
    table_add_column(table, "name", TABLE_TEXT, "");
    table_add_column(table, "account", TABLE_TEXT, "");
    table_add_column(table, "partition", TABLE_TEXT, "");
}

static void run_row_add(const struct run_metrics *runs,
                        const struct run_metrics_row *row, struct table *table)
{
    size_t last = COLUMN_METRICS + runs->column_count;
    table_add_row(table);
    cell_set_bytes(table, COLUMN_CLUSTER, span_of(row->cluster));
    cell_set_bytes(table, COLUMN_JOB, span_of(row->id));
    cell_set_bytes(table, COLUMN_USER, span_of(row->user));
    cell_set_bytes(table, COLUMN_STATE, span_of(row->state));
    if (row->nodes > 0)
        table_set_u64(table, COLUMN_NODES, row->nodes);
    cell_set_job_time(table, COLUMN_START, row->start_ns);
    cell_set_job_time(table, COLUMN_END, row->end_ns);
    if (!isnan(row->covered))
        table_set_double(table, COLUMN_COVERED, row->covered * 100);
    for (size_t i = 0; i < runs->column_count; i++)
        if (!isnan(row->values[i]))
            table_set_double(table, COLUMN_METRICS + i, row->values[i]);
    cell_set_bytes(table, last + LAST_NAME, span_of(row->name));
    cell_set_bytes(table, last + LAST_ACCOUNT, span_of(row->account));
    cell_set_bytes(table, last + LAST_PARTITION, span_of(row->partition));
}

void run_metrics_table(const struct run_metrics *runs, size_t limit,
                       struct table *table)
{
    size_t shown = limit > 0 && limit < runs->count ? limit : runs->count, without = 0;
    run_columns_add(runs, table);
    for (size_t i = 0; i < shown; i++)
        run_row_add(runs, &runs->rows[i], table);
    for (size_t i = 0; i < runs->count; i++)
        without += isnan(runs->rows[i].covered);
    if (without > 0)
        table_add_note(table,
                       "of %zu of %zu runs no footprint is stored: they go on, or the "
                       "metric store no longer had them when they ended",
                       without, runs->count);
}
