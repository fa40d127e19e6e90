/* SPDX-License-Identifier: Apache-2.0 */
/* rollup - PostgreSQL's hours and cells: rollup_hours, rollup_mdt, rollup_ost.
 *
 * Who puts rows holds a shared advisory lock until his commit, who begins an hour the
 * exclusive one for a moment: so rows of a transaction that did not see the hour's
 * state are all committed before the hour is read.
 */
#include "base/span.h"
#include "records/postgres/place.h"
#include "records/postgres/reader.h"
#include "records/postgres/schema_sql.h"
#include "records/postgres/statement.h"
#include "records/tables/tables.h"

#define HOURS_LOCK "6512369773"
/* The text of the index and that of the statement must be one. */
#define LONG_CELL "\"timestamp\" - since > INTERVAL '1 hour'"
_Static_assert(ROLLUP_LONG_MS == MS_PER_HOUR, "the index of long cells says so");
/* The index is made over years of cells the first time. */
#define INDEX_WAIT_MS (4 * MS_PER_HOUR)

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
    int rc =
        pg_exec(&b->conn, "SELECT pg_advisory_xact_lock_shared(" HOURS_LOCK ")", err);
    if (rc < 0)
        return rc;
    return hours_newest(&conn, kind, ret_hour_ms, err);
}

static void put_time(struct strbuf *out, int64_t t_ms)
{
    pg_put_field_i64(out, (t_ms - PG_EPOCH_MS) * 1000);
}

#define PG_OID_TIMESTAMPTZ_ARRAY 1185

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
        put_time(&times, rows[i]->row->t_ms);
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
        put_time(&times, hours[i]);
    if (strbuf_error(&times))
        return -ENOMEM;
    pg_add_span(&args, span_of(target_kind_name(kind)));
    pg_add_binary(&args, PG_OID_TIMESTAMPTZ_ARRAY, strbuf_span(&times));
    return pg_query(&b->conn,
                    "UPDATE rollup_hours SET is_clean = false, changes = changes + 1 "
                    "WHERE kind = $1 AND hour = ANY ($2)",
                    &args, NULL, err);
}

/* ---- making ---- */

struct engine_roller {
    struct pg_conn conn;
    char *connection, *schema;
    struct strbuf data; /* what goes to COPY; kept for its memory */
};

void pg_roller_close(struct engine_roller *r)
{
    if (!r)
        return;
    pg_close(&r->conn);
    strbuf_done(&r->data);
    free(r->connection);
    free(r->schema);
    free(r);
}
DEFINE_AUTO(struct engine_roller, pg_roller_close);

/* Cells can be made anew from rows: their commits wait for no disk.  Commits are lost
 * in order: no hour is clean without its cells. */
static int roller_setup(void *arg, struct err *err)
{
    struct engine_roller *r = arg;
    const struct pg_session session = { .schema = r->schema,
                                        .statement_ms = r->conn.wait_ms,
                                        .lock_ms = r->conn.wait_ms / 4 };
    int rc = pg_session_begin(&r->conn, &session, err);
    return rc < 0 ? rc : pg_exec(&r->conn, "SET synchronous_commit = off", err);
}

/* Cells that reach far back are found by it from before their hour.  It is no part of
 * the schema: it can be made at any time, and without it a reading is only slower. */
static int long_index_make(struct pg_conn *c, enum target_kind kind, struct err *err)
{
    AUTO_RESULT PGresult *result = NULL;
    const char *name = target_kind_name(kind);
    char index[48];
    struct pg_args args = { 0 };
    (void)snprintf(index, sizeof index, "rollup_%s_long", name);
    pg_add_span(&args, span_of(index));
    int rc = pg_query(c, "SELECT to_regclass($1) IS NOT NULL", &args, &result, err);
    if (rc < 0 || (PQntuples(result) > 0 && pg_i64(result, 0, 0)))
        return rc;
    int64_t wait_ms = c->wait_ms;
    c->wait_ms = INDEX_WAIT_MS;
    rc = pg_execf(c, err,
                  "CREATE INDEX IF NOT EXISTS %s ON rollup_%s (hour, since) "
                  "WHERE " LONG_CELL,
                  index, name);
    c->wait_ms = wait_ms;
    return rc;
}

