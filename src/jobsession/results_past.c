/* SPDX-License-Identifier: Apache-2.0 */
/* results_past - what is in the file of a session whose control process ended, before
 * another one goes on with it. */
#include "jobsession/results_past.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"

#include <sqlite3.h>
#include <sys/stat.h>

#define BUSY_MS 10000
#define CHECK_NS (10 * NS_PER_S)
#define CHECK_STEPS 100000 /* of SQLite's machine, between two looks at the clock */

struct past_reader {
    sqlite3 *db;
    const char *path;
    struct results_past *past;
    struct err *err;
};

static int refuse_file(const struct past_reader *in, const char *why)
{
    return err_set(in->err, EBADMSG, "'%s' %s; move it away to begin anew", in->path,
                   why);
}

static int sql_failed(const struct past_reader *in)
{
    int code = sqlite3_errcode(in->db) & 0xff;
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
        return refuse_file(in, "is damaged, or no SQLite file");
    return err_set(in->err, EIO, "'%s': %s", in->path, sqlite3_errmsg(in->db));
}

/* It has to be the user's own, whatever a directory allows. */
static int check_file(const struct past_reader *in)
{
    struct stat st;
    if (lstat(in->path, &st) < 0)
        return err_set(in->err, errno, "'%s': %s", in->path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return refuse_file(in, "is no file");
    if (st.st_uid != geteuid())
        return err_set(in->err, EPERM, "'%s' is of user %u", in->path,
                       (unsigned)st.st_uid);
    return st.st_mode & (S_IWGRP | S_IWOTH)
               ? err_set(in->err, EPERM, "'%s' may be written by others", in->path)
               : 0;
}

/* One row with one column; 1: there is one. */
static int one_value(const struct past_reader *in, const char *sql, char *ret,
                     size_t size)
{
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(in->db, sql, -1, &stmt, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(stmt);
    const unsigned char *text =
        code == SQLITE_ROW ? sqlite3_column_text(stmt, 0) : NULL;
    (void)snprintf(ret, size, "%s", text ? (const char *)text : "");
    int rc = code == SQLITE_ROW || code == SQLITE_DONE ? text != NULL : sql_failed(in);
    (void)sqlite3_finalize(stmt);
    return rc;
}

static int is_time_over(void *arg)
{
    const int64_t *end_ns = arg;
    return clock_monotonic_ns() > *end_ns;
}

/* A file of many GiB on a slow disk is believed after a while. */
static int check_whole(const struct past_reader *in)
{
    char text[256];
    struct err err = { 0 };
    struct past_reader quiet = *in;
    int64_t end_ns = clock_monotonic_ns() + CHECK_NS;
    quiet.err = &err;
    sqlite3_progress_handler(in->db, CHECK_STEPS, is_time_over, &end_ns);
    int rc = one_value(&quiet, "PRAGMA quick_check(1)", text, sizeof text);
    bool is_late = rc < 0 && sqlite3_errcode(in->db) == SQLITE_INTERRUPT;
    sqlite3_progress_handler(in->db, 0, NULL, NULL);
    if (is_late)
        return 0;
    if (rc < 0)
        return err_set(in->err, -rc, "%s", err.text);
    return strcmp(text, "ok") == 0 ? 0 : refuse_file(in, "is damaged");
}

/* 1: it has facts. */
static int check_format(const struct past_reader *in)
{
    char text[SESSION_NAME_BYTES_MAX + 2];
    int rc = one_value(in, "SELECT count(*) FROM sqlite_master", text, sizeof text);
    if (rc < 0 || strcmp(text, "0") == 0)
        return rc < 0 ? rc : 0;
    rc = one_value(in,
                   "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = "
                   "'session'",
                   text, sizeof text);
    if (rc <= 0)
        return rc < 0 ? rc : refuse_file(in, "is not of a session");
    rc = one_value(in, "SELECT value FROM session WHERE key = 'format'", text,
                   sizeof text);
    if (rc == 0)
        rc = one_value(in, "SELECT 1 FROM events UNION SELECT 1 FROM results LIMIT 1",
                       text, sizeof text) > 0
                 ? refuse_file(in, "has results, and no format")
                 : 0;
    if (rc <= 0)
        return rc;
    if (strcmp(text, "1") != 0)
        return refuse_file(in, "has a format of another version");
    rc = one_value(in, "SELECT value FROM session WHERE key = 'name'", text,
                   sizeof text);
    if (rc < 0)
        return rc;
    return strcmp(text, in->past->name) == 0 ? 1
                                             : refuse_file(in, "is of another session");
}

static int read_facts(const struct past_reader *in)
{
    char begin[32], end[32];
    struct results_past *past = in->past;
    int rc = one_value(in, "SELECT value FROM session WHERE key = 'session'",
                       past->session, sizeof past->session);
    if (rc >= 0)
        rc = one_value(in, "SELECT value FROM session WHERE key = 'begin_ms'", begin,
                       sizeof begin);
    if (rc >= 0)
        rc = one_value(in, "SELECT value FROM session WHERE key = 'end_ms'", end,
                       sizeof end);
    if (rc < 0)
        return rc;
    past->has_ended = rc > 0;
    bool is_id = strspn(past->session, "0123456789abcdef") == SESSION_ID_BYTES;
    if (!is_id || number_parse_i64(span_of(begin), &past->begin_ms) < 0 ||
        past->begin_ms <= 0)
        return refuse_file(in, "has no number of its session, or no begin");
    return 0;
}

/* Events have the incarnation in their key: one that came again would replace them. */
static int check_incarnation(const struct past_reader *in)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char stored[32];
    uint64_t last = 0, highest = 0;
    strbuf_addf(&path, "%s/%s.incarnation", in->past->state, in->past->name);
    int rc =
        one_value(in, "SELECT max(incarnation) FROM events", stored, sizeof stored);
    if (rc <= 0 || strbuf_error(&path) < 0)
        return rc < 0 ? rc : strbuf_error(&path);
    rc = file_read(strbuf_text(&path), 64, &text, in->err);
    if (rc < 0 && rc != -ENOENT)
        return rc;
    (void)number_parse_u64(span_trim(strbuf_span(&text)), &last);
    if (number_parse_u64(span_of(stored), &highest) < 0 || highest > last)
        return err_set(in->err, EBADMSG,
                       "'%s' is damaged: '%s' has events of incarnation %s",
                       strbuf_text(&path), in->path, stored);
    return 0;
}

static struct span column_span(sqlite3_stmt *stmt, int column)
{
    const char *text = (const char *)sqlite3_column_text(stmt, column);
    return (struct span){ text ? text : "",
                          (size_t)sqlite3_column_bytes(stmt, column) };
}

static int read_statements(const struct past_reader *in)
{
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(
        in->db,
        "SELECT component, source, health, reason, said_by, since_ns FROM health "
        "WHERE origin = 'own' ORDER BY component, source",
        -1, &stmt, NULL);
    while (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
        struct resource_statement statement = { .component = column_span(stmt, 0),
                                                .source = column_span(stmt, 1),
                                                .reason = column_span(stmt, 3),
                                                .by = column_span(stmt, 4),
                                                .t_ns = sqlite3_column_int64(stmt, 5) };
        if (resource_health_parse(column_span(stmt, 2), &statement.health) == 0)
            in->past->statement_fn(in->past->arg, &statement);
        code = SQLITE_OK;
    }
    int rc = code == SQLITE_DONE ? 0 : sql_failed(in);
    (void)sqlite3_finalize(stmt);
    return rc;
}

/* Both or neither: one that is killed here did not begin. */
static int go_on(const struct past_reader *in)
{
    char sql[320];
    const struct results_past *past = in->past;
    if (!past->next)
        return 0;
    int size = snprintf(sql, sizeof sql,
                        "BEGIN IMMEDIATE; DELETE FROM session WHERE key IN ('end_ms', "
                        "'end_reason', 'exit_status'); ");
    if (past->has_ended || past->is_another)
        size += snprintf(sql + size, sizeof sql - (size_t)size,
                         "UPDATE session SET value = '%.*s' WHERE key = 'session'; ",
                         (int)SESSION_ID_BYTES, past->next);
    (void)snprintf(sql + size, sizeof sql - (size_t)size, "COMMIT");
    int rc =
        sqlite3_exec(in->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : sql_failed(in);
    if (rc < 0)
        (void)sqlite3_exec(in->db, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}

int results_past_read(struct sqlite3 *db, const char *path, struct results_past *past,
                      struct err *err)
{
    const struct past_reader in = { db, path, past, err };
    (void)sqlite3_busy_timeout(db, BUSY_MS);
    int rc = check_file(&in);
    if (rc == 0)
        rc = check_whole(&in);
    if (rc == 0)
        rc = check_format(&in);
    if (rc <= 0)
        return rc;
    rc = read_facts(&in);
    if (rc == 0)
        rc = check_incarnation(&in);
    if (rc == 0)
        rc = read_statements(&in);
    if (rc == 0)
        rc = go_on(&in);
    if (rc < 0)
        past->session[0] = '\0';
    return rc;
}
