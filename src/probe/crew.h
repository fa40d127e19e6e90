/* SPDX-License-Identifier: Apache-2.0 */
/* crew - processes that do one thing together, with a barrier.
 *
 * Two kinds: children of this process, and the ranks that mpirun started.  Both run the
 * same function in every process and bring the results to the leader.
 *
 * A member that dies, or a leader that is told to stop, ends the others: nobody waits
 * at a barrier for the dead.
 */
#ifndef PROBE_CREW_H
#define PROBE_CREW_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CREW_MAX 4096

struct crew; /* its processes, and what they share */

struct crew_opts {
    unsigned count;           /* of children; with MPI as many as mpirun started */
    bool use_mpi;             /* only where crew_has_mpi() */
    volatile const int *stop; /* not 0: give up; NULL: never */
};

struct crew_member {
    struct crew *crew;
    unsigned rank, count;
};

/* In each process; result has room for result_bytes, zeroed.  What it returns is that
 * member's own affair: it belongs into the result. */
typedef void crew_work_fn(const struct crew_member *me, void *arg, void *result);

bool crew_has_mpi(void);
/* With MPI: MPI_Init, to be called once.  Errors: -ENOTSUP, -ENOMEM. */
int crew_new(const struct crew_opts *opts, struct crew **ret, struct err *err);
void crew_free(struct crew *crew);

unsigned crew_count(const struct crew *crew);
bool crew_is_leader(const struct crew *crew);
/* What the leader has in data, everywhere. */
void crew_share(struct crew *crew, void *data, size_t size);

/* Run work in all, until all are done or the deadline (clock_monotonic_ns; 0: none).
 * results: crew_count() of result_bytes each, filled at the leader.
 * Errors: -ETIME (deadline), -ECANCELED (stop), -ECHILD (a member died: err says how).
 */
int crew_do(struct crew *crew, crew_work_fn *work, void *arg, int64_t deadline_ns,
            void *results, size_t result_bytes, struct err *err);

/* Wait for all members.  Errors: -ECANCELED, when there is nothing to wait for. */
int crew_barrier(const struct crew_member *me);

#endif
