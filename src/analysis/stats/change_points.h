/* SPDX-License-Identifier: Apache-2.0 */
/* change_points - where several series change their level at the same time.
 *
 *     ──────┐      ┌───────        one series
 *     ░░░░░░│░░░░░░│░░░░░░░        another
 *     0     start  start           segments: in each, each series has one level
 *
 * The partition of least cost: the squared distances of all values from the mean of
 * their segment, and a penalty for each segment.  It is found exactly, by optimal
 * partitioning (B. Jackson et al., An algorithm for optimal partitioning of data on an
 * interval, IEEE Signal Processing Letters 12, 2005), of which PELT is the pruned form
 * (R. Killick, P. Fearnhead, I. A. Eckley, Optimal detection of changepoints with a
 * linear computational cost, JASA 107, 2012): of the few hundred columns that there are
 * here pruning would gain nothing.
 *
 * A distance counts in units of the noise at its column (change_noise()), which may be
 * larger where the level is.  The penalty bounds the gain of a cut through d series of
 * pure noise, a chi-squared variable of d degrees, by Laurent and Massart (Annals of
 * Statistics 28, 2000).
 *
 * Threads  none inside.
 */
#ifndef ANALYSIS_STATS_CHANGE_POINTS_H
#define ANALYSIS_STATS_CHANGE_POINTS_H

#include <stddef.h>

#define CHANGE_COLUMNS_MAX 512

#define CHANGE_NOISE_REACH 8 /* columns to each side */

/* The standard deviation of the noise of a series around each column, whatever its
 * level does: by the third quartile of the distances between values that follow one
 * another, of which a step is one; at least least.  A missing value is NaN. */
void change_noise(const double *values, size_t count, double least, double *ret);

/* The median of 3 at each place: a value that stands alone is gone, a step stays.  A
 * missing value is missing in ret, too. */
void change_smooth(const double *values, size_t count, double *ret);

struct change_series {
    const double *values; /* NaN: missing */
    const double *noise;  /* of each column, above 0 */
};

/* Fill starts, which has space for columns numbers, with the first column of each
 * segment: starts[0] is 0.  Each segment has length_min columns at least.  Returns how
 * many segments there are: 1 of fewer than 2 * length_min columns, of no series, and of
 * more than CHANGE_COLUMNS_MAX columns.  Errors: -ENOMEM. */
int change_points_find(const struct change_series *series, size_t series_count,
                       size_t columns, size_t length_min, size_t *starts);

#endif
