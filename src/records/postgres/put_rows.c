/* SPDX-License-Identifier: Apache-2.0 */
/* put_rows - rows into PostgreSQL: COPY BINARY into a temporary table of the session,
 * then one INSERT ... SELECT ... ON CONFLICT DO NOTHING, which returns what was new.
 */
#include "base/span.h"
#include "records/postgres/ledger.h"
#include "records/tables/tables.h"

int pg_stage_make(struct records_backend *b, struct err *err)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    strbuf_adds(&sql, "CREATE TEMPORARY TABLE stage_mdt (LIKE jobstats_mdt) "
                      "ON COMMIT DELETE ROWS;"
                      "CREATE TEMPORARY TABLE stage_ost (LIKE jobstats_ost) "
                      "ON COMMIT DELETE ROWS");
    pg_ledger_stage(&sql, &ledger_jobs);
    pg_ledger_stage(&sql, ledger_summaries());
    pg_ledger_stage(&sql, &ledger_id_names);
    pg_ledger_stage(&sql, &ledger_target_readings);
    pg_ledger_stage(&sql, &ledger_job_steps);
    pg_ledger_stage(&sql, &ledger_job_metrics);
    pg_ledger_stage(&sql, &ledger_resource_statements);
    pg_ledger_stage(&sql, &ledger_resource_changes);
    pg_ledger_stage(&sql, &ledger_session_reports);
    pg_ledger_stage(&sql, &ledger_job_files);
    pg_ledger_stage(&sql, &ledger_job_datasets);
    pg_ledger_stage(&sql, &ledger_part_stays);
    pg_ledger_stage(&sql, &ledger_part_changes);
    if (strbuf_error(&sql))
        return strbuf_error(&sql);
    return pg_exec(&b->conn, strbuf_text(&sql), err);
}

static void put_time(struct strbuf *out, int64_t t_ms)
{
    if (t_ms == T_NONE)
        pg_put_i32(out, -1);
    else
        pg_put_field_i64(out, (t_ms - PG_EPOCH_MS) * 1000);
}

static void put_ns(struct strbuf *out, int64_t t_ns)
{
    if (t_ns == T_NONE)
        pg_put_i32(out, -1);
    else
        pg_put_field_i64(out, t_ns);
}

static void put_counter(struct strbuf *out, bool has, uint64_t value)
{
    if (has)
        pg_put_field_i64(out, counter_to_db(value));
    else
        pg_put_i32(out, -1);
}

/* The columns in the table's order: see rows_table() in schema_sql.c. */
static void put_row_data(struct strbuf *out, enum target_kind kind, int column_count,
                         const struct keyed_row *put)
{
    const struct jobrow *row = put->row;
    pg_put_i16(out, (int16_t)column_count);
    put_time(out, row->t_ms);
    pg_put_field_i64(out, put->sid);
    put_time(out, row->since_ms);
    put_time(out, row->previous_ms);
    put_ns(out, row->snapshot_ns);
    put_ns(out, row->start_ns);
    for (int op = 0; op < OP_COUNT; op++) {
        if (!op_is_on((enum op)op, kind))
            continue;
        put_counter(out, row->has_samples >> op & 1, row->samples[op]);
        put_counter(out, row->has_sum >> op & 1, row->sum[op]);
    }
    pg_put_i32(out, put->server_id ? 4 : -1);
    if (put->server_id)
        pg_put_i32(out, put->server_id);
    char reset = row->reset == RESET_YES;
    pg_put_field(out, (struct span){ row->reset == RESET_UNKNOWN ? NULL : &reset,
                                     row->reset == RESET_UNKNOWN ? 0 : 1 });
    pg_put_field(out, row->more.size ? row->more : (struct span){ 0 });
}

static int stage_fill(struct records_backend *b, enum target_kind kind,
                      const struct keyed_row *rows, size_t count, struct err *err)
{
    int column_count = 9;
    for (int op = 0; op < OP_COUNT; op++)
        column_count += op_is_on((enum op)op, kind) ? 2 : 0;
    strbuf_clear(&b->data);
    pg_put_copy_head(&b->data);
    for (size_t i = 0; i < count; i++)
        put_row_data(&b->data, kind, column_count, &rows[i]);
    pg_put_i16(&b->data, -1);
    if (strbuf_error(&b->data))
        return -ENOMEM;
    char sql[64];
    (void)snprintf(sql, sizeof sql, "COPY stage_%s FROM STDIN (FORMAT binary)",
                   target_kind_name(kind));
    return pg_copy(&b->conn, sql, strbuf_span(&b->data), err);
}

static int key_order(const void *a, const void *b)
{
    const struct keyed_row *x = a, *y = b;
    if (x->row->t_ms != y->row->t_ms)
        return x->row->t_ms < y->row->t_ms ? -1 : 1;
    return (x->sid > y->sid) - (x->sid < y->sid);
}

/* Rows come back as (timestamp, sid): the keys by which ours are sorted. */
static void mark_new(const PGresult *result, struct keyed_row *rows, size_t count)
{
    for (int i = 0; i < PQntuples(result); i++) {
        struct jobrow row = { .t_ms = pg_time(result, i, 0) };
        struct keyed_row key = { .row = &row, .sid = pg_i64(result, i, 1) };
        struct keyed_row *at = bsearch(&key, rows, count, sizeof *rows, key_order);
        if (at)
            at->is_new = true;
    }
}

static int stage_insert(struct records_backend *b, enum target_kind kind,
                        const char *returning, PGresult **ret, struct err *err)
{
    char sql[160];
    const char *name = target_kind_name(kind);
    (void)snprintf(sql, sizeof sql,
                   "INSERT INTO jobstats_%s SELECT * FROM stage_%s "
                   "ON CONFLICT DO NOTHING%s",
                   name, name, returning);
    return pg_query(&b->conn, sql, NULL, ret, err);
}

/* Usually every row is new, and the count shows it.  Only when it does not, the
 * insertion is taken back and done again with the keys returned, which costs a third
 * more. */
int pg_put_rows(struct records_backend *b, enum target_kind kind,
                struct keyed_row *rows, size_t count, struct err *err)
{
    AUTO_RESULT PGresult *result = NULL, *again = NULL;
    int rc = pg_days_note(b, kind, rows, count, err);
    if (rc == 0)
        rc = stage_fill(b, kind, rows, count, err);
    if (rc == 0)
        rc = pg_exec(&b->conn, "SAVEPOINT rows", err);
    if (rc == 0)
        rc = stage_insert(b, kind, "", &result, err);
    if (rc < 0)
        return rc;
    uint64_t taken = 0;
    (void)number_parse_u64(span_of(PQcmdTuples(result)), &taken);
    for (size_t i = 0; i < count; i++)
        rows[i].is_new = taken == count;
    if (taken == count || taken == 0)
        return 0;
    rc = pg_exec(&b->conn, "ROLLBACK TO SAVEPOINT rows", err);
    if (rc == 0)
        rc = stage_insert(b, kind, " RETURNING \"timestamp\", sid", &again, err);
    if (rc == 0)
        mark_new(again, rows, count);
    return rc;
}
