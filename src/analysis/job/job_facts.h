/* SPDX-License-Identifier: Apache-2.0 */
/* job_facts - what a Darshan log says of its job: who, when, how much, how fast.
 *
 * What the log does not have is missing (job_value.h).
 */
#ifndef ANALYSIS_JOB_JOB_FACTS_H
#define ANALYSIS_JOB_JOB_FACTS_H

#include "base/arena.h"
#include "base/err.h"
#include "source/darshan/darshan.h"

enum job_api {
    JOB_API_POSIX,
    JOB_API_MPIIO,
    JOB_API_STDIO,
    JOB_APIS,
};

/* The counters of POSIX that become columns, in the order of their names. */
enum job_posix_counter {
    JOB_POSIX_BYTES_READ,
    JOB_POSIX_BYTES_WRITTEN,
    JOB_POSIX_F_META_TIME, /* seconds, as each F_ */
    JOB_POSIX_F_READ_TIME,
    JOB_POSIX_F_WRITE_TIME,
    JOB_POSIX_FILE_NOT_ALIGNED,
    JOB_POSIX_MEM_NOT_ALIGNED,
    JOB_POSIX_OPENS,
    JOB_POSIX_READS,
    JOB_POSIX_SEQ_READS,
    JOB_POSIX_SEQ_WRITES,
    JOB_POSIX_STATS,
    JOB_POSIX_WRITES,
    JOB_POSIX_COUNTERS,
};

/* Over the records of all files; missing where the log has none. */
struct job_counter {
    double total;
    double mean;
    double min;
    double max;
    int64_t records;
};

/* The interface, or the mount, that most bytes of one direction went through. */
struct job_biggest {
    const char *api; /* "posix"; NULL: the log has none */
    int64_t api_bytes;
    int64_t api_files; /* with at least one byte of that direction */
    const char *fs;    /* where it was mounted; "_unknown": nowhere that is known */
    int64_t fs_bytes;
};

struct job_facts {
    const char *app;   /* the program's path */
    const char *jobid; /* decimal digits */
    int64_t nprocs;
    int64_t start_s; /* Unix time */
    int64_t end_s;
    double walltime_s;
    struct job_counter posix[JOB_POSIX_COUNTERS];
    double posix_bytes;
    double
        posix_mib_per_s; /* by the slowest process; NaN also where no time was spent */
    double posix_io_s;
    struct job_biggest read;
    struct job_biggest write;
    int64_t is_damaged; /* 1: something is missing that the log should have */
};

/* Facts on their way: fed by job_log with the records of each module in turn. */
struct job_facts_reader;

/* log and arena outlive *ret, which is the caller's.  Errors: -ENOMEM. */
int job_facts_reader_new(const struct darshan_log *log, struct arena *arena,
                         struct job_facts_reader **ret);
void job_facts_reader_free(struct job_facts_reader *reader);
DEFINE_AUTO(struct job_facts_reader, job_facts_reader_free);

/* The module of the records that come next: POSIX, MPI-IO or STDIO. */
void job_facts_reader_module(struct job_facts_reader *reader,
                             enum darshan_module_id id);
/* Errors: -ENOMEM. */
int job_facts_reader_add(struct job_facts_reader *reader,
                         const struct darshan_record *record);
/* posix: the summary of its records, all zero where there are none.
 * Errors: -ENOMEM; then *ret is untouched. */
int job_facts_reader_end(struct job_facts_reader *reader,
                         const struct darshan_summary *posix, bool is_damaged,
                         struct job_facts *ret);

/* The mount point that most bytes of the direction with more of them went through;
 * NULL: none that is known. */
const char *job_facts_mount(const struct job_facts *facts);

#endif
