/* SPDX-License-Identifier: Apache-2.0 */
/* shadow_table - a row a series of which barod and another store differ. */
#include "migrate/shadow_table.h"

#include "base/number.h"
#include "base/span.h"

#include <math.h>

enum {
    COLUMN_COMPONENT,
    COLUMN_METRIC,
    COLUMN_KIND,
    COLUMN_POINTS,
    COLUMN_TIME,
    COLUMN_OURS,
    COLUMN_THEIRS,
    COLUMN_WHAT,
};

void shadow_table_begin(struct table *table)
{
    table_init(table);
    table_add_column(table, "component", TABLE_TEXT, "");
    table_add_column(table, "metric", TABLE_TEXT, "");
    table_add_column(table, "kind", TABLE_TEXT, "");
    table_add_column(table, "points", TABLE_U64, "");
    table_add_column(table, "first", TABLE_TIME, "");
    table_add_column(table, "ours", TABLE_DOUBLE, "");
    table_add_column(table, "theirs", TABLE_DOUBLE, "");
    table_add_column(table, "what", TABLE_TEXT, "");
}

int shadow_table_add(void *arg, const struct shadow_finding *f)
{
    struct table *table = arg;
    table_add_row(table);
    table_set_text(table, COLUMN_COMPONENT, f->component);
    table_set_text(table, COLUMN_METRIC, f->metric);
    table_set_text(table, COLUMN_KIND, span_of(shadow_kind_name(f->kind)));
    table_set_u64(table, COLUMN_POINTS, f->points);
    if (f->text)
        table_set_text(table, COLUMN_WHAT, span_of(f->text));
    else
        table_set_i64(table, COLUMN_TIME, f->first_s * MS_PER_S);
    if (!isnan(f->ours))
        table_set_double(table, COLUMN_OURS, f->ours);
    if (!isnan(f->theirs))
        table_set_double(table, COLUMN_THEIRS, f->theirs);
    return table_error(table);
}
