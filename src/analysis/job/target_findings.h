/* SPDX-License-Identifier: Apache-2.0 */
/* target_findings - what the state of targets means for a job that used them: one is
 * full, or moved to another server while the job ran.
 *
 *     servers' totals ─▶ job_targets ─┐
 *     readings of health ─────────────┼▶ full-target, failover
 *     which OSTs the job used ────────┘  (rows of jobstats, layouts in its log)
 *
 * Of a target that the job is known not to have used nothing is reported.
 */
#ifndef ANALYSIS_JOB_TARGET_FINDINGS_H
#define ANALYSIS_JOB_TARGET_FINDINGS_H

#include "analysis/job/finding.h"

#define FAILOVER_TEXT_BYTES 320
#define FAILOVER_NAMED 3 /* targets; the rest is a number */
/* Where it is not known which OSTs a job used, its longest access has to have lasted as
 * long as this share of the time in which no server had the target. */
#define FAILOVER_HANG_SHARE 0.3
#define FAILOVER_HANG_S_MIN 10.0

/* What is known of the job and of its targets; each may be NULL. */
struct target_evidence {
    const struct job_context *context; /* readings of health */
    const struct profile *run;         /* of its log */
    const struct job_servers *servers; /* rows of jobstats */
    const struct job_targets *targets; /* the servers' totals */
};

/* At most what its files on an OST cost, or what the slow one did where that is it, or
 * all of its I/O where files there are striped over others, too.  Unknown where by the
 * layouts in the log none of its files was there. */
struct cost target_cost(const struct profile *run, int64_t ost);

/* Put full-target where the run was.  Returns how many findings stay. */
size_t findings_locate(const struct target_evidence *evidence, struct finding *findings,
                       size_t count);

/* That targets of the job moved to another server while it ran: 0 or 1.  text becomes
 * which, and has to outlive the finding. */
size_t findings_make_failover(const struct target_evidence *evidence,
                              char text[static FAILOVER_TEXT_BYTES],
                              struct finding *ret);

#endif
