/* SPDX-License-Identifier: Apache-2.0 */
/* engine - SQLite's writer: one connection, every put one synced transaction. */
#include "records/sqlite/sqlite.h"

#include "base/system/lockfile.h"
#include "records/sqlite/backend.h"
#include "records/sqlite/bulk.h"
#include "records/sqlite/check.h"
#include "records/sqlite/ledger.h"
#include "records/sqlite/put_rows.h"
#include "records/sqlite/reader.h"
#include "records/sqlite/rollup.h"
#include "records/sqlite/schema_sql.h"
#include "records/sqlite/series.h"
#include "records/sqlite/statement.h"
#include "records/sqlite/version.h"

#include <fcntl.h>

static void backend_close(struct records_backend *b)
{
    if (!b)
        return;
    sqlite_inserts_drop(b);
    (void)sqlite3_finalize(b->series_find);
    (void)sqlite3_finalize(b->series_add);
    (void)sqlite3_finalize(b->bulk_stmt);
    (void)sqlite3_close_v2(b->db);
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++)
        day_list_done(&b->days[kind]);
    auto_close(&b->lock_fd);
    strbuf_done(&b->news);
    free(b->path);
    free(b);
}
DEFINE_AUTO(struct records_backend, backend_close);

/* Rows show what people did: only the owner and the group read a file that we make (its
 * log inherits the mode).  Never opened when it is there: closing it would take away
 * the locks of other connections of this process. */
static void file_make(const char *path)
{
    AUTO_CLOSE int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    (void)fd; /* SQLite reports what is wrong with the path, if anything is */
}

static void describe(struct records_backend *b, int64_t version)
{
    (void)snprintf(b->description, sizeof b->description,
                   "SQLite %s, schema %lld, file %.80s", sqlite3_libversion(),
                   (long long)version, b->path);
}

static int open_to_read(struct records_backend *b, struct err *err)
{
    int64_t version = 0;
    int rc = db_open_to_read(b->path, &b->db, err);
    if (rc == 0)
        rc = sqlite_schema_look(b->db, &version, err);
    if (rc == 0)
        describe(b, version);
    return rc;
}

/* A second barod would write beside the first: each has its own memory of sids. */
static int lock_file(struct records_backend *b, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    strbuf_addf(&path, "%s.lock", b->path);
    if (strbuf_error(&path))
        return strbuf_error(&path);
    int rc = lockfile_take(strbuf_text(&path), &b->lock_fd, err);
    if (rc == -EBUSY)
        return err_prefix(err, rc, "records: another barod has this database");
    return rc < 0 ? err_prefix(err, rc, "records") : 0;
}

static int writer_identity(struct records_backend *b, struct err *err)
{
    const struct sql_conn conn = sqlite_conn(b->db);
    return identity_read(&conn, &b->identity, err);
}

static int open_to_write(struct records_backend *b, struct err *err)
{
    struct stat st = { 0 };
    int rc = db_path_check(b->path, err); /* before a lock lies beside it */
    if (rc == 0 && b->is_exclusive)
        rc = lock_file(b, err);
    if (rc < 0)
        return rc;
    file_make(b->path);
    rc = db_open(b->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &b->db, err);
    if (rc < 0)
        return rc;
    (void)stat(b->path, &st);
    b->device = st.st_dev;
    b->inode = st.st_ino;
    /* FULL in WAL mode syncs the log at every commit: an acknowledged row survives the
     * loss of power.  The log is written back into the file every 32 MiB. */
    rc = db_exec(b->db,
                 "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                 "PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 8192;"
                 "PRAGMA journal_size_limit = 67108864; PRAGMA trusted_schema = OFF",
                 err);
    if (rc == 0)
        rc = sqlite_check_start(b->db, err);
    if (rc == 0)
        rc = sqlite_migrate(b->db, err);
    if (rc == 0)
        rc = writer_identity(b, err);
    if (rc == 0)
        rc = sqlite_series_prepare(b, err);
    if (rc == 0)
        rc = uuid_new(&b->writer_id);
    if (rc == 0)
        describe(b, SCHEMA_VERSION);
    return rc;
}

