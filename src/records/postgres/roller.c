/* SPDX-License-Identifier: Apache-2.0 */
/* roller - the session that makes PostgreSQL's hours: begin, cells by COPY, end. */
#include "base/span.h"
#include "records/postgres/rollup.h"
#include "records/postgres/statement.h"

/* The index is made over years of cells the first time. */
#define INDEX_WAIT_MS (4 * MS_PER_HOUR)

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
                  "WHERE " PG_LONG_CELL,
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

/* The hour's row stays locked, so that no row touches the hour until the commit. */
static int ticket_check(struct engine_roller *r, enum target_kind kind, int64_t hour_ms,
                        int64_t ticket, struct err *err)
{
    const struct sql_conn conn = pg_sql(&r->conn);
    return hour_check_ticket(&conn, kind, hour_ms, ticket, " FOR SHARE", err);
}

/* In a transaction of its own: whoever puts rows waits for the first one. */
static int begin_forget(struct engine_roller *r, enum target_kind kind, int64_t hour_ms,
                        int64_t ticket, struct err *err)
{
    const struct sql_conn conn = pg_sql(&r->conn);
    int rc = roller_go_on(r, err);
    if (rc < 0)
        return rc;
    rc = ticket_check(r, kind, hour_ms, ticket, err);
    if (rc == 0)
        rc = hour_delete_cells(&conn, kind, hour_ms, err);
    return roller_finish(r, rc, err);
}

int pg_roller_begin(struct engine_roller *r, enum target_kind kind, int64_t hour_ms,
                    int64_t *ret_ticket, struct err *err)
{
    const struct sql_conn conn = pg_sql(&r->conn);
    int64_t ticket = 0;
    int rc = roller_start(r, err);
    if (rc < 0)
        return rc;
    rc = pg_schema_check(&r->conn, err);
    if (rc == 0)
        rc = pg_exec(&r->conn, "SELECT pg_advisory_xact_lock(" PG_HOURS_LOCK ")", err);
    if (rc == 0)
        rc = hour_begin(&conn, kind, hour_ms, &ticket, err);
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
    pg_put_field_time(out, cell->hour_ms);
    pg_put_field_i64(out, cell->sid);
    pg_put_field_time(out, cell->since_ms);
    pg_put_field_time(out, cell->t_ms);
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
    const struct sql_conn conn = pg_sql(&r->conn);
    int rc = roller_go_on(r, err);
    if (rc < 0)
        return rc;
    rc = ticket_check(r, kind, hour_ms, ticket, err);
    if (rc == 0)
        rc = hour_end(&conn, kind, hour_ms, err);
    return roller_finish(r, rc, err);
}

int pg_roller_drop(struct engine_roller *r, enum target_kind kind, int64_t oldest_ms,
                   bool *ret_dropped, struct err *err)
{
    const struct sql_conn conn = pg_sql(&r->conn);
    int64_t hour_ms = T_NONE;
    *ret_dropped = false;
    int rc = pg_connect(&r->conn, r->connection, roller_setup, r, err);
    if (rc == 0)
        rc = hours_oldest(&conn, kind, &hour_ms, err);
    if (rc < 0 || hour_ms == T_NONE || hour_ms + ROLLUP_HOUR_MS > oldest_ms)
        return rc;
    rc = roller_start(r, err);
    if (rc < 0)
        return rc;
    rc = hour_delete_cells(&conn, kind, hour_ms, err);
    if (rc == 0)
        rc = hour_delete_state(&conn, kind, hour_ms, err);
    rc = roller_finish(r, rc, err);
    *ret_dropped = rc == 0;
    return rc;
}
