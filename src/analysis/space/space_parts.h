/* SPDX-License-Identifier: Apache-2.0 */
/* space_parts - the parts of a history between which data was cleaned up.
 *
 *     used      /|  /|  /     a clean-up ends a part: growth is what happens within
 * parts / | / | / /  |/  |/ part    0   1   2
 *
 * A clean-up is a run of values that fall
 *     by SPACE_CLEANUP_SHARE of the capacity or more in all,
 *     over SPACE_CLEANUP_QUICK times as fast as the values change at most times, and
 *     to less than there was before what fell was written: a temporary file that comes
 *     and goes is none.
 * What falls slowly is no clean-up, but growth below 0.
 */
#ifndef ANALYSIS_SPACE_SPACE_PARTS_H
#define ANALYSIS_SPACE_SPACE_PARTS_H

#include <stddef.h>

#define SPACE_NO_PART SIZE_MAX
#define SPACE_CLEANUP_SHARE 0.02
#define SPACE_CLEANUP_QUICK 8.0

struct space_cleanups {
    size_t count;
    double removed; /* by all of them, in the values' unit */
};

/* Number the part of each value, from 0; SPACE_NO_PART: it is missing (NaN), or within
 * a clean-up.  Errors: -ENOMEM; then both outputs are untouched. */
int space_parts_find(const double *used, size_t count, double capacity, size_t *parts,
                     struct space_cleanups *ret);

#endif
