/* SPDX-License-Identifier: Apache-2.0 */
/* site_rules - the findings and applications that a site writes itself.
 *
 *     [finding big-reader]
 *     condition = server_read > 10TiB and not found.small
 *     sentence = it read {server_read}, {server_read / run_time}
 *     advice = Stage the data on the nodes' disks.
 *     link = https://docs.example.org/staging
 *     severity = warning
 *     state = trial                  or active
 *     tried = 12 of 3400             jobs, as 'baro job findings --try' counted
 *
 * A finding is made where its condition is true and every value of its sentence is
 * known.  One on trial is counted by 'baro job findings --try' and stands on no page.
 *
 * Memory   texts are config's.  Threads  read-only once made: any number at once.
 */
#ifndef ANALYSIS_RULES_SITE_RULES_H
#define ANALYSIS_RULES_SITE_RULES_H

#include "analysis/rules/application.h"

#define SITE_RULES_MAX 256
#define SITE_SENTENCE_BYTES_MAX 2048

enum site_severity { SITE_ERROR, SITE_WARNING, SITE_INFO };
enum site_state { SITE_TRIAL, SITE_ACTIVE };

struct site_rule {
    const char *name;
    const char *condition_text;
    const char *sentence_text;
    const char *advice; /* NULL: none */
    const char *link;   /* likewise; http or https */
    enum site_severity severity;
    enum site_state state;
    uint64_t tried_made, tried_jobs; /* of so many past jobs so many had it; 0 jobs: not
                                      * known */
    const struct expression *condition;
    const struct expression *order; /* by what the worst of jobs comes first */
    struct sentence_piece *pieces;
    size_t piece_count;
};

struct site_rules;

extern const struct config_section finding_config_section;

/* Read [finding NAME] and [application NAME].  config outlives *ret.  Errors: -EINVAL
 * with file, line and key, -ENOMEM. */
int site_rules_new(const struct config *config, struct site_rules **ret,
                   struct err *err);
void site_rules_free(struct site_rules *rules);
DEFINE_AUTO(struct site_rules, site_rules_free);

/* The most severe first. */
size_t site_rules_count(const struct site_rules *rules);
const struct site_rule *site_rules_at(const struct site_rules *rules, size_t index);
const char *site_severity_name(enum site_severity severity);
const char *site_state_name(enum site_state state);

/* ---- of one job ---- */

struct site_result {
    const struct site_rule *rule;
    enum condition_result result;
    const char *sentence; /* NULL: it is not true */
    double order;         /* NaN: not known */
};

struct site_report {
    struct arena arena;
    struct application_match application;
    struct value *values; /* of the job, in the order of rule_names; NULL: no rules */
    struct site_result *results; /* of each rule */
    size_t count;
    size_t active_count; /* true, and of a rule that is active */
};

/* rules may be NULL: then only what is built in.  report is all zero before, and to be
 * done with after a failure, too.  Errors: -ENOMEM. */
int site_report_make(const struct site_rules *rules,
                     const struct job_assessment *assessment,
                     const struct job_context *facts, struct site_report *ret);
/* The same out of a document of job_values_write(), whose application is used
 * as it is.  Errors: -EBADMSG, -ENOMEM. */
int site_report_read(const struct site_rules *rules, struct span document,
                     struct site_report *ret, struct err *err);
void site_report_done(struct site_report *report);
DEFINE_AUTO_DONE(struct site_report, site_report_done);

/* Whether it stands on pages. */
bool site_result_is_shown(const struct site_result *result);

#endif
