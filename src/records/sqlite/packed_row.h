/* SPDX-License-Identifier: Apache-2.0 */
/* packed_row - the integers of a row as one blob: SQL function baro_pack(columns).
 *
 *     mask of 64 bits: column i is not null │ the values of these, 64 bits each
 *
 * Most counters of a row are null.  A statement that has them as columns of its result
 * pays for each, twice where the rows are sorted; a function gets all of them at once.
 *
 * Threads  those of the connection.
 */
#ifndef RECORDS_SQLITE_PACKED_ROW_H
#define RECORDS_SQLITE_PACKED_ROW_H

#include "base/err.h"
#include "records/engine/engine.h"

#include <sqlite3.h>

#define PACKED_COLUMNS_MAX 64

/* Let statements of db call it. */
int packed_row_install(sqlite3 *db, struct err *err);

/* The row whose blob is in this column of stmt, until its next step: integers and
 * times.  Blobs are made by this process, in the same statement. */
struct sql_row packed_row(sqlite3_stmt *stmt, int column);

#endif
