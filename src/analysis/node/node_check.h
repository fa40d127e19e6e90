/* SPDX-License-Identifier: Apache-2.0 */
/* node_check - which nodes differ from comparable ones, in what, and since when.
 *
 *     nodes, jobs ─▶ groups of comparable nodes, window by window
 *     metric by metric: values[node][window] ─▶ peers ─▶ windows that are out ─▶ runs
 *     series of all metrics: newest sample ─▶ silent nodes, metrics that stopped
 *
 * Comparable are nodes of one class (the caller's: one cluster, one set of metrics)
 * that ran the same job all of a window.  Jobs of too few nodes are compared together,
 * and so are nodes without a job.  Where there are too few comparable nodes, nothing is
 * claimed.
 *
 * A node is reported when it is out in at least NODE_RUN_MIN windows that follow each
 * other (one between them may not be): where chance would produce fewer than
 * NODE_CHANCE_MAX such windows among all that are compared.  Nodes that differ from
 * others which are all equal have no chance; of these at most 1 in 100 is reported.
 *
 * Threads  none inside.
 */
#ifndef ANALYSIS_NODE_NODE_CHECK_H
#define ANALYSIS_NODE_NODE_CHECK_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NODE_RUN_MIN 3
#define NODE_CHANCE_MAX 0.01
#define NODE_WINDOWS_MAX 1000
#define NODE_JOB_NONE SIZE_MAX

enum node_problem {
    NODE_SILENT,  /* it sends nothing any more, of no metric */
    NODE_STOPPED, /* it sends, but not this metric any more */
    NODE_LOW,
    NODE_HIGH,
    NODE_STUCK, /* every sample is the same, of comparable nodes they change */
    _NODE_PROBLEM_COUNT,
};

struct node_host {
    const char *name; /* the caller's, as are all texts */
    size_t cluster;   /* from 0 */
    size_t class;     /* from 0; of one cluster */
    bool is_selected; /* what is reported; others are compared with */
};

struct node_check_opts {
    int64_t from_ns, window_ns;
    size_t window_count;           /* 1 .. NODE_WINDOWS_MAX */
    const struct node_host *hosts; /* those of a class together, else it is slow */
    size_t host_count;
    size_t metric_count; /* that will be added; bounds the number of comparisons */
};

/* What is known of the samples of one node; all 0: it has no such series. */
struct node_series {
    bool is_there;
    bool is_integral; /* all samples are whole numbers */
    uint64_t count;   /* of samples of the range */
    int64_t first_ns; /* of them */
    int64_t last_ns;  /* the newest before the range's end, maybe before its beginning;
                       * INT64_MIN: none is known */
    double min, max;
};

struct node_metric {
    const char *name, *unit;
    bool is_counter;      /* values are rates */
    const double *values; /* [host * window_count + window]; NaN: not observed */
    const struct node_series *series; /* a host each */
};

struct node_finding {
    size_t host;
    enum node_problem problem;
    const char *metric, *unit; /* NULL: of all metrics */
    double value, median;      /* of the last window that is out; NaN: none */
    double deviations;         /* NaN: none; infinite: the others are equal */
    double chance;             /* NaN: none */
    size_t others;
    size_t job;          /* whose nodes are compared; NODE_JOB_NONE: none */
    int64_t since_ns;    /* INT64_MIN: not known */
    int64_t until_ns;    /* end of the last window that is out */
    bool is_longer;      /* it was so when the range began */
    bool is_over;        /* it is not so any more */
    size_t out, windows; /* windows out, of those compared since then */
};

struct node_results {
    struct node_finding *findings; /* the silent first, then the least chance */
    size_t count;
    size_t selected;      /* nodes */
    size_t compared;      /* of these with at least one comparison */
    size_t found;         /* likewise: with at least one finding */
    size_t silent;        /* of the selected */
    size_t unknown;       /* likewise: of which no sample is known, of any time */
    int64_t newest_ns;    /* sample of any node; INT64_MIN: there is none */
    size_t metrics;       /* of which anything was compared */
    uint64_t comparisons; /* of a node, a metric, a window */
    double chance_each;   /* below which one of them is out */
};

struct node_check;

/* opts and what it points to must outlive the check.  Errors: -EINVAL (windows, or no
 * hosts), -ENOMEM. */
int node_check_new(const struct node_check_opts *opts, struct node_check **ret);
void node_check_free(struct node_check *check);
DEFINE_AUTO(struct node_check, node_check_free);

/* Before the first metric: job (from 0) ran on host in [start, end). */
void node_check_add_job(struct node_check *check, size_t job, size_t host,
                        int64_t start_ns, int64_t end_ns);

/* Compare one metric; *metric is only read during the call, its texts later.
 * Errors: -ENOMEM. */
int node_check_add_metric(struct node_check *check, const struct node_metric *metric);

/* What was found, in the check, valid as long as it.  Once.  Errors: -ENOMEM. */
int node_check_finish(struct node_check *check, const struct node_results **ret);

/* "silent", "stopped", "low", "high", "stuck". */
const char *node_problem_name(enum node_problem problem);

#endif
