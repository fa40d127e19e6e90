/* SPDX-License-Identifier: Apache-2.0 */
/* workers - a group of processes that do one thing together, with a barrier.
 *
 * Two kinds: children of this process, and the ranks that mpirun started.  Both run the
 * same function in every process and bring the results to the leader.
 *
 * A worker that dies, or a leader that gets a signal, ends the others: no process waits
 * at a barrier for one that died.
 */
#ifndef PROBE_WORKERS_H
#define PROBE_WORKERS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORKERS_MAX 4096

struct workers; /* its processes, and what they share */

struct workers_opts {
    unsigned count;           /* of children; with MPI as many as mpirun started */
    bool use_mpi;             /* only where workers_has_mpi() */
    volatile const int *stop; /* not 0: give up; NULL: never */
    bool ends_whole; /* children end by exit(): a library that was loaded writes then */
};

struct worker {
    struct workers *workers;
    unsigned rank, count;
};

/* Runs in each process.  result: result_bytes, zeroed, which the leader receives;
 * errors of the work belong there. */
typedef void worker_fn(const struct worker *me, void *arg, void *result);

bool workers_has_mpi(void);
/* With MPI: MPI_Init, to be called once.  Errors: -ENOTSUP, -ENOMEM. */
int workers_new(const struct workers_opts *opts, struct workers **ret, struct err *err);
void workers_free(struct workers *workers);

unsigned workers_count(const struct workers *workers);
/* The processes are ranks of MPI. */
bool workers_are_ranks(const struct workers *workers);
bool workers_is_leader(const struct workers *workers);
/* Copies the size bytes of the leader's data to data of every process. */
void workers_share(struct workers *workers, void *data, size_t size);

/* Run work in all, until all are done or the deadline (clock_monotonic_ns; 0: none).
 * results: workers_count() of result_bytes each, filled at the leader.
 * Errors: -ETIME (deadline), -ECANCELED (stop), -ECHILD (a worker died: err names the
 * signal or status).
 */
int workers_run(struct workers *workers, worker_fn *work, void *arg,
                int64_t deadline_ns, void *results, size_t result_bytes,
                struct err *err);

/* Waits until all workers are here.  Errors: -ECANCELED (another one died, or gave up).
 */
int workers_barrier(const struct worker *me);

#endif
