/* SPDX-License-Identifier: Apache-2.0 */
/* job_facts - what a Darshan log says of its job: who, when, how much, how fast. */
#ifndef ANALYSIS_JOB_JOB_FACTS_H
#define ANALYSIS_JOB_JOB_FACTS_H

#include "analysis/table/table.h"
#include "base/err.h"

#include <stdbool.h>

enum job_api {
    JOB_API_POSIX,
    JOB_API_MPIIO,
    JOB_API_STDIO,
    JOB_APIS,
};

/* The counters of POSIX that become columns, in the order of their names. */
#define JOB_COUNTERS 13

struct job_counter {
    double total;
    double min;
    double max;
};

/* The interface, or the place, that most bytes of one direction went through. */
struct job_biggest {
    const char *api; /* "posix"; NULL: the log has none */
    int64_t api_bytes;
    int64_t api_files; /* with at least one byte of that direction */
    char *fs;          /* where it was mounted; "_unknown": nowhere that is known */
    int64_t fs_bytes;
};

struct job_facts {
    char *app;
    int64_t jobid;
    int64_t nprocs;
    int64_t start_s; /* Unix time */
    int64_t end_s;
    double walltime_s;
    bool has_posix;
    int64_t posix_records;
    struct job_counter posix[JOB_COUNTERS];
    int64_t posix_bytes;
    double posix_mib_per_s; /* NaN: no time was spent, or no POSIX */
    double posix_io_s;
    struct job_biggest read;
    struct job_biggest write;
    bool is_damaged; /* something is missing that the log should have */
};

void job_facts_done(struct job_facts *facts);
DEFINE_AUTO_DONE(struct job_facts, job_facts_done);

/* Errors: as darshan_log_open(); -ENOMEM.  What was wrong but not fatal is a line each
 * in *faults, which may be NULL. */
int job_facts_read(const char *path, struct job_facts *ret, struct strbuf *faults,
                   struct err *err);

/* The total of a counter by its column's word ("opens"); NaN: no POSIX. */
double job_facts_total(const struct job_facts *facts, const char *word);
/* The columns darshan_*. */
void job_facts_put(const struct job_facts *facts, struct job_row *row);

#endif
