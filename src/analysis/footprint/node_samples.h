/* SPDX-License-Identifier: Apache-2.0 */
/* node_samples - the metrics of a job's nodes over its time, as windows of equal
 * length.
 *
 *     metric ─▶ row: a node, or a device of it ─▶ values[window]
 *
 *     from_ns ├──window──┼──window──┼── ... ──┤ to_ns
 *
 * A value is the mean of the samples in its window, of a counter the rate; NaN where
 * nothing was observed.
 *
 * Units    nanoseconds since the Unix epoch.
 * Memory   the caller's, mostly an arena.  Threads  none inside.
 */
#ifndef ANALYSIS_FOOTPRINT_NODE_SAMPLES_H
#define ANALYSIS_FOOTPRINT_NODE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NODE_SAMPLES_WINDOWS_MAX 120
#define NODE_SAMPLES_HOSTS_MAX 8192
#define NODE_SAMPLES_METRICS_MAX 256

struct node_samples_row {
    size_t host;        /* of node_samples.hosts */
    const char *device; /* "accelerator:0"; "": the node itself */
    uint64_t samples;   /* in the range */
    double min, max;    /* of the samples; NaN: there is none */
    const double *values;
    bool is_of_parts; /* its values are made of those of its parts, min and max are
                       * theirs */
};

struct node_samples_metric {
    const char *name, *unit;             /* unit "": none */
    bool is_counter;                     /* values are rates per second */
    bool is_summed;                      /* values of nodes are added */
    int64_t step_ns;                     /* between samples; 0: not known */
    const struct node_samples_row *rows; /* by host, then by device */
    size_t row_count;
};

struct node_samples {
    const char *cluster;    /* NULL: not known */
    int64_t from_ns, to_ns; /* the job's time; the last window may reach beyond it */
    int64_t window_ns;
    size_t window_count;
    const char *const *hosts; /* all that the job ran on, observed or not */
    size_t host_count;
    const struct node_samples_metric *metrics; /* by name */
    size_t metric_count;
    /* What a node can do at best, on average over the hosts (node_peaks): operations
     * and bytes of memory a second.  0: not configured. */
    double peak_flops, peak_bytes;
    const char *peakless; /* hosts of which it is not, where it is of others; or NULL */
};

/* The windows of a job's time: at least 30 s each, and as long as the metrics' interval
 * (0: not known), so that no window lies between two samples; whole multiples of 30 s,
 * NODE_SAMPLES_WINDOWS_MAX at most.  Sets from_ns, to_ns, window_ns and window_count;
 * to_ns is after from_ns. */
void node_samples_windows(struct node_samples *samples, int64_t from_ns, int64_t to_ns,
                          int64_t interval_ns);

#endif
