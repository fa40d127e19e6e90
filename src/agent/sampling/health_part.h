/* SPDX-License-Identifier: Apache-2.0 */
/* health_part - what checks of this node state about it, on its way to barod.
 *
 *     plugins ─┬▶ resource/checks: each change once ─▶ lines ─▶ SPOOL/statements ─▶
 *     sources ─┘                                        POST /v1/resources
 *
 * The source of a statement is plugin:NAME@HOST, of what is built in node:NAME@HOST.
 * One that is sent twice changes nothing at barod.  Where a text is lost before it is
 * on the disk all is stated again: the next minute's, not the next hour's.
 *
 * Threads  open, close: the agent's loop.  count: any.  The others: the sampler's.
 */
#ifndef AGENT_SAMPLING_HEALTH_PART_H
#define AGENT_SAMPLING_HEALTH_PART_H

#include "agent/sampling/text_queue.h"
#include "resource/resource.h"

#define HEALTH_QUEUE_BYTES_MAX (UINT64_C(4) << 20)

struct health_part;

/* opts, report and loop outlive it.  Errors: as text_queue_open(). */
int health_part_open(const struct agent_opts *opts, const struct agent_report *report,
                     uv_loop_t *loop, struct health_part **ret, struct err *err);
void health_part_close(struct health_part *part); /* NULL is fine */
void health_part_state(struct health_part *part, const struct resource_check *check);
/* As resource_checks_end(). */
void health_part_end(struct health_part *part, const struct resource_check *end);
/* At the end of a round. */
void health_part_send(struct health_part *part);

struct health_counts {
    struct post_queue_counts queue;
    uint64_t dropped; /* that could not be stated: too many, or no names */
};
void health_part_count(struct health_part *part, struct health_counts *ret);

#endif
