/* SPDX-License-Identifier: Apache-2.0 */
/* job - one run of one job, as its batch system accounts for it.
 *
 * A job that was requeued has run several times: each is a struct of its own with the
 * same id.
 */
#ifndef SOURCE_SCHEDULER_JOB_H
#define SOURCE_SCHEDULER_JOB_H

#include "base/err.h"
#include "base/span.h"
#include "model/model.h"

#include <stdint.h>

#define JOB_TIME_NONE INT64_MIN /* not told: not begun, or not ended yet */

struct sched_job {
    struct span cluster; /* empty where it is not told, as any text here */
    struct span id;      /* as people write it: "5_1", "4478544", "12.pbs01" */
    struct span raw_id;  /* as the system counts: "7" for "5_1"; else the same as id */
    struct span name;    /* any bytes */
    struct span user;
    struct span account;
    struct span partition; /* or queue */
    struct span state;     /* as it is told: "COMPLETED", "CANCELLED by 0" */
    struct span nodes;     /* a host set: "nid[00010-00012]" */
    uint64_t node_count;   /* 0: not told */
    int64_t submit_ns;
    int64_t start_ns;
    int64_t end_ns; /* JOB_TIME_NONE with a start: it is running */
};

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

/* Whether the job ran within [from_ns, to_ns): it touched the window.  A job without
 * end runs on; one without start ran never. */
bool sched_job_overlaps(const struct sched_job *job, int64_t from_ns, int64_t to_ns);

/* Node-seconds of the job within [from_ns, to_ns). */
double sched_job_node_seconds(const struct sched_job *job, int64_t from_ns,
                              int64_t to_ns);

/* The nodes one by one, in given order.  Errors: as hostset_parse; -ENOENT (not told).
 */
int sched_job_nodes(const struct sched_job *job, struct hostset **ret, struct err *err);

#endif
