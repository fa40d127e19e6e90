/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite - the embedded engine: one file, one writer's connection, WAL, synced. */
#ifndef RECORDS_SQLITE_SERIES_H
#define RECORDS_SQLITE_SERIES_H

#include "records/engine/engine.h"
#include "records/sqlite/days.h"

int sqlite_reader_open(const char *path, struct engine_reader **ret, struct err *err);
void sqlite_reader_close(struct engine_reader *r);
void sqlite_reader_watch(struct engine_reader *r, records_watch_fn *fn, void *arg);
int sqlite_reader_series(struct engine_reader *r, const struct series_filter *filter,
                         records_series_fn *fn, void *arg, struct err *err);
int sqlite_reader_rows(struct engine_reader *r, const struct row_range *range,
                       records_row_fn *fn, void *arg, struct err *err);
int sqlite_reader_extent(struct engine_reader *r, struct records_extent *ret,
                         struct err *err);

/* The columns of a stored series, and its way out of a row of them; spans are valid
 * until the next step.  Errors: -EIO (not what we wrote). */
#define SQLITE_SERIES_COLUMNS                                                        \
    "sid, time_series_id, fs, target, kind, entry_id, entry_bytes, format, job_id, " \
    "user_id, group_id, nodename, executable, pid, flags, is_login"
int sqlite_series_out(sqlite3_stmt *stmt, struct series *ret);

#endif
