/* SPDX-License-Identifier: Apache-2.0 */
/* job_time - a time in the words of batch systems. */
#ifndef SOURCE_SCHEDULER_JOB_TIME_H
#define SOURCE_SCHEDULER_JOB_TIME_H

#include "model/model.h"

/* The zone of times that do not name one themselves. */
struct sched_zone {
    bool is_named;  /* false: such times are refused */
    int64_t east_s; /* seconds to take off for UTC: 3600 for +01:00 */
};

/* A time as batch systems tell it: seconds since the epoch, RFC 3339, the same without
 * zone, "Fri Nov 20 12:00:00 2026"; "", "0", "Unknown" and "None" are JOB_TIME_NONE.
 * NULL, or why it is no time (static); then *ret_ns is untouched. */
const char *sched_time_parse(struct span text, const struct sched_zone *zone,
                             int64_t *ret_ns);

#endif
