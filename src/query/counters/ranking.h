/* SPDX-License-Identifier: Apache-2.0 */
/* ranking - the groups of a finished accumulator, the biggest first; private to
 * results.
 */
#ifndef QUERY_COUNTERS_RANKING_H
#define QUERY_COUNTERS_RANKING_H

#include "query/counters/accumulator.h"

struct ranked {
    struct accumulator_group *group;
    double share; /* of the whole, 0..1: the greatest over the measures */
};

struct ranking {
    struct ranked *items; /* groups with anything in the window */
    size_t count;
    accumulator_sum *whole; /* [measure]: over all groups */
};

/* *ret is the caller's; it points into accumulator.  Equal shares are in the order of
 * their names.  Errors: -ENOMEM. */
int ranking_make(const struct accumulator *accumulator, struct ranking *ret);
void ranking_done(struct ranking *r);
DEFINE_AUTO_DONE(struct ranking, ranking_done);

#endif
