/* SPDX-License-Identifier: Apache-2.0 */
/* clock_table - by how much servers' clocks differ from those of jobs, as a table. */
#include "report/clock_table.h"

#include "base/span.h"

#include <inttypes.h>
#include <math.h>

enum { OFFSET_S, STEP_S, JOBS, R, NEXT_R, IS_CLEAR, CORRECTION };

static void clock_columns_add(struct table *t)
{
    table_add_column(t, "offset_s", TABLE_I64, "s");
    table_add_column(t, "step_s", TABLE_I64, "s");
    table_add_column(t, "jobs", TABLE_U64, "");
    table_add_column(t, "r", TABLE_DOUBLE, "");
    table_add_column(t, "next_r", TABLE_DOUBLE, "");
    table_add_column(t, "is_clear", TABLE_BOOL, "");
    table_add_column(t, "correction", TABLE_TEXT, "");
}

/* What corrects the offset: in --clock, and in the site file. */
static void correction_set(struct table *t, int64_t offset_s)
{
    char correction[64];
    (void)snprintf(correction, sizeof correction, "series=%" PRId64 "s", -offset_s);
    table_set_text(t, CORRECTION, span_of(correction));
    table_add_note(t, "in the site file: [clock series] with offset = %" PRId64 "s",
                   -offset_s);
    table_add_note(t, "the servers' clocks are ahead by offset_s, to a step; "
                      "give the correction to --clock");
}

int clock_table_make(const struct clock_estimate *estimate, struct table *table,
                     struct err *err)
{
    struct clock_answer found;
    if (clock_estimate_get(estimate, &found) < 0)
        return err_set(err, ENODATA, "no log and series have a time in common");
    clock_columns_add(table);
    table_add_row(table);
    table_set_i64(table, OFFSET_S, found.offset_s);
    table_set_i64(table, STEP_S, estimate->step_s);
    table_set_u64(table, JOBS, estimate->jobs);
    table_set_double(table, R, found.r);
    if (!isnan(found.next_r))
        table_set_double(table, NEXT_R, found.next_r);
    table_set_bool(table, IS_CLEAR, found.is_clear);
    if (found.is_clear)
        correction_set(table, found.offset_s);
    else
        table_add_note(table,
                       "nothing is claimed: r is below %.2g, or another offset is "
                       "as good to %.2g",
                       CLOCK_R_MIN, CLOCK_MARGIN_MIN);
    return table_error(table) < 0 ? err_set(err, ENOMEM, "out of memory") : 0;
}
