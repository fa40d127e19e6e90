/* SPDX-License-Identifier: Apache-2.0 */
/* ledger - PostgreSQL's tables of jobs and summaries: a whole put is looked up by one
 * question and stored by one COPY and one INSERT.
 */
#include "records/postgres/ledger.h"

#include "base/span.h"

#include "records/postgres/statement.h"

/* One at a time and ledger: what a put has found is so until it commits. */
#define LEDGER_LOCK "6512369772"

static const char *const types[] = { [SCALAR_TEXT] = "text COLLATE \"C\"",
                                     [SCALAR_I64] = "bigint",
                                     [SCALAR_DOUBLE] = "double precision" };

static const struct {
    Oid one, array;
} oids[] = { [SCALAR_TEXT] = { PG_OID_TEXT, PG_OID_TEXT_ARRAY },
             [SCALAR_I64] = { PG_OID_INT8, PG_OID_INT8_ARRAY },
             [SCALAR_DOUBLE] = { PG_OID_FLOAT8, PG_OID_FLOAT8_ARRAY } };

void pg_ledger_table(struct strbuf *sql, const struct ledger *ledger)
{
    ledger_add_table(sql, ledger, types);
}

void pg_ledger_stage(struct strbuf *sql, const struct ledger *ledger)
{
    strbuf_addf(sql, ";CREATE TEMPORARY TABLE stage_%s (LIKE %s) ON COMMIT DELETE ROWS",
                ledger->table, ledger->table);
}

int pg_ledger_is_whole(struct pg_conn *c, const struct ledger *ledger, bool *ret,
                       struct err *err)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    AUTO_RESULT PGresult *result = NULL;
    strbuf_addf(&sql,
                "SELECT count(*) FROM pg_attribute WHERE attrelid = to_regclass('%s') "
                "AND attnum > 0 AND NOT attisdropped AND attname IN (",
                ledger->table);
    for (size_t i = 0; i < ledger->column_count; i++)
        strbuf_addf(&sql, "%s'%s'", i > 0 ? "," : "", ledger->columns[i].name);
    strbuf_adds(&sql, ")");
    int rc = strbuf_error(&sql);
    if (rc == 0)
        rc = pg_query(c, strbuf_text(&sql), NULL, &result, err);
    if (rc == 0)
        *ret = pg_i64(result, 0, 0) == (int64_t)ledger->column_count;
    return rc;
}

void pg_ledger_grow(struct strbuf *sql, const struct ledger *ledger)
{
    strbuf_addf(sql, "ALTER TABLE %s", ledger->table);
    for (size_t i = 0; i < ledger->column_count; i++)
        strbuf_addf(sql, "%s ADD COLUMN IF NOT EXISTS \"%s\" %s", i > 0 ? "," : "",
                    ledger->columns[i].name, types[ledger->columns[i].type]);
    strbuf_adds(sql, ";");
}

/* ---- binary forms ---- */

static int64_t bits_of(double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void scalar_put(struct strbuf *out, enum scalar_type type,
                       const struct scalar *value)
{
    if (!value->is_present)
        pg_put_field(out, (struct span){ 0 });
    else if (type == SCALAR_TEXT)
        pg_put_field(out, value->text.data ? value->text : SPAN(""));
    else
        pg_put_field_i64(out, type == SCALAR_I64 ? value->i64 : bits_of(value->dbl));
}

/* ---- keys as arrays ---- */

struct key_arrays {
    struct strbuf data[LEDGER_KEY_MAX];
};

static void key_arrays_done(struct key_arrays *keys)
{
    for (size_t i = 0; i < LEDGER_KEY_MAX; i++)
        strbuf_done(&keys->data[i]);
}
DEFINE_AUTO_DONE(struct key_arrays, key_arrays_done);

/* The first key_count columns of rows as $1, $2 ... */
static int keys_fill(struct key_arrays *keys, const struct ledger *ledger,
                     size_t key_count, const struct ledger_row *rows, size_t count,
                     struct pg_args *args)
{
    for (size_t k = 0; k < key_count; k++) {
        enum scalar_type type = ledger->columns[k].type;
        pg_put_array(&keys->data[k], oids[type].one, count);
        for (size_t i = 0; i < count; i++)
            scalar_put(&keys->data[k], type, &rows[i].submitted[k]);
        if (strbuf_error(&keys->data[k]))
            return -ENOMEM;
        pg_add_binary(args, oids[type].array, strbuf_span(&keys->data[k]));
    }
    return 0;
}

/* `unnest($1, $2) WITH ORDINALITY AS w(k1, k2, n)` */
static void add_unnest(struct strbuf *sql, size_t key_count)
{
    strbuf_adds(sql, "unnest(");
    for (size_t k = 1; k <= key_count; k++)
        strbuf_addf(sql, "%s$%zu", k > 1 ? ", " : "", k);
    strbuf_adds(sql, ") WITH ORDINALITY AS w(");
    for (size_t k = 1; k <= key_count; k++)
        strbuf_addf(sql, "k%zu, ", k);
    strbuf_adds(sql, "n)");
}

static void add_key_terms(struct strbuf *sql, const struct ledger *ledger,
                          size_t key_count)
{
    for (size_t k = 0; k < key_count; k++)
        strbuf_addf(sql, "%st.\"%s\" = w.k%zu", k > 0 ? " AND " : "",
                    ledger->columns[k].name, k + 1);
}

/* ---- putting ---- */

int pg_ledger_find(struct records_backend *b, const struct ledger *ledger,
                   struct ledger_row *rows, size_t count, struct arena *arena,
                   struct err *err)
{
    AUTO(key_arrays_done) struct key_arrays keys = { 0 };
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    AUTO_RESULT PGresult *result = NULL;
    struct pg_args args = { 0 };
    strbuf_adds(&sql, "SELECT ");
    ledger_add_names(&sql, ledger, 0, ledger->column_count, "t.");
    strbuf_adds(&sql, ", w.n FROM ");
    add_unnest(&sql, ledger->key_count);
    strbuf_addf(&sql, " JOIN %s t ON ", ledger->table);
    add_key_terms(&sql, ledger, ledger->key_count);
    int rc = keys_fill(&keys, ledger, ledger->key_count, rows, count, &args);
    if (rc == 0)
        rc = strbuf_error(&sql);
    if (rc == 0)
        rc = pg_exec(&b->conn, "SELECT pg_advisory_xact_lock(" LEDGER_LOCK ")", err);
    if (rc == 0)
        rc = pg_query(&b->conn, strbuf_text(&sql), &args, &result, err);
    for (int i = 0; rc == 0 && i < PQntuples(result); i++) {
        size_t at = (size_t)pg_i64(result, i, (int)ledger->column_count) - 1;
        const struct sql_row row = pg_sql_row(result, i);
        if (at < count)
            rc = ledger_row_copy(&row, ledger, arena, &rows[at].stored);
    }
    return rc;
}

static int stage_fill(struct records_backend *b, const struct ledger *ledger,
                      const struct ledger_row *rows, size_t count, struct err *err)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    strbuf_clear(&b->data);
    pg_put_copy_head(&b->data);
    for (size_t i = 0; i < count; i++) {
        pg_put_i16(&b->data, (int16_t)ledger->column_count);
        for (size_t k = 0; k < ledger->column_count; k++)
            scalar_put(&b->data, ledger->columns[k].type, &rows[i].submitted[k]);
    }
    pg_put_i16(&b->data, -1);
    strbuf_addf(&sql, "COPY stage_%s (", ledger->table);
    ledger_add_names(&sql, ledger, 0, ledger->column_count, "");
    strbuf_adds(&sql, ") FROM STDIN (FORMAT binary)");
    if (strbuf_error(&b->data) || strbuf_error(&sql))
        return -ENOMEM;
    return pg_copy(&b->conn, strbuf_text(&sql), strbuf_span(&b->data), err);
}

