/* SPDX-License-Identifier: Apache-2.0 */
/* job_weather - what a file system's servers did while a job ran.
 *
 *     steps      |----|----|----|----|----|----|
 *     job           [==============]
 *     window     [-----------------------]      one step more, since a server counts
 *                                               what arrived while a step lasted
 */
#ifndef ANALYSIS_JOB_JOB_WEATHER_H
#define ANALYSIS_JOB_JOB_WEATHER_H

#include "analysis/job/job_facts.h"
#include "source/lmt/lmt.h"

/* Above it, a job moved more than its file system saw: monitoring is broken. */
#define COVERAGE_MAX 1.2

/* The steps of a window; a step's value is the sum over its components.  All is NaN
 * where the series do not have the measure. */
struct weather_flow {
    double total;   /* over the window; NaN: nothing was measured, likewise below */
    double average; /* by second */
    double max;
    double min;
    double zero_fraction; /* of all cells */
    double missing_fraction;
};

/* Per cent; NaN: not measured. */
struct weather_load {
    double average; /* of all components and steps */
    double max;
};

struct job_weather {
    int64_t from_s; /* Unix time; missing, as to_s and step_s: no measure is known */
    int64_t to_s;
    int64_t step_s;
    const char *source; /* where it comes from; NULL: nowhere */
    const char *series; /* the same in full, so that it can be read again; NULL */
    struct weather_flow flows[LMT_MEASURES]; /* of the counts */
    struct weather_load oss_cpu;
    struct weather_load mds_cpu;
    double missing_fraction; /* of the bytes' cells, both directions */
};

/* The window in which servers count what a job of [start_s, end_s] did: its steps are
 * those of the series.  Returns its end. */
int64_t job_weather_end(struct lmt_series *const *series, size_t count, int64_t end_s);

/* Read [start_s, end_s + one step) out of all the series together; source and series of
 * *ret stay NULL.  Errors: as lmt_series_read() but -ENOENT; -EINVAL (the job ends
 * before it starts); then *ret is untouched. */
int job_weather_read(struct lmt_series *const *series, size_t count, int64_t start_s,
                     int64_t end_s, struct job_weather *ret, struct err *err);

/* A job's part in what its file system saw; NaN: not known. */
struct job_coverage {
    double read_bw;
    double write_bw;
    double bw;
    double opens;
    double stats;
    double read_ops; /* of accesses, which clients gather: over 1 is usual */
    double write_ops;
    double ops;
    double nodehrs;
    const char *broken; /* "bw opens": those above COVERAGE_MAX, gathered ones apart */
};

/* nodehrs and concurrent_nodehrs are NaN where they are not known; the text is put into
 * arena.  Errors: -ENOMEM. */
int job_coverage_make(const struct job_facts *facts, const struct job_weather *weather,
                      double nodehrs, double concurrent_nodehrs, struct arena *arena,
                      struct job_coverage *ret);

#endif
