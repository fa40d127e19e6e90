/* SPDX-License-Identifier: Apache-2.0 */
/* bad_ost_table - targets whose files were slower, as a table of several logs. */
#include "report/unusual/bad_ost_table.h"

#include "base/span.h"

#include <math.h>

enum { LOG, OST, FILES_ON, FILES, R, P, P_MANY };

void bad_ost_table_init(struct table *ret)
{
    table_init(ret);
    table_add_column(ret, "log", TABLE_TEXT, "");
    table_add_column(ret, "ost", TABLE_I64, "");
    table_add_column(ret, "files_on", TABLE_U64, "");
    table_add_column(ret, "files", TABLE_U64, "");
    table_add_column(ret, "r", TABLE_DOUBLE, "");
    table_add_column(ret, "p", TABLE_DOUBLE, "");
    table_add_column(ret, "p_many", TABLE_DOUBLE, "");
}

void bad_ost_table_add(struct table *table, const char *log,
                       const struct bad_ost *found)
{
    for (size_t i = 0; i < found->target_count; i++) {
        const struct bad_ost_target *target = &found->targets[i];
        table_add_row(table);
        table_set_text(table, LOG, span_of(log));
        table_set_i64(table, OST, target->ost);
        table_set_u64(table, FILES_ON, target->files);
        table_set_u64(table, FILES, found->files);
        if (isnan(target->r))
            continue;
        table_set_double(table, R, target->r);
        table_set_double(table, P, target->p);
        table_set_double(table, P_MANY, target->p_many);
    }
    if (found->no_speed > 0)
        table_add_note(table, "%s: %zu files moved nothing or needed no time: left out",
                       log, found->no_speed);
}
