/* SPDX-License-Identifier: Apache-2.0 */
/* catalogue - the SQLite file of a repository: what datasets, chunks, references are.
 */
#include "dataset/repository/catalogue.h"

#include "base/cleanup.h"
#include "base/span.h"

#include <inttypes.h>
#include <string.h>

#define VERSION 3
#define BUSY_TIMEOUT_MS 60000
#define BUSY_TIMEOUT_BRIEF_MS 50
#define USED_LASTS_NS "31536000000000000" /* a year: which jobs used a dataset */
#define AUTO_CATALOGUE __attribute__((cleanup(catalogue_close)))

static const char schema[] =
    "CREATE TABLE dataset(id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE,"
    " format TEXT NOT NULL, bytes INTEGER NOT NULL, created_ns INTEGER NOT NULL,"
    " admitted_ns INTEGER NOT NULL,"
    " creator TEXT NOT NULL, tool TEXT NOT NULL, arguments TEXT NOT NULL,"
    " source TEXT NOT NULL, files INTEGER NOT NULL, directories INTEGER NOT NULL,"
    " links INTEGER NOT NULL, special INTEGER NOT NULL,"
    " content_bytes INTEGER NOT NULL, chunks INTEGER NOT NULL,"
    " new_bytes INTEGER NOT NULL, uid INTEGER NOT NULL, gid INTEGER NOT NULL,"
    " access TEXT NOT NULL, root BLOB NOT NULL, chunk_index BLOB NOT NULL,"
    " manifest BLOB NOT NULL, manifest_digest BLOB NOT NULL);"
    "CREATE TABLE pack(number INTEGER PRIMARY KEY, bytes INTEGER NOT NULL);"
    "CREATE TABLE leftover(number INTEGER PRIMARY KEY AUTOINCREMENT);"
    "CREATE TABLE chunk(id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE,"
    " pack INTEGER NOT NULL REFERENCES pack(number), at INTEGER NOT NULL,"
    " stored INTEGER NOT NULL, size INTEGER NOT NULL);"
    "CREATE INDEX chunk_by_pack ON chunk(pack);"
    "CREATE TABLE dataset_chunk("
    " dataset INTEGER NOT NULL REFERENCES dataset(id) ON DELETE CASCADE,"
    " chunk INTEGER NOT NULL REFERENCES chunk(id),"
    " PRIMARY KEY(dataset, chunk)) WITHOUT ROWID;"
    "CREATE INDEX dataset_chunk_by_chunk ON dataset_chunk(chunk);"
    "CREATE TABLE label("
    " dataset INTEGER NOT NULL REFERENCES dataset(id) ON DELETE CASCADE,"
    " key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY(dataset, key)) WITHOUT ROWID;"
    "CREATE TABLE tag(name TEXT PRIMARY KEY,"
    " dataset INTEGER NOT NULL REFERENCES dataset(id), set_ns INTEGER NOT NULL)"
    " WITHOUT ROWID;"
    "CREATE INDEX tag_by_dataset ON tag(dataset);"
    "CREATE TABLE ref(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " dataset INTEGER NOT NULL REFERENCES dataset(id), kind TEXT NOT NULL,"
    " detail TEXT NOT NULL, owner TEXT NOT NULL, created_ns INTEGER NOT NULL,"
    " expires_ns INTEGER);"
    "CREATE INDEX ref_by_dataset ON ref(dataset);"
    "CREATE TABLE used(ref INTEGER PRIMARY KEY, dataset BLOB NOT NULL,"
    " job TEXT NOT NULL, owner TEXT NOT NULL, since_ns INTEGER NOT NULL,"
    " until_ns INTEGER);"
    "CREATE INDEX used_by_dataset ON used(dataset);"
    "CREATE INDEX used_by_end ON used(until_ns);"
    "CREATE TRIGGER used_begin AFTER INSERT ON ref WHEN NEW.kind = 'job' BEGIN"
    " INSERT INTO used SELECT NEW.id, name, NEW.detail, NEW.owner, NEW.created_ns, NULL"
    "  FROM dataset WHERE id = NEW.dataset;"
    " DELETE FROM used WHERE until_ns < NEW.created_ns - " USED_LASTS_NS "; END;"
    "CREATE TRIGGER used_end AFTER DELETE ON ref WHEN OLD.kind = 'job' BEGIN"
    " UPDATE used SET until_ns ="
    "  CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000000"
    "  WHERE ref = OLD.id; END;"
    "PRAGMA user_version = 3;";

