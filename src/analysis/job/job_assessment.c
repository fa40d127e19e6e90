/* SPDX-License-Identifier: Apache-2.0 */
/* job_assessment - what stands out of one run. */
#include "analysis/job/job_assessment.h"

#include <math.h>
#include <stdlib.h>

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

static double headline_cost(const struct job_headline *h)
{
    if (h->finding)
        return h->finding->because ? -2 : cost_middle(&h->finding->cost);
    return isnan(h->node->high_s) ? -1 : (h->node->low_s + h->node->high_s) / 2;
}

/* Equal ones stay in their order: pointers into one array. */
static int by_headline_cost(const void *a, const void *b)
{
    const struct job_headline *x = a, *y = b;
    double left = headline_cost(x), right = headline_cost(y);
    if (left < right || left > right)
        return left > right ? -1 : 1;
    if (!x->finding != !y->finding)
        return x->finding ? 1 : -1;
    return x->finding ? (x->finding > y->finding) - (x->finding < y->finding)
                      : (x->node > y->node) - (x->node < y->node);
}

size_t job_headlines(const struct job_assessment *assessment,
                     struct job_headline ret[static JOB_HEADLINES_MAX])
{
    const struct job_comparison *c = &assessment->comparison;
    const struct footprint *f = c->count > 0 ? &c->jobs[0].nodes.footprint : NULL;
    size_t count = 0;
    for (size_t i = 0; i < assessment->count; i++)
        ret[count++] = (struct job_headline){ .finding = &assessment->findings[i] };
    for (size_t i = 0; f && i < f->finding_count; i++)
        ret[count++] = (struct job_headline){ .node = &f->findings[i] };
    if (count > 1)
        qsort(ret, count, sizeof *ret, by_headline_cost);
    return count;
}
