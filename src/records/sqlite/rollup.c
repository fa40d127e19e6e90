/* SPDX-License-Identifier: Apache-2.0 */
/* rollup - SQLite's hours and cells.
 *
 *     rollup_hours   kind, hour, is_clean, changes
 *     rollup_ost     hour, sid, part, server, since, timestamp, flags, count, ...
 *
 * The cells are one table a kind and no tables a day: they are a fiftieth of the rows,
 * are kept for years, and go by single hours off the left end of the tree.
 */
#include "records/sqlite/rollup.h"

#include "base/span.h"

#include "records/sqlite/reader.h"
#include "records/sqlite/statement.h"
#include "records/sqlite/version.h"
#include "records/tables/tables.h"

/* Up to so many series are looked up one by one. */
#define PROBE_SIDS_MAX 2000
/* The text of the index and that of the statement must be one. */
#define LONG_CELL "timestamp - since > 3600000"
_Static_assert(ROLLUP_LONG_MS == 3600000, "the index of long cells has it");

void sqlite_rollup_tables(struct strbuf *sql)
{
    strbuf_adds(sql, "CREATE TABLE rollup_hours (kind TEXT NOT NULL,"
                     " hour INTEGER NOT NULL, is_clean INTEGER NOT NULL,"
                     " changes INTEGER NOT NULL, PRIMARY KEY (kind, hour))"
                     " WITHOUT ROWID;");
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++) {
        const char *name = target_kind_name((enum target_kind)kind);
        strbuf_addf(sql,
                    "CREATE TABLE rollup_%s (hour INTEGER NOT NULL,"
                    " sid INTEGER NOT NULL, part INTEGER NOT NULL, server INTEGER,"
                    " since INTEGER NOT NULL, timestamp INTEGER NOT NULL,"
                    " flags INTEGER NOT NULL, count INTEGER NOT NULL,"
                    " missing INTEGER, missing_sum INTEGER",
                    name);
        schema_add_ops(sql, (enum target_kind)kind, UINT64_MAX, " INTEGER");
        strbuf_addf(sql,
                    ", PRIMARY KEY (hour, sid, part)) WITHOUT ROWID;"
                    "CREATE INDEX rollup_%s_sid ON rollup_%s (sid, hour, part);",
                    name, name);
    }
}

/* ---- the writer's part ---- */

/* The first row of sid after t_ms on one day; *ret stays as it is without one. */
static int next_on_day(sqlite3 *db, enum target_kind kind, int32_t day,
                       sqlite3_stmt **stmt, int64_t sid, int64_t t_ms, int64_t *ret,
                       struct err *err)
{
    if (!*stmt) {
        char sql[160];
        (void)snprintf(sql, sizeof sql,
                       "SELECT timestamp FROM jobstats_%s_%d WHERE sid = ?1 AND "
                       "timestamp > ?2 ORDER BY timestamp LIMIT 1",
                       target_kind_name(kind), day);
        int rc = db_prepare(db, sql, stmt, err);
        if (rc < 0)
            return rc;
    }
    (void)sqlite3_bind_int64(*stmt, 1, sid);
    (void)sqlite3_bind_int64(*stmt, 2, t_ms);
    int rc = db_step(*stmt, err);
    if (rc > 0)
        *ret = sqlite3_column_int64(*stmt, 0);
    (void)sqlite3_reset(*stmt);
    return rc < 0 ? rc : 0;
}

