/* SPDX-License-Identifier: Apache-2.0 */
/* reader - one reading connection to the SQLite file; rows.c reads the rows. */
#ifndef RECORDS_SQLITE_READER_H
#define RECORDS_SQLITE_READER_H

#include "records/engine/engine.h"
#include "records/sqlite/days.h"

struct engine_reader {
    sqlite3 *db;
    const struct row_range *range; /* of the reading under way: baro_wanted() asks */
    struct server_names servers;   /* as of the reading's snapshot */
};

/* As in engine.h. */
int sqlite_reader_sql(struct engine_reader *r, struct sql_conn *ret, struct err *err);
int sqlite_reader_open(const char *path, struct engine_reader **ret, struct err *err);
void sqlite_reader_close(struct engine_reader *r);
void sqlite_reader_watch(struct engine_reader *r, records_watch_fn *fn, void *arg);
int sqlite_reader_series(struct engine_reader *r, const struct series_filter *filter,
                         records_series_fn *fn, void *arg, struct err *err);
int sqlite_reader_rows(struct engine_reader *r, const struct row_range *range,
                       records_row_fn *fn, void *arg, struct err *err);
int sqlite_reader_extent(struct engine_reader *r, struct records_extent *ret,
                         struct err *err);

/* A snapshot for several statements: callbacks may read with the same reader, then the
 * outer reading's snapshot goes on. */
int reader_begin(struct engine_reader *r, bool *ret_began, struct err *err);
void reader_end(struct engine_reader *r, bool began);

/* Load r->servers again, in the snapshot. */
int sqlite_servers_load(struct engine_reader *r, struct err *err);

#endif
