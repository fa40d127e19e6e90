/* SPDX-License-Identifier: Apache-2.0 */
/* inventory_part - the parts of this node, on their way to barod.
 *
 *     start, then once in inventory_interval ─▶ a process reads them ─▶ other than what
 *         was sent last, or a day has passed: SPOOL/inventory ─▶
 *                                                   POST /v1/resources/inventory
 *
 * Each report is of all parts.  What is sent twice changes nothing at barod.  A read
 * that hangs holds one process, and is tried again once that is gone.
 *
 * Threads  count: any.  The others: the agent's loop.
 */
#ifndef AGENT_SAMPLING_INVENTORY_PART_H
#define AGENT_SAMPLING_INVENTORY_PART_H

#include "agent/sampling/text_queue.h"

#define INVENTORY_QUEUE_BYTES_MAX (UINT64_C(8) << 20)

struct inventory_part;

/* *ret stays NULL where node.inventory_interval is 0.  All outlive it.
 * Errors: as text_queue_open(). */
int inventory_part_open(const struct agent_opts *opts,
                        const struct agent_report *report, uv_loop_t *loop,
                        struct inventory_part **ret, struct err *err);
/* Its memory stays as long as the loop: a process may hang.  NULL is fine. */
void inventory_part_stop(struct inventory_part *part);

struct inventory_counts {
    struct post_queue_counts queue;
    uint64_t reads, failures, parts;
};
void inventory_part_count(struct inventory_part *part, struct inventory_counts *ret);

#endif
