/* SPDX-License-Identifier: Apache-2.0 */
/* grid_table - a measure's grid as CSV, and what measures there are as a table. */
#include "report/grid_table.h"

#include "base/decimal_text.h"
#include "base/number.h"
#include "base/span.h"

#include <math.h>

void grid_csv_head(const struct lmt_grid *grid, struct strbuf *out)
{
    strbuf_adds(out, "time");
    for (size_t i = 0; i < grid->column_count; i++)
        strbuf_addf(out, ",%s", grid->columns[i]);
    strbuf_addc(out, '\n');
}

void grid_csv_row(const struct lmt_grid *grid, size_t row, struct strbuf *out)
{
    char text[DECIMAL_TEXT_MAX];
    strbuf_add_i64(out, grid->start_s + (int64_t)row * grid->step_s);
    for (size_t column = 0; column < grid->column_count; column++) {
        double value = *lmt_grid_at(grid, row, column);
        strbuf_addc(out, ',');
        if (!isnan(value))
            strbuf_add(out, text, decimal_print_shortest(text, value));
    }
    strbuf_addc(out, '\n');
}

void grid_list_columns(struct table *table)
{
    table_add_column(table, "measure", TABLE_TEXT, "");
    table_add_column(table, "unit", TABLE_TEXT, "");
    table_add_column(table, "from", TABLE_TIME, "");
    table_add_column(table, "to", TABLE_TIME, "");
    table_add_column(table, "step_s", TABLE_I64, "s");
    table_add_column(table, "steps", TABLE_U64, "");
    table_add_column(table, "components", TABLE_U64, "");
    table_add_column(table, "missing", TABLE_DOUBLE, "");
}

void grid_list_add(struct table *table, enum lmt_measure measure,
                   const struct lmt_grid *grid)
{
    const struct lmt_measure_info *info = lmt_measure_info(measure);
    char name[64];
    size_t missing = 0;
    double all = (double)grid->row_count * (double)grid->column_count;
    for (size_t i = 0; i < grid->row_count * grid->column_count; i++)
        missing += isnan(grid->values[i]);
    (void)snprintf(name, sizeof name, "%s/%s", info->group, info->name);
    table_add_row(table);
    table_set_text(table, 0, span_of(name));
    table_set_text(table, 1, span_of(info->unit));
    table_set_i64(table, 2, grid->start_s * MS_PER_S);
    table_set_i64(table, 3, grid->to_s * MS_PER_S);
    table_set_i64(table, 4, grid->step_s);
    table_set_u64(table, 5, grid->row_count);
    table_set_u64(table, 6, grid->column_count);
    table_set_double(table, 7, (double)missing / all);
}
