/* SPDX-License-Identifier: Apache-2.0 */
/* reaching - rows that are read once more with those before them: above all rows far
 * behind a window that reach back into it.
 *
 *     ──from──to─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─│after──●──────────until│
 *         ◀────── since, or start_time ──────┘
 *
 * Found by what they say themselves; they are then read with the rows before them, hour
 * by hour, and only they are added.  Private to history_accumulate.  Threads: none
 * inside.
 */
#ifndef QUERY_HOURS_REACHING_H
#define QUERY_HOURS_REACHING_H

#include "query/hours/history.h"

struct reaching_row {
    int64_t sid, t_ms;
};

struct reaching {
    struct reaching_row *rows; /* by (hour, sid, t) */
    size_t count, capacity;
};

void reaching_done(struct reaching *reaching);
DEFINE_AUTO_DONE(struct reaching, reaching_done);

/* In any order, until it is sorted.  Errors: -ENOMEM. */
int reaching_add(struct reaching *reaching, int64_t sid, int64_t t_ms);
void reaching_sort(struct reaching *reaching);

/* The first row of each series in (after_ms, until_ms] that may have begun before
 * range->reach_ms; of range are also used kind and sids.
 * Errors: what history says, -ENOMEM. */
int reaching_find(const struct history *history, const struct row_range *range,
                  int64_t after_ms, int64_t until_ms, struct reaching *ret,
                  struct err *err);

/* The end of the rows that are of the same hour as the one at `first`. */
size_t reaching_hour_end(const struct reaching *reaching, size_t first);

/* Is it one of rows first .. end, which are of one hour? */
bool reaching_has(const struct reaching *reaching, size_t first, size_t end,
                  int64_t sid, int64_t t_ms);

#endif