int pg_roller_open(const struct records_backend *b, struct engine_roller **ret,
                   struct err *err)
{
    AUTO(pg_roller_close) struct engine_roller *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    r->conn.wait_ms = b->conn.wait_ms;
    r->connection = strdup(b->opts.connection);
    r->schema = strdup(b->opts.schema);
    if (!r->connection || !r->schema)
        return -ENOMEM;
    int rc = pg_connect(&r->conn, r->connection, roller_setup, r, err);
    for (int kind = 0; kind < TARGET_KIND_COUNT && rc == 0; kind++)
        rc = long_index_make(&r->conn, (enum target_kind)kind, err);
    if (rc < 0)
        return rc;
    *ret = TAKE(r);
    return 0;
}

static int roller_start(struct engine_roller *r, struct err *err)
{
    int rc = pg_connect(&r->conn, r->connection, roller_setup, r, err);
    return rc < 0 ? rc : pg_exec(&r->conn, "BEGIN", err);
}

/* With a ticket of this connection: after a new one it may be of another database. */
static int roller_go_on(struct engine_roller *r, struct err *err)
{
    if (!r->conn.pg || PQstatus(r->conn.pg) != CONNECTION_OK)
        return err_set(err, EAGAIN, "postgres: the connection broke amid an hour");
    return pg_exec(&r->conn, "BEGIN", err);
}

/* COMMIT, or take it back. */
static int roller_finish(struct engine_roller *r, int rc, struct err *err)
{
    if (rc == 0)
        rc = pg_exec(&r->conn, "COMMIT", err);
    if (rc < 0 && r->conn.pg && pg_exec(&r->conn, "ROLLBACK", NULL) < 0)
        pg_close(&r->conn);
    return rc;
}

static void hour_args(struct pg_args *args, enum target_kind kind, int64_t hour_ms)
{
    pg_add_span(args, span_of(target_kind_name(kind)));
    pg_add_time(args, hour_ms);
}

static int cells_forget(struct engine_roller *r, enum target_kind kind, int64_t hour_ms,
                        struct err *err)
{
    char sql[64];
    struct pg_args args = { 0 };
    (void)snprintf(sql, sizeof sql, "DELETE FROM rollup_%s WHERE hour = $1",
                   target_kind_name(kind));
    pg_add_time(&args, hour_ms);
    return pg_query(&r->conn, sql, &args, NULL, err);
}

static int ticket_check(struct engine_roller *r, enum target_kind kind, int64_t hour_ms,
                        int64_t ticket, struct err *err)
{
    struct pg_args args = { 0 };
    AUTO_RESULT PGresult *result = NULL;
    hour_args(&args, kind, hour_ms);
    int rc = pg_query(&r->conn,
                      "SELECT changes FROM rollup_hours WHERE kind = $1 AND hour = $2 "
                      "FOR SHARE",
                      &args, &result, err);
    if (rc < 0)
        return rc;
    if (PQntuples(result) != 1 || pg_i64(result, 0, 0) != ticket)
        return err_set(err, ESTALE, "rows came for the hour while it was made");
    return 0;
}

/* In a transaction of its own: whoever puts rows waits for the first one. */
static int begin_forget(struct engine_roller *r, enum target_kind kind, int64_t hour_ms,
                        int64_t ticket, struct err *err)
{
    int rc = roller_go_on(r, err);
    if (rc < 0)
        return rc;
    rc = ticket_check(r, kind, hour_ms, ticket, err);
    if (rc == 0)
        rc = cells_forget(r, kind, hour_ms, err);
    return roller_finish(r, rc, err);
}

int pg_roller_begin(struct engine_roller *r, enum target_kind kind, int64_t hour_ms,
                    int64_t *ret_ticket, struct err *err)
{
    int64_t ticket = 0;
    struct pg_args args = { 0 };
    AUTO_RESULT PGresult *result = NULL;
    hour_args(&args, kind, hour_ms);
    int rc = roller_start(r, err);
    if (rc < 0)
        return rc;
    rc = pg_schema_check(&r->conn, err);
    if (rc == 0)
        rc = pg_exec(&r->conn, "SELECT pg_advisory_xact_lock(" HOURS_LOCK ")", err);
    if (rc == 0)
        rc = pg_query(
            &r->conn,
            "INSERT INTO rollup_hours AS h VALUES ($1, $2, false, 1) ON CONFLICT "
            "(kind, hour) DO UPDATE SET is_clean = false, changes = h.changes + 1 "
            "RETURNING changes",
            &args, &result, err);
    if (rc == 0)
        ticket = pg_i64(result, 0, 0);
    rc = roller_finish(r, rc, err);
    if (rc == 0)
        rc = begin_forget(r, kind, hour_ms, ticket, err);
    if (rc == 0)
        *ret_ticket = ticket;
    return rc;
}

