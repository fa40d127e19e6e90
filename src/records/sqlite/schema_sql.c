/* SPDX-License-Identifier: Apache-2.0 */
/* schema_sql - SQLite's tables, and the way from each older version to the newest. */
#include "records/sqlite/schema_sql.h"

#include "records/sqlite/days.h"
#include "records/sqlite/ledger.h"
#include "records/sqlite/rollup.h"
#include "records/sqlite/statement.h"
#include "records/sqlite/version.h"

#define APPLICATION_ID 0x6261726f /* "baro" */

/* The texts of series are in their printed form; entry_bytes is there only where the
 * identifier's bytes are others. */
static const char version_1[] =
    "CREATE TABLE schema_version (version INTEGER NOT NULL);"
    "INSERT INTO schema_version VALUES (0);"
    "CREATE TABLE namespaces (fs TEXT NOT NULL, format TEXT NOT NULL,"
    " namespace BLOB NOT NULL UNIQUE, PRIMARY KEY (fs, format)) WITHOUT ROWID;"
    "CREATE TABLE servers (server INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE batches (agent BLOB NOT NULL, sequence INTEGER NOT NULL,"
    " arrived INTEGER NOT NULL, taken INTEGER NOT NULL, known INTEGER NOT NULL,"
    " refused INTEGER NOT NULL, refusals TEXT NOT NULL,"
    " PRIMARY KEY (agent, sequence)) WITHOUT ROWID;"
    "CREATE TABLE series (sid INTEGER PRIMARY KEY, time_series_id BLOB NOT NULL,"
    " fs TEXT NOT NULL, target TEXT NOT NULL, kind TEXT NOT NULL,"
    " entry_id TEXT NOT NULL, entry_bytes BLOB, format TEXT, job_id TEXT,"
    " user_id TEXT, group_id TEXT, nodename TEXT, executable TEXT, pid TEXT,"
    " flags INTEGER NOT NULL, is_login INTEGER NOT NULL);"
    "CREATE UNIQUE INDEX series_entry ON series (fs, target, entry_id);"
    "CREATE UNIQUE INDEX series_id ON series (time_series_id);"
    "CREATE INDEX series_job ON series (job_id);"
    "CREATE INDEX series_user ON series (user_id);"
    "CREATE TABLE jobstats_days (kind TEXT NOT NULL, day INTEGER NOT NULL,"
    " span_ms INTEGER NOT NULL, row_count INTEGER NOT NULL, PRIMARY KEY (kind, day)) "
    "WITHOUT ROWID;";

/* The unique index of random ids made each new series dearer, the more there were: its
 * pages left the cache, and each commit wrote as many of them as it had new series.
 * Groups of 16,384 series keep the new ones together; (fs, target, entry_id) is what
 * holds a series to be one.  Names of namespaces from before are what can be known: the
 * present one, and every name whose format has no namespace any more. */
_Static_assert(SCHEMA_ID_GROUP_BITS == 14, "the index of version 2 has 14");
static const char version_2[] =
    "CREATE TABLE namespace_names (namespace BLOB NOT NULL, fs TEXT NOT NULL,"
    " PRIMARY KEY (namespace, fs)) WITHOUT ROWID;"
    "INSERT INTO namespace_names SELECT namespace, fs FROM namespaces;"
    "INSERT INTO namespace_names SELECT DISTINCT n.namespace, s.fs FROM"
    " (SELECT DISTINCT fs, coalesce(format, '') AS format FROM series) s"
    " JOIN namespaces n ON n.format = s.format WHERE NOT EXISTS (SELECT 1 FROM"
    " namespaces o WHERE o.fs = s.fs AND o.format = s.format);"
    "DROP INDEX series_id;"
    "CREATE INDEX series_id ON series (sid >> 14, time_series_id);";

/* So that two files can be distinguished; the columns are PostgreSQL's. */
static const char version_5[] =
    "CREATE TABLE records_identity (singleton INTEGER PRIMARY KEY CHECK"
    " (singleton = 1), id BLOB NOT NULL, epoch INTEGER NOT NULL, writer BLOB NOT NULL);"
    "INSERT INTO records_identity VALUES (1, randomblob(16), 0, randomblob(16));";

/* migrations[n] leads from version n to n + 1; NULL: made by a function. */
static const char *const migrations[SCHEMA_VERSION] = {
    version_1, version_2, NULL, NULL, version_5, NULL, NULL,
    NULL,      NULL,      NULL, NULL, NULL,      NULL
};

