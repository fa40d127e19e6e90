/* SPDX-License-Identifier: Apache-2.0 */
/* finding_fixture - a finding as its rule has it, for tests. */
#ifndef REPORT_JOB_TEST_FINDING_FIXTURE_H
#define REPORT_JOB_TEST_FINDING_FIXTURE_H

#include "analysis/job/job.h"

#include <math.h>

static inline struct finding finding_of_rule(const char *name, double value,
                                             struct cost cost)
{
    const struct finding_rule *rule = finding_rule_find(name);
    bool is_of_log = rule->kind == FINDING_OF_LOG;
    return (struct finding){
        .rule = rule,
        .name = rule->name,
        .text = rule->text,
        .measure = rule->measure,
        .value = value,
        .threshold = rule->threshold,
        .kind = rule->kind,
        .evidence = is_of_log ? profile_term(rule->measure)->name : rule->evidence,
        .unit = is_of_log ? "" : rule->unit,
        .n_word = is_of_log ? "accesses" : rule->n_word,
        .p = NAN,
        .cost = cost,
        .which = -1,
    };
}

#endif
