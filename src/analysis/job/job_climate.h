/* SPDX-License-Identifier: Apache-2.0 */
/* job_climate - a job against the runs of its class: what about it was unusual.
 *
 *     the job's row ─▶ its set in runs ─▶ each measure among the others' ─▶ in the
 * order of the chance
 *
 * For two jobs each measure's difference is held against those of all pairs of the
 * others: how many pairs of alike runs are as far apart.
 */
#ifndef ANALYSIS_JOB_JOB_CLIMATE_H
#define ANALYSIS_JOB_JOB_CLIMATE_H

#include "analysis/climate/climate.h"
#include "analysis/stats/stats.h"

#define JOB_CLIMATE_SPEED                                                      \
    "fraction"                /* the name of the value that is how fast it was \
                               */
#define JOB_CLIMATE_APART 0.9 /* of all pairs of the others */

struct climate_value {
    const char *name, *label, *unit;
    bool is_big_good;
    bool is_contributor;          /* it may be a cause, as the mapping has it */
    double value;                 /* of the job, or of the second of two */
    double before;                /* of the first of two */
    double q25, q50, q75;         /* of the others */
    struct percentile rank;       /* of the value */
    struct percentile difference; /* of two jobs: among the pairs of the others */
    double apart;  /* of two jobs: what JOB_CLIMATE_APART of these pairs keep within */
    double chance; /* of as unusual a value, or pair; NaN: too few others */
};

struct job_climate {
    struct arena arena;
    const char *set;   /* NULL: the job is no observation, see refused */
    const char *other; /* of two jobs: the first one's set, where it is another one */
    const char *refused;
    size_t others;
    struct climate_value *values; /* the most unusual first; without missing ones */
    size_t count;
};

/* wanted: which of the jobs given to runs_load_wanted(), from 1.  The first value is
 * the fraction of peak.  runs and mapping must outlive *ret.  Errors: -ENOMEM. */
int job_climate_make(const struct mapping *mapping, const struct runs *runs,
                     uint32_t wanted, struct job_climate *ret);
/* Jobs 1 and 2, against the others of the second one's set. */
int job_climate_pair(const struct mapping *mapping, const struct runs *runs,
                     struct job_climate *ret);
void job_climate_done(struct job_climate *climate);
DEFINE_AUTO_DONE(struct job_climate, job_climate_done);

/* NULL: the job does not have it. */
const struct climate_value *job_climate_find(const struct job_climate *climate,
                                             const char *name);

/* How many pairs of sorted numbers are less than distance apart, or just so. */
struct percentile pairs_percentile(const double *sorted, size_t count, double distance);
/* The least distance that a share of the pairs of sorted numbers keeps within, to a
 * billionth of their range; NaN of fewer than two. */
double pairs_apart(const double *sorted, size_t count, double share);

/* "3.2 GiB/s", "78.2 %", "0.437" */
void climate_value_print(char *out, size_t size, const char *unit, double value);

#endif
