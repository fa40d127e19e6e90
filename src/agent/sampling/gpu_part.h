/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_part - GPUs of this node as metrics, read by a process of its own.
 *
 *     trigger ─▶ a request ─▶ values as they come ... ─▶ done
 *                   │ gpu_deadline
 *                   └─▶ the process is ended; another starts after a pause (a second,
 *                       doubled up to ten minutes)
 *
 * Where the driver is not loaded there is no process.  One that hangs in the kernel
 * cannot be ended: there is no other until it is gone.  While one is under way a
 * trigger requests nothing.
 *
 * Threads  open, close: the agent's loop.  count: any.  The others: the sampler's.
 */
#ifndef AGENT_SAMPLING_GPU_PART_H
#define AGENT_SAMPLING_GPU_PART_H

#include "agent/config.h"
#include "agent/report.h"
#include "source/gpu/gpu.h"

#include <uv.h>

struct gpu_part;

struct gpu_events {
    /* t_ns: of the trigger that it was requested at. */
    void (*value)(void *arg, const struct gpu_value *value, int64_t t_ns);
    void (*done)(void *arg);
    void *arg;
};

/* *ret stays NULL where GPUs are not read.  All outlive it.  Errors: -ENOMEM. */
int gpu_part_open(const struct agent_opts *opts, const struct agent_report *report,
                  const struct gpu_events *events, struct gpu_part **ret);
void gpu_part_close(struct gpu_part *part); /* NULL is fine */

/* NULL is fine for these three. */
int gpu_part_begin(struct gpu_part *part, uv_loop_t *loop);
void gpu_part_trigger(struct gpu_part *part, int64_t t_ns);
void gpu_part_end(struct gpu_part *part);

struct gpu_counts {
    uint64_t readings, starts, hangs, failures, late, in_kernel;
};
void gpu_part_count(struct gpu_part *part, struct gpu_counts *ret);

#endif
