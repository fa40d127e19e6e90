/* SPDX-License-Identifier: Apache-2.0 */
/* job_assessment - what stands out of one run. */
#include "analysis/job/job_assessment.h"

void job_assessment_done(struct job_assessment *assessment)
{
    job_comparison_done(&assessment->comparison);
}

static struct finding *of_log_find(struct job_assessment *a,
                                   const struct finding_climate *climate)
{
    struct finding *end = a->findings;
    end += findings_make(&a->run, end);
    if (climate->run)
        findings_compare(climate, a->findings, (size_t)(end - a->findings));
    if (a->servers)
        end += findings_make_contended(a->servers, &a->run, end);
    return end;
}

void job_assess(struct job_assessment *assessment)
{
    struct job_assessment *a = assessment;
    const struct job_comparison *c = &a->comparison;
    const struct finding_climate climate = job_comparison_run(c);
    const struct finding_climate *known = climate.run ? &climate : NULL;
    struct finding *end = a->has_run ? of_log_find(a, &climate) : a->findings;
    a->excess = cost_unknown;
    if (c->count > 0)
        end += findings_make_around(&c->jobs[0], known, end);
    a->count = (size_t)(end - a->findings);
    if (known && a->has_run) {
        a->excess = finding_excess(known, &a->run);
        findings_weigh(known, &a->run, a->findings, a->count);
    }
    findings_order(a->findings, a->count);
}
