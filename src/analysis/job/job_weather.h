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
#include "analysis/table/table.h"
#include "source/lmt/lmt.h"

/* Above it, a job moved more than its file system saw: monitoring is broken. */
#define COVERAGE_MAX 1.2

/* The steps of a window; a step's value is the sum over its components. */
struct weather_flow {
    bool is_known;  /* the series have the measure */
    double total;   /* over the window; NaN: nothing was measured, likewise below */
    double average; /* by second */
    double max;
    double min;
    double zero_fraction; /* of all cells */
    double missing_fraction;
};

struct weather_load {
    bool is_known;
    double average; /* of all components and steps */
    double max;
};

struct job_weather {
    bool is_known; /* at least one measure */
    int64_t from_s;
    int64_t to_s;
    int64_t step_s;
    struct weather_flow flows[LMT_MEASURES]; /* of the counts */
    struct weather_load oss_cpu;
    struct weather_load mds_cpu;
    double missing_fraction; /* of the bytes' cells, both directions */
};

/* Read [start_s, end_s + one step) out of all the series together.
 * Errors: as lmt_series_read() but -ENOENT; then *ret is untouched. */
int job_weather_read(struct lmt_series *const *series, size_t count, int64_t start_s,
                     int64_t end_s, struct job_weather *ret, struct err *err);

/* A job's part in what its file system saw. */
struct coverage {
    double read_bw;
    double write_bw;
    double bw;
    double opens;
    double stats;
    double read_ops;
    double write_ops;
    double ops;
    double nodehrs;
};

/* concurrent_nodehrs is NaN where nobody knows it; likewise nodehrs of the job. */
void coverage_make(const struct job_facts *facts, const struct job_weather *weather,
                   double nodehrs, double concurrent_nodehrs, struct coverage *ret);

/* The columns fs_*, and coverage_factor_* with coverage_broken: the words of those
 * above COVERAGE_MAX, but for accesses, which clients gather. */
void job_weather_put(const struct job_weather *weather, struct job_row *row);
void coverage_put(const struct coverage *coverage, struct job_row *row);

#endif
