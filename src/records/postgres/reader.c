/* SPDX-License-Identifier: Apache-2.0 */
/* reader - one reading session: series, rows, extent; answers are streamed. */
#include "records/postgres/reader.h"

#include "records/postgres/place.h"
#include "records/postgres/statement.h"
#include "records/tables/tables.h"

void pg_reader_watch(struct engine_reader *r, records_watch_fn *fn, void *arg)
{
    r->conn.watch = fn;
    r->conn.watch_arg = arg;
}

void pg_reader_close(struct engine_reader *r)
{
    if (!r)
        return;
    pg_close(&r->conn);
    server_names_done(&r->servers);
    free(r->connection);
    free(r->schema);
    free(r);
}
DEFINE_AUTO(struct engine_reader, pg_reader_close);

/* Whatever is read of rows is a small part of a day's table or is read in the order of
 * an index; the planner would rather read whole days for a few thousand series. */
static int reader_setup(void *arg, struct err *err)
{
    struct engine_reader *r = arg;
    const struct pg_session session = { .schema = r->schema,
                                        .statement_ms = r->conn.wait_ms,
                                        .lock_ms = PG_READ_LOCK_MS,
                                        .is_read_only = true };
    r->servers.count = 0; /* another server may be at the address now */
    int rc = pg_session_begin(&r->conn, &session, err);
    if (rc == 0 && r->finds_place)
        rc = pg_place_find(&r->conn, err);
    if (rc < 0)
        return rc;
    return pg_exec(&r->conn, "SET work_mem = '64MB'; SET enable_seqscan = off", err);
}

int pg_reader_connected(struct engine_reader *r, struct err *err)
{
    if (r->in_snapshot && !r->conn.pg)
        return err_set(err, EAGAIN, "postgres: the connection broke");
    return pg_connect(&r->conn, r->connection, reader_setup, r, err);
}

int pg_reader_open(const struct records_backend *b, struct engine_reader **ret,
                   struct err *err)
{
    AUTO(pg_reader_close) struct engine_reader *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    server_names_init(&r->servers);
    r->conn.wait_ms = b->conn.wait_ms * 5; /* a long sort is silent, too */
    r->connection = strdup(b->opts.connection);
    r->schema = strdup(b->opts.schema);
    if (!r->connection || !r->schema)
        return -ENOMEM;
    r->finds_place = b->opts.access == RECORDS_READ;
    int rc = pg_reader_connected(r, err);
    if (rc < 0)
        return rc;
    *ret = TAKE(r);
    return 0;
}

int pg_reader_begin(struct engine_reader *r, struct err *err)
{
    int rc = pg_reader_connected(r, err);
    if (rc == 0)
        rc = pg_exec(&r->conn, "BEGIN ISOLATION LEVEL REPEATABLE READ", err);
    r->in_snapshot = rc == 0;
    return rc;
}

void pg_reader_end(struct engine_reader *r)
{
    r->in_snapshot = false;
    if (r->conn.pg && pg_exec(&r->conn, "ROLLBACK", NULL) < 0)
        pg_close(&r->conn);
}

int pg_reader_sql(struct engine_reader *r, struct sql_conn *ret, struct err *err)
{
    int rc = pg_reader_connected(r, err);
    if (rc == 0)
        *ret = pg_sql(&r->conn);
    return rc;
}

int pg_servers_load(struct engine_reader *r, struct err *err)
{
    const struct sql_conn conn = pg_sql(&r->conn);
    return server_names_load(&r->servers, &conn, err);
}

void pg_put_sids(struct strbuf *out, const int64_t *sids, size_t count)
{
    pg_put_array(out, PG_OID_INT8, count);
    for (size_t i = 0; i < count; i++)
        pg_put_field_i64(out, sids[i]);
}

/* ---- series ---- */

/* An identifier is looked for by the function that people have, too. */
static int series_sql(const struct series_filter *f, struct series_terms *terms,
                      struct strbuf *sql)
{
    strbuf_adds(sql, "SELECT " SERIES_COLUMNS " FROM series WHERE true");
    int rc = series_terms_add(sql, f, terms);
    if (f->id) {
        terms->values[terms->count++] = sql_uuid(f->id);
        strbuf_addf(sql, " AND sid IN (SELECT series_sid($%zu))", terms->count);
    }
    if (f->sids)
        strbuf_addf(sql, " AND sid = ANY ($%zu)", terms->count + 1);
    strbuf_adds(sql, " ORDER BY sid");
    return rc < 0 ? rc : strbuf_error(sql);
}

int pg_reader_series(struct engine_reader *r, const struct series_filter *filter,
                     records_series_fn *fn, void *arg, struct err *err)
{
    struct series_rows read = { .filter = filter, .fn = fn, .arg = arg, .err = err };
    AUTO(series_terms_done) struct series_terms terms = { .entry = STRBUF_INIT };
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf sids = STRBUF_INIT;
    struct pg_args args = { 0 };
    int rc = series_sql(filter, &terms, &sql);
    for (size_t i = 0; i < terms.count; i++)
        pg_add_value(&args, &terms.values[i]);
    if (filter->sids) {
        pg_put_sids(&sids, filter->sids, filter->sid_count);
        pg_add_binary(&args, PG_OID_INT8_ARRAY, strbuf_span(&sids));
    }
    if (rc < 0 || strbuf_error(&sids))
        return -ENOMEM;
    rc = pg_reader_connected(r, err);
    return rc < 0 ? rc
                  : pg_run(&r->conn, strbuf_text(&sql), &args, series_rows_read, &read,
                           err);
}

/* ---- extent ---- */

int pg_reader_extent(struct engine_reader *r, struct records_extent *ret,
                     struct err *err)
{
    AUTO_RESULT PGresult *result = NULL;
    int rc = pg_reader_connected(r, err);
    if (rc == 0)
        rc = pg_query(&r->conn,
                      "SELECT least((SELECT min(\"timestamp\") FROM jobstats_mdt),"
                      " (SELECT min(\"timestamp\") FROM jobstats_ost)),"
                      " greatest((SELECT max(\"timestamp\") FROM jobstats_mdt),"
                      " (SELECT max(\"timestamp\") FROM jobstats_ost)),"
                      " (SELECT coalesce(max(sid), 0) FROM series),"
                      " (SELECT coalesce(sum(greatest(c.reltuples,"
                      " pg_stat_get_live_tuples(c.oid))), 0)::bigint"
                      " FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid"
                      " WHERE i.inhparent IN (to_regclass('jobstats_mdt'),"
                      " to_regclass('jobstats_ost')) AND c.relkind = 'r'),"
                      " pg_database_size(current_database()),"
                      " (SELECT min(hour) FROM rollup_hours)",
                      NULL, &result, err);
    if (rc < 0)
        return rc;
    *ret = (struct records_extent){
        .first_ms = pg_time(result, 0, 0),
        .last_ms = pg_time(result, 0, 1),
        .series_count = (uint64_t)pg_i64(result, 0, 2),
        .row_count = (uint64_t)pg_i64(result, 0, 3),
        .size_bytes = (uint64_t)pg_i64(result, 0, 4),
        .rollup_first_ms = pg_time(result, 0, 5),
    };
    return 0;
}
