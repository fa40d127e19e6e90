/* SPDX-License-Identifier: Apache-2.0 */
/* window_context - what is known of a window of time: servers, fabrics, health, jobs,
 * runs.
 *
 * Texts are those of the sources it was read from, which outlive it.
 */
#ifndef ANALYSIS_JOB_WINDOW_CONTEXT_H
#define ANALYSIS_JOB_WINDOW_CONTEXT_H

#include "analysis/climate/climate.h"
#include "analysis/weather/weather.h"

/* A part without its has_ is zero: its source was not named. */
struct window_context {
    int64_t from_ns, to_ns; /* [from_ns, to_ns) */
    bool has_series, has_health, has_jobs, has_runs;
    int64_t against_ns; /* the other days are those so long before; 0: all */
    struct weather weather;
    struct fabric_filesystem *fabrics; /* in the order of the site file */
    size_t fabric_count;
    struct health_history health;
    const char *clocks; /* corrections, "series=-30s"; NULL: none */
    struct window_jobs jobs;
    struct window_runs runs;
};

/* Also one that is filled in part, of zeros else. */
void window_context_done(struct window_context *window);
DEFINE_AUTO_DONE(struct window_context, window_context_done);

#endif
