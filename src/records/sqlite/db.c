/* SPDX-License-Identifier: Apache-2.0 */
/* db - a connection to the SQLite file: open, run, prepare, and what errors mean. */
#include "records/sqlite/db.h"

#include "base/strbuf.h"
#include "model/model.h"

#include <libgen.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Another process may hold the file for a moment: a backup, a person's sqlite3. */
#define BUSY_TIMEOUT_MS 5000

static int full_or_io(int system_errno)
{
    switch (system_errno) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return ENOSPC;
    default:
        return EIO;
    }
}

/* What the operating system said to the file or its log.  SQLite itself distinguishes
 * only ENOSPC; a quota or a limit on file sizes fills a disk as well. */
static int file_errno(sqlite3 *db)
{
    int last = 0;
    sqlite3_file *log = NULL;
    (void)sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (log && log->pMethods)
        (void)log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &last);
    if (!last)
        (void)sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &last);
    return last;
}

int db_damaged(sqlite3 *db, const char *what, struct err *err)
{
    const char *path = sqlite3_db_filename(db, "main");
    return err_set(
        err, EUCLEAN,
        "sqlite '%s': %s: the file is damaged; stop barod, copy the file and "
        "its -wal away, run baro records verify on it, and restore "
        "a backup or rescue it with sqlite3's .recover",
        path ? path : "", what);
}

int db_error(sqlite3 *db, const char *what, struct err *err)
{
    int code = sqlite3_errcode(db) & 0xff;
    int errnum = EIO;
    switch (code) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        errnum = EAGAIN;
        break;
    case SQLITE_FULL:
        errnum = ENOSPC;
        break;
    case SQLITE_IOERR:
        /* The index of the log, which a start makes anew, had no room. */
        errnum = sqlite3_extended_errcode(db) == SQLITE_IOERR_SHMSIZE
                     ? ENOSPC
                     : full_or_io(file_errno(db));
        break;
    case SQLITE_CANTOPEN:
        errnum = full_or_io(sqlite3_system_errno(db));
        break;
    case SQLITE_NOMEM:
        errnum = ENOMEM;
        break;
    case SQLITE_CONSTRAINT:
        errnum = EEXIST;
        break;
    case SQLITE_READONLY:
    case SQLITE_PERM:
        errnum = EACCES;
        break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return db_damaged(db, sqlite3_errmsg(db), err);
    default:
        break;
    }
    const char *path = sqlite3_db_filename(db, "main");
    return err_set(err, errnum, "sqlite '%s': %s: %s", path ? path : "", what,
                   sqlite3_errmsg(db));
}

int db_path_check(const char *path, struct err *err)
{
    struct stat st;
    if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
        return 0;
    return err_set(err, EISDIR,
                   "records: '%s' is a directory: records.path is that of a file",
                   path);
}

int db_open(const char *path, int flags, sqlite3 **ret, struct err *err)
{
    AUTO_DB sqlite3 *db = NULL;
    int rc = db_path_check(path, err);
    if (rc < 0)
        return rc;
    rc = sqlite3_open_v2(path, &db, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (!db)
        return err_set(err, ENOMEM, "sqlite '%s': memory is out", path);
    if (rc != SQLITE_OK)
        return err_set(err, full_or_io(sqlite3_system_errno(db)),
                       "sqlite '%s': %s (%s)", path, sqlite3_errmsg(db),
                       strerror(sqlite3_system_errno(db)));
    (void)sqlite3_extended_result_codes(db, 0);
    (void)sqlite3_busy_timeout(db, BUSY_TIMEOUT_MS);
    *ret = TAKE(db);
    return 0;
}

/* A database in WAL mode needs its shared memory, a file beside it.  Where that cannot
 * be made and there is no log, no process writes: SQLite assumes that nothing changes.
 */
static bool is_sealed(const char *path)
{
    AUTO_FREE char *log = NULL;
    AUTO_FREE char *copy = strdup(path);
    struct stat st;
    if (!copy || asprintf(&log, "%s-wal", path) < 0)
        return false;
    bool has_log = stat(log, &st) == 0 && st.st_size > 0;
    return !has_log && access(path, W_OK) < 0 && access(dirname(copy), W_OK) < 0;
}

int db_open_alone(const char *path, sqlite3 **ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf uri = STRBUF_INIT;
    strbuf_adds(&uri, "file:");
    for (const char *at = path; *at; at++) {
        if (strchr("%?#", *at))
            strbuf_addf(&uri, "%%%02X", (unsigned char)*at);
        else
            strbuf_addc(&uri, *at);
    }
    strbuf_adds(&uri, "?immutable=1");
    if (strbuf_error(&uri))
        return strbuf_error(&uri);
    return db_open(strbuf_text(&uri), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, ret, err);
}

int db_open_to_read(const char *path, sqlite3 **ret, struct err *err)
{
    if (is_sealed(path))
        return db_open_alone(path, ret, err);
    return db_open(path, SQLITE_OPEN_READONLY, ret, err);
}

int db_exec(sqlite3 *db, const char *sql, struct err *err)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return 0;
    char head[48];
    (void)snprintf(head, sizeof head, "%s", sql);
    return db_error(db, head, err);
}

