/* SPDX-License-Identifier: Apache-2.0 */
/* fixture - a database of either engine, empty, and the means to fill and read it. */
#include "records/test/fixture.h"

#include "base/span.h"

#include <ftw.h>
#include <libpq-fe.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

const char *const fixture_engines[] = { "sqlite", "postgres" };

size_t fixture_engine_count(void)
{
    return getenv("BARO_TEST_POSTGRES") ? 2 : 1;
}

static bool is_postgres(const struct fixture *f)
{
    return strcmp(f->engine, "postgres") == 0;
}

static void fixture_open(struct fixture *f)
{
    struct err err = { 0 };
    if (records_open(&f->opts, f->site, &f->records, &err) < 0)
        fail_msg("%s: open: %s", f->engine, err.text);
    if (records_reader_open(f->records, &f->reader, &err) < 0)
        fail_msg("%s: reader: %s", f->engine, err.text);
}

/* A schema for each fixture stands for a database of its own. */
static void schema_make(struct fixture *f)
{
    static int count = 0;
    (void)snprintf(f->schema, sizeof f->schema, "baro_test_%d_%d", (int)getpid(),
                   ++count);
    (void)snprintf(f->connection, sizeof f->connection,
                   "%s options='-c search_path=%s'", getenv("BARO_TEST_POSTGRES"),
                   f->schema);
    char sql[128];
    (void)snprintf(sql, sizeof sql, "CREATE SCHEMA %s", f->schema);
    fixture_sql(f, sql);
}

void fixture_start(struct fixture *f, const char *engine, const char *config)
{
    *f = (struct fixture){ .engine = engine };
    const char *base = getenv("TMPDIR");
    (void)snprintf(f->dir, sizeof f->dir, "%s/baro-records-XXXXXX",
                   base ? base : "/tmp");
    assert_non_null(mkdtemp(f->dir));
    (void)snprintf(f->path, sizeof f->path, "%s/records.db", f->dir);
    struct err err = { 0 };
    if (config_parse("test.conf", span_of(config), &site_config_section, 1, &f->config,
                     &err) < 0 ||
        site_new(f->config, &f->site, &err) < 0)
        fail_msg("%s", err.text);
    f->opts = (struct records_opts){ .engine = engine,
                                     .path = f->path,
                                     .connection = f->connection,
                                     .retention_ns = 10 * DAY_NS };
    if (is_postgres(f))
        schema_make(f);
    fixture_open(f);
}

static void fixture_close(struct fixture *f)
{
    records_reader_close(f->reader);
    records_close(f->records);
    f->reader = NULL;
    f->records = NULL;
}

