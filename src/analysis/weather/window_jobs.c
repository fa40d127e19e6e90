/* SPDX-License-Identifier: Apache-2.0 */
/* window_jobs - the jobs of a window, the largest first. */
#include "analysis/weather/window_jobs.h"

#include <errno.h>
#include <stdlib.h>

#define S_PER_H 3600.0

static int window_job_order(const void *a, const void *b)
{
    const struct window_job *x = a;
    const struct window_job *y = b;
    if (x->node_hours != y->node_hours)
        return x->node_hours > y->node_hours ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

int window_jobs_make(const struct job_list *list, const struct job_query *query,
                     struct window_jobs *ret)
{
    struct job_load load = job_list_load(list, query);
    struct window_jobs window = { .node_hours = load.node_seconds / S_PER_H };
    const struct job *job;
    size_t cursor = 0;
    window.jobs = calloc(load.jobs + 1, sizeof *window.jobs);
    if (!window.jobs)
        return -ENOMEM;
    while (window.count < load.jobs && (job = job_list_next(list, query, &cursor))) {
        double node_s = job_node_seconds(job, query->from_ns, query->to_ns);
        window.jobs[window.count++] = (struct window_job){ job, node_s / S_PER_H };
    }
    if (window.count > 1)
        qsort(window.jobs, window.count, sizeof *window.jobs, window_job_order);
    *ret = window;
    return 0;
}

void window_jobs_done(struct window_jobs *window)
{
    free(window->jobs);
    *window = (struct window_jobs){ 0 };
}
