/* SPDX-License-Identifier: Apache-2.0 */
/* reader - one reading session: series, rows, extent; answers are streamed. */
#include "records/postgres/reader.h"
#include "records/counter.h"

void pg_reader_close(struct engine_reader *r)
{
    if (!r)
        return;
    pg_close(&r->conn);
    arena_done(&r->names);
    free(r->connection);
    free(r);
}
DEFINE_AUTO(struct engine_reader, pg_reader_close);

static int reader_setup(void *arg, struct err *err)
{
    struct engine_reader *r = arg;
    return pg_exec(&r->conn,
                   "SET default_transaction_read_only = on; SET jit = off;"
                   "SET work_mem = '64MB'; SET TimeZone = 'UTC'",
                   err);
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
    arena_init(&r->names, 0);
    r->conn.wait_ms = b->conn.wait_ms * 5; /* a long sort is silent, too */
    r->connection = strdup(b->opts.connection);
    if (!r->connection)
        return -ENOMEM;
    int rc = pg_reader_connected(r, err);
    if (rc < 0)
        return rc;
    *ret = TAKE(r);
    return 0;
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

/* ---- rows ---- */

struct rows_read {
    const struct engine_reader *r;
    const struct row_range *range;
    records_row_fn *fn;
    void *arg;
};

struct span pg_server_name(const struct engine_reader *r, int64_t server)
{
    for (size_t i = 0; server && i < r->server_count; i++)
        if (r->servers[i].server == server)
            return r->servers[i].name;
    return (struct span){ 0 };
}

int pg_servers_load(struct engine_reader *r, struct err *err)
{
    AUTO_RESULT PGresult *result = NULL;
    int rc = pg_query(&r->conn, "SELECT server, name FROM servers", NULL, &result, err);
    if (rc < 0)
        return rc;
    size_t count = (size_t)PQntuples(result);
    if (count == r->server_count)
        return 0; /* names never change, there are only more of them */
    r->server_count = 0;
    arena_reset(&r->names);
    r->servers = arena_alloc(&r->names, count * sizeof *r->servers);
    if (!r->servers)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        struct span name = pg_span(result, (int)i, 1);
        char *copy = arena_dup(&r->names, name);
        if (!copy)
            return -ENOMEM;
        r->servers[r->server_count++] =
            (struct server_name){ .server = pg_i64(result, (int)i, 0),
                                  .name = { copy, name.size } };
    }
    return 0;
}

static uint64_t range_ops(const struct row_range *range)
{
    return range->ops ? range->ops : UINT64_MAX;
}

static void counter_out(const PGresult *result, int column, int op, uint64_t *has,
                        uint64_t *value)
{
    if (pg_is_null(result, 0, column))
        return;
    *has |= UINT64_C(1) << op;
    *value = counter_from_db(pg_i64(result, 0, column));
}

static int64_t ns_out(const PGresult *result, int column)
{
    return pg_is_null(result, 0, column) ? T_NONE : pg_i64(result, 0, column);
}

static int row_one(void *arg, const PGresult *result)
{
    const struct rows_read *read = arg;
    struct jobrow row = { .kind = read->range->kind };
    row.t_ms = pg_time(result, 0, 1);
    row.since_ms = pg_time(result, 0, 2);
    row.previous_ms = pg_time(result, 0, 3);
    row.reset = pg_is_null(result, 0, 4) ? RESET_UNKNOWN
                : pg_i64(result, 0, 4)   ? RESET_YES
                                         : RESET_NO;
    row.server = pg_server_name(read->r, pg_i64(result, 0, 5));
    row.snapshot_ns = ns_out(result, 6);
    row.start_ns = ns_out(result, 7);
    int at = 8;
    for (int op = 0; op < OP_COUNT; op++) {
        if (!op_is_on((enum op)op, row.kind) || !(range_ops(read->range) >> op & 1))
            continue;
        counter_out(result, at++, op, &row.has_samples, &row.samples[op]);
        counter_out(result, at++, op, &row.has_sum, &row.sum[op]);
    }
    if (read->range->with_more)
        row.more = pg_span(result, 0, at);
    return read->fn(read->arg, pg_i64(result, 0, 0), &row);
}

