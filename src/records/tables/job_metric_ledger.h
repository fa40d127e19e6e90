/* SPDX-License-Identifier: Apache-2.0 */
/* job_metric_ledger - footprints of runs as rows of a ledger: the table
 * job_footprint_rows.
 *
 * A row is known by (cluster, id, start, metric) and replaces the earlier one.  Where
 * that of the metric '' stands, the run's footprint was made, of the end that it names.
 */
#ifndef RECORDS_TABLES_JOB_METRIC_LEDGER_H
#define RECORDS_TABLES_JOB_METRIC_LEDGER_H

#include "records/tables/ledger.h"

/* A condition of job_runs: no footprint of that end was made. */
#define JOB_METRIC_LEDGER_MISSING                                           \
    "NOT EXISTS (SELECT 1 FROM job_footprint_rows f WHERE "                 \
    "f.cluster = job_runs.cluster AND f.id = job_runs.id AND f.start_ns = " \
    "job_runs.start_ns AND f.metric = '' AND f.end_ns = job_runs.end_ns)"

extern const struct ledger ledger_job_metrics;

/* The row of metric as it is stored at now_ms, in arena; its texts are metric's.
 * NULL: no memory. */
const struct scalar *job_metric_ledger_row(const struct job_metric *metric,
                                           int64_t now_ms, struct arena *arena);
/* The footprint of a row; its texts are the row's. */
void job_metric_ledger_metric(const struct scalar *row, struct job_metric *ret);

#endif
