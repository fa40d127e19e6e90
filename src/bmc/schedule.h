/* SPDX-License-Identifier: Apache-2.0 */
/* schedule - which BMC is read next, and when.
 *
 *     those that responded ─▶ heap by time ─┐
 *                                           ├─▶ next: what is due
 *     those that did not   ─▶ heap by time ─┘   (of these at most half of in_flight)
 *
 * Each has a moment of its own within the interval, made of its name, so that they do
 * not come at once; one that does not respond is read half as often each time, down to
 * backoff_max, with a tenth at random.  What is behind is read as soon as it can be.
 *
 * Units    times of clock_steady_ns().
 * Threads  none inside: poller.c has a lock around it.
 */
#ifndef BMC_SCHEDULE_H
#define BMC_SCHEDULE_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct schedule;

struct schedule_opts {
    size_t count;
    size_t in_flight;
    int64_t backoff_max_ns;
};

/* Errors: -ENOMEM. */
int schedule_new(const struct schedule_opts *opts, struct schedule **ret);
void schedule_free(struct schedule *schedule);
DEFINE_AUTO(struct schedule, schedule_free);

/* The first time of each, once; name makes its moment. */
void schedule_add(struct schedule *schedule, size_t index, const char *name,
                  int64_t interval_ns, int64_t now_ns);
/* The next that is due, which is in flight until schedule_done(); false: none is, and
 * *ret_due_ns is when one will be (INT64_MAX: when one in flight is done). */
bool schedule_next(struct schedule *schedule, int64_t now_ns, size_t *ret,
                   int64_t *ret_due_ns);
void schedule_done(struct schedule *schedule, size_t index, bool has_responded,
                   int64_t now_ns);
/* It is due now; of one in flight: when it is done. */
void schedule_hurry(struct schedule *schedule, size_t index, int64_t now_ns);

struct schedule_counts {
    size_t in_flight, silent;
    int64_t behind_ns; /* of what is due longest */
};
void schedule_count(const struct schedule *schedule, int64_t now_ns,
                    struct schedule_counts *ret);

#endif
