/* SPDX-License-Identifier: Apache-2.0 */
/* timeline - one component in a range of time: how long it was how, and what failed.
 *
 *     statements of its sources ─▶ the worst that counts, at each time
 *     drained by an administrator ─▶ planned: beside it
 *     silence of its host ─▶ what was up is unknown
 *
 *           up ───┐ degraded ─┐                    ┌─ up
 *                 └───────────┤ down ── unknown ───┘
 *                 1 degraded  1 failure ... repair, of a length that is not known
 *
 * 1. A failure is where it becomes down and is not drained; a second one only once it
 *    was up or degraded again.  Down below a drain is a failure where the drain ends
 *    and it still is.
 * 2. It is repaired when it is stated up or degraded, drained or not.  Where nothing
 *    was known of it meanwhile the repair has no length.
 * 3. It is counted as degraded where it becomes so and was not down or degraded before.
 * 4. Opinions of users count nowhere.  A component begins with its first statement.
 *
 * What was stated before the range holds at its beginning; failures and repairs
 * count where they are in it, a repair with its whole length.
 *
 * Units    nanoseconds since 1970; ranges are [from, to).
 * Threads  none inside.
 */
#ifndef ANALYSIS_RELIABILITY_TIMELINE_H
#define ANALYSIS_RELIABILITY_TIMELINE_H

#include "model/model.h"

struct timeline_change {
    int64_t t_ns;
    uint32_t source; /* a number of its source, small */
    enum resource_health health;
    bool is_silence; /* of no source: health unknown: the host is silent from here on */
};

/* Of one component; times of what happened lie in arrays that grow. */
struct timeline_times {
    int64_t *items;
    size_t count, capacity;
};

struct timeline {
    bool is_observed; /* it was there in the range */
    int64_t up_ns, degraded_ns, down_ns, unknown_ns, drained_ns;
    uint64_t failures, degradations, drains;
    uint64_t repairs_unknown;                 /* of a length that is not known */
    bool is_failed;                           /* at the end of the range */
    struct timeline_times intervals, repairs; /* lengths, in the order of time */
};

void timeline_init(struct timeline *timeline);
/* For the next component; memory stays. */
void timeline_clear(struct timeline *timeline);
void timeline_done(struct timeline *timeline);

/* changes are sorted by time, in place; at one time a later one of the array wins.
 * source_count: their numbers are below it.  Errors: -ENOMEM. */
int timeline_make(struct timeline_change *changes, size_t count, size_t source_count,
                  int64_t from_ns, int64_t to_ns, struct timeline *ret);

#endif
