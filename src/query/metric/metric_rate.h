/* SPDX-License-Identifier: Apache-2.0 */
/* metric_rate - samples of a counter as its rate, per second.
 *
 *     counter   100   160   -    280 |  40    100        | is a reset
 *     time        0    10   20    30    40     50
 *     rate              6   -      6     -      6
 *
 * A rate stands at the end of what it is the rate of: the time since the sample before,
 * which a hole makes longer.  Where a counter went down it was reset, and what it
 * counted in between is not known: there is no rate, and not 0.
 */
#ifndef QUERY_METRIC_METRIC_RATE_H
#define QUERY_METRIC_METRIC_RATE_H

#include <stddef.h>
#include <stdint.h>

/* In place: times ascend, values are numbers; those before from_ns only give the first
 * rate its beginning.  lengths_ns[i], of as many, becomes what rate i is over.  Returns
 * how many rates there are; *resets grows by the resets at or after from_ns. */
size_t metric_rate_make(int64_t *times, double *values, int64_t *lengths_ns,
                        size_t count, int64_t from_ns, uint64_t *resets);

/* The mean of count > 0 values, each weighing its length; lengths NULL: all the same.
 */
double metric_rate_mean(const double *values, const int64_t *lengths_ns, size_t count);

#endif
