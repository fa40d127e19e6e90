/* SPDX-License-Identifier: Apache-2.0 */
/* schema_sql - SQLite's tables, and the way from each older version to the newest. */
#ifndef RECORDS_SQLITE_SCHEMA_SQL_H
#define RECORDS_SQLITE_SCHEMA_SQL_H

#include "records/engine/engine.h"
#include "records/sqlite/db.h"

/* Bring the file to SCHEMA_VERSION, in one transaction.
 * Errors: -EBADMSG (it is newer than this program, or no file of ours). */
int sqlite_migrate(sqlite3 *db, struct err *err);
/* The same in a transaction that the caller has begun. */
int sqlite_migrate_in(sqlite3 *db, struct err *err);
/* See records/migration.h. */
int sqlite_engine_migrate(const struct records_opts *opts, bool is_dry,
                          records_step_fn *fn, void *arg, struct err *err);
#endif
