/* SPDX-License-Identifier: Apache-2.0 */
/* reader - one reading session: series, rows, extent; answers are streamed. */
#include "records/postgres/reader.h"

#include "base/span.h"
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

struct series_read {
    const struct series_filter *filter;
    records_series_fn *fn;
    void *arg;
    size_t left;
};

static int series_one(void *arg, const PGresult *row)
{
    struct series_read *read = arg;
    struct series s;
    pg_series_out(row, 0, &s);
    if (read->filter->target && !span_glob(s.target, read->filter->target))
        return 0;
    if (read->left == 0)
        return -ECANCELED; /* ends the stream; the caller makes a success of it */
    int rc = read->fn(read->arg, &s);
    read->left--;
    return rc;
}

static void filter_add(struct strbuf *sql, struct pg_args *args, const char *column,
                       struct span value)
{
    if (!value.data)
        return;
    pg_add_span(args, value);
    strbuf_addf(sql, " AND s.%s = $%d", column, args->count);
}

int pg_reader_series(struct engine_reader *r, const struct series_filter *f,
                     records_series_fn *fn, void *arg, struct err *err)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf entry = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf sids = STRBUF_INIT;
    struct pg_args args = { 0 };
    struct series_read read = {
        .filter = f, .fn = fn, .arg = arg, .left = f->limit ? f->limit : SIZE_MAX
    };
    strbuf_adds(&sql, "SELECT " PG_SERIES_COLUMNS " FROM series s WHERE true");
    if (f->id) {
        pg_add_uuid(&args, f->id);
        strbuf_addf(&sql, " AND s.sid IN (SELECT series_sid($%d))", args.count);
    }
    if (f->sids) {
        pg_put_sids(&sids, f->sids, f->sid_count);
        pg_add_binary(&args, PG_OID_INT8_ARRAY, strbuf_span(&sids));
        strbuf_addf(&sql, " AND s.sid = ANY ($%d)", args.count);
    }
    if (f->entry_id.data) {
        entry_id_print(&entry, f->entry_id);
        filter_add(&sql, &args, "entry_id", strbuf_span(&entry));
    }
    filter_add(&sql, &args, "fs", f->fs);
    filter_add(&sql, &args, "job_id", f->job);
    filter_add(&sql, &args, "user_id", f->user);
    filter_add(&sql, &args, "group_id", f->group);
    filter_add(&sql, &args, "nodename", f->node);
    filter_add(&sql, &args, "executable", f->executable);
    strbuf_adds(&sql, " ORDER BY s.sid");
    if (strbuf_error(&sql) || strbuf_error(&entry) || strbuf_error(&sids))
        return -ENOMEM;
    int rc = pg_reader_connected(r, err);
    if (rc == 0)
        rc = pg_stream(&r->conn, strbuf_text(&sql), &args, series_one, &read, err);
    return rc == -ECANCELED && f->limit && read.left == 0 ? 0 : rc;
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
