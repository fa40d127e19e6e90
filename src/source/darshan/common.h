/* SPDX-License-Identifier: Apache-2.0 */
/* common - the commonest values that many records name, each with its own four.
 *
 * Each record of a module names its four commonest sizes or strides, with their counts.
 * Here the counts of every value that was named add up, and the four commonest of those
 * are reported: a value that is few times in each of many records is not lost.
 */
#ifndef SOURCE_DARSHAN_COMMON_H
#define SOURCE_DARSHAN_COMMON_H

#include "base/hashmap.h"

#define DARSHAN_COMMON_VALUES 4

/* All zero is empty. */
struct darshan_common {
    struct hashmap counts; /* value -> count */
    size_t values_max;     /* how many values are distinguished; 0: 1 Mi */
    uint64_t left_out;     /* counts of values beyond that */
};

void darshan_common_done(struct darshan_common *c);

/* A record's four values, and behind them their four counts.  A value of 0, and one
 * without a count, is an empty place.  About 80 bytes for each new value.
 * Errors: -ENOMEM. */
int darshan_common_add(struct darshan_common *c, const int64_t *values);

/* The four commonest in the same form, the commonest first; of two with one count the
 * larger value.  Places without a value are 0. */
void darshan_common_top(const struct darshan_common *c,
                        int64_t ret[2 * DARSHAN_COMMON_VALUES]);

#endif