static int backend_open(const struct records_opts *opts, struct records_backend **ret,
                        struct err *err)
{
    if (!opts->path || !*opts->path)
        return err_set(err, EINVAL, "records: no path for the SQLite file is set");
    AUTO(backend_close) struct records_backend *b = calloc(1, sizeof *b);
    if (!b)
        return -ENOMEM;
    b->lock_fd = -1;
    b->is_exclusive = opts->is_exclusive;
    b->path = strdup(opts->path);
    if (!b->path)
        return -ENOMEM;
    int rc =
        opts->access == RECORDS_READ ? open_to_read(b, err) : open_to_write(b, err);
    if (rc == 0)
        *ret = TAKE(b);
    return rc;
}

static const char *backend_describe(const struct records_backend *b)
{
    return b->description;
}

static void rollback(struct records_backend *b)
{
    if (!sqlite3_get_autocommit(b->db))
        (void)sqlite3_exec(b->db, "ROLLBACK", NULL, NULL, NULL);
    b->days_loaded = false;
}

/* It is another file now, or an older copy: all is done again that an open does. */
static int open_again(struct records_backend *b, struct err *err)
{
    b->generation++; /* also where it fails: it is tried again, and is other */
    b->file_epoch = 0;
    sqlite_inserts_drop(b);
    int rc = b->is_exclusive ? sqlite_check_start(b->db, err) : 0;
    if (rc == 0)
        rc = sqlite_migrate_in(b->db, err);
    return rc < 0 ? rc : writer_identity(b, err);
}

/* In a transaction: is it what we left?  A file is restored in place by a transaction
 * of another program (.restore of its shell, the backup interface). */
static int file_recognise(struct records_backend *b, struct err *err)
{
    const struct sql_conn conn = sqlite_conn(b->db);
    struct identity_found found = { 0 };
    bool is_same = false;
    int rc = sqlite_version_read(b->db, &found.version, err);
    if (rc == 0 && found.version == 0) {
        char where[512];
        (void)snprintf(where, sizeof where, "sqlite '%.480s': the file", b->path);
        return identity_refuse_empty(where, &b->identity, err);
    }
    if (rc == 0)
        rc = schema_version_check(found.version, err);
    if (rc == 0 && found.version == SCHEMA_VERSION)
        rc = identity_read(&conn, &found.have, err);
    if (rc == 0)
        rc = identity_recognise(&conn, &b->identity, &found, &is_same, &b->news, err);
    return rc < 0 || is_same ? rc : open_again(b, err);
}

static int days_refresh(struct records_backend *b, struct err *err)
{
    const struct sql_conn conn = sqlite_conn(b->db);
    int64_t version = 0;
    int rc = db_number(b->db, "PRAGMA data_version", &version, err);
    if (rc < 0 || (b->days_loaded && version == b->data_version))
        return rc;
    rc = file_recognise(b, err);
    if (rc < 0)
        return rc;
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++) {
        rc = day_list_load(&b->days[kind], &conn, (enum target_kind)kind, 0, err);
        if (rc < 0)
            return rc;
    }
    b->days_loaded = true;
    b->data_version = version;
    return 0;
}

/* What is written to a file that has no name any more is lost when it is closed. */
static int file_check(const struct records_backend *b, struct err *err)
{
    struct stat st;
    if (stat(b->path, &st) < 0)
        return err_set(err, EAGAIN,
                       "sqlite '%s': the file was removed under barod: %s; put it back "
                       "and restart barod",
                       b->path, strerror(errno));
    if (st.st_dev == b->device && st.st_ino == b->inode)
        return 0;
    return err_set(err, EAGAIN,
                   "sqlite '%s': the file was replaced under barod: restart barod",
                   b->path);
}

/* As the file has it without its log: older, never newer.  False: it cannot be read, as
 * while the log is being written back. */
static bool identity_of_file(const char *path, struct database_identity *ret)
{
    AUTO_DB sqlite3 *db = NULL;
    if (db_open_alone(path, &db, NULL) < 0)
        return false;
    const struct sql_conn conn = sqlite_conn(db);
    return identity_read(&conn, ret, NULL) == 0;
}

