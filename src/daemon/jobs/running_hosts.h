/* SPDX-License-Identifier: Apache-2.0 */
/* running_hosts - the hosts of running jobs, by the records that batch systems sent:
 * what is in memory of them stays beyond the store's retention.
 *
 *     job_runs without an end ─▶ hosts ─▶ looked up by the retention's worker
 *        every minute, and when runs were submitted
 *
 * A run whose end was never reported would last for ever: it counts until a day after
 * its time limit, without one until 31 days after its start.
 *
 * Where footprints are made, hosts of runs that ended count until theirs is stored.
 *
 * Until the records were read once, ten minutes at most, every host counts.
 *
 * Threads  one of its own, with a connection of its own; has and wake from any.
 */
#ifndef DAEMON_JOBS_RUNNING_HOSTS_H
#define DAEMON_JOBS_RUNNING_HOSTS_H

#include "records/records.h"

#define RUNNING_OVERDUE_NS (INT64_C(86400) * 1000000000)
#define RUNNING_LONGEST_NS (31 * RUNNING_OVERDUE_NS)

struct running_hosts;

/* Before the store, which looks hosts up here.  Errors: -ENOMEM. */
int running_hosts_new(struct running_hosts **ret);
/* records must outlive it.  footprints_ns: of runs that ended within it footprints are
 * made; below 0: of none.  Errors: -EAGAIN (no thread). */
int running_hosts_start(struct running_hosts *running, struct records *records,
                        int64_t footprints_ns, struct err *err);
/* Ends the thread; what was found stays. */
void running_hosts_stop(struct running_hosts *running);
void running_hosts_free(struct running_hosts *running);

/* As metric_store_is_exempt_fn: host is "cluster/host". */
bool running_hosts_has(void *running, struct span host);
/* Runs were submitted.  NULL is fine. */
void running_hosts_wake(struct running_hosts *running);

/* Whether a run counts as running. */
bool run_is_going_on(const struct job *run, int64_t now_ns);

#endif
