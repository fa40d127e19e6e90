/* SPDX-License-Identifier: Apache-2.0 */
/* job_time - a time in the words of batch systems. */
#ifndef SOURCE_SCHEDULER_JOB_TIME_H
#define SOURCE_SCHEDULER_JOB_TIME_H

#include "base/zone.h"
#include "model/model.h"

/* The zone of times that do not name one themselves. */
struct sched_clock {
    const struct zone *zone; /* NULL: such times are refused */
    uint64_t *local_count;   /* how many there were; NULL: not counted */
};

/* A time as batch systems print it: seconds since the epoch, RFC 3339, the same without
 * zone, "Fri Nov 20 12:00:00 2026"; "", "0", "Unknown" and "None" are JOB_TIME_NONE. Of
 * the hour that clocks show twice it is the first unless that lies before after_ns
 * (JOB_TIME_NONE: whatever it is): a run that began in it has not ended before.
 * NULL, or why it is no time (static); then *ret_ns is untouched. */
const char *sched_time_parse(struct span text, const struct sched_clock *clock,
                             int64_t after_ns, int64_t *ret_ns);

#endif
