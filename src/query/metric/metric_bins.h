/* SPDX-License-Identifier: Apache-2.0 */
/* metric_bins - one metric of one level as values of equal pieces of time.
 *
 *     gauge     the mean of the samples in each piece
 *     counter   what it grew by between samples, by the time between them; where it
 *               became less it began anew, and that pair counts nothing
 *
 * On behalf of a job a host's value is the job's own where it has the metric there;
 * other jobs on that host are no part of it.
 *
 * A level without such a series is what the nearest levels below it have together, by
 * the metric's aggregation.  A sum of which one part was not observed is missing.
 *
 * Threads  between metric_store_enter() and metric_store_leave().
 */
#ifndef QUERY_METRIC_METRIC_BINS_H
#define QUERY_METRIC_METRIC_BINS_H

#include "store/store.h"

#include <stdbool.h>

struct metric_bins_opts {
    const struct metric *metric;
    int64_t from_ns, bin_ns;
    size_t count;
    int64_t to_ns; /* within the last bin: samples from here on do not count; 0: the bin
                    * counts whole */
    struct span job; /* whose values are read, "job:4711"; empty: all there is */
};

/* What is known of the samples in the range. */
struct metric_bins_summary {
    uint64_t samples;     /* numbers, of all parts */
    uint64_t samples_max; /* of the part that has most */
    bool is_integral;     /* all of them are whole numbers */
    double min, max;      /* NaN: there is none */
    int64_t first_ns;     /* of the range */
    int64_t last_ns;      /* the newest before its end, if only before its beginning;
                           * INT64_MIN: none is known */
};

/* Set count values; NaN: not observed.  Errors: -ENOENT (no such series at or below
 * level), -ENOMEM, those of reading. */
int metric_bins_read(struct metric_store *store, const struct level *level,
                     const struct metric_bins_opts *opts, double *values,
                     struct metric_bins_summary *ret);

#endif
