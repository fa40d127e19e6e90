/* SPDX-License-Identifier: Apache-2.0 */
/* umami_table - an UMAMI diagram as a table, for programs. */
#include "report/umami_table.h"

#include "base/span.h"

#include <math.h>

void umami_table_print(const struct umami *u, enum table_form form, struct strbuf *out)
{
    static const char *const numbers[] = { "value", "q05", "q25", "q50", "q75", "q95" };
    AUTO(table_done) struct table table;
    const struct table_print_opts opts = { .raw_units = true };
    table_init(&table);
    table_add_column(&table, "measure", TABLE_TEXT, "");
    table_add_column(&table, "quarter", TABLE_TEXT, "");
    table_add_column(&table, "others", TABLE_U64, "");
    for (size_t n = 0; n < COUNT_OF(numbers); n++)
        table_add_column(&table, numbers[n], TABLE_DOUBLE, "");
    for (size_t i = 0; i < u->row_count; i++) {
        const struct umami_row *row = &u->rows[i];
        const double values[] = { row->value, row->q05, row->q25,
                                  row->q50,   row->q75, row->q95 };
        table_add_row(&table);
        table_set_text(&table, 0, span_of(row->name));
        table_set_text(&table, 1, span_of(umami_quarter_name(row->quarter)));
        table_set_u64(&table, 2, row->other_count);
        for (size_t n = 0; n < COUNT_OF(values); n++)
            if (!isnan(values[n]))
                table_set_double(&table, 3 + n, values[n]);
    }
    table_print(&table, form, &opts, out);
}
