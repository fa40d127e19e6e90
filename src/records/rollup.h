/* SPDX-License-Identifier: Apache-2.0 */
/* rollup - increments added up by the hour, as they are stored; a part of the door.
 *
 *      hour_ms            hour_ms + 1 h
 *         │──●────●───●──────●─│──●──      a cell: what lies wholly inside, added up
 *      ──────●                 │           a cell of its own: reaches in from before
 *
 * records stores and reads cells and knows nothing of what they mean; query/rollup
 * makes and uses them.  What records does know is when an hour is to be believed:
 *
 *     no state ──begin──▶ touched ──end──▶ clean ──a late row──▶ touched ──begin──▶ ...
 *
 * A row that comes for an hour with a state touches, in its own transaction, every hour
 * whose increments may depend on it.  end fails to make an hour clean that was touched
 * after begin, so that a clean hour never lacks a row that is stored.
 */
#ifndef RECORDS_ROLLUP_H
#define RECORDS_ROLLUP_H

#include "base/err.h"
#include "records/request/request.h"

struct records;
struct records_reader;
struct records_roller;

/* ---- making; a connection of its own, for a thread of its own ---- */

int records_roller_open(struct records *records, struct records_roller **ret,
                        struct err *err);
void records_roller_close(struct records_roller *roller);
DEFINE_AUTO(struct records_roller, records_roller_close);

/* Forget the hour's cells.  *ret_ticket is for put and end. */
int records_roller_begin(struct records_roller *roller, enum target_kind kind,
                         int64_t hour_ms, int64_t *ret_ticket, struct err *err);
/* Cells of one hour, in any number of calls; each is a transaction, synced some time.
 * Errors: -ESTALE (the hour was touched since begin: begin it again). */
int records_roller_put(struct records_roller *roller, enum target_kind kind,
                       int64_t hour_ms, int64_t ticket, const struct rollup_cell *cells,
                       size_t count, struct err *err);
/* All of them are put: believe the hour.  Errors: as put. */
int records_roller_end(struct records_roller *roller, enum target_kind kind,
                       int64_t hour_ms, int64_t ticket, struct err *err);
/* Drop the oldest hour if it lies wholly before oldest_ms; *ret_dropped says whether
 * there was one. */
int records_roller_drop(struct records_roller *roller, enum target_kind kind,
                        int64_t oldest_ms, bool *ret_dropped, struct err *err);

/* ---- reading ---- */

/* Everything that is read until end is of one moment. */
int records_reader_begin(struct records_reader *reader, struct err *err);
void records_reader_end(struct records_reader *reader);

/* Hours with from_ms <= hour < to_ms that have a state, ascending. */
int records_read_hours(struct records_reader *reader, enum target_kind kind,
                       int64_t from_ms, int64_t to_ms, records_hour_fn *fn, void *arg,
                       struct err *err);

/* Ordered by (sid, hour, part), whether their hours are clean or not. */
int records_read_cells(struct records_reader *reader, const struct cell_range *range,
                       records_cell_fn *fn, void *arg, struct err *err);

#endif
