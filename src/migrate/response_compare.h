/* SPDX-License-Identifier: Apache-2.0 */
/* response_compare - where two stores' results of one query differ.
 *
 *     ours     x     x     x           only_ours: x without a partner
 *     theirs      o     o     o  o     only_theirs
 *
 * Points belong together when they lie nearer than half a step to each other.
 */
#ifndef MIGRATE_RESPONSE_COMPARE_H
#define MIGRATE_RESPONSE_COMPARE_H

#include "migrate/query_response.h"

/* Two values are the same when they lie no farther apart than absolute + relative times
 * the larger of them. */
struct response_tolerance {
    double relative;
    double absolute;
};

struct response_difference {
    uint64_t compared; /* pairs */
    uint64_t only_ours, only_theirs, differing;
    bool is_shifted; /* their times are others, by a part of a step */
    int64_t first_s; /* of the first that is not the same */
    double ours, theirs;
};

/* Compare the results number index; one that is not there has no points. */
void response_compare(const struct query_response *ours,
                      const struct query_response *theirs, size_t index,
                      const struct response_tolerance *tolerance,
                      struct response_difference *ret);

#endif
