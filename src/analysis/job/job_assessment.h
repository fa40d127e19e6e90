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
#include "analysis/job/target_findings.h"

struct site_report; /* of analysis/rules */

struct job_assessment {
    bool has_run;                      /* the log was read */
    struct profile run;                /* of it */
    const struct log_work *work;       /* of it, by interface and file; NULL */
    const struct log_heat *heat;       /* of it, over time; NULL */
    const struct job_servers *servers; /* of the job's context; NULL: not observed */
    const struct job_targets *targets; /* likewise */
    const struct job_nodes *nodes;     /* likewise */
    const struct job_identity *record; /* with what its batch system reported; NULL */
    const struct site_report *site;    /* by rules of the site; NULL: none were read */
    struct job_comparison comparison;
    struct finding findings[FINDINGS_MAX]; /* in order */
    size_t count;
    char failover[FAILOVER_TEXT_BYTES]; /* text of a finding */
    struct cost excess; /* longer than its class; unknown without a climate */
};

/* An empty one is all zero. */
void job_assessment_done(struct job_assessment *assessment);
DEFINE_AUTO_DONE(struct job_assessment, job_assessment_done);

/* Fill findings and excess out of the rest. */
void job_assess(struct job_assessment *assessment);

/* Records of I/O are missing or damaged: nothing is made of what is not there. */
bool job_log_is_lacking(const struct profile *run);
/* The log is whole in that, and I/O took less than FINDING_IO_SHARE_MIN of the run. */
bool job_io_is_little(const struct profile *run);

/* One of all findings: of the log and around it, or of its nodes. */
struct job_headline {
    const struct finding *finding;        /* NULL: node is it */
    const struct footprint_finding *node; /* NULL: finding is it */
    bool is_little; /* it is of I/O, which cost no more than that */
};

#define JOB_HEADLINES_MAX (FINDINGS_MAX + FOOTPRINT_FINDINGS_MAX)

/* All of them, the most expensive first; those of unknown cost, those of I/O where that
 * is little, and those that another one explains, last.  They are the assessment's.
 * Returns how many. */
size_t job_headlines(const struct job_assessment *assessment,
                     struct job_headline ret[static JOB_HEADLINES_MAX]);

/* The one for the first sentence; NULL: nothing stands out, though some may be true. */
const struct job_headline *job_headline_first(const struct job_headline *headlines,
                                              size_t count);

#endif
