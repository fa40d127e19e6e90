/* SPDX-License-Identifier: Apache-2.0 */
/* check - is a SQLite file damaged? */
#include "records/sqlite/check.h"

#include "base/clock.h"
#include "base/span.h"
#include "records/sqlite/days.h"
#include "records/sqlite/statement.h"
#include "records/sqlite/version.h"
#include "records/tables/tables.h"

#define CHECK_STEPS 20000 /* of SQLite's machine: some milliseconds */
#define FINDINGS_MAX "100"

/* ---- while barod runs ---- */

static int on_deadline(void *arg)
{
    const int64_t *end_ns = arg;
    return clock_monotonic_ns() > *end_ns;
}

/* One statement whose rows are findings, or "ok".  -EINTR: it was stopped. */
static int check_run(sqlite3 *db, const char *sql, struct err *err)
{
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    struct err why = { 0 };
    int rc = db_prepare(db, sql, &stmt, err);
    if (rc < 0)
        return rc;
    rc = db_step(stmt, &why);
    if (rc < 0 && (sqlite3_errcode(db) & 0xff) == SQLITE_INTERRUPT)
        return -EINTR;
    if (rc < 0)
        return err_set(err, -rc, "%s", why.text);
    if (rc == 0 || span_is(db_span(stmt, 0), "ok"))
        return 0;
    return db_damaged(db, (const char *)sqlite3_column_text(stmt, 0), err);
}

int sqlite_check_start(sqlite3 *db, struct err *err)
{
    int64_t end_ns = clock_monotonic_ns() + SQLITE_CHECK_START_MS * NS_PER_MS;
    sqlite3_progress_handler(db, CHECK_STEPS, on_deadline, &end_ns);
    int rc = check_run(db, "PRAGMA quick_check(1)", err);
    sqlite3_progress_handler(db, 0, NULL, NULL);
    return rc == -EINTR ? 0 : rc;
}

static int table_names(sqlite3 *db, struct strbuf *list, struct err *err)
{
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    int rc = db_prepare(db,
                        "SELECT name FROM sqlite_master WHERE type = 'table' "
                        "AND name NOT LIKE 'sqlite_%'",
                        &stmt, err);
    while (rc == 0 && (rc = db_step(stmt, err)) > 0) {
        strbuf_add_span(list, db_span(stmt, 0));
        strbuf_addc(list, '\n');
        rc = 0;
    }
    return rc < 0 ? rc : strbuf_error(list);
}

int sqlite_check_whole(const char *path, records_watch_fn *watch, void *arg,
                       struct err *err)
{
    AUTO_DB sqlite3 *db = NULL;
    AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
    int rc = db_open_to_read(path, &db, err);
    if (rc == 0)
        rc = table_names(db, &names, err);
    if (rc < 0)
        return rc;
    sqlite3_progress_handler(db, CHECK_STEPS, watch, arg);
    struct span rest = strbuf_span(&names), name;
    while (rest.size && rc == 0) {
        char sql[160];
        (void)span_cut(&rest, '\n', &name);
        (void)snprintf(sql, sizeof sql, "PRAGMA quick_check(\"%.*s\")",
                       (int)(name.size < 100 ? name.size : 100), name.data);
        rc = check_run(db, sql, err);
    }
    return rc == -EINTR ? err_set(err, ECANCELED, "the check was stopped") : rc;
}

/* ---- baro records verify ---- */

/* A finding of SQLite may have several lines: the first only names the database. */
static void findings_report(struct verify *verify, struct span text)
{
    struct span line;
    if (span_is(text, "ok"))
        return;
    while (text.size) {
        (void)span_cut(&text, '\n', &line);
        if (line.size && !span_starts(line, "***"))
            verify_fault(verify,
                         "restore a backup, or rescue it with sqlite3's .recover",
                         "SQLite: " SPAN_FMT, SPAN_ARG(line));
    }
}

