/* SPDX-License-Identifier: Apache-2.0 */
/* identity - records_identity in SQLite: see records/identity.h. */
#ifndef RECORDS_SQLITE_IDENTITY_H
#define RECORDS_SQLITE_IDENTITY_H

#include "records/sqlite/db.h"
#include "records/tables/tables.h"

/* One small page, however many batches there are; arrived_ms is T_NONE.
 * Errors: also -EAGAIN (the table is empty). */
int sqlite_identity_read(sqlite3 *db, struct database_identity *ret, struct err *err);
/* When the newest batch arrived; T_NONE: there is none.  Reads all of them: only where
 * a loss is to be told. */
int sqlite_identity_arrived(sqlite3 *db, int64_t *ret_ms, struct err *err);
/* As the file has it without its log: older, never newer.  False: it cannot be read, as
 * while the log is being written back. */
bool sqlite_identity_of_file(const char *path, struct database_identity *ret);
/* In a transaction that writes: it is the next one after want.
 * Errors: also -EAGAIN (it is not). */
int sqlite_identity_advance(sqlite3 *db, const struct database_identity *want,
                            const struct uuid *writer, int64_t *ret_epoch,
                            struct err *err);

#endif