/* Day by day for all rows, so that one statement is open at a time. */
int sqlite_next_rows(sqlite3 *db, enum target_kind kind, const struct day_list *days,
                     const struct keyed_row *const *rows, size_t count,
                     int64_t *ret_next_ms, struct err *err)
{
    for (size_t i = 0; i < count; i++)
        ret_next_ms[i] = T_NONE;
    for (size_t d = 0; d < days->count; d++) {
        AUTO_STMT sqlite3_stmt *stmt = NULL;
        int64_t end_ms = day_start_ms(days->days[d].day) + MS_PER_DAY;
        for (size_t i = 0; i < count; i++) {
            if (ret_next_ms[i] != T_NONE || rows[i]->row->t_ms >= end_ms - 1)
                continue;
            int rc = next_on_day(db, kind, days->days[d].day, &stmt, rows[i]->sid,
                                 rows[i]->row->t_ms, &ret_next_ms[i], err);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

int sqlite_rollup_touch(sqlite3 *db, enum target_kind kind, const int64_t *hours,
                        size_t count, struct err *err)
{
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    int rc = db_prepare(db,
                        "UPDATE rollup_hours SET is_clean = 0, changes = changes + 1 "
                        "WHERE kind = ?1 AND hour = ?2",
                        &stmt, err);
    for (size_t i = 0; i < count && rc == 0; i++) {
        db_bind_span(stmt, 1, span_of(target_kind_name(kind)));
        (void)sqlite3_bind_int64(stmt, 2, hours[i]);
        rc = db_run(stmt, err);
    }
    return rc;
}

/* ---- making ---- */

struct engine_roller {
    sqlite3 *db;
    sqlite3_stmt *inserts[TARGET_KIND_COUNT];
    sqlite3_stmt *server;
};

void sqlite_roller_close(struct engine_roller *r)
{
    if (!r)
        return;
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++)
        (void)sqlite3_finalize(r->inserts[kind]);
    (void)sqlite3_finalize(r->server);
    (void)sqlite3_close_v2(r->db);
    free(r);
}
DEFINE_AUTO(struct engine_roller, sqlite_roller_close);

static int insert_prepare(struct engine_roller *r, enum target_kind kind,
                          struct err *err)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    strbuf_addf(&sql,
                "INSERT INTO rollup_%s (hour, sid, part, server, since, timestamp, "
                "flags, count, missing, missing_sum",
                target_kind_name(kind));
    schema_add_ops(&sql, kind, UINT64_MAX, "");
    strbuf_adds(&sql, ") VALUES (?,?,?,?,?,?,?,?,?,?");
    for (int op = 0; op < OP_COUNT; op++)
        if (op_is_on((enum op)op, kind))
            strbuf_adds(&sql, ",?,?");
    strbuf_adds(&sql, ")");
    if (strbuf_error(&sql))
        return strbuf_error(&sql);
    return db_prepare(r->db, strbuf_text(&sql), &r->inserts[kind], err);
}

/* Cells that reach far back are found by it from before their hour.  It is no part of
 * the schema: it can be made at any time, and without it a reading is only slower. */
static int long_index_make(sqlite3 *db, enum target_kind kind, struct err *err)
{
    const char *name = target_kind_name(kind);
    return db_execf(db, err,
                    "CREATE INDEX IF NOT EXISTS rollup_%s_long ON rollup_%s "
                    "(hour, since, timestamp) WHERE " LONG_CELL,
                    name, name);
}

/* Cells can be made anew from rows: their commits wait for no disk.  In WAL mode a loss
 * of power takes back the last of them, in order: no hour is clean without its cells.
 */
int sqlite_roller_open(const char *path, struct engine_roller **ret, struct err *err)
{
    AUTO(sqlite_roller_close) struct engine_roller *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    int rc = db_open(path, SQLITE_OPEN_READWRITE, &r->db, err);
    if (rc == 0)
        rc = db_exec(r->db,
                     "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384;"
                     "PRAGMA wal_autocheckpoint = 8192; PRAGMA trusted_schema = OFF",
                     err);
    for (int kind = 0; kind < TARGET_KIND_COUNT && rc == 0; kind++)
        rc = long_index_make(r->db, (enum target_kind)kind, err);
    for (int kind = 0; kind < TARGET_KIND_COUNT && rc == 0; kind++)
        rc = insert_prepare(r, (enum target_kind)kind, err);
    if (rc == 0)
        rc = db_prepare(r->db, "SELECT server FROM servers WHERE name = ?1", &r->server,
                        err);
    if (rc < 0)
        return rc;
    *ret = TAKE(r);
    return 0;
}

/* COMMIT, or take it back. */
static int roller_finish(struct engine_roller *r, int rc, struct err *err)
{
    if (rc == 0)
        rc = db_exec(r->db, "COMMIT", err);
    if (rc < 0 && !sqlite3_get_autocommit(r->db))
        (void)sqlite3_exec(r->db, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}

int sqlite_roller_begin(struct engine_roller *r, enum target_kind kind, int64_t hour_ms,
                        int64_t *ret_ticket, struct err *err)
{
    const struct sql_conn conn = sqlite_conn(r->db);
    int rc = db_exec(r->db, "BEGIN IMMEDIATE", err);
    if (rc == 0)
        rc = sqlite_schema_check(r->db, err);
    if (rc == 0)
        rc = hour_delete_cells(&conn, kind, hour_ms, err);
    if (rc == 0)
        rc = hour_begin(&conn, kind, hour_ms, ret_ticket, err);
    return roller_finish(r, rc, err);
}

/* Prepared once: the next cell may be of another server. */
static int cell_server_find(struct engine_roller *r, struct span server, int64_t *ret,
                            struct err *err)
{
    *ret = T_NONE;
    if (server.size == 0)
        return 0;
    db_bind_span(r->server, 1, server);
    int rc = db_step(r->server, err);
    if (rc > 0)
        *ret = sqlite3_column_int64(r->server, 0);
    (void)sqlite3_reset(r->server);
    if (rc == 0)
        return err_set(err, EIO, "sqlite: a cell of a server that has no rows");
    return rc < 0 ? rc : 0;
}

static void bind_amount(sqlite3_stmt *stmt, int index, uint64_t amount)
{
    if (amount)
        (void)sqlite3_bind_int64(stmt, index, counter_to_db(amount));
    else
        (void)sqlite3_bind_null(stmt, index);
}

static void bind_cell(sqlite3_stmt *stmt, enum target_kind kind,
                      const struct rollup_cell *cell, int64_t server)
{
    (void)sqlite3_bind_int64(stmt, 1, cell->hour_ms);
    (void)sqlite3_bind_int64(stmt, 2, cell->sid);
    (void)sqlite3_bind_int64(stmt, 3, cell->part);
    db_bind_time(stmt, 4, server);
    (void)sqlite3_bind_int64(stmt, 5, cell->since_ms);
    (void)sqlite3_bind_int64(stmt, 6, cell->t_ms);
    (void)sqlite3_bind_int64(stmt, 7, cell->flags);
    (void)sqlite3_bind_int64(stmt, 8, counter_to_db(cell->count));
    bind_amount(stmt, 9, cell->missing_samples);
    bind_amount(stmt, 10, cell->missing_sum);
    int at = 11;
    for (int op = 0; op < OP_COUNT; op++) {
        if (!op_is_on((enum op)op, kind))
            continue;
        bind_amount(stmt, at++, cell->samples[op]);
        bind_amount(stmt, at++, cell->sum[op]);
    }
}

static int cells_insert(struct engine_roller *r, enum target_kind kind,
                        const struct rollup_cell *cells, size_t count, struct err *err)
{
    struct span server = { 0 };
    int64_t server_id = T_NONE;
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        if (!span_eq(server, cells[i].server))
            rc = cell_server_find(r, cells[i].server, &server_id, err);
        server = cells[i].server;
        if (rc < 0)
            return rc;
        bind_cell(r->inserts[kind], kind, &cells[i], server_id);
        rc = db_run(r->inserts[kind], err);
    }
    return rc;
}

int sqlite_roller_put(struct engine_roller *r, enum target_kind kind, int64_t hour_ms,
                      int64_t ticket, const struct rollup_cell *cells, size_t count,
                      struct err *err)
{
    const struct sql_conn conn = sqlite_conn(r->db);
    int rc = db_exec(r->db, "BEGIN IMMEDIATE", err);
    if (rc == 0)
        rc = hour_check_ticket(&conn, kind, hour_ms, ticket, "", err);
    if (rc == 0)
        rc = cells_insert(r, kind, cells, count, err);
    return roller_finish(r, rc, err);
}

int sqlite_roller_end(struct engine_roller *r, enum target_kind kind, int64_t hour_ms,
                      int64_t ticket, struct err *err)
{
    const struct sql_conn conn = sqlite_conn(r->db);
    int rc = db_exec(r->db, "BEGIN IMMEDIATE", err);
    if (rc == 0)
        rc = hour_check_ticket(&conn, kind, hour_ms, ticket, "", err);
    if (rc == 0)
        rc = hour_end(&conn, kind, hour_ms, err);
    return roller_finish(r, rc, err);
}

int sqlite_roller_drop(struct engine_roller *r, enum target_kind kind,
                       int64_t oldest_ms, bool *ret_dropped, struct err *err)
{
    const struct sql_conn conn = sqlite_conn(r->db);
    int64_t hour_ms = T_NONE;
    *ret_dropped = false;
    int rc = hours_oldest(&conn, kind, &hour_ms, err);
    if (rc < 0 || hour_ms == T_NONE || hour_ms + ROLLUP_HOUR_MS > oldest_ms)
        return rc;
    rc = db_exec(r->db, "BEGIN IMMEDIATE", err);
    if (rc == 0)
        rc = hour_delete_cells(&conn, kind, hour_ms, err);
    if (rc == 0)
        rc = hour_delete_state(&conn, kind, hour_ms, err);
    rc = roller_finish(r, rc, err);
    *ret_dropped = rc == 0;
    return rc;
}

/* ---- reading ---- */

int sqlite_reader_begin(struct engine_reader *r, struct err *err)
{
    return db_exec(r->db, "BEGIN", err);
}

void sqlite_reader_end(struct engine_reader *r)
{
    (void)sqlite3_exec(r->db, "COMMIT", NULL, NULL, NULL);
}

struct cells_read {
    struct engine_reader *r;
    const struct cell_range *range;
    records_cell_fn *fn;
    void *arg;
    struct err *err;
};

static int cells_step(const struct cells_read *read, sqlite3_stmt *stmt)
{
    const struct sql_row row = sqlite_row(stmt);
    struct rollup_cell cell;
    int rc;
    while ((rc = db_step(stmt, read->err)) > 0) {
        cell_read(&row, read->range, &read->r->servers, &cell);
        rc = read->fn(read->arg, &cell);
        if (rc < 0)
            return rc;
    }
    return rc;
}

/* Long cells by their index, which holds all that the inner statement reads. */
static void cells_source(struct strbuf *sql, const struct cell_range *range)
{
    const char *name = target_kind_name(range->kind);
    if (rollup_is_long(range) && !range->sids)
        strbuf_addf(sql,
                    " FROM (SELECT hour AS key_hour, sid AS key_sid, part AS key_part "
                    "FROM rollup_%s WHERE " LONG_CELL " AND hour >= ?1 AND hour < ?2 "
                    "AND since < ?4) CROSS JOIN rollup_%s ON hour = key_hour AND "
                    "sid = key_sid AND part = key_part WHERE 1",
                    name, name);
    else
        strbuf_addf(sql, " FROM rollup_%s WHERE hour >= ?1 AND hour < ?2%s", name,
                    range->reach_ms ? " AND since < ?4" : "");
}

static int cells_read_in(const struct cells_read *read)
{
    const struct cell_range *range = read->range;
    bool is_probe = range->sids && range->sid_count <= PROBE_SIDS_MAX;
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    strbuf_adds(&sql, "SELECT ");
    cell_columns_add(&sql, range);
    cells_source(&sql, range);
    strbuf_addf(&sql, "%s",
                is_probe      ? " AND sid = ?3 ORDER BY hour, part"
                : range->sids ? " AND baro_wanted(sid) ORDER BY +sid, +hour, part"
                              : " ORDER BY +sid, +hour, part");
    if (strbuf_error(&sql))
        return strbuf_error(&sql);
    int rc = db_prepare(read->r->db, strbuf_text(&sql), &stmt, read->err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(stmt, 1, range->from_ms);
    (void)sqlite3_bind_int64(stmt, 2, range->to_ms);
    if (range->reach_ms)
        (void)sqlite3_bind_int64(stmt, 4, range->reach_ms);
    if (!is_probe)
        return cells_step(read, stmt);
    for (size_t i = 0; i < range->sid_count && rc == 0; i++) {
        (void)sqlite3_bind_int64(stmt, 3, range->sids[i]);
        rc = cells_step(read, stmt);
        (void)sqlite3_reset(stmt);
    }
    return rc;
}

int sqlite_reader_cells(struct engine_reader *r, const struct cell_range *range,
                        records_cell_fn *fn, void *arg, struct err *err)
{
    struct cells_read read = {
        .r = r, .range = range, .fn = fn, .arg = arg, .err = err
    };
    const struct row_range wanted = { .sids = range->sids,
                                      .sid_count = range->sid_count };
    bool began = false;
    int rc = reader_begin(r, &began, err);
    if (rc < 0)
        return rc;
    const struct row_range *outer = r->range;
    r->range = &wanted;
    rc = sqlite_servers_load(r, err);
    if (rc == 0)
        rc = cells_read_in(&read);
    r->range = outer;
    reader_end(r, began);
    return rc;
}
