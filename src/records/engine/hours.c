/* SPDX-License-Identifier: Apache-2.0 */
/* hours - the table rollup_hours, which hours have a state, for both engines. */
#include "records/engine/hours.h"

#include "base/span.h"

static struct sql_value kind_value(enum target_kind kind)
{
    return sql_text(span_of(target_kind_name(kind)));
}

static int newest_row(void *arg, const struct sql_row *row)
{
    *(int64_t *)arg = sql_row_time(row, 0);
    return 0;
}

int hours_newest(const struct sql_conn *conn, enum target_kind kind,
                 int64_t *ret_hour_ms, struct err *err)
{
    const struct sql_value value = kind_value(kind);
    int64_t hour_ms = T_NONE;
    int rc = sql_run(conn, "SELECT max(hour) FROM rollup_hours WHERE kind = $1", &value,
                     1, newest_row, &hour_ms, err);
    if (rc == 0)
        *ret_hour_ms = hour_ms;
    return rc;
}

struct hours_reading {
    records_hour_fn *fn;
    void *arg;
};

static int hour_row(void *arg, const struct sql_row *row)
{
    const struct hours_reading *read = arg;
    return read->fn(read->arg, sql_row_time(row, 0), sql_row_i64(row, 1) != 0);
}

int hours_read(const struct sql_conn *conn, enum target_kind kind, int64_t from_ms,
               int64_t to_ms, records_hour_fn *fn, void *arg, struct err *err)
{
    struct hours_reading read = { .fn = fn, .arg = arg };
    const struct sql_value values[] = { kind_value(kind), sql_time(from_ms),
                                        sql_time(to_ms) };
    return sql_run(conn,
                   "SELECT hour, is_clean FROM rollup_hours WHERE kind = $1 AND "
                   "hour >= $2 AND hour < $3 ORDER BY hour",
                   values, COUNT_OF(values), hour_row, &read, err);
}
