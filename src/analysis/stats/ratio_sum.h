/* SPDX-License-Identifier: Apache-2.0 */
/* ratio_sum - is a sum of ratios above zero?  Exactly.
 *
 *     sum over i of  over[i] * 2^shift[i] / under[i]
 *
 * Two averages of runs that are measured by different peaks are equal, or one is the
 * greater: what rounding says of it is neither.
 */
#ifndef ANALYSIS_RATIO_SUM_H
#define ANALYSIS_RATIO_SUM_H

#include <stddef.h>
#include <stdint.h>

#define RATIO_SUM_EXACT_MAX 24

struct ratio {
    __int128 over;
    uint64_t under; /* below 2^53, not 0 */
    int shift;      /* 0 to 64 */
};

/* -1, 0, 1. */
int ratio_sum_sign(const struct ratio *ratios, size_t count);

#endif