static void put_amount(struct strbuf *out, uint64_t amount)
{
    if (amount)
        pg_put_field_i64(out, counter_to_db(amount));
    else
        pg_put_i32(out, -1);
}

static void put_i32_field(struct strbuf *out, int32_t value)
{
    pg_put_i32(out, 4);
    pg_put_i32(out, value);
}

/* The columns in the table's order. */
static void put_cell(struct strbuf *out, enum target_kind kind, int column_count,
                     const struct rollup_cell *cell, int64_t server)
{
    pg_put_i16(out, (int16_t)column_count);
    put_time(out, cell->hour_ms);
    pg_put_field_i64(out, cell->sid);
    put_time(out, cell->since_ms);
    put_time(out, cell->t_ms);
    pg_put_field_i64(out, counter_to_db(cell->count));
    put_amount(out, cell->missing_samples);
    put_amount(out, cell->missing_sum);
    for (int op = 0; op < OP_COUNT; op++) {
        if (!op_is_on((enum op)op, kind))
            continue;
        put_amount(out, cell->samples[op]);
        put_amount(out, cell->sum[op]);
    }
    put_i32_field(out, (int32_t)cell->part);
    put_i32_field(out, (int32_t)cell->flags);
    if (server)
        put_i32_field(out, (int32_t)server);
    else
        pg_put_i32(out, -1);
}

static int cell_server_find(struct engine_roller *r, struct span server, int64_t *ret,
                            struct err *err)
{
    struct pg_args args = { 0 };
    AUTO_RESULT PGresult *result = NULL;
    *ret = 0;
    if (server.size == 0)
        return 0;
    pg_add_span(&args, server);
    int rc = pg_query(&r->conn, "SELECT server FROM servers WHERE name = $1", &args,
                      &result, err);
    if (rc < 0)
        return rc;
    if (PQntuples(result) != 1)
        return err_set(err, EIO, "postgres: a cell of a server that has no rows");
    *ret = pg_i64(result, 0, 0);
    return 0;
}

static int cells_copy(struct engine_roller *r, enum target_kind kind,
                      const struct rollup_cell *cells, size_t count, struct err *err)
{
    int column_count = 10;
    for (int op = 0; op < OP_COUNT; op++)
        column_count += op_is_on((enum op)op, kind) ? 2 : 0;
    struct span server = { 0 };
    int64_t server_id = 0;
    strbuf_clear(&r->data);
    pg_put_copy_head(&r->data);
    for (size_t i = 0; i < count; i++) {
        if (!span_eq(server, cells[i].server)) {
            int rc = cell_server_find(r, cells[i].server, &server_id, err);
            if (rc < 0)
                return rc;
            server = cells[i].server;
        }
        put_cell(&r->data, kind, column_count, &cells[i], server_id);
    }
    pg_put_i16(&r->data, -1);
    if (strbuf_error(&r->data))
        return -ENOMEM;
    char sql[64];
    (void)snprintf(sql, sizeof sql, "COPY rollup_%s FROM STDIN (FORMAT binary)",
                   target_kind_name(kind));
    return pg_copy(&r->conn, sql, strbuf_span(&r->data), err);
}

int pg_roller_put(struct engine_roller *r, enum target_kind kind, int64_t hour_ms,
                  int64_t ticket, const struct rollup_cell *cells, size_t count,
                  struct err *err)
{
    int rc = roller_go_on(r, err);
    if (rc < 0)
        return rc;
    rc = ticket_check(r, kind, hour_ms, ticket, err);
    if (rc == 0)
        rc = cells_copy(r, kind, cells, count, err);
    return roller_finish(r, rc, err);
}

int pg_roller_end(struct engine_roller *r, enum target_kind kind, int64_t hour_ms,
                  int64_t ticket, struct err *err)
{
    struct pg_args args = { 0 };
    hour_args(&args, kind, hour_ms);
    int rc = roller_go_on(r, err);
    if (rc < 0)
        return rc;
    rc = ticket_check(r, kind, hour_ms, ticket, err);
    if (rc == 0)
        rc = pg_query(&r->conn,
                      "UPDATE rollup_hours SET is_clean = true WHERE kind = $1 AND "
                      "hour = $2",
                      &args, NULL, err);
    return roller_finish(r, rc, err);
}

