/* SPDX-License-Identifier: Apache-2.0 */
/* row_read - rows of the operations' tables, read from both engines. */
#include "records/engine/row_read.h"

#include "records/tables/tables.h"

/* In the order of row_columns_add(). */
enum {
    COLUMN_SID,
    COLUMN_TIME,
    COLUMN_SINCE,
    COLUMN_PREVIOUS,
    COLUMN_RESET,
    COLUMN_SERVER,
    COLUMN_SNAPSHOT,
    COLUMN_START,
    COLUMN_OPS,
};

static uint64_t range_ops(const struct row_range *range)
{
    return range->ops ? range->ops : UINT64_MAX;
}

void row_columns_add(struct strbuf *sql, const struct row_range *range)
{
    strbuf_adds(sql, "sid, \"timestamp\", since, previous, reset, server, "
                     "snapshot_time, start_time");
    schema_add_ops(sql, range->kind, range_ops(range), "");
    if (range->with_more)
        strbuf_adds(sql, ", more");
}

static int64_t ns_read(const struct sql_row *row, int column)
{
    int64_t t_ns = T_NONE;
    return sql_row_number(row, column, &t_ns) ? t_ns : T_NONE;
}

static enum jobrow_reset reset_read(const struct sql_row *row)
{
    int64_t reset = 0;
    if (!sql_row_number(row, COLUMN_RESET, &reset))
        return RESET_UNKNOWN;
    return reset ? RESET_YES : RESET_NO;
}

static void times_read(const struct sql_row *row, struct jobrow *ret)
{
    ret->t_ms = sql_row_time(row, COLUMN_TIME);
    ret->since_ms = sql_row_time(row, COLUMN_SINCE);
    ret->previous_ms = sql_row_time(row, COLUMN_PREVIOUS);
    ret->reset = reset_read(row);
    ret->snapshot_ns = ns_read(row, COLUMN_SNAPSHOT);
    ret->start_ns = ns_read(row, COLUMN_START);
}

int64_t row_sid(const struct sql_row *row)
{
    return sql_row_i64(row, COLUMN_SID);
}

int64_t row_reach_ms(const struct sql_row *row)
{
    struct jobrow times = { 0 };
    times_read(row, &times);
    return jobrow_reach_ms(&times);
}

static void counter_read(const struct sql_row *row, int column, int op, uint64_t *has,
                         uint64_t *value)
{
    int64_t bits;
    if (!sql_row_number(row, column, &bits))
        return;
    *has |= UINT64_C(1) << op;
    *value = counter_from_db(bits);
}

void row_read(const struct sql_row *row, const struct row_range *range,
              const struct server_names *servers, struct jobrow *ret)
{
    *ret = (struct jobrow){ .kind = range->kind };
    times_read(row, ret);
    ret->server = server_names_find(servers, sql_row_i64(row, COLUMN_SERVER));
    int column = COLUMN_OPS;
    for (uint64_t ops = range_ops(range) & op_mask(range->kind); ops; ops &= ops - 1) {
        const int op = __builtin_ctzll(ops);
        counter_read(row, column++, op, &ret->has_samples, &ret->samples[op]);
        counter_read(row, column++, op, &ret->has_sum, &ret->sum[op]);
    }
    if (range->with_more)
        ret->more = sql_row_text(row, column);
}
