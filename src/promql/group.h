/* SPDX-License-Identifier: Apache-2.0 */
/* group - which rows belong together. */
#ifndef PROMQL_GROUP_H
#define PROMQL_GROUP_H

#include "promql/row_set.h"
#include "promql/syntax/syntax.h"

struct groups {
    uint32_t *of_row;  /* number of each row's group, in order of first appearance */
    uint32_t *members; /* rows, group by group */
    uint32_t *begin;   /* where a group's members begin; count + 1 of them */
    uint32_t count;
};

void groups_done(struct groups *groups);
DEFINE_AUTO_DONE(struct groups, groups_done);

/* Errors: -ENOMEM. */
int groups_init(struct groups *ret, const struct expr_aggregate *aggregate,
                const struct row_set *set);

/* The labels of the group of a row.  Errors: -ENOMEM. */
int group_labels(const struct expr_aggregate *aggregate, const struct row_set *set,
                 const struct labels *row, struct labels *ret);

#endif