int pg_roller_drop(struct engine_roller *r, enum target_kind kind, int64_t oldest_ms,
                   bool *ret_dropped, struct err *err)
{
    struct pg_args args = { 0 }, hour = { 0 };
    AUTO_RESULT PGresult *result = NULL;
    *ret_dropped = false;
    int rc = pg_connect(&r->conn, r->connection, roller_setup, r, err);
    if (rc < 0)
        return rc;
    pg_add_span(&args, span_of(target_kind_name(kind)));
    rc = pg_query(&r->conn, "SELECT min(hour) FROM rollup_hours WHERE kind = $1", &args,
                  &result, err);
    if (rc < 0)
        return rc;
    int64_t hour_ms = pg_time(result, 0, 0);
    if (hour_ms == T_NONE || hour_ms + ROLLUP_HOUR_MS > oldest_ms)
        return 0;
    hour_args(&hour, kind, hour_ms);
    rc = roller_start(r, err);
    if (rc < 0)
        return rc;
    rc = cells_forget(r, kind, hour_ms, err);
    if (rc == 0)
        rc =
            pg_query(&r->conn, "DELETE FROM rollup_hours WHERE kind = $1 AND hour = $2",
                     &hour, NULL, err);
    rc = roller_finish(r, rc, err);
    *ret_dropped = rc == 0;
    return rc;
}

/* ---- reading ---- */

struct cells_read {
    const struct engine_reader *r;
    const struct cell_range *range;
    records_cell_fn *fn;
    void *arg;
};

static uint64_t amount_out(const PGresult *row, int column)
{
    return counter_from_db(pg_i64(row, 0, column)); /* null: 0 */
}

static int cell_one(void *arg, const PGresult *row)
{
    const struct cells_read *read = arg;
    const struct cell_range *range = read->range;
    struct rollup_cell cell = {
        .hour_ms = pg_time(row, 0, 0),
        .sid = pg_i64(row, 0, 1),
        .part = (uint32_t)pg_i64(row, 0, 2),
        .server = server_names_find(&read->r->servers, pg_i64(row, 0, 3)),
        .since_ms = pg_time(row, 0, 4),
        .t_ms = pg_time(row, 0, 5),
        .flags = (unsigned)pg_i64(row, 0, 6),
        .count = amount_out(row, 7),
        .missing_samples = amount_out(row, 8),
        .missing_sum = amount_out(row, 9),
    };
    int at = 10;
    for (int op = 0; op < OP_COUNT; op++) {
        if (!op_is_on((enum op)op, range->kind))
            continue;
        if (range->samples >> op & 1)
            cell.samples[op] = amount_out(row, at++);
        if (range->sums >> op & 1)
            cell.sum[op] = amount_out(row, at++);
    }
    return read->fn(read->arg, &cell);
}

static void cells_sql(struct strbuf *sql, const struct cell_range *range)
{
    strbuf_adds(sql, "SELECT hour, sid, part, server, since, \"timestamp\", flags, "
                     "count, missing, missing_sum");
    for (int op = 0; op < OP_COUNT; op++) {
        if (!op_is_on((enum op)op, range->kind))
            continue;
        if (range->samples >> op & 1)
            strbuf_addf(sql, ", \"%s\"", op_name((enum op)op));
        if (range->sums >> op & 1)
            strbuf_addf(sql, ", \"%s_sum\"", op_name((enum op)op));
    }
    strbuf_addf(sql,
                " FROM rollup_%s WHERE hour >= $1 AND hour < $2%s%s%s "
                "ORDER BY sid, hour, part",
                target_kind_name(range->kind), range->reach_ms ? " AND since < $3" : "",
                rollup_is_long(range) ? " AND " LONG_CELL : "",
                !range->sids      ? ""
                : range->reach_ms ? " AND sid = ANY ($4)"
                                  : " AND sid = ANY ($3)");
}

int pg_reader_cells(struct engine_reader *r, const struct cell_range *range,
                    records_cell_fn *fn, void *arg, struct err *err)
{
    struct cells_read read = { .r = r, .range = range, .fn = fn, .arg = arg };
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf sids = STRBUF_INIT;
    struct pg_args args = { 0 };
    int rc = pg_reader_connected(r, err);
    if (rc == 0)
        rc = pg_servers_load(r, err);
    if (rc < 0)
        return rc;
    cells_sql(&sql, range);
    pg_add_time(&args, range->from_ms);
    pg_add_time(&args, range->to_ms);
    if (range->reach_ms)
        pg_add_time(&args, range->reach_ms);
    if (range->sids) {
        pg_put_sids(&sids, range->sids, range->sid_count);
        pg_add_binary(&args, PG_OID_INT8_ARRAY, strbuf_span(&sids));
    }
    if (strbuf_error(&sql) || strbuf_error(&sids))
        return -ENOMEM;
    return pg_stream(&r->conn, strbuf_text(&sql), &args, cell_one, &read, err);
}
