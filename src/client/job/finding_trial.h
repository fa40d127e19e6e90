/* SPDX-License-Identifier: Apache-2.0 */
/* finding_trial - findings of a site tried on what there is: logs, or the jobs that a
 * barod knows.
 *
 *     logs ──▶ profile ───────────────────▶ site_report ─┬▶ rule_trial
 *     list of jobs ─▶ GET /v1/jobs/ID?format=values ─────┘
 */
#ifndef CLIENT_JOB_FINDING_TRIAL_H
#define CLIENT_JOB_FINDING_TRIAL_H

#include "analysis/rules/rules.h"
#include "client/job/job_selection.h"

struct finding_trial_opts {
    const struct site_rules *rules;
    void *arg;
    void (*progress)(void *arg, size_t done, size_t count);
    series_log_fn *log; /* what could not be read, and why */
    void *log_arg;
};

/* Files and directories of logs.  One that cannot be read is counted, and named to log.
 * Errors: -ENOENT (no log is there), -ENOMEM. */
int finding_trial_logs(const struct finding_trial_opts *opts, char **operands,
                       size_t count, struct rule_trial *trial, struct err *err);

/* The last run of each job in the list, of which endpoint knows the values.
 * Errors: those of client/http.h but -ENOENT, which is counted; -ENOMEM. */
int finding_trial_jobs(const struct finding_trial_opts *opts,
                       const struct client_endpoint *endpoint,
                       const struct job_list *list, const struct job_query *query,
                       struct rule_trial *trial, struct err *err);

#endif
