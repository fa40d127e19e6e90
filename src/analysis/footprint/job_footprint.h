/* SPDX-License-Identifier: Apache-2.0 */
/* job_footprint - what a job's nodes did: each metric over its nodes, which nodes
 * differ from the others of the job, and what that is.
 *
 *     node_samples ─┬▶ median and spread of each metric over the nodes
 *                   ├▶ job_phases ─▶ roofline
 *                   └▶ idle, slow, memory at its limit, swapping, GPUs unused, uneven
 *
 * A node is compared with the job's other nodes alone, and only where there are at
 * least FOOTPRINT_NODES_MIN that work; but a node without any work, memory at its
 * limit, and a GPU that is not used need no other node.  Nodes that wait at the
 * beginning, while one reads the input, or in the last fifth, when the work runs out,
 * are usual; so is one node with the master process of a job that is spread over the
 * others.
 *
 * Of a job that goes on only that is claimed which is so already.  A node or GPU is
 * idle where the others have worked in parallel for FOOTPRINT_SETTLED_S meanwhile, or
 * after FOOTPRINT_ALONE_S: a job that still reads its input, or whose work runs out,
 * has none.  A node is slow, or has more work, after FOOTPRINT_SETTLED_S of it.  Memory
 * at its limit is that at once.
 *
 * Memory   all texts lie in the arena, or are the samples'.  Threads  none inside.
 */
#ifndef ANALYSIS_FOOTPRINT_JOB_FOOTPRINT_H
#define ANALYSIS_FOOTPRINT_JOB_FOOTPRINT_H

#include "analysis/footprint/job_phases.h"
#include "analysis/footprint/metric_role.h"
#include "analysis/footprint/node_samples.h"
#include "analysis/footprint/roofline.h"
#include "base/arena.h"

#define FOOTPRINT_NODES_MIN 4     /* below it no node is slow or heavy */
#define FOOTPRINT_IDLE_LOAD 0.5   /* a load below it is none */
#define FOOTPRINT_IDLE_SHARE 0.2  /* of the job's time, up to its end */
#define FOOTPRINT_SLOW_RATIO 0.85 /* of the other nodes' median */
#define FOOTPRINT_HEAVY_RATIO 1.3 /* of the nodes' mean */
#define FOOTPRINT_MEMORY_LIMIT 0.94
#define FOOTPRINT_SWAP_BYTES 1e9
#define FOOTPRINT_GPU_UNUSED 1.5 /* percent */
/* While a job goes on: so long the others have worked, or the node was slow. */
#define FOOTPRINT_SETTLED_S 900
/* Where nothing else shows that the job is beyond its beginning. */
#define FOOTPRINT_ALONE_S 3600
#define FOOTPRINT_FINDINGS_MAX 8

enum footprint_kind {
    FOOTPRINT_IDLE_NODE,
    FOOTPRINT_SLOW_NODE,
    FOOTPRINT_MEMORY_LIMIT_REACHED,
    FOOTPRINT_SWAPPING,
    FOOTPRINT_GPU_IDLE,
    FOOTPRINT_UNEVEN_NODES,
    FOOTPRINT_KIND_COUNT,
};

/* Why a node is slow. */
enum footprint_cause {
    FOOTPRINT_CAUSE_NONE,
    FOOTPRINT_CAUSE_CLOCK,
    FOOTPRINT_CAUSE_POWER,
    FOOTPRINT_CAUSE_BANDWIDTH,
    FOOTPRINT_CAUSE_LOAD, /* of processes that are not the job's, or too many */
    FOOTPRINT_CAUSE_COUNT,
};

/* One metric over the job's nodes, or over its devices. */
struct footprint_metric {
    const char *name, *unit;
    enum metric_role role;
    size_t nodes;   /* that have numbers of it */
    size_t rows;    /* nodes, or devices */
    double average; /* of the rows' averages over time, as the next four */
    double median;
    double low, high;   /* quartiles */
    double deviation;   /* median distance from the median */
    double min, max;    /* of all samples */
    const char *lowest; /* node or node/device of the least average */
    const char *highest;
    double lowest_value, highest_value;
};

struct footprint_finding {
    enum footprint_kind kind;
    enum footprint_cause cause;
    const char *nodes;   /* a host set: "c[017-018]" */
    const char *devices; /* "g01/accelerator:2 g01/accelerator:3"; NULL: none */
    size_t count;        /* of the nodes, or of the devices */
    size_t others;       /* nodes or devices that are compared with */
    int64_t from_s, to_s;
    const char *metric, *unit; /* the evidence */
    double value;              /* of the nodes named; of several their median */
    double usual;              /* of the others; NaN: not compared */
    double threshold;          /* in the metric's unit */
    uint64_t n;                /* windows that it is made of */
    double low_s, high_s;      /* by so much the run would have been shorter; NaN: not
                                * known */
    bool is_so_far;            /* the job goes on */
    double unused_s;           /* node-seconds, or device-seconds; NaN: none */
};

struct footprint {
    size_t hosts;           /* that it ran on */
    size_t observed;        /* of those: that have any metric */
    const char *unobserved; /* the others, a host set; NULL: none */
    int64_t from_s, to_s;
    const struct footprint_metric *metrics; /* by name */
    size_t metric_count;
    struct job_phases phases;
    struct roofline roofline;
    struct footprint_finding findings[FOOTPRINT_FINDINGS_MAX];
    size_t finding_count; /* the most expensive first */
};

/* What is known of the job beside its samples. */
struct footprint_job {
    bool is_over;          /* false: what is found is so far only */
    bool is_out_of_memory; /* the batch system ended it for that */
    int64_t gpus;          /* allocated; below 0: not known */
    bool has_whole_nodes;  /* it shares no node: all of their GPUs are its */
};

/* Errors: -ENOMEM; then *ret is untouched. */
int footprint_make(const struct node_samples *samples, const struct footprint_job *job,
                   struct arena *arena, struct footprint *ret);

/* "idle-node", for programs; it stays. */
const char *footprint_kind_name(enum footprint_kind kind);
/* "clock", "" of none. */
const char *footprint_cause_name(enum footprint_cause cause);

#endif
