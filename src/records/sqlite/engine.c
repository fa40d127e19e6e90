/* SPDX-License-Identifier: Apache-2.0 */
/* engine - SQLite's writer: one connection, every put one synced transaction. */
#include "base/lockfile.h"
#include "records/sqlite/check.h"
#include "records/sqlite/identity.h"
#include "records/sqlite/ledger.h"
#include "records/sqlite/rollup.h"
#include "records/sqlite/schema_sql.h"
#include "records/sqlite/series.h"
#include "records/sqlite/sqlite.h"
#include "records/tables/tables.h"

#include <fcntl.h>
#include <sys/stat.h>

#define INSERTS_MAX 4 /* prepared INSERTs kept: today and yesterday, two kinds */

struct row_insert {
    enum target_kind kind;
    int32_t day; /* 0: free */
    sqlite3_stmt *stmt;
};

struct records_backend {
    sqlite3 *db;
    char *path;
    bool is_exclusive;
    int lock_fd;  /* of the file beside it; -1: it is not wanted */
    dev_t device; /* of the file that is open */
    ino_t inode;
    char description[160];
    struct uuid writer_id;
    struct database_identity identity; /* as we left it */
    int64_t pending_epoch;             /* of the transaction that is open */
    struct timespec file_time;         /* of the file without its log, when looked at */
    int64_t file_epoch;                /* what it had then; 0: not known */
    uint64_t generation;
    struct strbuf news;   /* what was found, when generation grew last */
    bool days_loaded;     /* the lists below are what the file says */
    int64_t data_version; /* changes when another process has written */
    struct days days[TARGET_KIND_COUNT];
    struct row_insert inserts[INSERTS_MAX];
    size_t insert_next;
    sqlite3_stmt *series_find;
    sqlite3_stmt *series_add;
};

static void inserts_drop(struct records_backend *b)
{
    for (size_t i = 0; i < INSERTS_MAX; i++) {
        (void)sqlite3_finalize(b->inserts[i].stmt);
        b->inserts[i] = (struct row_insert){ 0 };
    }
}

static void backend_close(struct records_backend *b)
{
    if (!b)
        return;
    inserts_drop(b);
    (void)sqlite3_finalize(b->series_find);
    (void)sqlite3_finalize(b->series_add);
    (void)sqlite3_close_v2(b->db);
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++)
        days_done(&b->days[kind]);
    auto_close(&b->lock_fd);
    strbuf_done(&b->news);
    free(b->path);
    free(b);
}
DEFINE_AUTO(struct records_backend, backend_close);

static int backend_prepare(struct records_backend *b, struct err *err)
{
    int rc = db_prepare(b->db,
                        "SELECT " SQLITE_SERIES_COLUMNS
                        " FROM series WHERE fs = ?1 AND target = ?2 AND entry_id = ?3",
                        &b->series_find, err);
    if (rc < 0)
        return rc;
    return db_prepare(b->db,
                      "INSERT INTO series (time_series_id, fs, target, kind, entry_id, "
                      "entry_bytes, format, job_id, user_id, group_id, nodename, "
                      "executable, pid, flags, is_login) VALUES "
                      "(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15) "
                      "ON CONFLICT DO NOTHING RETURNING sid",
                      &b->series_add, err);
}

/* Rows say what people did: only the owner and the group read a file that we make (its
 * log inherits the mode).  Never opened when it is there: closing it would take away
 * the locks of other connections of this process. */
