/* SPDX-License-Identifier: Apache-2.0 */
/* window_runs - the runs that began in a window, each among the others of its class. */
#ifndef ANALYSIS_CLIMATE_WINDOW_RUNS_H
#define ANALYSIS_CLIMATE_WINDOW_RUNS_H

#include "analysis/climate/runs.h"
#include "analysis/stats/stats.h"

/* The texts are those of the runs. */
struct window_run {
    const char *set_name;
    const struct run *run;
    struct percentile
        among; /* the runs of its class that began outside of the window */
};

struct window_runs {
    struct window_run *runs; /* by class, then by time */
    size_t count;
    /* Of those with enough others: */
    size_t judged;
    size_t slow, fast; /* in the slowest and in the fastest quarter */
};

/* Those that began in [from_ns, to_ns); runs must outlive *ret, which is the caller's.
 * Errors: -ENOMEM. */
int window_runs_make(const struct runs *runs, int64_t from_ns, int64_t to_ns,
                     struct window_runs *ret);
void window_runs_done(struct window_runs *window);
DEFINE_AUTO_DONE(struct window_runs, window_runs_done);

#endif
