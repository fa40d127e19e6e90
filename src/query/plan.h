/* SPDX-License-Identifier: Apache-2.0 */
/* plan - which hours of a window are read as cells, and which as rows.
 *
 *     from                                                        to
 *     ─┼──│─────│─────│─────│──step──│─────│─────│─────│────────┼─
 *      rows │    cells       │ rows  │      cells      │  rows
 *
 * Cells stand for whole hours that are clean, in the window, in one step of every
 * tally, and before the time from which on activity is followed row by row.  A row is
 * read where its time lies; what reaches over the end belongs to the rows at the end.
 */
#ifndef QUERY_PLAN_H
#define QUERY_PLAN_H

#include "query/tally.h"

/* Shorter windows are read as rows, always: memory answers for most of them. */
#define PLAN_WINDOW_MIN_MS (2 * ROLLUP_HOUR_MS)
/* Fewer hours than this between rows are read as rows too: each stretch of rows is read
 * with up to two hours before it. */
#define PLAN_RUN_MIN 3

struct plan_part {
    bool is_cells;
    int64_t from_ms, to_ms; /* rows: from < t <= to, the last one open at its end;
                             * cells: from <= hour < to */
};

struct plan {
    struct plan_part *parts;
    size_t count, capacity;
};

void plan_done(struct plan *plan);
DEFINE_AUTO_DONE(struct plan, plan_done);

/* Is the window long enough to be worth a plan?  The same for all that ask of a window,
 * whether there are cells or not, because it decides how far back rows look. */
bool plan_is_long(const struct selection *sel);

/* clean: ascending hours.  Errors: -ENOMEM. */
int plan_make(const struct selection *sel, struct tally *const *tallies, size_t count,
              const int64_t *clean, size_t clean_count, struct plan *ret);

#endif
