/* SPDX-License-Identifier: Apache-2.0 */
/* series - series in SQLite: found by name, added, and out of a row. */
#ifndef RECORDS_SQLITE_SERIES_H
#define RECORDS_SQLITE_SERIES_H

#include "records/sqlite/backend.h"

/* Once a connection: the statements of the two below. */
int sqlite_series_prepare(struct records_backend *b, struct err *err);
/* As engine.h says. */
int sqlite_find_series(struct records_backend *b, struct series **series, size_t count,
                       struct arena *arena, struct err *err);
int sqlite_add_series(struct records_backend *b, struct series **series, size_t count,
                      struct err *err);

/* The columns of a stored series, and its way out of a row of them; spans are valid
 * until the next step.  Errors: -EIO (not what we wrote). */
#define SQLITE_SERIES_COLUMNS                                                        \
    "sid, time_series_id, fs, target, kind, entry_id, entry_bytes, format, job_id, " \
    "user_id, group_id, nodename, executable, pid, flags, is_login"
int sqlite_series_out(sqlite3_stmt *stmt, struct series *ret);

#endif