int db_execf(sqlite3 *db, struct err *err, const char *fmt, ...)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    va_list ap;
    va_start(ap, fmt);
    strbuf_vaddf(&sql, fmt, ap);
    va_end(ap);
    if (strbuf_error(&sql))
        return strbuf_error(&sql);
    return db_exec(db, strbuf_text(&sql), err);
}

int db_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **ret, struct err *err)
{
    if (sqlite3_prepare_v2(db, sql, -1, ret, NULL) == SQLITE_OK)
        return 0;
    char head[48];
    (void)snprintf(head, sizeof head, "%s", sql);
    return db_error(db, head, err);
}

int db_number(sqlite3 *db, const char *sql, int64_t *ret, struct err *err)
{
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    int rc = db_prepare(db, sql, &stmt, err);
    if (rc < 0)
        return rc;
    rc = db_step(stmt, err);
    if (rc < 0)
        return rc;
    if (rc == 0)
        return err_set(err, EIO, "sqlite: no result of '%s'", sql);
    *ret = sqlite3_column_int64(stmt, 0);
    return 0;
}

int db_step(sqlite3_stmt *stmt, struct err *err)
{
    switch (sqlite3_step(stmt)) {
    case SQLITE_ROW:
        return 1;
    case SQLITE_DONE:
        return 0;
    default:
        return db_error(sqlite3_db_handle(stmt), "step", err);
    }
}

int db_run(sqlite3_stmt *stmt, struct err *err)
{
    int rc = db_step(stmt, err);
    (void)sqlite3_reset(stmt);
    return rc < 0 ? rc : 0;
}

void db_bind_span(sqlite3_stmt *stmt, int index, struct span s)
{
    (void)sqlite3_bind_text(stmt, index, s.data, (int)s.size, SQLITE_STATIC);
}

void db_bind_blob(sqlite3_stmt *stmt, int index, struct span s)
{
    (void)sqlite3_bind_blob(stmt, index, s.data, (int)s.size, SQLITE_STATIC);
}

void db_bind_uuid(sqlite3_stmt *stmt, int index, const struct uuid *uuid)
{
    (void)sqlite3_bind_blob(stmt, index, uuid->bytes, sizeof uuid->bytes,
                            SQLITE_STATIC);
}

void db_bind_time(sqlite3_stmt *stmt, int index, int64_t t)
{
    if (t == T_NONE)
        (void)sqlite3_bind_null(stmt, index);
    else
        (void)sqlite3_bind_int64(stmt, index, t);
}

struct span db_span(sqlite3_stmt *stmt, int column)
{
    if (sqlite3_column_type(stmt, column) == SQLITE_NULL)
        return (struct span){ 0 };
    const void *data = sqlite3_column_blob(stmt, column);
    return (struct span){ data ? data : "",
                          (size_t)sqlite3_column_bytes(stmt, column) };
}

int64_t db_time(sqlite3_stmt *stmt, int column)
{
    if (sqlite3_column_type(stmt, column) == SQLITE_NULL)
        return T_NONE;
    return sqlite3_column_int64(stmt, column);
}

int db_uuid(sqlite3_stmt *stmt, int column, struct uuid *ret)
{
    struct span blob = db_span(stmt, column);
    if (blob.size != sizeof ret->bytes)
        return -EIO;
    memcpy(ret->bytes, blob.data, sizeof ret->bytes);
    return 0;
}