static int integrity(sqlite3 *db, struct verify *verify, struct err *err)
{
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    int rc = db_prepare(db, "PRAGMA integrity_check(" FINDINGS_MAX ")", &stmt, err);
    while (rc == 0 && (rc = db_step(stmt, err)) > 0) {
        findings_report(verify, db_span(stmt, 0));
        rc = 0;
    }
    return rc;
}

static int day_verify(const struct sql_conn *conn, enum target_kind kind,
                      const struct day_span *day, struct verify *verify,
                      struct err *err)
{
    const char *name = target_kind_name(kind);
    long long start_ms = day_start_ms(day->day);
    char label[96], sql[256];
    (void)snprintf(sql, sizeof sql,
                   "SELECT abs(count(*) - (SELECT row_count FROM jobstats_days WHERE "
                   "kind = '%s' AND day = %d)) FROM jobstats_%s_%d",
                   name, day->day, name, day->day);
    (void)snprintf(label, sizeof label,
                   "rows of jobstats_%s_%d that are not there, or "
                   "were not counted",
                   name, day->day);
    int rc =
        verify_number(verify, conn, label,
                      "rows were lost, or deleted by hand: restore a backup", sql, err);
    (void)snprintf(
        sql, sizeof sql,
        "SELECT count(*) FROM jobstats_%s_%d WHERE timestamp NOT BETWEEN %lld "
        "AND %lld OR timestamp - since > %lld",
        name, day->day, start_ms, start_ms + MS_PER_DAY - 1, (long long)day->span_ms);
    (void)snprintf(label, sizeof label,
                   "rows of jobstats_%s_%d with times that their "
                   "day does not have",
                   name, day->day);
    return rc < 0 ? rc
                  : verify_number(verify, conn, label, "restore a backup", sql, err);
}

static int days_verify(sqlite3 *db, struct verify *verify, struct err *err)
{
    const struct sql_conn conn = sqlite_conn(db);
    int rc = 0;
    for (int kind = 0; kind < TARGET_KIND_COUNT && rc == 0; kind++) {
        AUTO(day_list_done) struct day_list days = { 0 };
        rc = day_list_load(&days, &conn, (enum target_kind)kind, 0, err);
        for (size_t i = 0; i < days.count && rc == 0; i++)
            rc = day_verify(&conn, (enum target_kind)kind, &days.days[i], verify, err);
    }
    if (rc < 0)
        return rc;
    return verify_number(
        verify, &conn, "tables of days that are not in jobstats_days",
        "restore a backup",
        "SELECT count(*) FROM sqlite_master m WHERE m.type = 'table' AND m.name GLOB "
        "'jobstats_?st_[0-9]*' AND NOT EXISTS (SELECT 1 FROM jobstats_days d WHERE "
        "m.name = 'jobstats_' || d.kind || '_' || d.day)",
        err);
}

static int verify_open(sqlite3 *db, struct verify *verify, struct err *err)
{
    const struct sql_conn conn = sqlite_conn(db);
    int64_t version = 0;
    int rc = integrity(db, verify, err);
    if (rc == 0)
        rc = sqlite_schema_look(db, &version, err);
    if (rc == 0)
        rc = days_verify(db, verify, err);
    return rc < 0 ? rc : verify_common(verify, &conn, version, err);
}

int sqlite_verify(const struct records_opts *opts, struct verify *verify,
                  struct err *err)
{
    AUTO_DB sqlite3 *db = NULL;
    struct err why = { 0 };
    int rc = db_open_to_read(opts->path, &db, err);
    if (rc < 0)
        return rc;
    rc = verify_open(db, verify, &why);
    if (rc == -EUCLEAN || rc == -EIO) { /* a finding like another: the last one */
        verify_fault(verify, "restore a backup, or rescue it with sqlite3's .recover",
                     "it cannot be read to its end: %s", why.text);
        return 0;
    }
    return rc < 0 ? err_set(err, -rc, "%s", why.text) : 0;
}
