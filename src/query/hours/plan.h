/* SPDX-License-Identifier: Apache-2.0 */
/* plan - which hours of a window are read as cells, and which as rows.
 *
 *     from                                            to
 *     ─┼──│─────│─────│──step──│─────│─────│────────┼──│─────│─────│────│─ ─ ▶
 *      rows │    cells   │ rows  │    cells   │  rows   │ long cells │ rows
 *
 * Cells stand for whole hours that are clean, in the window, in one step of every
 * accumulator, and before the time from which on activity is followed row by row.
 *
 * A row is read where its time lies, also behind the window: its increment may reach
 * back over any length of time.  There an hour's cells that begin before the window's
 * end are few; hours without cells are read as rows for PLAN_AFTER_MS, and further away
 * as rows that say themselves that they reach back.
 */
#ifndef QUERY_HOURS_PLAN_H
#define QUERY_HOURS_PLAN_H

#include "query/counters/counters.h"

/* Shorter windows are read as rows, always: memory serves most of them. */
#define PLAN_WINDOW_MIN_MS (2 * ROLLUP_HOUR_MS)
/* Fewer hours than this between rows are read as rows too: each stretch of rows is read
 * with up to two hours before it. */
#define PLAN_RUN_MIN 3
/* So far behind the window rows are read whether they say that they reach back or not:
 * one without `previous` goes on from a row that lies up to RECORDS_LOOKBACK_MS before
 * the hour before its own (chain_before), and one of which nothing is known before
 * counts, at most, for INCREMENT_UNKNOWN_MS.  A row whose `previous` is lost goes on
 * from a row up to RECORDS_LOOKBACK_MS before that, which is further: it says so
 * itself, and is found as PLAN_LONG_ROWS. */
#define PLAN_AFTER_MS (RECORDS_LOOKBACK_MS + 2 * ROLLUP_HOUR_MS)
/* Before any hour, and behind all of them. */
#define PLAN_END_MS (INT64_MAX / 4)

enum plan_read {
    PLAN_ROWS,       /* from < t <= to */
    PLAN_CELLS,      /* from <= hour < to */
    PLAN_LONG_CELLS, /* the same, of them those that began before the window's end */
    PLAN_LONG_ROWS,  /* likewise, as far as rows say so themselves */
};

struct plan_part {
    enum plan_read read;
    int64_t from_ms, to_ms;
};

struct plan {
    struct plan_part *parts;
    size_t count, capacity;
};

void plan_done(struct plan *plan);
DEFINE_AUTO_DONE(struct plan, plan_done);

/* Is the window long enough to be worth a plan?  The same for all requests of a window,
 * whether there are cells or not, because it decides how far back rows look. */
bool plan_is_long(const struct selection *sel);

/* clean: ascending hours, those behind the window too.  Errors: -ENOMEM. */
int plan_make(const struct selection *sel, struct accumulator *const *accumulators,
              size_t count, const int64_t *clean, size_t clean_count, struct plan *ret);

#endif