const char catalogue_view_table[] =
    "CREATE TABLE IF NOT EXISTS view("
    " dataset INTEGER NOT NULL REFERENCES dataset(id) ON DELETE CASCADE,"
    " name TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY(dataset, name)) WITHOUT "
    "ROWID";
const char catalogue_profile_table[] =
    "CREATE TABLE IF NOT EXISTS profile("
    " dataset INTEGER PRIMARY KEY REFERENCES dataset(id) ON DELETE CASCADE,"
    " text BLOB NOT NULL, chunks INTEGER NOT NULL, bytes INTEGER NOT NULL,"
    " uid INTEGER NOT NULL, set_ns INTEGER NOT NULL)";

const char catalogue_co_owner_table[] =
    "CREATE TABLE IF NOT EXISTS co_owner("
    " dataset INTEGER NOT NULL REFERENCES dataset(id) ON DELETE CASCADE,"
    " uid INTEGER NOT NULL, gid INTEGER NOT NULL, access TEXT NOT NULL,"
    " since_ns INTEGER NOT NULL, PRIMARY KEY(dataset, uid)) WITHOUT ROWID";

const char catalogue_parent_table[] =
    "CREATE TABLE IF NOT EXISTS parent("
    " dataset INTEGER NOT NULL REFERENCES dataset(id) ON DELETE CASCADE,"
    " name BLOB NOT NULL, PRIMARY KEY(dataset, name)) WITHOUT ROWID";

/* That a catalogue of this version has, or has not. */
static const struct {
    const char *name, *sql;
} later_tables[] = {
    { "view", catalogue_view_table },
    { "profile", catalogue_profile_table },
    { "co_owner", catalogue_co_owner_table },
    { "parent", catalogue_parent_table },
};

void catalogue_close(sqlite3 **db)
{
    (void)sqlite3_close(*db);
    *db = NULL;
}

void catalogue_set_wait(sqlite3 *db, bool is_brief)
{
    (void)sqlite3_busy_timeout(db, is_brief ? BUSY_TIMEOUT_BRIEF_MS : BUSY_TIMEOUT_MS);
}

void catalogue_finish(sqlite3_stmt **statement)
{
    (void)sqlite3_finalize(*statement);
    *statement = NULL;
}

int catalogue_error(sqlite3 *db, struct err *err)
{
    int code = sqlite3_errcode(db) & 0xFF, errnum = EIO;
    switch (code) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        errnum = EAGAIN;
        break;
    case SQLITE_FULL:
        errnum = ENOSPC;
        break;
    case SQLITE_NOMEM:
        errnum = ENOMEM;
        break;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
        errnum = EACCES;
        break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        errnum = EUCLEAN;
        break;
    default:
        break;
    }
    const char *path = sqlite3_db_filename(db, "main");
    return err_set(err, errnum, "catalogue '%s': %s", path ? path : "",
                   sqlite3_errmsg(db));
}

int catalogue_exec(sqlite3 *db, const char *sql, struct err *err)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : catalogue_error(db, err);
}

int catalogue_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **ret, struct err *err)
{
    return sqlite3_prepare_v2(db, sql, -1, ret, NULL) == SQLITE_OK
               ? 0
               : catalogue_error(db, err);
}

