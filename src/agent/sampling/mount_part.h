/* SPDX-License-Identifier: Apache-2.0 */
/* mount_part - network file systems of this node, as health.
 *
 *     trigger, once in mounts_interval ─▶ agent's loop: a process checks them all
 *                                            │ deadline: it hangs at one, and is left
 *                                            ▼           alone; another checks the rest
 *     trigger ◀── mount:PATH up, degraded (an error), unknown (no response)
 *                 lustre:NAME  imports that are not connected
 *
 * A check that hangs finds nothing: that is unknown, and no reason to drain a node.
 * At most one process hangs at a mount, MOUNTS_HANGING_MAX in all.
 *
 * Threads  open, stop and the processes: the agent's loop.  state: the sampler's.
 */
#ifndef AGENT_SAMPLING_MOUNT_PART_H
#define AGENT_SAMPLING_MOUNT_PART_H

#include "agent/config.h"
#include "agent/report.h"
#include "agent/sampling/health_part.h"

#define MOUNTS_HANGING_MAX 16

struct mount_part;

/* *ret stays NULL where node.mounts_interval is 0.  All outlive it.  Errors: -ENOMEM,
 * those of libuv. */
int mount_part_open(const struct agent_opts *opts, const struct agent_report *report,
                    uv_loop_t *loop, struct mount_part **ret);
/* Its memory stays as long as the loop: a process may hang.  NULL is fine. */
void mount_part_stop(struct mount_part *part);
/* At a trigger: what was found since the last, and begin anew where it is due. */
void mount_part_state(struct mount_part *part, struct health_part *health,
                      int64_t t_ns);

struct mount_counts {
    uint64_t rounds, hanging, given_up, not_probed;
};
void mount_part_count(struct mount_part *part, struct mount_counts *ret);

#endif
