/* SPDX-License-Identifier: Apache-2.0 */
/* rollup - PostgreSQL's tables of hours and cells, and what the writer does to them:
 * rollup_hours, rollup_mdt, rollup_ost.
 *
 * Who puts rows holds a shared advisory lock until his commit, who begins an hour the
 * exclusive one for a moment: so rows of a transaction that did not see the hour's
 * state are all committed before the hour is read.
 */
#include "records/postgres/rollup.h"
#include "base/span.h"
#include "records/postgres/statement.h"

void pg_rollup_tables(struct strbuf *sql)
{
    strbuf_adds(sql, "CREATE TABLE rollup_hours (kind text COLLATE \"C\" NOT NULL,"
                     " hour timestamptz NOT NULL, is_clean boolean NOT NULL,"
                     " changes bigint NOT NULL, PRIMARY KEY (kind, hour));");
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++) {
        const char *name = target_kind_name((enum target_kind)kind);
        strbuf_addf(sql,
                    "CREATE TABLE rollup_%s (hour timestamptz NOT NULL,"
                    " sid bigint NOT NULL, since timestamptz NOT NULL,"
                    " \"timestamp\" timestamptz NOT NULL, count bigint NOT NULL,"
                    " missing bigint, missing_sum bigint",
                    name);
        schema_add_ops(sql, (enum target_kind)kind, UINT64_MAX, " bigint");
        strbuf_addf(sql,
                    ", part integer NOT NULL, flags integer NOT NULL, server integer,"
                    " PRIMARY KEY (hour, sid, part));"
                    "CREATE INDEX rollup_%s_sid ON rollup_%s (sid, hour);",
                    name, name);
    }
}

/* ---- the writer's part ---- */

int pg_rollup_newest(struct records_backend *b, enum target_kind kind,
                     int64_t *ret_hour_ms, struct err *err)
{
    const struct sql_conn conn = pg_sql(&b->conn);
    int rc = pg_exec(&b->conn, "SELECT pg_advisory_xact_lock_shared(" PG_HOURS_LOCK ")",
                     err);
    if (rc < 0)
        return rc;
    return hours_newest(&conn, kind, ret_hour_ms, err);
}

int pg_next_rows(struct records_backend *b, enum target_kind kind,
                 const struct keyed_row *const *rows, size_t count,
                 int64_t *ret_next_ms, struct err *err)
{
    AUTO(strbuf_done) struct strbuf sids = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf times = STRBUF_INIT;
    AUTO_RESULT PGresult *result = NULL;
    struct pg_args args = { 0 };
    char sql[384];
    pg_put_array(&sids, PG_OID_INT8, count);
    pg_put_array(&times, PG_OID_TIMESTAMPTZ, count);
    for (size_t i = 0; i < count; i++) {
        ret_next_ms[i] = T_NONE;
        pg_put_field_i64(&sids, rows[i]->sid);
        pg_put_field_time(&times, rows[i]->row->t_ms);
    }
    if (strbuf_error(&sids) || strbuf_error(&times))
        return -ENOMEM;
    pg_add_binary(&args, PG_OID_INT8_ARRAY, strbuf_span(&sids));
    pg_add_binary(&args, PG_OID_TIMESTAMPTZ_ARRAY, strbuf_span(&times));
    (void)snprintf(sql, sizeof sql,
                   "SELECT l.i, n.t FROM unnest($1, $2) WITH ORDINALITY l (sid, t, i) "
                   "CROSS JOIN LATERAL (SELECT r.\"timestamp\" AS t FROM jobstats_%s r "
                   "WHERE r.sid = l.sid AND r.\"timestamp\" > l.t "
                   "ORDER BY r.\"timestamp\" LIMIT 1) n",
                   target_kind_name(kind));
    int rc = pg_query(&b->conn, sql, &args, &result, err);
    for (int i = 0; rc == 0 && i < PQntuples(result); i++) {
        int64_t at = pg_i64(result, i, 0);
        if (at >= 1 && at <= (int64_t)count)
            ret_next_ms[at - 1] = pg_time(result, i, 1);
    }
    return rc;
}

int pg_rollup_touch(struct records_backend *b, enum target_kind kind,
                    const int64_t *hours, size_t count, struct err *err)
{
    AUTO(strbuf_done) struct strbuf times = STRBUF_INIT;
    struct pg_args args = { 0 };
    pg_put_array(&times, PG_OID_TIMESTAMPTZ, count);
    for (size_t i = 0; i < count; i++)
        pg_put_field_time(&times, hours[i]);
    if (strbuf_error(&times))
        return -ENOMEM;
    pg_add_span(&args, span_of(target_kind_name(kind)));
    pg_add_binary(&args, PG_OID_TIMESTAMPTZ_ARRAY, strbuf_span(&times));
    return pg_query(&b->conn,
                    "UPDATE rollup_hours SET is_clean = false, changes = changes + 1 "
                    "WHERE kind = $1 AND hour = ANY ($2)",
                    &args, NULL, err);
}
