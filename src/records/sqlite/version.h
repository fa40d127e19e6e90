/* SPDX-License-Identifier: Apache-2.0 */
/* version - of which version the tables of a SQLite file are. */
#ifndef RECORDS_SQLITE_VERSION_H
#define RECORDS_SQLITE_VERSION_H

#include "records/sqlite/db.h"

/* 0: there are no tables.  Errors: -EBADMSG (there are others). */
int sqlite_version_read(sqlite3 *db, int64_t *ret, struct err *err);
/* The version of a database that is only read.  Errors: as
 * schema_version_check_readable, -EBADMSG also for a file of other tables. */
int sqlite_schema_look(sqlite3 *db, int64_t *ret_version, struct err *err);

/* In a transaction that writes: has a newer program brought it further since?  What it
 * relies on (hours that late rows touch) an older one would not do.
 * Errors: -EBADMSG. */
int sqlite_schema_check(sqlite3 *db, struct err *err);

#endif
