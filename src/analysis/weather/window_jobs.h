/* SPDX-License-Identifier: Apache-2.0 */
/* window_jobs - the jobs of a window, the largest first. */
#ifndef ANALYSIS_WEATHER_WINDOW_JOBS_H
#define ANALYSIS_WEATHER_WINDOW_JOBS_H

#include "source/scheduler/scheduler.h"

struct window_job {
    const struct job *job; /* of the list */
    double node_hours;     /* within the window; 0 where its nodes are unknown */
};

struct window_jobs {
    struct window_job
        *jobs; /* by node-hours, the most first; else in the list's order */
    size_t count;
    double node_hours; /* of all of them */
};

/* The jobs of list that the query names; list must outlive *ret, which is the caller's.
 * Errors: -ENOMEM. */
int window_jobs_make(const struct job_list *list, const struct job_query *query,
                     struct window_jobs *ret);
void window_jobs_done(struct window_jobs *window);
DEFINE_AUTO_DONE(struct window_jobs, window_jobs_done);

#endif
