/* SPDX-License-Identifier: Apache-2.0 */
/* trial_page - of how many past jobs each finding of a site would have spoken: for a
 * person, and as JSON. */
#ifndef REPORT_JOB_TRIAL_PAGE_H
#define REPORT_JOB_TRIAL_PAGE_H

#include "analysis/rules/rules.h"
#include "base/strbuf.h"

/* What was tried: "jobs of the last 365 days", "logs below /logs". */
void trial_print_text(const struct rule_trial *trial, const char *what,
                      struct strbuf *out);
/* {"jobs":N,"unread":N,"findings":[{"name","state","condition","made","not_made",
 * "unknown","alone","with":{"small":N,...},"worst":[{"job","order","sentence"}]}]} */
void trial_print_json(const struct rule_trial *trial, struct strbuf *out);

/* The rules themselves: a row a finding. */
void rules_print_text(const struct site_rules *rules, struct strbuf *out);
void rules_print_json(const struct site_rules *rules, struct strbuf *out);
/* The values that conditions may name, a line each: name, type, meaning. */
void values_print_text(struct strbuf *out);
void values_print_json(struct strbuf *out);

#endif
