/* SPDX-License-Identifier: Apache-2.0 */
/* series_source - all series that an expression can select: samples of the metric
 * store, counters of jobs.
 *
 * Threads  one worker's.
 */
#ifndef API_PROMETHEUS_SERIES_SOURCE_H
#define API_PROMETHEUS_SERIES_SOURCE_H

#include "api/jobstats/jobstats.h"
#include "api/prometheus/store_source.h"

struct series_source {
    struct store_source store;
    struct job_series jobs;
};

struct promql_source series_source_for_query(struct series_source *source);

#endif
