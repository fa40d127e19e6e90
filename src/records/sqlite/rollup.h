/* SPDX-License-Identifier: Apache-2.0 */
/* rollup - SQLite's hours and cells: rollup_hours, rollup_mdt, rollup_ost. */
#ifndef RECORDS_SQLITE_ROLLUP_H
#define RECORDS_SQLITE_ROLLUP_H

#include "records/engine/engine.h"
#include "records/sqlite/days.h"

/* For the migration: the tables of version 3. */
void sqlite_rollup_tables(struct strbuf *sql);

/* On the writer's connection, inside its transaction; as in engine.h. */
int sqlite_next_rows(sqlite3 *db, enum target_kind kind, const struct day_list *days,
                     const struct keyed_row *const *rows, size_t count,
                     int64_t *ret_next_ms, struct err *err);
int sqlite_rollup_touch(sqlite3 *db, enum target_kind kind, const int64_t *hours,
                        size_t count, struct err *err);

int sqlite_roller_open(const char *path, struct engine_roller **ret, struct err *err);
void sqlite_roller_close(struct engine_roller *r);
int sqlite_roller_begin(struct engine_roller *r, enum target_kind kind, int64_t hour_ms,
                        int64_t *ret_ticket, struct err *err);
int sqlite_roller_put(struct engine_roller *r, enum target_kind kind, int64_t hour_ms,
                      int64_t ticket, const struct rollup_cell *cells, size_t count,
                      struct err *err);
int sqlite_roller_end(struct engine_roller *r, enum target_kind kind, int64_t hour_ms,
                      int64_t ticket, struct err *err);
int sqlite_roller_drop(struct engine_roller *r, enum target_kind kind,
                       int64_t oldest_ms, bool *ret_dropped, struct err *err);

int sqlite_reader_begin(struct engine_reader *r, struct err *err);
void sqlite_reader_end(struct engine_reader *r);
int sqlite_reader_cells(struct engine_reader *r, const struct cell_range *range,
                        records_cell_fn *fn, void *arg, struct err *err);

#endif
