/* SPDX-License-Identifier: Apache-2.0 */
/* diff_metrics - two jobs by the metrics of their nodes, where one of them has no log.
 *
 *     records ─▶ footprints, or samples of a job without one ─┐
 *     other runs of B's name and user ─▶ their footprints ────┴─▶ metric_pair
 *
 * Threads  one worker's.
 */
#ifndef API_DIFF_DIFF_METRICS_H
#define API_DIFF_DIFF_METRICS_H

#include "analysis/pair/pair.h"
#include "api/job_evidence.h"

struct diff_metrics_job {
    const char *name; /* as it was requested */
    const char *id;
    struct span cluster; /* empty: any */
};

struct diff_metrics {
    struct arena arena;
    struct job_evidence evidence[2];
    struct job_context contexts[2]; /* the pair's texts are theirs */
    struct metric_pair pair;
};

void diff_metrics_free(struct diff_metrics *diff);
DEFINE_AUTO(struct diff_metrics, diff_metrics_free);

/* Of jobs that the client may see.  floor, of noise: 0: the default.  Errors: -ENOENT
 * (a job that is not known, or has no metrics), those of the reader and of hold,
 * -ENOMEM. */
int diff_metrics_find(const struct api_readers *readers,
                      const struct diff_metrics_job jobs[static 2], double floor,
                      struct budget_hold *hold, struct diff_metrics **ret,
                      struct err *err);

#endif
