/* SPDX-License-Identifier: Apache-2.0 */
/* metric_window - the samples of one or several levels in a range, where they stand.
 *
 *     one series, no step requested   each sample at its own time; where all stand on
 *                                      one grid, that grid from the first on
 *     several series                   added up, or averaged, on one grid: the common
 *                                      one when all have it, else whole steps since the
 *                                      epoch
 *     a step requested                the means of pieces of that length, at
 *                                      whole steps since the epoch; or the samples
 *                                      that draw the same line, at their own times
 *
 * No time depends on the range, and every sample of from <= time < to is in some point:
 * the first and the last piece may be of fewer.  The statistics of one series are those
 * of its samples, of several those of their sums before a longer step is made of them.
 *
 * Of a metric that is a counter and counters METRIC_COUNTERS_RATE the samples are its
 * rates, from the first on (query/metric/metric_rate.h); what holds for samples holds
 * for these, and a mean weighs each by the time that it is over.
 *
 * Memory, threads  as query/metric_read.
 */
#ifndef QUERY_METRIC_METRIC_WINDOW_H
#define QUERY_METRIC_METRIC_WINDOW_H

#include "query/metric/metric_read.h"

/* strictness and resample_points_min of the question do not count; a step that
 * is no multiple of the samples' is rounded up to one.
 * Errors: -ENOENT (no series), -EINVAL (the range, the aggregation, several series of
 * which one has no step, without a requested one), -EMSGSIZE (METRIC_POINTS_MAX),
 * -ENOMEM, and what reading says. */
int metric_window_read(struct metric_reader *reader,
                       const struct metric_read_opts *opts, struct metric_result *ret,
                       struct err *err);

#endif