int pg_ledger_put(struct records_backend *b, const struct ledger *ledger,
                  const struct ledger_row *rows, size_t count, struct err *err)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    ledger_add_insert(&sql, ledger);
    strbuf_adds(&sql, " SELECT ");
    ledger_add_names(&sql, ledger, 0, ledger->column_count, "");
    strbuf_addf(&sql, " FROM stage_%s", ledger->table);
    ledger_add_conflict(&sql, ledger);
    int rc = strbuf_error(&sql);
    if (rc == 0)
        rc = stage_fill(b, ledger, rows, count, err);
    if (rc == 0)
        rc = pg_query(&b->conn, strbuf_text(&sql), NULL, NULL, err);
    return rc;
}

int pg_ledger_prune(struct records_backend *b, const struct ledger *ledger,
                    const struct ledger_row *rows, size_t count, ledger_pruned_fn *fn,
                    void *arg, struct err *err)
{
    AUTO(key_arrays_done) struct key_arrays keys = { 0 };
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    AUTO_RESULT PGresult *result = NULL;
    struct pg_args args = { 0 };
    strbuf_addf(&sql, "DELETE FROM %s t USING ", ledger->table);
    add_unnest(&sql, ledger->prune_key_count);
    strbuf_adds(&sql, " WHERE ");
    add_key_terms(&sql, ledger, ledger->prune_key_count);
    strbuf_addf(&sql, " AND %s RETURNING ", ledger->prune);
    ledger_add_names(&sql, ledger, 0, ledger->key_count, "t.");
    int rc = keys_fill(&keys, ledger, ledger->prune_key_count, rows, count, &args);
    if (rc == 0)
        rc = strbuf_error(&sql);
    if (rc == 0)
        rc = pg_query(&b->conn, strbuf_text(&sql), &args, &result, err);
    for (int i = 0; rc == 0 && i < PQntuples(result); i++) {
        const struct sql_row row = pg_sql_row(result, i);
        struct scalar key[LEDGER_KEY_MAX];
        for (size_t k = 0; k < ledger->key_count; k++)
            key[k] = ledger_scalar(&row, (int)k, ledger->columns[k].type);
        fn(arg, key);
    }
    return rc;
}

int pg_ledger_drop(struct records_backend *b, const struct ledger *ledger,
                   int64_t oldest_ns, struct err *err)
{
    AUTO(strbuf_done) struct strbuf drop = STRBUF_INIT;
    AUTO_RESULT PGresult *result = NULL;
    char sql[96];
    (void)snprintf(sql, sizeof sql, "SELECT max(told_ms) FROM %s", ledger->table);
    int rc = pg_query(&b->conn, sql, NULL, &result, err);
    if (rc < 0)
        return rc;
    bool is_empty = PQntuples(result) < 1 || pg_is_null(result, 0, 0);
    if (!ledger->is_private && !is_empty &&
        pg_i64(result, 0, 0) < oldest_ns / NS_PER_MS)
        return ledger_says_wrong_clock(ledger, err);
    ledger_add_drop(&drop, ledger, oldest_ns);
    rc = strbuf_error(&drop);
    return rc < 0 ? rc : pg_exec(&b->conn, strbuf_text(&drop), err);
}
