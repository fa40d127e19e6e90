/* SPDX-License-Identifier: Apache-2.0 */
/* ledger - SQLite's tables of jobs and summaries: prepared once a put, run a row. */
#include "records/sqlite/ledger.h"

#include "base/span.h"

#include "records/sqlite/statement.h"

static const char *const types[] = {
    [SCALAR_TEXT] = "TEXT", [SCALAR_I64] = "INTEGER", [SCALAR_DOUBLE] = "REAL"
};

void sqlite_ledger_table(struct strbuf *sql, const struct ledger *ledger)
{
    ledger_add_table(sql, ledger, types);
}

static bool has_column(const struct ledger *ledger, struct span name, size_t *ret)
{
    for (*ret = 0; *ret < ledger->column_count; ++*ret)
        if (span_is(name, ledger->columns[*ret].name))
            return true;
    return false;
}

int sqlite_ledger_grow(sqlite3 *db, const struct ledger *ledger, struct err *err)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    AUTO_FREE bool *is_there = calloc(ledger->column_count, sizeof *is_there);
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    size_t at;
    if (!is_there)
        return -ENOMEM;
    strbuf_addf(&sql, "SELECT name FROM pragma_table_info('%s')", ledger->table);
    int rc = strbuf_error(&sql);
    if (rc == 0)
        rc = db_prepare(db, strbuf_text(&sql), &stmt, err);
    if (rc < 0)
        return rc;
    while ((rc = db_step(stmt, err)) > 0)
        if (has_column(ledger, db_span(stmt, 0), &at))
            is_there[at] = true;
    for (size_t i = 0; i < ledger->column_count && rc == 0; i++)
        if (!is_there[i])
            rc = db_execf(db, err, "ALTER TABLE %s ADD COLUMN \"%s\" %s", ledger->table,
                          ledger->columns[i].name, types[ledger->columns[i].type]);
    return rc;
}

static void scalar_bind(sqlite3_stmt *stmt, int index, enum scalar_type type,
                        const struct scalar *value)
{
    if (!value->is_present)
        (void)sqlite3_bind_null(stmt, index);
    else if (type == SCALAR_TEXT)
        db_bind_span(stmt, index, value->text.data ? value->text : SPAN(""));
    else if (type == SCALAR_I64)
        (void)sqlite3_bind_int64(stmt, index, value->i64);
    else
        (void)sqlite3_bind_double(stmt, index, value->dbl);
}

/* Bind the first column_count of row to ?1, ?2 ... */
static void row_bind(sqlite3_stmt *stmt, const struct ledger *ledger,
                     const struct scalar *row, size_t column_count)
{
    for (size_t i = 0; i < column_count; i++)
        scalar_bind(stmt, (int)i + 1, ledger->columns[i].type, &row[i]);
}

static void add_key_terms(struct strbuf *sql, const struct ledger *ledger,
                          size_t key_count)
{
    for (size_t i = 0; i < key_count; i++)
        strbuf_addf(sql, "%s t.\"%s\" = ?%zu", i > 0 ? " AND" : "",
                    ledger->columns[i].name, i + 1);
}

static int prepare(sqlite3 *db, const struct strbuf *sql, sqlite3_stmt **ret,
                   struct err *err)
{
    if (strbuf_error(sql))
        return strbuf_error(sql);
    return db_prepare(db, strbuf_text(sql), ret, err);
}

int sqlite_ledger_find(sqlite3 *db, const struct ledger *ledger,
                       struct ledger_row *rows, size_t count, struct arena *arena,
                       struct err *err)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    strbuf_adds(&sql, "SELECT ");
    ledger_add_names(&sql, ledger, 0, ledger->column_count, "t.");
    strbuf_addf(&sql, " FROM %s AS t WHERE", ledger->table);
    add_key_terms(&sql, ledger, ledger->key_count);
    int rc = prepare(db, &sql, &stmt, err);
    const struct sql_row row = sqlite_row(stmt);
    for (size_t i = 0; i < count && rc == 0; i++) {
        row_bind(stmt, ledger, rows[i].submitted, ledger->key_count);
        rc = db_step(stmt, err);
        if (rc > 0)
            rc = ledger_row_copy(&row, ledger, arena, &rows[i].stored);
        (void)sqlite3_reset(stmt);
    }
    return rc;
}

int sqlite_ledger_put(sqlite3 *db, const struct ledger *ledger,
                      const struct ledger_row *rows, size_t count, struct err *err)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    ledger_add_insert(&sql, ledger);
    strbuf_adds(&sql, " VALUES (");
    for (size_t i = 0; i < ledger->column_count; i++)
        strbuf_addf(&sql, "%s?%zu", i > 0 ? "," : "", i + 1);
    strbuf_adds(&sql, ")");
    ledger_add_conflict(&sql, ledger);
    int rc = prepare(db, &sql, &stmt, err);
    for (size_t i = 0; i < count && rc == 0; i++) {
        row_bind(stmt, ledger, rows[i].submitted, ledger->column_count);
        rc = db_run(stmt, err);
    }
    return rc;
}

static int prune_step(sqlite3_stmt *stmt, const struct ledger *ledger,
                      ledger_pruned_fn *fn, void *arg, struct err *err)
{
    const struct sql_row row = sqlite_row(stmt);
    struct scalar key[LEDGER_KEY_MAX];
    int rc;
    while ((rc = db_step(stmt, err)) > 0) {
        for (size_t i = 0; i < ledger->key_count; i++)
            key[i] = ledger_scalar(&row, (int)i, ledger->columns[i].type);
        fn(arg, key);
    }
    (void)sqlite3_reset(stmt);
    return rc;
}

int sqlite_ledger_prune(sqlite3 *db, const struct ledger *ledger,
                        const struct ledger_row *rows, size_t count,
                        ledger_pruned_fn *fn, void *arg, struct err *err)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    strbuf_addf(&sql, "DELETE FROM %s AS t WHERE", ledger->table);
    add_key_terms(&sql, ledger, ledger->prune_key_count);
    strbuf_addf(&sql, " AND %s RETURNING ", ledger->prune);
    ledger_add_names(&sql, ledger, 0, ledger->key_count, "");
    int rc = prepare(db, &sql, &stmt, err);
    for (size_t i = 0; i < count && rc == 0; i++) {
        row_bind(stmt, ledger, rows[i].submitted, ledger->prune_key_count);
        rc = prune_step(stmt, ledger, fn, arg, err);
    }
    return rc;
}

int sqlite_ledger_drop(sqlite3 *db, const struct ledger *ledger, int64_t oldest_ns,
                       struct err *err)
{
    AUTO(strbuf_done) struct strbuf drop = STRBUF_INIT;
    int64_t newest_ms = 0;
    char sql[96];
    (void)snprintf(sql, sizeof sql, "SELECT coalesce(max(told_ms), %lld) FROM %s",
                   (long long)INT64_MAX, ledger->table);
    int rc = db_number(db, sql, &newest_ms, err);
    if (rc < 0)
        return rc;
    if (!ledger->is_private && newest_ms < oldest_ns / NS_PER_MS)
        return ledger_says_wrong_clock(ledger, err);
    ledger_add_drop(&drop, ledger, oldest_ns);
    rc = strbuf_error(&drop);
    return rc < 0 ? rc : db_exec(db, strbuf_text(&drop), err);
}
