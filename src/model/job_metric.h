/* SPDX-License-Identifier: Apache-2.0 */
/* job_metric - what one metric was over the nodes and the time of a run.
 *
 *     run ─┬─ ""         its nodes, how many had any sample, how much of the time
 *          ├─ cpu_load   mean, min, max
 *          └─ power      mean, min, max, sum
 *
 * A number that was not observed is NaN, never 0.
 */
#ifndef MODEL_JOB_METRIC_H
#define MODEL_JOB_METRIC_H

#include "base/span_type.h"

#include <stdint.h>

struct job_metric {
    struct span cluster, id; /* of the run, with start_ns */
    int64_t start_ns, end_ns;
    struct span metric; /* empty: the run as a whole */
    struct span unit;   /* empty: none.  Of a counter, whose rate it is, with "/s" */
    uint64_t nodes;     /* that it ran on; 0: not known */
    uint64_t observed;  /* of those: that have a sample */
    double covered;     /* share of the nodes' time that samples cover: 0..1 */
    double mean;        /* over nodes, or devices, and time */
    double min, max;    /* of the samples; of a counter of its rates */
    double sum;         /* over nodes, on average over time; where nodes are added */
};

/* Why it cannot be stored, or NULL.  Static text. */
const char *job_metric_check(const struct job_metric *metric);

#endif
