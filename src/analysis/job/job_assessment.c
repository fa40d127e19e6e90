/* SPDX-License-Identifier: Apache-2.0 */
/* job_assessment - what stands out of one run. */
#include "analysis/job/job_assessment.h"

#include "analysis/job/server_findings.h"
#include "base/number.h"

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
    return end;
}

/* By the batch system, else by the rows of the servers; NaN: not known, or it goes on.
 */
static double run_seconds(const struct job_assessment *a)
{
    const struct job_identity *r = a->record;
    const struct job_servers *rows = a->servers;
    if (r && r->start_ns != JOB_TIME_NONE)
        return r->end_ns != JOB_TIME_NONE
                   ? (double)(r->end_ns - r->start_ns) / (double)NS_PER_S
                   : (double)NAN;
    return rows && rows->to_ms > rows->from_ms
               ? (double)(rows->to_ms - rows->from_ms) / MS_PER_S
               : (double)NAN;
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
    /* What the job did itself is certain, that others were in its way is not: where no
     * cost is known it comes first. */
    if (a->servers && !a->has_run)
        end += findings_make_requests(a->servers, run_seconds(a), end);
    if (a->servers)
        end += findings_make_contended(a->servers, a->has_run ? &a->run : NULL, end);
    const struct target_evidence evidence = { c->count > 0 ? &c->jobs[0] : NULL,
                                              a->has_run ? &a->run : NULL, a->servers,
                                              a->targets };
    end += findings_make_failover(&evidence, a->failover, end);
    a->count = findings_locate(&evidence, a->findings, (size_t)(end - a->findings));
    if (known && a->has_run) {
        a->excess = finding_excess(known, &a->run);
        findings_weigh(known, &a->run, a->findings, a->count);
    }
    findings_order(a->findings, a->count);
}

bool job_log_is_lacking(const struct profile *run)
{
    return (log_gaps_lacking(&run->gaps) & LOG_BITS_IO) || run->fault_count > 0;
}

bool job_io_is_little(const struct profile *run)
{
    return cost_is_known(&run->io) && !job_log_is_lacking(run) && !run->doubt &&
           run->io.high_s < FINDING_IO_SHARE_MIN * run->run_s;
}

/* By it they are ordered; below 0: there is none. */
static double headline_cost(const struct job_headline *h)
{
    if (h->finding)
        return h->finding->because            ? -4
               : h->is_little                 ? -3
               : finding_is_usual(h->finding) ? -2
                                              : cost_middle(&h->finding->cost);
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
    bool has_nodes = assessment->nodes && assessment->nodes->is_observed;
    const struct footprint *f = has_nodes ? &assessment->nodes->footprint : NULL;
    bool is_little = assessment->has_run && job_io_is_little(&assessment->run);
    size_t count = 0;
    for (size_t i = 0; i < assessment->count; i++)
        ret[count++] = (struct job_headline){ .finding = &assessment->findings[i],
                                              .is_little = is_little };
    for (size_t i = 0; f && i < f->finding_count; i++)
        ret[count++] = (struct job_headline){ .node = &f->findings[i] };
    if (count > 1)
        qsort(ret, count, sizeof *ret, by_headline_cost);
    return count;
}

const struct job_headline *job_headline_first(const struct job_headline *headlines,
                                              size_t count)
{
    const struct finding *f = count > 0 ? headlines[0].finding : NULL;
    if (count == 0 ||
        (f && (f->because || headlines[0].is_little || finding_is_usual(f))))
        return NULL;
    return &headlines[0];
}
