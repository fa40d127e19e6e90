/* SPDX-License-Identifier: Apache-2.0 */
/* cell_read - the cells of hours, read from both engines. */
#include "records/engine/cell_read.h"

#include "records/tables/tables.h"

/* In the order of cell_columns_add(). */
enum {
    COLUMN_HOUR,
    COLUMN_SID,
    COLUMN_PART,
    COLUMN_SERVER,
    COLUMN_SINCE,
    COLUMN_TIME,
    COLUMN_FLAGS,
    COLUMN_COUNT,
    COLUMN_MISSING,
    COLUMN_MISSING_SUM,
    COLUMN_OPS,
};

void cell_columns_add(struct strbuf *sql, const struct cell_range *range)
{
    strbuf_adds(sql, "hour, sid, part, server, since, \"timestamp\", flags, count, "
                     "missing, missing_sum");
    for (int op = 0; op < OP_COUNT; op++) {
        if (!op_is_on((enum op)op, range->kind))
            continue;
        if (range->samples >> op & 1)
            strbuf_addf(sql, ", \"%s\"", op_name((enum op)op));
        if (range->sums >> op & 1)
            strbuf_addf(sql, ", \"%s_sum\"", op_name((enum op)op));
    }
}

/* Null is zero: see rollup_cell. */
static uint64_t amount_read(const struct sql_row *row, int column)
{
    int64_t bits = 0;
    return sql_row_number(row, column, &bits) ? counter_from_db(bits) : 0;
}

void cell_read(const struct sql_row *row, const struct cell_range *range,
               const struct server_names *servers, struct rollup_cell *ret)
{
    *ret = (struct rollup_cell){
        .hour_ms = sql_row_time(row, COLUMN_HOUR),
        .sid = sql_row_i64(row, COLUMN_SID),
        .part = (uint32_t)sql_row_i64(row, COLUMN_PART),
        .server = server_names_find(servers, sql_row_i64(row, COLUMN_SERVER)),
        .since_ms = sql_row_time(row, COLUMN_SINCE),
        .t_ms = sql_row_time(row, COLUMN_TIME),
        .flags = (unsigned)sql_row_i64(row, COLUMN_FLAGS),
        .count = amount_read(row, COLUMN_COUNT),
        .missing_samples = amount_read(row, COLUMN_MISSING),
        .missing_sum = amount_read(row, COLUMN_MISSING_SUM),
    };
    int column = COLUMN_OPS;
    for (int op = 0; op < OP_COUNT; op++) {
        if (!op_is_on((enum op)op, range->kind))
            continue;
        if (range->samples >> op & 1)
            ret->samples[op] = amount_read(row, column++);
        if (range->sums >> op & 1)
            ret->sum[op] = amount_read(row, column++);
    }
}