static int remove_one(const char *path, const struct stat *st, int type,
                      struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

void fixture_stop(struct fixture *f)
{
    fixture_close(f);
    if (is_postgres(f)) {
        char sql[128];
        (void)snprintf(sql, sizeof sql, "DROP SCHEMA %s CASCADE", f->schema);
        fixture_sql(f, sql);
    }
    site_free(f->site);
    config_free(f->config);
    (void)nftw(f->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

void fixture_reopen(struct fixture *f)
{
    fixture_close(f);
    fixture_open(f);
}

void fixture_restore(struct fixture *f, const char *sql)
{
    fixture_close(f);
    if (is_postgres(f)) {
        char again[192];
        (void)snprintf(again, sizeof again, "DROP SCHEMA %s CASCADE; CREATE SCHEMA %s",
                       f->schema, f->schema);
        fixture_sql(f, again);
    } else {
        assert_int_equal(unlink(f->path), 0);
    }
    fixture_sql(f, sql);
    fixture_open(f);
}

static int number_out(void *arg, int count, char **values, char **names)
{
    (void)names;
    if (count && values[0])
        (void)number_parse_i64(span_of(values[0]), arg);
    return 0;
}

static int64_t postgres_number(const struct fixture *f, const char *sql)
{
    int64_t number = INT64_MIN;
    PGconn *pg = PQconnectdb(f->connection);
    PGresult *result = PQexec(pg, sql);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        fail_msg("%s: %s", sql, PQerrorMessage(pg));
    if (PQntuples(result))
        (void)number_parse_i64(span_of(PQgetvalue(result, 0, 0)), &number);
    PQclear(result);
    PQfinish(pg);
    return number;
}

int64_t fixture_number(struct fixture *f, const char *sql)
{
    if (is_postgres(f))
        return postgres_number(f, sql);
    sqlite3 *db = NULL;
    int64_t number = INT64_MIN;
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, number_out, &number, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return number;
}

void fixture_sql(struct fixture *f, const char *sql)
{
    (void)fixture_number(f, sql);
}

struct jobrow *fixture_row(struct jobbatch *batch, const char *target, const char *id,
                           int64_t t_ms)
{
    struct jobrow *row = jobbatch_add_row(batch);
    assert_non_null(row);
    row->target = span_of(target);
    row->kind = strstr(target, "-MDT") ? TARGET_MDT : TARGET_OST;
    row->entry_id = span_of(id);
    row->id_exact = true;
    row->server = SPAN("oss01");
    row->t_ms = t_ms;
    row->since_ms = t_ms - 2 * MINUTE_MS;
    row->previous_ms = t_ms - 2 * MINUTE_MS;
    row->snapshot_ns = t_ms * NS_PER_MS - 987654321;
    return row;
}

void fixture_count(struct jobrow *row, enum op op, uint64_t samples)
{
    row->has_samples |= UINT64_C(1) << op;
    row->samples[op] = samples;
}

void fixture_fs(struct fixture *f, const struct jobbatch *batch)
{
    for (size_t i = 0; i < batch->row_count; i++) {
        struct jobrow *row = &batch->rows[i];
        if (row->fs.size == 0)
            row->fs = site_fs(f->site, row->server, row->target);
    }
}

struct records_response fixture_put(struct fixture *f, const struct jobbatch *batch,
                                    int64_t now_ms)
{
    struct records_response answer = { 0 };
    struct err err = { 0 };
    fixture_fs(f, batch);
    if (records_put(f->records, batch, now_ms, &answer, NULL, NULL, &err) < 0)
        fail_msg("%s: put: %s", f->engine, err.text);
    return answer;
}

/* ---- what was read, as text ---- */

static void time_add(struct strbuf *out, const char *name, int64_t t)
{
    if (t == T_NONE)
        strbuf_addf(out, " %s=null", name);
    else
        strbuf_addf(out, " %s=%lld", name, (long long)t);
}

static int row_text(void *arg, int64_t sid, const struct jobrow *row)
{
    struct strbuf *out = arg;
    strbuf_addf(out, "%lld", (long long)sid);
    time_add(out, "t", row->t_ms - T0_MS);
    time_add(out, "since", row->since_ms == T_NONE ? T_NONE : row->since_ms - T0_MS);
    time_add(out, "previous",
             row->previous_ms == T_NONE ? T_NONE : row->previous_ms - T0_MS);
    time_add(out, "snapshot", row->snapshot_ns);
    time_add(out, "start", row->start_ns);
    strbuf_addf(out, " reset=%d kind=%d server=" SPAN_FMT, (int)row->reset,
                (int)row->kind, SPAN_ARG(row->server));
    for (int op = 0; op < OP_COUNT; op++) {
        if (row->has_samples >> op & 1)
            strbuf_addf(out, " %s=%llu", op_name((enum op)op),
                        (unsigned long long)row->samples[op]);
        if (row->has_sum >> op & 1)
            strbuf_addf(out, " %s_sum=%llu", op_name((enum op)op),
                        (unsigned long long)row->sum[op]);
    }
    strbuf_addf(out, " more=" SPAN_FMT "\n", SPAN_ARG(row->more));
    return 0;
}

void fixture_read(struct fixture *f, const struct row_range *range, struct strbuf *out)
{
    struct err err = { 0 };
    if (records_read_rows(f->reader, range, row_text, out, &err) < 0)
        fail_msg("%s: read: %s", f->engine, err.text);
    strbuf_adds(out, "");
}

static int series_text(void *arg, const struct series *s)
{
    struct strbuf *out = arg;
    strbuf_addf(out, SPAN_FMT " " SPAN_FMT " ", SPAN_ARG(s->fs), SPAN_ARG(s->target));
    entry_id_print(out, s->entry_id);
    const struct span texts[] = { s->format, s->job,        s->user, s->group,
                                  s->node,   s->executable, s->pid };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        strbuf_addf(out, " " SPAN_FMT, (int)(texts[i].data ? texts[i].size : 4),
                    texts[i].data ? texts[i].data : "null");
    strbuf_addf(out, " kind=%d flags=%u login=%d\n", (int)s->kind, s->flags,
                s->is_login);
    return 0;
}

void fixture_series(struct fixture *f, const struct series_filter *filter,
                    struct strbuf *out)
{
    struct err err = { 0 };
    if (records_find_series(f->reader, filter, series_text, out, &err) < 0)
        fail_msg("%s: find: %s", f->engine, err.text);
}

static int sid_out(void *arg, const struct series *s)
{
    *(int64_t *)arg = s->sid;
    return 0;
}

int64_t fixture_sid(struct fixture *f, const char *target, const char *id)
{
    int64_t sid = 0;
    struct series_filter filter = { .target = target, .entry_id = span_of(id) };
    assert_int_equal(records_find_series(f->reader, &filter, sid_out, &sid, NULL), 0);
    return sid;
}
