/* SPDX-License-Identifier: Apache-2.0 */
/* job_metrics - footprints of runs: what each metric was, stored when they ended. */
#ifndef RECORDS_JOB_JOB_METRICS_H
#define RECORDS_JOB_JOB_METRICS_H

#include "records/jobs.h"

/* All of metrics in one durable transaction; what is stored of the same run and metric
 * is replaced.  Refused one by one: what job_metric_check() refuses, and what is older
 * than retention_jobs.  Errors: -EMSGSIZE (over RECORDS_JOB_METRICS_MAX), else as in
 * records.h. */
#define RECORDS_JOB_METRICS_MAX ((size_t)100000)
int records_put_job_metrics(struct records *records, const struct job_metric *metrics,
                            size_t count, int64_t now_ms,
                            struct records_submission *ret, struct err *err);

/* Spans with data NULL: any. */
struct job_metric_filter {
    struct span cluster;
    struct span id;            /* of the run, as people write it */
    const char *const *metric; /* one of these; NULL: any */
    size_t metric_count;
    int64_t from_ns, to_ns; /* of runs that began within [from, to] */
};
#define JOB_METRICS_NAMED_MAX ((size_t)16)

/* metric is valid during the call. */
typedef int records_job_metric_fn(void *arg, const struct job_metric *metric);

/* By cluster, job, start and metric.  A negative return of fn ends the reading and is
 * returned; 1 ends it well.  Errors: as in records.h, also for a database of before
 * there were footprints (barod migrates it when it starts). */
int records_find_job_metrics(struct records_reader *reader,
                             const struct job_metric_filter *filter,
                             records_job_metric_fn *fn, void *arg, struct err *err);

/* Runs that ended within [from_ns, to_ns] and have no footprint of that end, those that
 * ended first before others.  Errors: as above. */
int records_find_jobs_without_metrics(struct records_reader *reader, int64_t from_ns,
                                      int64_t to_ns, size_t limit, records_job_fn *fn,
                                      void *arg, struct err *err);

#endif
