/* SPDX-License-Identifier: Apache-2.0 */
/* hours - the table rollup_hours, which hours have a state, for both engines. */
#include "records/engine/hours.h"

#include "base/span.h"

static struct sql_value kind_value(enum target_kind kind)
{
    return sql_text(span_of(target_kind_name(kind)));
}

static int edge_read(void *arg, const struct sql_row *row)
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
                     1, edge_read, &hour_ms, err);
    if (rc == 0)
        *ret_hour_ms = hour_ms;
    return rc;
}

int hours_oldest(const struct sql_conn *conn, enum target_kind kind,
                 int64_t *ret_hour_ms, struct err *err)
{
    const struct sql_value value = kind_value(kind);
    int64_t hour_ms = T_NONE;
    int rc = sql_run(conn, "SELECT min(hour) FROM rollup_hours WHERE kind = $1", &value,
                     1, edge_read, &hour_ms, err);
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
    return read->fn(read->arg, sql_row_time(row, 0), sql_row_i64(row, 1) != 0,
                    sql_row_i64(row, 2));
}

int hours_read(const struct sql_conn *conn, enum target_kind kind, int64_t from_ms,
               int64_t to_ms, records_hour_fn *fn, void *arg, struct err *err)
{
    struct hours_reading read = { .fn = fn, .arg = arg };
    const struct sql_value values[] = { kind_value(kind), sql_time(from_ms),
                                        sql_time(to_ms) };
    return sql_run(
        conn,
        "SELECT hour, is_clean, changes FROM rollup_hours WHERE kind = $1 AND "
        "hour >= $2 AND hour < $3 ORDER BY hour",
        values, COUNT_OF(values), hour_row, &read, err);
}

int hour_begin(const struct sql_conn *conn, enum target_kind kind, int64_t hour_ms,
               int64_t *ret_ticket, struct err *err)
{
    const struct sql_value key[] = { kind_value(kind), sql_time(hour_ms) };
    return sql_number(conn,
                      "INSERT INTO rollup_hours AS h VALUES ($1, $2, false, 1) ON "
                      "CONFLICT (kind, hour) DO UPDATE SET is_clean = false, changes = "
                      "h.changes + 1 RETURNING changes",
                      key, COUNT_OF(key), ret_ticket, err);
}

int hour_check_ticket(const struct sql_conn *conn, enum target_kind kind,
                      int64_t hour_ms, int64_t ticket, const char *lock,
                      struct err *err)
{
    const struct sql_value key[] = { kind_value(kind), sql_time(hour_ms) };
    char sql[96];
    int64_t changes = ticket - 1; /* without a row it is another, too */
    (void)snprintf(sql, sizeof sql,
                   "SELECT changes FROM rollup_hours WHERE kind = $1 AND hour = $2%s",
                   lock);
    int rc = sql_number(conn, sql, key, COUNT_OF(key), &changes, err);
    if (rc < 0)
        return rc;
    if (changes != ticket)
        return err_set(err, ESTALE, "rows came for the hour while it was made");
    return 0;
}

int hour_end(const struct sql_conn *conn, enum target_kind kind, int64_t hour_ms,
             struct err *err)
{
    const struct sql_value key[] = { kind_value(kind), sql_time(hour_ms) };
    return sql_run(
        conn, "UPDATE rollup_hours SET is_clean = true WHERE kind = $1 AND hour = $2",
        key, COUNT_OF(key), NULL, NULL, err);
}

int hour_delete_cells(const struct sql_conn *conn, enum target_kind kind,
                      int64_t hour_ms, struct err *err)
{
    const struct sql_value hour = sql_time(hour_ms);
    char sql[64];
    (void)snprintf(sql, sizeof sql, "DELETE FROM rollup_%s WHERE hour = $1",
                   target_kind_name(kind));
    return sql_run(conn, sql, &hour, 1, NULL, NULL, err);
}

int hour_delete_state(const struct sql_conn *conn, enum target_kind kind,
                      int64_t hour_ms, struct err *err)
{
    const struct sql_value key[] = { kind_value(kind), sql_time(hour_ms) };
    return sql_run(conn, "DELETE FROM rollup_hours WHERE kind = $1 AND hour = $2", key,
                   COUNT_OF(key), NULL, NULL, err);
}
