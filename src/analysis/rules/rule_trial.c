/* SPDX-License-Identifier: Apache-2.0 */
/* rule_trial - how a site's findings would have done on jobs that are over. */
#include "analysis/rules/rule_trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int rule_trial_init(struct rule_trial *trial, const struct site_rules *rules,
                    size_t worst_max)
{
    size_t count = site_rules_count(rules);
    *trial = (struct rule_trial){ .worst_max = worst_max < TRIAL_WORST_MAX
                                                   ? worst_max
                                                   : TRIAL_WORST_MAX };
    trial->rules = calloc(count + 1, sizeof *trial->rules);
    for (size_t i = 0; trial->rules && i < count; i++) {
        struct trial_rule *t = &trial->rules[trial->count++];
        t->rule = site_rules_at(rules, i);
        t->with = calloc(job_found_count(), sizeof *t->with);
        t->worst = calloc(trial->worst_max + 1, sizeof *t->worst);
        if (!t->with || !t->worst)
            return -ENOMEM;
    }
    return trial->rules ? 0 : -ENOMEM;
}

static void job_done(struct trial_job *job)
{
    free(job->job);
    free(job->sentence);
    *job = (struct trial_job){ 0 };
}

void rule_trial_done(struct rule_trial *trial)
{
    for (size_t i = 0; i < trial->count; i++) {
        struct trial_rule *t = &trial->rules[i];
        for (size_t w = 0; w < t->worst_count; w++)
            job_done(&t->worst[w]);
        free(t->worst);
        free(t->with);
    }
    free(trial->rules);
    *trial = (struct rule_trial){ 0 };
}

/* Known ones before unknown ones; of equal ones the earlier. */
static bool is_worse(double a, double b)
{
    return !isnan(a) && (isnan(b) || a > b);
}

static int worst_add(struct rule_trial *trial, struct trial_rule *t, const char *name,
                     const struct site_result *result)
{
    size_t at = t->worst_count;
    while (at > 0 && is_worse(result->order, t->worst[at - 1].order))
        at--;
    if (at >= trial->worst_max)
        return 0;
    struct trial_job job = { strdup(name), strdup(result->sentence), result->order };
    if (!job.job || !job.sentence) {
        job_done(&job);
        return -ENOMEM;
    }
    if (t->worst_count == trial->worst_max)
        job_done(&t->worst[--t->worst_count]);
    memmove(&t->worst[at + 1], &t->worst[at], (t->worst_count - at) * sizeof *t->worst);
    t->worst[at] = job;
    t->worst_count++;
    return 0;
}

static void coincidences_count(struct trial_rule *t, const struct value *values)
{
    bool is_alone = true;
    for (size_t f = 0; f < job_found_count(); f++) {
        if (!job_found_is_made(values, f))
            continue;
        t->with[f]++;
        is_alone = false;
    }
    t->alone += is_alone;
}

int rule_trial_add(struct rule_trial *trial, const char *job,
                   const struct site_report *report)
{
    int rc = 0;
    trial->jobs++;
    for (size_t i = 0; rc == 0 && i < trial->count; i++) {
        const struct site_result *r = &report->results[i];
        struct trial_rule *t = &trial->rules[i];
        t->made += r->result == CONDITION_TRUE;
        t->not_made += r->result == CONDITION_FALSE;
        t->unknown += r->result == CONDITION_UNKNOWN;
        if (r->result != CONDITION_TRUE)
            continue;
        coincidences_count(t, report->values);
        rc = worst_add(trial, t, job, r);
    }
    return rc;
}