static void file_make(const char *path)
{
    AUTO_CLOSE int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    (void)fd; /* SQLite says what is wrong with the path, if anything is */
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
static int lock_take(struct records_backend *b, struct err *err)
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

static int open_to_write(struct records_backend *b, struct err *err)
{
    struct stat st = { 0 };
    int rc = b->is_exclusive ? lock_take(b, err) : 0;
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
        rc = sqlite_identity_read(b->db, &b->identity, err);
    if (rc == 0)
        rc = backend_prepare(b, err);
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

/* Nothing is made in an empty file that was not empty when we left it. */
static int empty_refuse(const struct records_backend *b, struct err *err)
{
    char id[UUID_TEXT_SIZE];
    uuid_print(id, &b->identity.id);
    return err_set(err, EAGAIN,
                   "sqlite '%s': the file has no tables of barograph any more (it was "
                   "%s); nothing is written until they are back; to begin anew there, "
                   "restart barod",
                   b->path, id);
}

/* It is another file now, or an older copy: all is done again that an open does. */
static int open_again(struct records_backend *b, struct err *err)
{
    b->generation++; /* also where it fails: it is tried again, and is other */
    b->file_epoch = 0;
    inserts_drop(b);
    int rc = b->is_exclusive ? sqlite_check_start(b->db, err) : 0;
    if (rc == 0)
        rc = sqlite_migrate_in(b->db, err);
    return rc < 0 ? rc : sqlite_identity_read(b->db, &b->identity, err);
}

/* In a transaction: is it what we left?  A file is restored in place by a transaction
 * of another program (.restore of its shell, the backup interface). */
static int recognise(struct records_backend *b, struct err *err)
{
    struct database_identity have = { 0 };
    AUTO(strbuf_done) struct strbuf why = STRBUF_INIT;
    int64_t version = 0;
    int rc = sqlite_version_read(b->db, &version, err);
    if (rc == 0 && version == 0)
        return empty_refuse(b, err);
    if (rc == 0)
        rc = schema_version_check(version, err);
    if (rc == 0 && version == SCHEMA_VERSION)
        rc = sqlite_identity_read(b->db, &have, err);
    if (rc < 0)
        return rc;
    if (version < SCHEMA_VERSION) {
        strbuf_addf(&why, "it is an older copy, of schema %lld", (long long)version);
    } else {
        enum identity_difference difference =
            identity_compare(&b->identity, NULL, &have);
        if (difference == IDENTITY_SAME)
            return 0;
        if (difference == IDENTITY_OLDER)
            rc = sqlite_identity_arrived(b->db, &have.arrived_ms, err);
        if (rc < 0)
            return rc;
        identity_explain(difference, &b->identity, &have, &why);
    }
    strbuf_clear(&b->news);
    strbuf_add_span(&b->news, strbuf_span(&why));
    rc = open_again(b, err);
    return rc < 0 ? rc : strbuf_error(&b->news);
}

static int days_refresh(struct records_backend *b, struct err *err)
{
    int64_t version = 0;
    int rc = db_number(b->db, "PRAGMA data_version", &version, err);
    if (rc < 0 || (b->days_loaded && version == b->data_version))
        return rc;
    rc = recognise(b, err);
    if (rc < 0)
        return rc;
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++) {
        rc = days_load(b->db, (enum target_kind)kind, &b->days[kind], err);
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
    if (!sqlite_identity_of_file(b->path, &have) ||
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
    int rc = file_check(b, err);
    if (rc == 0)
        rc = db_exec(b->db, "BEGIN IMMEDIATE", err);
    if (rc == 0)
        rc = days_refresh(b, err);
    if (rc == 0)
        rc = copy_check(b, err);
    if (rc == 0)
        rc = sqlite_identity_advance(b->db, &b->identity, &b->writer_id,
                                     &b->pending_epoch, err);
    if (rc < 0)
        rollback(b);
    return rc;
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

static uint64_t generation(const struct records_backend *b, const char **ret_news)
{
    *ret_news = strbuf_text(&b->news);
    return b->generation;
}

static int find_batch(struct records_backend *b, const struct uuid *agent,
                      uint64_t sequence, struct arena *arena, bool *ret_found,
                      struct stored_answer *ret, struct err *err)
{
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    int rc = db_prepare(b->db,
                        "SELECT taken, known, refused, refusals FROM batches "
                        "WHERE agent = ?1 AND sequence = ?2",
                        &stmt, err);
    if (rc < 0)
        return rc;
    db_bind_uuid(stmt, 1, agent);
    (void)sqlite3_bind_int64(stmt, 2, counter_to_db(sequence));
    rc = db_step(stmt, err);
    if (rc < 0)
        return rc;
    *ret_found = rc > 0;
    if (rc == 0)
        return 0;
    ret->taken = (uint64_t)sqlite3_column_int64(stmt, 0);
    ret->known = (uint64_t)sqlite3_column_int64(stmt, 1);
    ret->refused = (uint64_t)sqlite3_column_int64(stmt, 2);
    ret->refusals = arena_dup(arena, db_span(stmt, 3));
    return ret->refusals ? 0 : -ENOMEM;
}

static int add_batch(struct records_backend *b, const struct uuid *agent,
                     uint64_t sequence, int64_t now_ms,
                     const struct stored_answer *answer, struct err *err)
{
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    int rc = db_prepare(b->db, "INSERT INTO batches VALUES (?1,?2,?3,?4,?5,?6,?7)",
                        &stmt, err);
    if (rc < 0)
        return rc;
    db_bind_uuid(stmt, 1, agent);
    (void)sqlite3_bind_int64(stmt, 2, counter_to_db(sequence));
    (void)sqlite3_bind_int64(stmt, 3, now_ms);
    (void)sqlite3_bind_int64(stmt, 4, (int64_t)answer->taken);
    (void)sqlite3_bind_int64(stmt, 5, (int64_t)answer->known);
    (void)sqlite3_bind_int64(stmt, 6, (int64_t)answer->refused);
    db_bind_span(stmt, 7, span_of(answer->refusals));
    rc = db_run(stmt, err);
    if (rc == 0)
        b->identity.arrived_ms = now_ms;
    return rc;
}

int sqlite_series_out(sqlite3_stmt *stmt, struct series *ret)
{
    struct series s = { .sid = sqlite3_column_int64(stmt, 0) };
    if (db_uuid(stmt, 1, &s.id) < 0)
        return -EIO;
    s.fs = db_span(stmt, 2);
    s.target = db_span(stmt, 3);
    s.kind = span_is(db_span(stmt, 4), "mdt") ? TARGET_MDT : TARGET_OST;
    s.entry_id = db_span(stmt, 6);
    if (!s.entry_id.data)
        s.entry_id = db_span(stmt, 5);
    s.format = db_span(stmt, 7);
    s.job = db_span(stmt, 8);
    s.user = db_span(stmt, 9);
    s.group = db_span(stmt, 10);
    s.node = db_span(stmt, 11);
    s.executable = db_span(stmt, 12);
    s.pid = db_span(stmt, 13);
    s.flags = (unsigned)sqlite3_column_int(stmt, 14);
    s.is_login = sqlite3_column_int(stmt, 15) != 0;
    *ret = s;
    return 0;
}

static int find_series(struct records_backend *b, struct series **series, size_t count,
                       struct arena *arena, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    for (size_t i = 0; i < count; i++) {
        struct series stored;
        strbuf_clear(&text);
        entry_id_print(&text, series[i]->entry_id);
        if (strbuf_error(&text))
            return -ENOMEM;
        db_bind_span(b->series_find, 1, series[i]->fs);
        db_bind_span(b->series_find, 2, series[i]->target);
        db_bind_span(b->series_find, 3, strbuf_span(&text));
        int rc = db_step(b->series_find, err);
        if (rc > 0) {
            rc = sqlite_series_out(b->series_find, &stored);
            if (rc == 0)
                rc = series_copy(&stored, arena, series[i]);
        }
        (void)sqlite3_reset(b->series_find);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int series_add_one(struct records_backend *b, struct series *s,
                          struct strbuf *text, struct err *err)
{
    strbuf_clear(text);
    entry_id_print(text, s->entry_id);
    if (strbuf_error(text))
        return -ENOMEM;
    bool same = span_eq(strbuf_span(text), s->entry_id);
    sqlite3_stmt *stmt = b->series_add;
    db_bind_uuid(stmt, 1, &s->id);
    db_bind_span(stmt, 2, s->fs);
    db_bind_span(stmt, 3, s->target);
    db_bind_span(stmt, 4, span_of(target_kind_name(s->kind)));
    db_bind_span(stmt, 5, strbuf_span(text));
    db_bind_blob(stmt, 6, same ? (struct span){ 0 } : s->entry_id);
    const struct span texts[] = { s->format, s->job,        s->user, s->group,
                                  s->node,   s->executable, s->pid };
    for (int i = 0; i < (int)COUNT_OF(texts); i++)
        db_bind_span(stmt, 7 + i, texts[i]);
    (void)sqlite3_bind_int64(stmt, 14, s->flags);
    (void)sqlite3_bind_int64(stmt, 15, s->is_login);
    int rc = db_step(stmt, err);
    if (rc > 0)
        s->sid = sqlite3_column_int64(stmt, 0);
    (void)sqlite3_reset(stmt);
    return rc < 0 ? rc : 0;
}

static int add_series(struct records_backend *b, struct series **series, size_t count,
                      struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    for (size_t i = 0; i < count; i++) {
        int rc = series_add_one(b, series[i], &text, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int server_id(struct records_backend *b, struct span server, int32_t *ret,
                     struct err *err)
{
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    int rc = db_prepare(b->db,
                        "INSERT INTO servers (name) VALUES (?1) ON CONFLICT (name) "
                        "DO UPDATE SET name = name RETURNING server",
                        &stmt, err);
    if (rc < 0)
        return rc;
    db_bind_span(stmt, 1, server);
    rc = db_step(stmt, err);
    if (rc > 0)
        *ret = sqlite3_column_int(stmt, 0);
    return rc < 0 ? rc : 0;
}

static int find_namespace(struct records_backend *b, struct span fs, struct span format,
                          bool *ret_found, struct uuid *ret, struct err *err)
{
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    int rc = db_prepare(
        b->db, "SELECT namespace FROM namespaces WHERE fs = ?1 AND format = ?2", &stmt,
        err);
    if (rc < 0)
        return rc;
    db_bind_span(stmt, 1, fs);
    db_bind_span(stmt, 2, format.data ? format : SPAN(""));
    rc = db_step(stmt, err);
    if (rc < 0)
        return rc;
    *ret_found = rc > 0;
    return rc > 0 ? db_uuid(stmt, 0, ret) : 0;
}

static int namespace_run(struct records_backend *b, const char *sql, struct span fs,
                         struct span format, const struct uuid *ns, struct err *err)
{
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    int rc = db_prepare(b->db, sql, &stmt, err);
    if (rc < 0)
        return rc;
    db_bind_span(stmt, 1, fs);
    db_bind_span(stmt, 2, format.data ? format : SPAN(""));
    db_bind_uuid(stmt, 3, ns);
    return db_run(stmt, err);
}

#define NAMESPACE_INSERT \
    "INSERT INTO namespaces VALUES (?1, ?2, ?3) ON CONFLICT (fs, format) "

static int add_namespace(struct records_backend *b, struct span fs, struct span format,
                         const struct uuid *ns, struct err *err)
{
    return namespace_run(b, NAMESPACE_INSERT "DO NOTHING", fs, format, ns, err);
}

static int set_namespace(struct records_backend *b, struct span fs, struct span format,
                         const struct uuid *ns, struct err *err)
{
    return namespace_run(
        b, NAMESPACE_INSERT "DO UPDATE SET namespace = excluded.namespace", fs, format,
        ns, err);
}

static int namespace_names(struct records_backend *b, const struct uuid *ns,
                           struct span fs, engine_name_fn *fn, void *arg,
                           struct err *err)
{
    AUTO_STMT sqlite3_stmt *add = NULL;
    AUTO_STMT sqlite3_stmt *find = NULL;
    int rc = db_prepare(b->db,
                        "INSERT INTO namespace_names VALUES (?1, ?2) "
                        "ON CONFLICT DO NOTHING",
                        &add, err);
    if (rc == 0)
        rc = db_prepare(b->db,
                        "SELECT fs FROM namespace_names WHERE namespace = ?1 "
                        "AND fs <> ?2",
                        &find, err);
    if (rc < 0)
        return rc;
    db_bind_uuid(add, 1, ns);
    db_bind_span(add, 2, fs);
    db_bind_uuid(find, 1, ns);
    db_bind_span(find, 2, fs);
    rc = db_run(add, err);
    while (rc == 0 && (rc = db_step(find, err)) > 0)
        rc = fn(arg, db_span(find, 0));
    return rc;
}

/* Tables of new days are made inside the transaction of the rows. */
static int prepare_days(struct records_backend *b, const struct keyed_row *rows,
                        size_t count, struct err *err)
{
    (void)b, (void)rows, (void)count, (void)err;
    return 0;
}

static int insert_for(struct records_backend *b, enum target_kind kind, int32_t day,
                      sqlite3_stmt **ret, struct err *err)
{
    for (size_t i = 0; i < INSERTS_MAX; i++) {
        if (b->inserts[i].day != day || b->inserts[i].kind != kind)
            continue;
        *ret = b->inserts[i].stmt;
        return 0;
    }
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    strbuf_addf(&sql,
                "INSERT INTO jobstats_%s_%d (timestamp, sid, since, previous, reset, "
                "server, snapshot_time, start_time, more",
                target_kind_name(kind), day);
    schema_add_ops(&sql, kind, UINT64_MAX, "");
    strbuf_adds(&sql, ") VALUES (?,?,?,?,?,?,?,?,?");
    for (int op = 0; op < OP_COUNT; op++)
        if (op_is_on((enum op)op, kind))
            strbuf_adds(&sql, ",?,?");
    strbuf_adds(&sql, ") ON CONFLICT DO NOTHING");
    if (strbuf_error(&sql))
        return strbuf_error(&sql);
    sqlite3_stmt *stmt = NULL;
    int rc = db_prepare(b->db, strbuf_text(&sql), &stmt, err);
    if (rc < 0)
        return rc;
    struct row_insert *place = &b->inserts[b->insert_next++ % INSERTS_MAX];
    (void)sqlite3_finalize(place->stmt);
    *place = (struct row_insert){ .kind = kind, .day = day, .stmt = stmt };
    *ret = stmt;
    return 0;
}

static void bind_counter(sqlite3_stmt *stmt, int index, bool has, uint64_t value)
{
    if (has)
        (void)sqlite3_bind_int64(stmt, index, counter_to_db(value));
    else
        (void)sqlite3_bind_null(stmt, index);
}

static void bind_row(sqlite3_stmt *stmt, enum target_kind kind,
                     const struct keyed_row *put)
{
    const struct jobrow *row = put->row;
    (void)sqlite3_bind_int64(stmt, 1, row->t_ms);
    (void)sqlite3_bind_int64(stmt, 2, put->sid);
    db_bind_time(stmt, 3, row->since_ms);
    db_bind_time(stmt, 4, row->previous_ms);
    db_bind_time(stmt, 5,
                 row->reset == RESET_UNKNOWN ? T_NONE : row->reset == RESET_YES);
    db_bind_time(stmt, 6, put->server_id ? put->server_id : T_NONE);
    db_bind_time(stmt, 7, row->snapshot_ns);
    db_bind_time(stmt, 8, row->start_ns);
    db_bind_span(stmt, 9, row->more.size ? row->more : (struct span){ 0 });
    int at = 10;
    for (int op = 0; op < OP_COUNT; op++) {
        if (!op_is_on((enum op)op, kind))
            continue;
        bind_counter(stmt, at++, row->has_samples >> op & 1, row->samples[op]);
        bind_counter(stmt, at++, row->has_sum >> op & 1, row->sum[op]);
    }
}

static int put_rows(struct records_backend *b, enum target_kind kind,
                    struct keyed_row *rows, size_t count, struct err *err)
{
    for (size_t i = 0; i < count;) {
        struct day_span day;
        (void)day_spans(rows + i, count - i, &day, 1);
        int64_t end_ms = day_start_ms(day.day) + MS_PER_DAY;
        sqlite3_stmt *stmt = NULL;
        int rc = days_need(b->db, kind, &b->days[kind], &day, err);
        if (rc == 0)
            rc = insert_for(b, kind, day.day, &stmt, err);
        if (rc < 0)
            return rc;
        uint64_t new_count = 0;
        for (; i < count && rows[i].row->t_ms < end_ms; i++) {
            bind_row(stmt, kind, &rows[i]);
            rc = db_run(stmt, err);
            if (rc < 0)
                return rc;
            rows[i].is_new = sqlite3_changes(b->db) > 0;
            new_count += rows[i].is_new;
        }
        rc = db_execf(b->db, err,
                      "UPDATE jobstats_days SET row_count = row_count + %llu "
                      "WHERE kind = '%s' AND day = %d",
                      (unsigned long long)new_count, target_kind_name(kind), day.day);
        if (rc < 0)
            return rc;
    }
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
    inserts_drop(b); /* an open statement would lock the table it names */
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
    return sqlite_rollup_newest(b->db, kind, ret_hour_ms, err);
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
    .find_batch = find_batch,
    .add_batch = add_batch,
    .find_series = find_series,
    .add_series = add_series,
    .server_id = server_id,
    .find_namespace = find_namespace,
    .add_namespace = add_namespace,
    .set_namespace = set_namespace,
    .namespace_names = namespace_names,
    .prepare_days = prepare_days,
    .put_rows = put_rows,
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
    .reader_ledger = sqlite_reader_ledger,
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
    .reader_hours = sqlite_reader_hours,
    .reader_cells = sqlite_reader_cells,
};
