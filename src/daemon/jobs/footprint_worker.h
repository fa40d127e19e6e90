/* SPDX-License-Identifier: Apache-2.0 */
/* footprint_worker - the thread of the daemon that makes the footprints of runs that
 * ended.
 *
 *     job_runs without a footprint of their end ─▶ run_footprint ─▶ rows, by the writer
 *        when runs were submitted, every minute, and after the start
 *
 * What is left to do stands in the database: after a crash it goes on where rows are
 * missing.  A run that ended before all that the store has in memory is passed over.
 * It waits footprint_delay for samples that are on their way; those that come later
 * change nothing.  At most FOOTPRINT_RUNS_AT_ONCE runs are read and stored at a time,
 * and it rests as long as it was busy.
 *
 * Threads  one of its own, with a connection of its own; wake and stats from any.
 */
#ifndef DAEMON_JOBS_FOOTPRINT_WORKER_H
#define DAEMON_JOBS_FOOTPRINT_WORKER_H

#include "daemon/jobs/run_footprint.h"
#include "ingest/ingest.h"
#include "records/records.h"

#define FOOTPRINT_RUNS_AT_ONCE 64
/* A store that forgets nothing: of runs that ended longer ago none is made. */
#define FOOTPRINT_LONGEST_NS (INT64_C(366) * 86400 * 1000000000)

struct footprint_worker_opts {
    struct records *records;
    struct metric_store *store;
    struct ingest_writer *writer;
    struct span patterns; /* as in run_footprint.h; the configuration's */
    int64_t delay_ns;
    int64_t retention_ns; /* of the store, or of jobs where that is less; 0: for ever */
};

struct footprint_worker_stats {
    uint64_t runs;       /* that got a footprint */
    uint64_t unobserved; /* of those: the store had nothing of them */
    uint64_t rows;       /* that were stored */
    uint64_t errors;     /* times that it was tried again later */
    uint64_t busy_ms;    /* of a processor */
};

struct footprint_worker;

/* All of opts must outlive it.  Errors: -ENOMEM, -EAGAIN (no thread). */
int footprint_worker_start(const struct footprint_worker_opts *opts,
                           struct footprint_worker **ret, struct err *err);
void footprint_worker_free(struct footprint_worker *worker);

/* Runs were submitted.  NULL is fine. */
void footprint_worker_wake(struct footprint_worker *worker);
void footprint_worker_stats(const struct footprint_worker *worker,
                            struct footprint_worker_stats *ret);

/* Of ends before this no footprint is made. */
int64_t footprint_oldest_ns(int64_t retention_ns, int64_t now_ns);

#endif