int catalogue_step(sqlite3_stmt *statement, struct err *err)
{
    switch (sqlite3_step(statement)) {
    case SQLITE_ROW:
        return 1;
    case SQLITE_DONE:
        return 0;
    default:
        return catalogue_error(sqlite3_db_handle(statement), err);
    }
}

int catalogue_run(sqlite3_stmt *statement, struct err *err)
{
    int rc;
    do
        rc = catalogue_step(statement, err);
    while (rc > 0);
    (void)sqlite3_reset(statement);
    return rc;
}

int catalogue_number(sqlite3 *db, const char *sql, int64_t *ret, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int rc = catalogue_prepare(db, sql, &statement, err);
    if (rc == 0)
        rc = catalogue_step(statement, err);
    if (rc < 0)
        return rc;
    *ret = rc ? sqlite3_column_int64(statement, 0) : 0;
    return 0;
}

static int version_other(const char *path, int64_t version, struct err *err)
{
    if (version == 0)
        return err_set(err, EUCLEAN,
                       "catalogue '%s' is empty: restore catalogue.db, or name an "
                       "empty directory",
                       path);
    if (version > VERSION)
        return err_set(err, EPROTO,
                       "catalogue '%s': version %" PRId64
                       " is of a later baro: use that one",
                       path, version);
    return err_set(err, EPROTO,
                   "catalogue '%s': version %" PRId64
                   " was never released: create the repository again",
                   path, version);
}

static int version_check(sqlite3 *db, const char *path, bool creates, struct err *err)
{
    struct catalogue_change change = { 0 };
    int64_t version = 0;
    int rc = catalogue_number(db, "PRAGMA user_version", &version, err);
    if (rc < 0 || version == VERSION)
        return rc;
    if (version != 0 || !creates)
        return version_other(path, version, err);
    rc = catalogue_begin(db, &change, err);
    if (rc == 0) /* another process may have been first */
        rc = catalogue_number(db, "PRAGMA user_version", &version, err);
    if (rc == 0 && version == 0)
        rc = catalogue_exec(db, schema, err);
    if (rc == 0)
        rc = catalogue_commit(&change, err);
    catalogue_change_done(&change);
    return rc;
}

/* A repository may be another user's: tables that are views or have triggers of hers
 * would run as the user who opens it.  What is there has to be what the schema makes.
 */
static int schema_text(sqlite3 *db, sqlite3_stmt **ret, struct err *err)
{
    return catalogue_prepare(
        db,
        "SELECT type, name, tbl_name, sql FROM sqlite_schema "
        "WHERE NOT (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat4')) "
        "ORDER BY name, type",
        ret, err);
}

static bool rows_are_equal(sqlite3_stmt *a, sqlite3_stmt *b)
{
    for (int i = 0; i < sqlite3_column_count(a); i++)
        if (!span_eq(catalogue_span(a, i), catalogue_span(b, i)))
            return false;
    return true;
}

static int schemas_compare(sqlite3 *db, sqlite3 *own, const char *path, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *there = NULL, *wanted = NULL;
    int rc = schema_text(db, &there, err), own_rc;
    if (rc == 0)
        rc = schema_text(own, &wanted, err);
    if (rc < 0)
        return rc;
    do {
        rc = catalogue_step(there, err);
        own_rc = catalogue_step(wanted, err);
        if (rc < 0 || own_rc < 0)
            return rc < 0 ? rc : own_rc;
        if (rc != own_rc || (rc > 0 && !rows_are_equal(there, wanted)))
            return err_set(err, EUCLEAN,
                           "catalogue '%s': its tables are not those of version %d",
                           path, VERSION);
    } while (rc > 0);
    return 0;
}

int catalogue_has_table(sqlite3 *db, const char *name, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    int rc =
        catalogue_prepare(db, "SELECT 1 FROM sqlite_schema WHERE name = ?", &row, err);
    if (rc < 0)
        return rc;
    catalogue_bind_text(row, 1, span_of(name));
    return catalogue_step(row, err);
}

