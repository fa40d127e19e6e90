/* SPDX-License-Identifier: Apache-2.0 */
/* check - is a SQLite file damaged?  SQLite has no checksums: what is found is what
 * does not fit together.
 */
#ifndef RECORDS_SQLITE_CHECK_H
#define RECORDS_SQLITE_CHECK_H

#include "records/engine/engine.h"
#include "records/sqlite/db.h"

/* At the start: the header, the free list, and as much of the tables as can be read in
 * this time; the rest is check_whole's.  Errors: -EUCLEAN. */
#define SQLITE_CHECK_START_MS 2000
int sqlite_check_start(sqlite3 *db, struct err *err);
/* Every table on a connection of its own, one at a time: the log can be written back in
 * between. */
int sqlite_check_whole(const char *path, records_watch_fn *watch, void *arg,
                       struct err *err);
int sqlite_verify(const struct records_opts *opts, struct verify *verify,
                  struct err *err);

#endif
