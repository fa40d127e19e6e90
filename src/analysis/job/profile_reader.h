/* SPDX-License-Identifier: Apache-2.0 */
/* profile_reader - the records of one log on their way into a profile; private to
 * analysis/job.
 *
 *     profile_reader.c   records in: targets of files, layers, times of processes
 *     profile.c          the same as values, at the end
 */
#ifndef ANALYSIS_JOB_PROFILE_READER_H
#define ANALYSIS_JOB_PROFILE_READER_H

#include "analysis/job/profile.h"
#include "base/hashmap.h"

#include <math.h>

struct profile_reader {
    const struct darshan_job *job;
    bool has_sizes;            /* common ones that can be relied upon */
    uint64_t suspects;         /* records left out: see is_negative() */
    struct hashmap targets_of; /* file id -> 1 + OST, of files that lie on one */
    struct target_file *files; /* of one process and one target each */
    size_t file_count, file_capacity;
    struct io_time time;    /* of the lowest interfaces: POSIX and STDIO */
    struct io_time outer;   /* of the outermost one of each file */
    struct layers layers;   /* MPI-IO over POSIX and STDIO */
    struct layers objects;  /* DFS over DAOS */
    double read_s, write_s; /* of outer */
    double one_stripe_s; /* likewise: writes of all processes to files of one stripe */
    /* Accesses by module: those below 1 MiB, and all of known classes. */
    double small[DARSHAN_UNKNOWN], classed[DARSHAN_UNKNOWN];
    double stripe_sum;
    uint64_t layouts;
    uint8_t osts[SLOW_TARGET_OSTS_MAX / 8]; /* that have a stripe of any file */
    bool has_open;            /* files of MPI-IO that were reached through objects */
    struct record_columns at; /* of the counters of the module being read */
    struct layer_columns used;
    enum darshan_module_id id;
    struct layer_use layers_used[LOG_LAYERS];
    struct mpi_calls mpi;
};

/* NaN where there is nothing to divide by. */
static inline double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

static inline double share(double a, double b)
{
    double r = ratio(a, b);
    return r > 1 ? 1 : r < 0 ? 0 : r;
}

#endif
