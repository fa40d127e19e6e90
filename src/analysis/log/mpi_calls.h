/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_calls - what AutoPerf recorded beside I/O: the time of each process in calls of
 * MPI, and counters of the network's routers. */
#ifndef ANALYSIS_LOG_MPI_CALLS_H
#define ANALYSIS_LOG_MPI_CALLS_H

#include "source/darshan/darshan.h"

#define MPI_CALLS_MAX 96 /* kinds of calls */

struct mpi_calls {
    uint64_t processes; /* with a record; 0: the log has none of MPI */
    double total_s;     /* of all of them */
    double most_s;      /* of the one that spent most */
    int64_t slowest_rank;
    double call_s[MPI_CALLS_MAX]; /* by kind, over all processes */
    /* Counters of routers are of all jobs' traffic through them. */
    uint64_t routers; /* 0: the log has none */
    double flits, stalls;
};

/* A record of APMPI or of APXC. */
void mpi_calls_add(struct mpi_calls *calls, const struct darshan_record *record);

/* NaN: no process. */
double mpi_calls_mean_s(const struct mpi_calls *calls);
/* The kind of call that lasted longest, as "MPI_Barrier", and its mean over all
 * processes; NULL: none lasted at all. */
const char *mpi_calls_most(const struct mpi_calls *calls, char *name, size_t size,
                           double *ret_mean_s);

#endif
