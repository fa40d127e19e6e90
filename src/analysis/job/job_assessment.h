/* SPDX-License-Identifier: Apache-2.0 */
/* job_assessment - what stands out of one run: all findings, in order, with their cost.
 *
 *     profile of its log ───────┐
 *     what its servers counted ─┼▶ findings ─▶ cost by its class ─▶ in order
 *     comparison ───────────────┘
 *
 * Of a job whose log is not here, its stored summary alone: what was around it.
 */
#ifndef ANALYSIS_JOB_JOB_ASSESSMENT_H
#define ANALYSIS_JOB_JOB_ASSESSMENT_H

#include "analysis/job/finding.h"
#include "analysis/job/job_comparison.h"

struct job_assessment {
    bool has_run;                      /* the log was read */
    struct profile run;                /* of it */
    const struct job_servers *servers; /* of the job's context; NULL: not observed */
    struct job_comparison comparison;
    struct finding findings[FINDINGS_MAX]; /* in order */
    size_t count;
    struct cost excess; /* longer than its class; unknown without a climate */
};

/* An empty one is all zero. */
void job_assessment_done(struct job_assessment *assessment);
DEFINE_AUTO_DONE(struct job_assessment, job_assessment_done);

/* Fill findings and excess out of the rest. */
void job_assess(struct job_assessment *assessment);

/* One of all findings: of the log and around it, or of its nodes. */
struct job_headline {
    const struct finding *finding;        /* NULL: node is it */
    const struct footprint_finding *node; /* NULL: finding is it */
};

#define JOB_HEADLINES_MAX (FINDINGS_MAX + FOOTPRINT_FINDINGS_MAX)

/* All of them, the most expensive first; those of unknown cost, and those that another
 * one explains, last.  They are the assessment's.  Returns how many. */
size_t job_headlines(const struct job_assessment *assessment,
                     struct job_headline ret[static JOB_HEADLINES_MAX]);

#endif
