/* SPDX-License-Identifier: Apache-2.0 */
/* rollup - increments added up by the hour, so that long ranges need no rows.
 *
 *     rows ─▶ chain ─▶ increment ─┬─▶ plain, inside one hour: added up     ┐
 *                                 └─▶ across an edge, or with a flag that  ├─▶ cells
 *                                     is known: a cell of its own           ┘
 *     cells ─▶ increment ─▶ accumulator
 *
 * A cell says exactly what the increments in it say to any window that holds the whole
 * of its hour, to any grouping, filter and choice of operations: so a result is the
 * same, to the byte, with cells and without (a test plays it).  That is why what could
 * be distinguished is not added up: an increment that reaches over an edge is
 * apportioned when it is requested, as ever; one with a flag that becomes a note stays
 * whole.
 */
#ifndef QUERY_HOURS_ROLLUP_H
#define QUERY_HOURS_ROLLUP_H

#include "query/hours/history.h"

/* How many servers of one series are added up apart in an hour; increments of more are
 * kept one by one. */
#define ROLLUP_SERVERS_MAX 4

/* The cells of all series with rows in the hours from_ms <= hour < to_ms (both whole
 * hours), ordered by (sid, hour, part); the cell is valid during the call.  A negative
 * return ends it. */
typedef int rollup_cell_fn(void *arg, const struct rollup_cell *cell);
int rollup_make(const struct history *history, enum target_kind kind, int64_t from_ms,
                int64_t to_ms, rollup_cell_fn *fn, void *arg, struct err *err);

/* What a cell adds. */
void rollup_increment(const struct rollup_cell *cell, struct increment *ret);

#endif