static int schema_check(sqlite3 *db, const char *path, struct err *err)
{
    AUTO_CATALOGUE sqlite3 *own = NULL;
    if (sqlite3_open(":memory:", &own) != SQLITE_OK)
        return -ENOMEM;
    int rc = catalogue_exec(own, schema, err);
    for (size_t i = 0; rc == 0 && i < COUNT_OF(later_tables); i++) {
        rc = catalogue_has_table(db, later_tables[i].name, err);
        if (rc > 0)
            rc = catalogue_exec(own, later_tables[i].sql, err);
    }
    return rc < 0 ? rc : schemas_compare(db, own, path, err);
}

/* Who cannot write reads: for that the files of the WAL are there also when no process
 * has the catalogue open, the log empty. */
static int wal_start(sqlite3 *db, struct err *err)
{
    int persists = 1;
    if (sqlite3_db_readonly(db, "main") == 1)
        return 0;
    (void)sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &persists);
    return catalogue_exec(db,
                          "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                          "PRAGMA journal_size_limit = 0; PRAGMA foreign_keys = ON;",
                          err);
}

int catalogue_open(const char *path, bool creates, sqlite3 **ret, struct err *err)
{
    AUTO_CATALOGUE sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    int code =
        sqlite3_open_v2(path, &db, creates ? flags | SQLITE_OPEN_CREATE : flags, NULL);
    if (!db)
        return -ENOMEM;
    if (code != SQLITE_OK)
        return catalogue_error(db, err);
    catalogue_set_wait(db, false);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    int rc = wal_start(db, err);
    if (rc == 0)
        rc = version_check(db, path, creates, err);
    if (rc == 0)
        rc = schema_check(db, path, err);
    if (rc < 0)
        return rc;
    *ret = TAKE(db);
    return 0;
}

int catalogue_begin(sqlite3 *db, struct catalogue_change *ret, struct err *err)
{
    int rc = catalogue_exec(db, "BEGIN IMMEDIATE", err);
    if (rc == 0)
        ret->db = db;
    return rc;
}

int catalogue_commit(struct catalogue_change *change, struct err *err)
{
    int rc = catalogue_exec(change->db, "COMMIT", err);
    if (rc == 0)
        change->db = NULL;
    return rc;
}

void catalogue_change_done(struct catalogue_change *change)
{
    if (change->db)
        (void)sqlite3_exec(change->db, "ROLLBACK", NULL, NULL, NULL);
    change->db = NULL;
}

void catalogue_bind_text(sqlite3_stmt *statement, int at, struct span text)
{
    (void)sqlite3_bind_text(statement, at, text.data, (int)text.size, SQLITE_STATIC);
}

void catalogue_bind_blob(sqlite3_stmt *statement, int at, struct span bytes)
{
    (void)sqlite3_bind_blob64(statement, at, bytes.data, bytes.size, SQLITE_STATIC);
}

void catalogue_bind_digest(sqlite3_stmt *statement, int at, const struct digest *digest)
{
    (void)sqlite3_bind_blob(statement, at, digest->bytes, DIGEST_SIZE, SQLITE_STATIC);
}

struct span catalogue_span(sqlite3_stmt *statement, int column)
{
    const void *data = sqlite3_column_blob(statement, column);
    return (struct span){ data ? data : "",
                          (size_t)sqlite3_column_bytes(statement, column) };
}

int catalogue_digest(sqlite3_stmt *statement, int column, struct digest *ret,
                     struct err *err)
{
    struct span bytes = catalogue_span(statement, column);
    if (bytes.size != DIGEST_SIZE)
        return err_set(err, EUCLEAN, "catalogue: a SHA-256 of %zu bytes", bytes.size);
    memcpy(ret->bytes, bytes.data, DIGEST_SIZE);
    return 0;
}
