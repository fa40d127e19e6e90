/* SPDX-License-Identifier: Apache-2.0 */
/* job_use - what a job used on each of its nodes of what it was given there.
 *
 *     the batch system's record ─▶ CPUs, memory, GPUs given; CPU time of all nodes
 *     metrics of its nodes ──────▶ which node used how much of that
 *
 * A node's metrics are those of all that runs there: they are the job's only on nodes
 * that it had alone.  What follows from no evidence is not known, and a node of which
 * anything is not known is left out; programs that read the result accept no gaps.
 *
 * Memory   all of it lies in the arena, or is the samples'.  Threads  none inside.
 */
#ifndef ANALYSIS_FOOTPRINT_JOB_USE_H
#define ANALYSIS_FOOTPRINT_JOB_USE_H

#include "analysis/footprint/node_samples.h"
#include "base/arena.h"
#include "model/model.h"

/* Numbers are NaN where they are not known. */
struct gpu_use {
    const char *id;      /* "0" of "accelerator:0" */
    double busy_percent; /* on average */
    double memory_bytes;
    double memory_used_bytes; /* at most */
};

struct node_use {
    const char *host;
    uint64_t cpus; /* allocated, as the next one */
    double memory_bytes;
    double memory_used_bytes; /* at most */
    double cpu_s;             /* of all its CPUs */
    const struct gpu_use *gpus;
    size_t gpu_count;
};

struct job_use {
    int64_t elapsed_s;
    const struct node_use
        *nodes; /* of which all but GPUs is known, in the job's order */
    size_t node_count;
    uint64_t gpus; /* of which all is known */
};

struct job_use_evidence {
    const struct node_samples *samples; /* hosts at least */
    const bool *is_shared;              /* a host each: another job ran there, too */
    const struct job_resources *resources;
    int64_t elapsed_s; /* above 0 */
};

/* Errors: -ENOMEM; then *ret is untouched. */
int job_use_make(const struct job_use_evidence *evidence, struct arena *arena,
                 struct job_use *ret);

#endif
