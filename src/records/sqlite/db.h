/* SPDX-License-Identifier: Apache-2.0 */
/* db - a connection to the SQLite file: open, run, prepare, and what errors mean. */
#ifndef RECORDS_SQLITE_DB_H
#define RECORDS_SQLITE_DB_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/span_type.h"
#include "base/uuid.h"

#include <sqlite3.h>
#include <stdint.h>

static inline void auto_stmt_close(sqlite3_stmt **stmt)
{
    (void)sqlite3_finalize(*stmt);
}
#define AUTO_STMT __attribute__((cleanup(auto_stmt_close)))

static inline void auto_db_close(sqlite3 **db)
{
    (void)sqlite3_close_v2(*db);
}
#define AUTO_DB __attribute__((cleanup(auto_db_close)))

/* -errno for what the connection said last, with its words in err. */
int db_error(sqlite3 *db, const char *what, struct err *err);

/* -EUCLEAN, with the remedy. */
int db_damaged(sqlite3 *db, const char *what, struct err *err);

/* Errors: -EISDIR. */
int db_path_check(const char *path, struct err *err);
/* flags as of sqlite3_open_v2. */
int db_open(const char *path, int flags, sqlite3 **ret, struct err *err);
/* To be read only, also where nothing can be written beside it: a snapshot, a copy on a
 * read-only disk. */
int db_open_to_read(const char *path, sqlite3 **ret, struct err *err);
/* The file alone, without its log, as if no process wrote to it: what is read may not
 * fit together. */
int db_open_alone(const char *path, sqlite3 **ret, struct err *err);
int db_exec(sqlite3 *db, const char *sql, struct err *err);
int db_execf(sqlite3 *db, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int db_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **ret, struct err *err);
/* One statement that returns one number. */
int db_number(sqlite3 *db, const char *sql, int64_t *ret, struct err *err);

/* Step once: 1 a row, 0 done, or an error. */
int db_step(sqlite3_stmt *stmt, struct err *err);
/* Step a statement that returns nothing, and make it ready for the next time. */
int db_run(sqlite3_stmt *stmt, struct err *err);

/* Bind without copying: what is pointed to must live until the statement is stepped. */
void db_bind_span(sqlite3_stmt *stmt, int index, struct span s); /* data NULL: null */
void db_bind_blob(sqlite3_stmt *stmt, int index, struct span s);
void db_bind_uuid(sqlite3_stmt *stmt, int index, const struct uuid *uuid);
void db_bind_time(sqlite3_stmt *stmt, int index, int64_t t); /* T_NONE: null */

/* Valid until the next step. */
struct span db_span(sqlite3_stmt *stmt, int column); /* data NULL: null */
int64_t db_time(sqlite3_stmt *stmt, int column);     /* T_NONE: null */
int db_uuid(sqlite3_stmt *stmt, int column, struct uuid *ret);

#endif
