/* SPDX-License-Identifier: Apache-2.0 */
/* job_comparison - one job, or a pair of them, and the runs that they are compared
 * with.
 */
#include "analysis/job/job_comparison.h"

#include <string.h>

void job_comparison_done(struct job_comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++)
        job_context_done(&comparison->jobs[i]);
    job_climate_done(&comparison->climate);
    runs_done(&comparison->runs);
    mapping_done(&comparison->mapping);
    *comparison = (struct job_comparison){ 0 };
}

int job_comparison_climate(struct job_comparison *comparison,
                           const struct job_inputs *inputs, struct err *err)
{
    struct job_comparison *c = comparison;
    const struct job_context *jobs[RUNS_WANTED_MAX] = { 0 };
    for (size_t i = 0; i < c->count; i++)
        jobs[i] = &c->jobs[i];
    if (!inputs->climate || c->count == 0)
        return 0;
    int rc = inputs->climate(inputs->arg, jobs, c->count, &c->mapping, &c->runs, err);
    if (rc < 0)
        return rc;
    rc = c->count == 1 ? job_climate_make(&c->mapping, &c->runs, 1, &c->climate)
                       : job_climate_pair(&c->mapping, &c->runs, &c->climate);
    c->has_climate = rc == 0;
    return rc < 0 ? err_set(err, -rc, "%s", strerror(-rc)) : 0;
}

struct finding_climate job_comparison_run(const struct job_comparison *comparison)
{
    const struct runs *runs = &comparison->runs;
    struct finding_climate climate = { &comparison->mapping, runs, NULL };
    for (size_t i = 0; comparison->has_climate && i < runs->count; i++)
        if (runs->runs[i].wanted == 1)
            climate.run = &runs->runs[i];
    return climate;
}
