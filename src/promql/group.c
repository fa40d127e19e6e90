/* SPDX-License-Identifier: Apache-2.0 */
/* group - which rows belong together. */
#include "promql/group.h"

#include "promql/signature.h"

void groups_done(struct groups *groups)
{
    free(groups->of_row);
    free(groups->members);
    free(groups->begin);
}

static enum labels_mode mode_of(const struct expr_aggregate *aggregate)
{
    return aggregate->is_without ? LABELS_EXCEPT : LABELS_ONLY;
}

int groups_init(struct groups *ret, const struct expr_aggregate *aggregate,
                const struct row_set *set)
{
    AUTO(signatures_done) struct signatures signatures = { 0 };
    AUTO(groups_done) struct groups groups = { 0 };
    signatures.mode = mode_of(aggregate);
    signatures.names = aggregate->grouping;
    int rc = signatures_of_rows(&signatures, set, &groups.of_row);
    if (rc < 0)
        return rc;
    groups.count = signatures.count;
    groups.members = calloc(set->count + 1, sizeof *groups.members);
    groups.begin = calloc(groups.count + 2, sizeof *groups.begin);
    if (!groups.members || !groups.begin)
        return -ENOMEM;
    for (size_t r = 0; r < set->count; r++)
        groups.begin[groups.of_row[r] + 2]++;
    for (uint32_t g = 2; g < groups.count + 2; g++)
        groups.begin[g] += groups.begin[g - 1];
    for (uint32_t r = 0; r < set->count; r++)
        groups.members[groups.begin[groups.of_row[r] + 1]++] = r;
    *ret = groups;
    groups = (struct groups){ 0 };
    return 0;
}

int group_labels(const struct expr_aggregate *aggregate, const struct row_set *set,
                 const struct labels *row, struct labels *ret)
{
    return labels_reduce(&set->ev->arena, row, mode_of(aggregate), &aggregate->grouping,
                         ret);
}
