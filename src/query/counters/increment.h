/* SPDX-License-Identifier: Apache-2.0 */
/* increment - what one row adds to what was known before it.
 *
 *      before ─────────────▶ row                 counters are raw
 *        │   since            │
 *        │     │◀─ increment ▶│                  row - before, or row - 0 after a reset
 *
 * The row says itself from when its increment accrued and what it follows; the
 * neighbour in the table is believed only where the row says that it is the one, or
 * says nothing.  Every case in which something was guessed or lost has a flag, so that
 * a result can say so.
 */
#ifndef QUERY_COUNTERS_INCREMENT_H
#define QUERY_COUNTERS_INCREMENT_H

#include "model/model.h"

enum {
    /* A new life began: the base is zero. */
    INCREMENT_RESET = 1 << 0,
    /* The row before is not the one this row follows: a row was lost, or the observer
     * forgot.  The increment lies somewhere in (before, t] and is spread over it. */
    INCREMENT_INTERPOLATED = 1 << 1,
    /* Nothing is known before this row: it is not known how much of its counters is
     * the increment.  They stand here as what it is at most. */
    INCREMENT_UNKNOWN = 1 << 2,
    /* What a life did at its end was not seen: a reset behind lost rows, a target that
     * was mounted anew between two observations, or it is not known whether there was a
     * reset. The increment is the least. */
    INCREMENT_LOST_TAIL = 1 << 3,
    /* Start times or the server differ though the row says it goes on. */
    INCREMENT_HIDDEN_RESET = 1 << 4,
    /* Counters went backwards though the row says it goes on: taken for a reset. */
    INCREMENT_DECREASED = 1 << 5,
    /* A sum of usecs went backwards: read while it was written, taken for zero. */
    INCREMENT_USECS_BACK = 1 << 6,
    /* A counter stands in one of the two rows only: it adds nothing. */
    INCREMENT_MISSING = 1 << 7,
};
#define INCREMENT_FLAG_COUNT 8

/* How long before its row an increment of unknown beginning may have accrued, as far as
 * is said: as far back as a row before is looked for. */
#define INCREMENT_UNKNOWN_MS (INT64_C(48) * 3600 * 1000)

struct increment {
    int64_t since_ms; /* accrued within (since_ms, t_ms]; equal: all at t_ms */
    int64_t t_ms;
    unsigned flags;
    uint64_t has_samples; /* bit OP_x: known (perhaps zero) */
    uint64_t has_sum;
    uint64_t missing_samples; /* bit OP_x: in one of the two rows only */
    uint64_t missing_sum;
    uint64_t samples[OP_COUNT];
    uint64_t sum[OP_COUNT];
};

/* As before: rows stand before it, and none of them is what it follows.  Then a start
 * time says nothing of how much was counted already. */
extern const struct jobrow increment_before_unknown;

/* before is the row of the same series that row goes on from (query/chain), or NULL. */
void increment_between(const struct jobrow *before, const struct jobrow *row,
                       struct increment *ret);

/* Does what row adds depend on a row before it?  False where the
 * row itself says that its base is zero and since when. */
bool increment_needs_before(const struct jobrow *row);

/* A row that others follow and that adds nothing: the observer's clock was set back,
 * and what the row shows was counted before (doc/decisions/0381). */
bool increment_is_base(const struct jobrow *row);

/* Does row say that it follows before? */
bool increment_is_next(const struct jobrow *before, const struct jobrow *row);

/* A row in which every counter is zero: the beginning of a life. */
bool increment_is_zero_record(const struct jobrow *row);

#endif