static int migrate_step(sqlite3 *db, int64_t version, struct err *err)
{
    if (migrations[version])
        return db_exec(db, migrations[version], err);
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    if (version == 6)
        return 0; /* its index is of a column that grows later */
    if (version == 2) {
        sqlite_rollup_tables(&sql);
    } else if (version == 5) {
        sqlite_ledger_table(&sql, &ledger_id_names);
    } else if (version == 7) {
        sqlite_ledger_table(&sql, &ledger_target_readings);
    } else if (version == 8) {
        sqlite_ledger_table(&sql, &ledger_job_steps);
    } else if (version == 9) {
        sqlite_ledger_table(&sql, &ledger_job_metrics);
    } else if (version == 10) {
        sqlite_ledger_table(&sql, &ledger_resource_statements);
        sqlite_ledger_table(&sql, &ledger_resource_changes);
    } else if (version == 11) {
        sqlite_ledger_table(&sql, &ledger_session_reports);
        sqlite_ledger_table(&sql, &ledger_job_files);
        sqlite_ledger_table(&sql, &ledger_job_datasets);
    } else if (version == 12) {
        sqlite_ledger_table(&sql, &ledger_part_stays);
        sqlite_ledger_table(&sql, &ledger_part_changes);
        strbuf_adds(&sql, SESSION_LEDGER_JOB_INDEX);
    } else {
        sqlite_ledger_table(&sql, &ledger_jobs);
        sqlite_ledger_table(&sql, ledger_summaries());
    }
    if (strbuf_error(&sql))
        return strbuf_error(&sql);
    return db_exec(db, strbuf_text(&sql), err);
}

static void add_time(struct strbuf *sql, const char *column, const char *per_s,
                     const char *name)
{
    strbuf_addf(sql,
                "strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', %s / %s, 'unixepoch') AS %s, ",
                column, per_s, name);
}

/* The ledgers for people: times that can be read, beside the numbers. */
static void add_ledger_view(struct strbuf *sql, const struct ledger *ledger,
                            const char *view)
{
    strbuf_addf(sql, "; DROP VIEW IF EXISTS %s; CREATE VIEW %s AS SELECT ", view, view);
    add_time(sql, "nullif(start_ns, 0)", "1000000000.0", "start_time");
    add_time(sql, "end_ns", "1000000000.0", "end_time");
    add_time(sql, "told_ms", "1000.0", "told_time");
    ledger_add_view_names(sql, ledger);
    strbuf_addf(sql, " FROM %s", ledger->table);
}

/* Views are no data: they are made anew by every program that opens the file, so that
 * a better one needs no migration. */
static int make_views(sqlite3 *db, struct err *err)
{
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++) {
        AUTO(day_list_done) struct day_list days = { 0 };
        const struct sql_conn conn = sqlite_conn(db);
        int rc = day_list_load(&days, &conn, (enum target_kind)kind, 0, err);
        if (rc == 0)
            rc = days_make_view(db, (enum target_kind)kind, &days, err);
        if (rc < 0)
            return rc;
    }
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    strbuf_adds(&sql, "DROP VIEW IF EXISTS jobstats; DROP VIEW IF EXISTS job_activity;"
                      "DROP VIEW IF EXISTS jobstats_series;"
                      "CREATE VIEW jobstats_series AS SELECT sid,"
                      " lower(substr(hex(time_series_id), 1, 8) || '-' ||"
                      " substr(hex(time_series_id), 9, 4) || '-' ||"
                      " substr(hex(time_series_id), 13, 4) || '-' ||"
                      " substr(hex(time_series_id), 17, 4) || '-' ||"
                      " substr(hex(time_series_id), 21)) AS time_series_id,"
                      " fs, target, kind, entry_id, format, job_id, user_id, group_id,"
                      " nodename, executable, pid, flags, is_login FROM series;"
                      "CREATE VIEW jobstats AS ");
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++) {
        strbuf_adds(&sql, kind ? " UNION ALL SELECT " : "SELECT ");
        strbuf_adds(&sql,
                    "strftime('%Y-%m-%dT%H:%M:%fZ', r.timestamp / 1000.0, 'unixepoch')"
                    " AS time, r.timestamp, s.time_series_id, s.fs, s.target, s.kind,"
                    " s.entry_id, s.job_id, s.user_id, s.group_id, s.nodename,"
                    " s.executable, v.name AS server, r.since, r.previous, r.reset,"
                    " r.snapshot_time, r.start_time");
        for (int op = 0; op < OP_COUNT; op++) {
            const char *name = op_name((enum op)op);
            if (op_is_on((enum op)op, (enum target_kind)kind))
                strbuf_addf(&sql, ", r.\"%s\", r.\"%s_sum\"", name, name);
            else
                strbuf_addf(&sql, ", NULL AS \"%s\", NULL AS \"%s_sum\"", name, name);
        }
        strbuf_addf(&sql,
                    ", r.more FROM jobstats_%s r JOIN jobstats_series s USING (sid)"
                    " LEFT JOIN servers v ON v.server = r.server",
                    target_kind_name((enum target_kind)kind));
    }
    strbuf_adds(&sql,
                "; CREATE VIEW job_activity AS SELECT fs, job_id, user_id,"
                " strftime('%Y-%m-%dT%H:%M:%fZ', min(timestamp) / 1000.0, 'unixepoch')"
                " AS first_time,"
                " strftime('%Y-%m-%dT%H:%M:%fZ', max(timestamp) / 1000.0, 'unixepoch')"
                " AS last_time, count(DISTINCT target) AS targets,"
                " count(DISTINCT nodename) AS nodes, count(*) AS observations"
                " FROM jobstats GROUP BY fs, job_id, user_id");
    add_ledger_view(&sql, &ledger_jobs, "jobs");
    add_ledger_view(&sql, ledger_summaries(), "job_summaries");
    add_ledger_view(&sql, &ledger_id_names, "user_names");
    add_ledger_view(&sql, &ledger_target_readings, "target_health");
    add_ledger_view(&sql, &ledger_job_steps, "job_step_runs");
    add_ledger_view(&sql, &ledger_job_metrics, "job_footprints");
    add_ledger_view(&sql, &ledger_resource_statements, "resource_health");
    add_ledger_view(&sql, &ledger_resource_changes, "resource_history");
    add_ledger_view(&sql, &ledger_session_reports, "user_sessions");
    add_ledger_view(&sql, &ledger_part_stays, "inventory");
    add_ledger_view(&sql, &ledger_part_changes, "inventory_changes");
    if (strbuf_error(&sql))
        return strbuf_error(&sql);
    return db_exec(db, strbuf_text(&sql), err);
}

