/* SPDX-License-Identifier: Apache-2.0 */
/* metric_pair - in what the metrics of two runs differ: of jobs that have no log.
 *
 *     footprints of A, B ──▶ |ln(b / a)| of each mean ─┐
 *     footprints of comparable runs ─▶ noise of each metric ─┴▶ score above 1? ─▶ in
 * order
 *
 * A footprint is each metric's mean over the run's nodes and its time (job_metric). The
 * noise floor of a metric is twice the distance that 95 of 100 pairs of comparable runs
 * do not exceed, and at least METRIC_PAIR_FLOOR_MIN.  Where fewer than
 * METRIC_PAIR_PEERS_MIN of them have the metric it is what the caller gives: then
 * nothing is known of its noise.  Means are of one node, whatever the number of nodes.
 *
 * What runs did comes first, then how they went: their time, and what their own
 * programs submitted ("app_steps_per_s").
 *
 * Memory   texts are those of the footprints.  Threads  none inside.
 */
#ifndef ANALYSIS_PAIR_METRIC_PAIR_H
#define ANALYSIS_PAIR_METRIC_PAIR_H

#include "analysis/job/job.h"
#include "analysis/pair/difference.h"

#define METRIC_PAIR_FLOOR_MIN 0.05
#define METRIC_PAIR_FLOOR_DEFAULT 0.1 /* of what was never measured: log1p(0.1) */
#define METRIC_PAIR_MAX (JOB_METRICS_MAX + 1)
#define METRIC_PAIR_TIME "run_time"
#define METRIC_PAIR_PEERS_MIN 3
#define METRIC_PAIR_PEERS_MAX 20

struct metric_run {
    const char *name; /* as people call it: "4711" */
    double run_s;     /* NaN: it goes on, or is not known */
    uint64_t nodes;   /* 0: not known */
    const struct job_metric *metrics;
    size_t count;
};

struct metric_difference {
    struct span metric, unit;
    double a, b;
    double distance;
    double floor;
    double score;   /* distance over the noise floor: above 1 */
    size_t peers;   /* runs that measured it; 0: the caller gave it */
    bool is_result; /* how the runs went */
};

struct metric_pair {
    struct metric_run runs[2]; /* A and B */
    size_t peers;              /* runs that were given */
    double floor;              /* of what they do not measure */
    struct metric_difference items[METRIC_PAIR_MAX];
    size_t count;
    size_t compared; /* metrics that both have, the time included */
    size_t only[2];  /* metrics that one alone has */
};

/* Whether its footprint has a number of that metric. */
bool metric_run_has(const struct metric_run *run, struct span metric);

/* floor, of noise: METRIC_PAIR_FLOOR_DEFAULT, or as a person gave it (0.4: 40 % more).
 */
void metric_pair_find(const struct metric_run *a, const struct metric_run *b,
                      const struct metric_run *peers, size_t peer_count, double floor,
                      struct metric_pair *ret);

#endif