/* The file is written to only when its log is written back, and never gets older by
 * that.  Where it did, it was copied over: the log stands over pages of another time,
 * and the two fit together nowhere. */
static int copy_check(struct records_backend *b, struct err *err)
{
    struct database_identity have;
    struct stat st;
    if (stat(b->path, &st) < 0 || (st.st_mtim.tv_sec == b->file_time.tv_sec &&
                                   st.st_mtim.tv_nsec == b->file_time.tv_nsec))
        return 0;
    b->file_time = st.st_mtim;
    if (!identity_of_file(b->path, &have) ||
        memcmp(&have.id, &b->identity.id, sizeof have.id) != 0)
        return 0;
    if (have.epoch < b->file_epoch)
        return db_damaged(b->db, "a copy was written over it under barod", err);
    if (have.epoch <= b->identity.epoch)
        b->file_epoch = have.epoch;
    return 0;
}

static int begin(struct records_backend *b, struct err *err)
{
    const struct sql_conn conn = sqlite_conn(b->db);
    int rc = file_check(b, err);
    if (rc == 0)
        rc = db_exec(b->db, "BEGIN IMMEDIATE", err);
    if (rc == 0)
        rc = days_refresh(b, err);
    if (rc == 0)
        rc = copy_check(b, err);
    if (rc == 0)
        rc = identity_advance(&conn, &b->identity, &b->writer_id, &b->pending_epoch,
                              err);
    if (rc < 0)
        rollback(b);
    return rc == -ESTALE ? -EAGAIN : rc;
}

static int commit(struct records_backend *b, struct err *err)
{
    int rc = db_exec(b->db, "COMMIT", err);
    if (rc < 0)
        return rc;
    b->identity.epoch = b->pending_epoch;
    b->identity.writer = b->writer_id;
    return 0;
}

static int writer_sql(struct records_backend *b, struct sql_conn *ret, struct err *err)
{
    (void)err;
    *ret = sqlite_conn(b->db);
    return 0;
}

static void note_batch(struct records_backend *b, int64_t now_ms)
{
    b->identity.arrived_ms = now_ms;
}

static uint64_t generation(const struct records_backend *b, const char **ret_news)
{
    *ret_news = strbuf_text(&b->news);
    return b->generation;
}

/* Tables of new days are made inside the transaction of the rows. */
static int prepare_days(struct records_backend *b, const struct keyed_row *rows,
                        size_t count, struct err *err)
{
    (void)b, (void)rows, (void)count, (void)err;
    return 0;
}

static int maintain_in(struct records_backend *b, int64_t oldest_ms,
                       int64_t batch_oldest_ms, struct err *err)
{
    int rc = 0;
    for (int kind = 0; kind < TARGET_KIND_COUNT && rc == 0; kind++)
        rc = days_drop(b->db, (enum target_kind)kind, &b->days[kind], oldest_ms, err);
    if (rc < 0)
        return rc;
    return db_execf(b->db, err, "DELETE FROM batches WHERE arrived < %lld",
                    (long long)batch_oldest_ms);
}

static int maintain(struct records_backend *b, int64_t now_ms, int64_t oldest_ms,
                    int64_t batch_oldest_ms, struct err *err)
{
    (void)now_ms;
    sqlite_inserts_drop(b); /* an open statement would lock the table it names */
    int rc = begin(b, err);
    if (rc == 0)
        rc = maintain_in(b, oldest_ms, batch_oldest_ms, err);
    if (rc == 0)
        rc = commit(b, err);
    if (rc < 0)
        rollback(b);
    return rc;
}

static int ledger_find(struct records_backend *b, const struct ledger *ledger,
                       struct ledger_row *rows, size_t count, struct arena *arena,
                       struct err *err)
{
    return sqlite_ledger_find(b->db, ledger, rows, count, arena, err);
}

