/* SPDX-License-Identifier: Apache-2.0 */
/* step - the step of samples without a declaration, from their times.
 *
 *     0   10.1   20   29.9   ...   50   60     most distances are alike
 *
 * Threads  none inside.
 */
#ifndef STORE_SERIES_STEP_H
#define STORE_SERIES_STEP_H

#include <stddef.h>
#include <stdint.h>

/* The step of count times, which grow.  A quarter of the distances between them may
 * differ from it by more than a quarter: samples are missing, a sender began anew.  It
 * is round where that changes it by less than a 64th, so that a collector's jitter does
 * not become a drift.  0: they have none, or there are fewer than three. */
int64_t step_of_times(const int64_t *times, size_t count);

#endif
