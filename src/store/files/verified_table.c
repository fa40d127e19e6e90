/* SPDX-License-Identifier: Apache-2.0 */
/* verified_table - a row a fault of a store's directory. */
#include "store/files/verified_table.h"

#include "base/span.h"

enum { COLUMN_FILE, COLUMN_BYTE, COLUMN_KIND, COLUMN_WHAT, COLUMN_REMEDY };

void verified_table_fill(const struct store_verified *v, struct table *table)
{
    table_add_column(table, "file", TABLE_TEXT, "");
    table_add_column(table, "byte", TABLE_U64, "");
    table_add_column(table, "kind", TABLE_TEXT, "");
    table_add_column(table, "what", TABLE_TEXT, "");
    table_add_column(table, "remedy", TABLE_TEXT, "");
    for (size_t i = 0; i < v->item_count; i++) {
        const struct store_fault *fault = &v->items[i];
        table_add_row(table);
        table_set_text(table, COLUMN_FILE, span_of(fault->file));
        if (fault->at >= 0)
            table_set_u64(table, COLUMN_BYTE, (uint64_t)fault->at);
        table_set_text(table, COLUMN_KIND,
                       fault->is_note ? SPAN("note") : SPAN("damage"));
        table_set_text(table, COLUMN_WHAT, span_of(fault->what));
        table_set_text(table, COLUMN_REMEDY, span_of(fault->remedy));
    }
}