static int ledger_put_rows(struct records_backend *b, const struct ledger *ledger,
                           const struct ledger_row *rows, size_t count, struct err *err)
{
    return sqlite_ledger_put(b->db, ledger, rows, count, err);
}

static int ledger_prune(struct records_backend *b, const struct ledger *ledger,
                        const struct ledger_row *rows, size_t count,
                        ledger_pruned_fn *fn, void *arg, struct err *err)
{
    return sqlite_ledger_prune(b->db, ledger, rows, count, fn, arg, err);
}

static int ledger_drop(struct records_backend *b, const struct ledger *ledger,
                       int64_t oldest_ns, struct err *err)
{
    int rc = begin(b, err);
    if (rc == 0)
        rc = sqlite_ledger_drop(b->db, ledger, oldest_ns, err);
    if (rc == 0)
        rc = commit(b, err);
    if (rc < 0)
        rollback(b);
    return rc;
}

static int reader_open(const struct records_backend *b, struct engine_reader **ret,
                       struct err *err)
{
    return sqlite_reader_open(b->path, ret, err);
}

static int rollup_newest(struct records_backend *b, enum target_kind kind,
                         int64_t *ret_hour_ms, struct err *err)
{
    const struct sql_conn conn = sqlite_conn(b->db);
    return hours_newest(&conn, kind, ret_hour_ms, err);
}

static int next_rows(struct records_backend *b, enum target_kind kind,
                     const struct keyed_row *const *rows, size_t count,
                     int64_t *ret_next_ms, struct err *err)
{
    return sqlite_next_rows(b->db, kind, &b->days[kind], rows, count, ret_next_ms, err);
}

static int rollup_touch(struct records_backend *b, enum target_kind kind,
                        const int64_t *hours, size_t count, struct err *err)
{
    return sqlite_rollup_touch(b->db, kind, hours, count, err);
}

static int roller_open(const struct records_backend *b, struct engine_roller **ret,
                       struct err *err)
{
    return sqlite_roller_open(b->path, ret, err);
}

static int check_whole(const struct records_backend *b, records_watch_fn *watch,
                       void *arg, struct err *err)
{
    return sqlite_check_whole(b->path, watch, arg, err);
}

const struct records_engine records_sqlite = {
    .name = "sqlite",
    .open = backend_open,
    .check_whole = check_whole,
    .verify = sqlite_verify,
    .migrate = sqlite_engine_migrate,
    .close = backend_close,
    .describe = backend_describe,
    .generation = generation,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .writer_sql = writer_sql,
    .note_batch = note_batch,
    .find_series = sqlite_find_series,
    .add_series = sqlite_add_series,
    .prepare_days = prepare_days,
    .put_rows = sqlite_put_rows,
    .maintain = maintain,
    .ledger_find = ledger_find,
    .ledger_put = ledger_put_rows,
    .ledger_prune = ledger_prune,
    .ledger_drop = ledger_drop,
    .reader_open = reader_open,
    .reader_close = sqlite_reader_close,
    .reader_watch = sqlite_reader_watch,
    .reader_series = sqlite_reader_series,
    .reader_rows = sqlite_reader_rows,
    .reader_extent = sqlite_reader_extent,
    .reader_sql = sqlite_reader_sql,
    .rollup_newest = rollup_newest,
    .next_rows = next_rows,
    .rollup_touch = rollup_touch,
    .roller_open = roller_open,
    .roller_close = sqlite_roller_close,
    .roller_begin = sqlite_roller_begin,
    .roller_put = sqlite_roller_put,
    .roller_end = sqlite_roller_end,
    .roller_drop = sqlite_roller_drop,
    .reader_begin = sqlite_reader_begin,
    .reader_end = sqlite_reader_end,
    .reader_cells = sqlite_reader_cells,
    .day_table = sqlite_day_table,
    .day_count_sql = sqlite_day_count_sql,
    .day_make = sqlite_bulk_day_make,
    .day_note = sqlite_bulk_day_note,
    .bulk_begin = sqlite_bulk_begin,
    .bulk_row = sqlite_bulk_row,
    .bulk_end = sqlite_bulk_end,
};
