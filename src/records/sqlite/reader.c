/* SPDX-License-Identifier: Apache-2.0 */
/* reader - one reading connection to the SQLite file; rows.c reads the rows. */
#include "records/sqlite/reader.h"

#include "records/sqlite/packed_row.h"
#include "records/sqlite/statement.h"

#include <sys/stat.h>

void sqlite_reader_close(struct engine_reader *r)
{
    if (!r)
        return;
    (void)sqlite3_close_v2(r->db);
    server_names_done(&r->servers);
    free(r);
}
DEFINE_AUTO(struct engine_reader, sqlite_reader_close);

/* SQL function baro_wanted(sid): is it among the wanted series? */
static void wanted(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const struct engine_reader *r = sqlite3_user_data(context);
    int64_t sid = sqlite3_value_int64(values[0]);
    size_t low = 0, high = r->range->sid_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->range->sids[middle] < sid)
            low = middle + 1;
        else
            high = middle;
    }
    sqlite3_result_int(context,
                       low < r->range->sid_count && r->range->sids[low] == sid);
}

int sqlite_reader_open(const char *path, struct engine_reader **ret, struct err *err)
{
    AUTO(sqlite_reader_close) struct engine_reader *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    server_names_init(&r->servers);
    int rc = db_open_to_read(path, &r->db, err);
    if (rc < 0)
        return rc;
    rc = db_exec(r->db, "PRAGMA cache_size = -32768; PRAGMA trusted_schema = OFF", err);
    if (rc < 0)
        return rc;
    if (sqlite3_create_function(r->db, "baro_wanted", 1,
                                SQLITE_UTF8 | SQLITE_DIRECTONLY, r, wanted, NULL,
                                NULL) != SQLITE_OK)
        return db_error(r->db, "create_function", err);
    rc = packed_row_install(r->db, err);
    if (rc < 0)
        return rc;
    *ret = TAKE(r);
    return 0;
}

/* So many steps of SQLite's machine take a few milliseconds. */
#define WATCH_STEPS 20000

void sqlite_reader_watch(struct engine_reader *r, records_watch_fn *fn, void *arg)
{
    sqlite3_progress_handler(r->db, WATCH_STEPS, fn, arg);
}

int reader_begin(struct engine_reader *r, bool *ret_began, struct err *err)
{
    *ret_began = sqlite3_get_autocommit(r->db) != 0;
    return *ret_began ? db_exec(r->db, "BEGIN", err) : 0;
}

void reader_end(struct engine_reader *r, bool began)
{
    if (began)
        (void)sqlite3_exec(r->db, "COMMIT", NULL, NULL, NULL);
}

int sqlite_reader_sql(struct engine_reader *r, struct sql_conn *ret, struct err *err)
{
    (void)err;
    *ret = sqlite_conn(r->db);
    return 0;
}

int sqlite_servers_load(struct engine_reader *r, struct err *err)
{
    const struct sql_conn conn = sqlite_conn(r->db);
    return server_names_load(&r->servers, &conn, err);
}

/* ---- series ---- */

/* One more value is appended for an identifier, which is looked for in every group of
 * the index, or for each sid in turn: an array cannot be bound here. */
static int series_sql(const struct series_filter *f, struct series_terms *terms,
                      struct strbuf *sql)
{
    if (f->id)
        strbuf_addf(sql,
                    "WITH RECURSIVE groups (g) AS (VALUES (0) UNION ALL SELECT g + 1 "
                    "FROM groups WHERE g < (SELECT max(sid) >> %d FROM series)) "
                    "SELECT " SERIES_COLUMNS " FROM groups CROSS JOIN series "
                    "ON sid >> %d = g WHERE true",
                    SCHEMA_ID_GROUP_BITS, SCHEMA_ID_GROUP_BITS);
    else
        strbuf_adds(sql, "SELECT " SERIES_COLUMNS " FROM series WHERE true");
    int rc = series_terms_add(sql, f, terms);
    if (f->id) {
        terms->values[terms->count++] = sql_uuid(f->id);
        strbuf_addf(sql, " AND time_series_id = $%zu", terms->count);
    }
    if (f->sids)
        strbuf_addf(sql, " AND sid = $%zu", terms->count + 1);
    strbuf_adds(sql, " ORDER BY sid");
    return rc < 0 ? rc : strbuf_error(sql);
}

static int series_step(sqlite3_stmt *stmt, struct series_rows *read)
{
    const struct sql_row row = sqlite_row(stmt);
    int rc = 0;
    while (!series_rows_are_enough(read) && (rc = db_step(stmt, read->err)) > 0) {
        rc = series_rows_read(read, &row);
        if (rc < 0)
            return rc;
    }
    return rc < 0 ? rc : 0;
}

