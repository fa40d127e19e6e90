/* SPDX-License-Identifier: Apache-2.0 */
/* rule_trial - how a site's findings would have done on jobs that are over: of how many
 * each would have spoken, which of them were the worst, and what else was found there.
 *
 *     job ──▶ site_report ──▶ made │ not made │ unknown ──▶ the worst by its order
 *
 * Memory   texts are copied.  Threads  none inside.
 */
#ifndef ANALYSIS_RULES_RULE_TRIAL_H
#define ANALYSIS_RULES_RULE_TRIAL_H

#include "analysis/rules/site_rules.h"

#define TRIAL_WORST_MAX 1000

struct trial_job {
    char *job; /* "alex/4711", or the path of its log */
    char *sentence;
    double order; /* NaN: not known; those come last */
};

struct trial_rule {
    const struct site_rule *rule;
    uint64_t made, not_made, unknown;
    uint64_t alone; /* made where none of Barograph's own is */
    uint64_t *with; /* made where this one is too: job_found_count() of them */
    struct trial_job *worst;
    size_t worst_count;
};

struct rule_trial {
    uint64_t jobs;
    uint64_t unread; /* jobs of which nothing could be read */
    struct trial_rule *rules;
    size_t count;
    size_t worst_max;
};

/* worst_max: how many jobs of each rule are listed.  Errors: -ENOMEM. */
int rule_trial_init(struct rule_trial *trial, const struct site_rules *rules,
                    size_t worst_max);
void rule_trial_done(struct rule_trial *trial);
DEFINE_AUTO_DONE(struct rule_trial, rule_trial_done);

/* The next job, of the same rules.  Errors: -ENOMEM. */
int rule_trial_add(struct rule_trial *trial, const char *job,
                   const struct site_report *report);

#endif