/* How far after to_ms a row may lie that reaches back before it: by the days' spans. */
static int after_end(struct engine_reader *r, const struct row_range *range,
                     int64_t *ret_ms, struct err *err)
{
    AUTO_RESULT PGresult *result = NULL;
    struct pg_args args = { 0 };
    pg_add_span(&args, span_of(target_kind_name(range->kind)));
    pg_add_i64(&args, schema_day(range->to_ms));
    int rc = pg_query(&r->conn,
                      "SELECT day, span_ms FROM jobstats_days "
                      "WHERE kind = $1 AND day >= $2",
                      &args, &result, err);
    if (rc < 0)
        return rc;
    *ret_ms = range->to_ms;
    for (int i = 0; i < PQntuples(result); i++) {
        int64_t start_ms = schema_day_start_ms((int32_t)pg_i64(result, i, 0));
        int64_t end_ms = range->to_ms + pg_i64(result, i, 1);
        if (end_ms < start_ms)
            continue; /* no row of that day reaches back so far */
        if (end_ms > start_ms + MS_PER_DAY)
            end_ms = start_ms + MS_PER_DAY;
        if (end_ms > *ret_ms)
            *ret_ms = end_ms;
    }
    return 0;
}

static void columns_add(struct strbuf *sql, const struct row_range *range)
{
    strbuf_adds(sql, "sid, \"timestamp\", since, previous, reset, server, "
                     "snapshot_time, start_time");
    schema_add_ops(sql, range->kind, range_ops(range), "");
    if (range->with_more)
        strbuf_adds(sql, ", more");
}

/* $1 from, $2 to, $3 the end of looking ahead, $4 the end for the flat form, $5 the
 * floor of looking back, $6 sids. */
static void rows_sql(struct strbuf *sql, const struct row_range *range)
{
    const char *table = target_kind_name(range->kind);
    const char *wanted = range->sids ? " AND sid = ANY ($6)" : "";
    AUTO(strbuf_done) struct strbuf columns = STRBUF_INIT;
    columns_add(&columns, range);
    strbuf_addf(sql,
                "WITH part AS (SELECT %s FROM jobstats_%s WHERE \"timestamp\" > $1 AND "
                "\"timestamp\" <= $2%s",
                strbuf_text(&columns), table, wanted);
    if (range->with_after)
        strbuf_addf(sql,
                    " UNION ALL (SELECT DISTINCT ON (sid) %s FROM jobstats_%s WHERE "
                    "\"timestamp\" > $2 AND \"timestamp\" <= $3 AND (since < $2 OR "
                    "(since IS NULL AND reset IS NULL AND \"timestamp\" <= $4))%s "
                    "ORDER BY sid, \"timestamp\")",
                    strbuf_text(&columns), table, wanted);
    strbuf_addf(sql, ") SELECT %s FROM part", strbuf_text(&columns));
    if (range->with_before)
        strbuf_addf(
            sql,
            " UNION ALL SELECT b.* FROM (SELECT DISTINCT ON (sid) sid, previous FROM "
            "part ORDER BY sid, \"timestamp\") f CROSS JOIN LATERAL (SELECT %s FROM "
            "jobstats_%s r WHERE r.sid = f.sid AND r.\"timestamp\" <= $1 AND "
            "r.\"timestamp\" >= least(f.previous - INTERVAL '%lld seconds', $5) "
            "ORDER BY r.\"timestamp\" DESC LIMIT 1) b",
            strbuf_text(&columns), table, (long long)(SCHEMA_LOOKBACK_MS / MS_PER_S));
    strbuf_adds(sql, " ORDER BY sid, \"timestamp\"");
    if (strbuf_error(&columns))
        sql->error = strbuf_error(&columns);
}

int pg_reader_rows(struct engine_reader *r, const struct row_range *range,
                   records_row_fn *fn, void *arg, struct err *err)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf sids = STRBUF_INIT;
    struct rows_read read = { .r = r, .range = range, .fn = fn, .arg = arg };
    struct pg_args args = { 0 };
    int64_t after_ms = range->to_ms;
    int rc = pg_reader_connected(r, err);
    if (rc == 0)
        rc = pg_servers_load(r, err);
    if (rc == 0 && range->with_after)
        rc = after_end(r, range, &after_ms, err);
    if (rc < 0)
        return rc;
    rows_sql(&sql, range);
    pg_add_time(&args, range->from_ms);
    pg_add_time(&args, range->to_ms);
    pg_add_time(&args, after_ms);
    pg_add_time(&args, range->to_ms + SCHEMA_FLAT_SPAN_MS);
    pg_add_time(&args, range->from_ms - SCHEMA_LOOKBACK_MS);
    if (range->sids) {
        pg_put_sids(&sids, range->sids, range->sid_count);
        pg_add_binary(&args, PG_OID_INT8_ARRAY, strbuf_span(&sids));
    }
    if (strbuf_error(&sql) || strbuf_error(&sids))
        return -ENOMEM;
    return pg_stream(&r->conn, strbuf_text(&sql), &args, row_one, &read, err);
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