static int series_find(struct engine_reader *r, struct series_rows *read)
{
    const struct series_filter *f = read->filter;
    AUTO(series_terms_done) struct series_terms terms = { .entry = STRBUF_INIT };
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    int rc = series_sql(f, &terms, &sql);
    if (rc == 0)
        rc = db_prepare(r->db, strbuf_text(&sql), &stmt, read->err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < terms.count; i++)
        sqlite_bind_value(stmt, (int)i + 1, &terms.values[i]);
    if (!f->sids)
        return series_step(stmt, read);
    for (size_t i = 0; i < f->sid_count && rc == 0; i++) {
        (void)sqlite3_bind_int64(stmt, (int)terms.count + 1, f->sids[i]);
        rc = series_step(stmt, read);
        (void)sqlite3_reset(stmt);
    }
    return rc;
}

int sqlite_reader_series(struct engine_reader *r, const struct series_filter *filter,
                         records_series_fn *fn, void *arg, struct err *err)
{
    struct series_rows read = { .filter = filter, .fn = fn, .arg = arg, .err = err };
    bool began = false;
    int rc = reader_begin(r, &began, err);
    if (rc < 0)
        return rc;
    rc = series_find(r, &read);
    reader_end(r, began);
    return rc;
}

/* ---- extent ---- */

/* T_NONE: another program has deleted the day's rows. */
static int day_edge(struct engine_reader *r, enum target_kind kind, int32_t day,
                    const char *edge, int64_t *ret_ms, struct err *err)
{
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    char sql[96];
    (void)snprintf(sql, sizeof sql, "SELECT %s(timestamp) FROM jobstats_%s_%d", edge,
                   target_kind_name(kind), day);
    int rc = db_prepare(r->db, sql, &stmt, err);
    if (rc == 0)
        rc = db_step(stmt, err);
    if (rc > 0)
        *ret_ms = db_time(stmt, 0);
    return rc < 0 ? rc : 0;
}

static int extent_kind(struct engine_reader *r, enum target_kind kind,
                       struct records_extent *extent, struct err *err)
{
    AUTO(day_list_done) struct day_list days = { 0 };
    const struct sql_conn conn = sqlite_conn(r->db);
    int64_t first_ms = T_NONE, last_ms = T_NONE;
    int rc = day_list_load(&days, &conn, kind, 0, err);
    for (size_t i = 0; i < days.count && rc == 0 && first_ms == T_NONE; i++)
        rc = day_edge(r, kind, days.days[i].day, "min", &first_ms, err);
    for (size_t i = days.count; i > 0 && rc == 0 && last_ms == T_NONE; i--)
        rc = day_edge(r, kind, days.days[i - 1].day, "max", &last_ms, err);
    if (rc < 0 || first_ms == T_NONE)
        return rc;
    if (extent->first_ms == T_NONE || first_ms < extent->first_ms)
        extent->first_ms = first_ms;
    if (extent->last_ms == T_NONE || last_ms > extent->last_ms)
        extent->last_ms = last_ms;
    return 0;
}

static int first_rollup(struct engine_reader *r, struct records_extent *extent,
                        struct err *err)
{
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    int rc = db_prepare(r->db, "SELECT min(hour) FROM rollup_hours", &stmt, err);
    if (rc == 0)
        rc = db_step(stmt, err);
    if (rc > 0)
        extent->rollup_first_ms = db_time(stmt, 0);
    return rc < 0 ? rc : 0;
}

static int extent_read(struct engine_reader *r, struct records_extent *extent,
                       struct err *err)
{
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++) {
        int rc = extent_kind(r, (enum target_kind)kind, extent, err);
        if (rc < 0)
            return rc;
    }
    int64_t series = 0, rows = 0;
    int rc = db_number(r->db, "SELECT coalesce(max(sid), 0) FROM series", &series, err);
    if (rc < 0)
        return rc;
    rc = db_number(r->db, "SELECT coalesce(sum(row_count), 0) FROM jobstats_days",
                   &rows, err);
    extent->series_count = (uint64_t)series;
    extent->row_count = (uint64_t)rows;
    return rc < 0 ? rc : first_rollup(r, extent, err);
}

int sqlite_reader_extent(struct engine_reader *r, struct records_extent *ret,
                         struct err *err)
{
    struct records_extent extent = { .first_ms = T_NONE,
                                     .last_ms = T_NONE,
                                     .rollup_first_ms = T_NONE };
    bool began = false;
    int rc = reader_begin(r, &began, err);
    if (rc < 0)
        return rc;
    rc = extent_read(r, &extent, err);
    reader_end(r, began);
    if (rc < 0)
        return rc;
    struct stat st;
    AUTO_FREE char *wal = NULL;
    const char *path = sqlite3_db_filename(r->db, "main");
    if (stat(path, &st) == 0)
        extent.size_bytes = (uint64_t)st.st_size;
    if (asprintf(&wal, "%s-wal", path) > 0 && stat(wal, &st) == 0)
        extent.size_bytes += (uint64_t)st.st_size;
    *ret = extent;
    return 0;
}