int sqlite_migrate_in(sqlite3 *db, struct err *err)
{
    int64_t version = 0;
    int rc = sqlite_version_read(db, &version, err);
    if (rc == 0)
        rc = schema_version_check(version, err);
    if (rc < 0)
        return rc;
    for (; version < SCHEMA_VERSION; version++) {
        rc = migrate_step(db, version, err);
        if (rc < 0)
            return rc;
    }
    rc = sqlite_ledger_grow(db, &ledger_jobs, err);
    if (rc == 0)
        rc = sqlite_ledger_grow(db, ledger_summaries(), err);
    if (rc == 0)
        rc = sqlite_ledger_grow(db, &ledger_id_names, err);
    if (rc == 0)
        rc = sqlite_ledger_grow(db, &ledger_target_readings, err);
    if (rc == 0)
        rc = sqlite_ledger_grow(db, &ledger_job_steps, err);
    if (rc == 0)
        rc = sqlite_ledger_grow(db, &ledger_job_metrics, err);
    if (rc == 0)
        rc = sqlite_ledger_grow(db, &ledger_resource_statements, err);
    if (rc == 0)
        rc = sqlite_ledger_grow(db, &ledger_resource_changes, err);
    if (rc == 0)
        rc = sqlite_ledger_grow(db, &ledger_session_reports, err);
    if (rc == 0)
        rc = sqlite_ledger_grow(db, &ledger_job_files, err);
    if (rc == 0)
        rc = sqlite_ledger_grow(db, &ledger_job_datasets, err);
    if (rc == 0)
        rc = sqlite_ledger_grow(db, &ledger_part_stays, err);
    if (rc == 0)
        rc = sqlite_ledger_grow(db, &ledger_part_changes, err);
    if (rc == 0)
        rc = db_exec(db, JOB_LEDGER_UID_INDEX, err);
    if (rc < 0)
        return rc;
    rc = db_execf(db, err, "UPDATE schema_version SET version = %d", SCHEMA_VERSION);
    if (rc < 0)
        return rc;
    rc = db_execf(db, err, "PRAGMA application_id = %d", APPLICATION_ID);
    return rc < 0 ? rc : make_views(db, err);
}

/* A full disk keeps no reader from what is there: where the tables are this version's,
 * what could not be written says the same again. */
static bool is_current(sqlite3 *db)
{
    int64_t version = 0;
    return sqlite_version_read(db, &version, NULL) == 0 && version == SCHEMA_VERSION;
}

int sqlite_migrate(sqlite3 *db, struct err *err)
{
    int rc = db_exec(db, "BEGIN IMMEDIATE", err);
    if (rc == 0)
        rc = sqlite_migrate_in(db, err);
    if (rc == 0)
        rc = db_exec(db, "COMMIT", err);
    if (rc < 0 && !sqlite3_get_autocommit(db))
        (void)sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return rc == -ENOSPC && is_current(db) ? 0 : rc;
}

static int steps_report(sqlite3 *db, records_step_fn *fn, void *arg, struct err *err)
{
    int64_t version = 0, series = 0;
    int rc = sqlite_version_read(db, &version, err);
    if (rc == 0 && version == 0)
        rc = err_set(err, ENODATA, "records: the file holds no tables of barograph");
    if (rc == 0)
        rc = schema_version_check(version, err);
    if (rc == 0)
        rc = db_number(db, "SELECT coalesce(max(sid), 0) FROM series", &series, err);
    if (rc == 0)
        migration_report(
            version, (uint64_t)series,
            "barod's batches wait; queries go on with what was there before",
            "barod's batches wait; queries go on with what was there before", fn, arg);
    return rc;
}

int sqlite_engine_migrate(const struct records_opts *opts, bool is_dry,
                          records_step_fn *fn, void *arg, struct err *err)
{
    AUTO_DB sqlite3 *db = NULL;
    int rc = is_dry ? db_open_to_read(opts->path, &db, err)
                    : db_open(opts->path, SQLITE_OPEN_READWRITE, &db, err);
    if (rc == 0)
        rc = steps_report(db, fn, arg, err);
    if (rc < 0 || is_dry)
        return rc;
    rc = db_exec(db, "PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF", err);
    return rc < 0 ? rc : sqlite_migrate(db, err);
}
