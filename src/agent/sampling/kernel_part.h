/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_part - messages of this node's kernel as events and health.
 *
 *     /dev/kmsg ──reader──▶ rules ──┬▶ events kernel.RULE: log, session
 *       at each trigger             └▶ health of parts: health_part
 *                                       STATE/kernel.messages: up to where, which boot
 *
 * A message counts once, also over restarts: its number and the boot's id are stored
 * after it has been handed on.  The kernel's ring is the queue: while the session
 * accepts no more events nothing is read.  Where an agent is killed between the two an
 * event comes twice, with the same "message" in it.
 *
 * Threads  open, close: the agent's loop.  count: any.  The others: the sampler's.
 * The state is written by a thread of its own: a message may be of that disk.
 */
#ifndef AGENT_SAMPLING_KERNEL_PART_H
#define AGENT_SAMPLING_KERNEL_PART_H

#include "agent/config.h"
#include "agent/report.h"
#include "agent/sampling/health_part.h"

struct kernel_part;

/* Before privileges are given up: where the kernel's messages are for root alone, and
 * are read (node.kernel_rules), opens them as opts->kernel_fd. */
void kernel_messages_open(struct agent_opts *opts);

/* Errors: as kernel_part_open(), of the rules alone. */
int kernel_rules_check(const struct agent_opts *opts, struct err *err);

/* *ret stays NULL where no rules are configured.  All outlive it.
 * Errors: -EINVAL and others (the rules: err has file, line and remedy), -ENOMEM. */
int kernel_part_open(const struct agent_opts *opts, const struct agent_report *report,
                     struct health_part *health, struct kernel_part **ret,
                     struct err *err);
/* After the last read; NULL is fine. */
void kernel_part_close(struct kernel_part *part);

/* session: where events go; NULL: into the log alone. */
void kernel_part_begin(struct kernel_part *part, struct session *session);
/* At a trigger; reads what there is, KERNEL_LINES_MAX at most.  NULL is fine. */
void kernel_part_read(struct kernel_part *part, int64_t t_ns);

#define KERNEL_LINES_MAX 2048

struct kernel_counts {
    uint64_t messages, events, held_back, lost, not_published, bad, state_failures;
};
void kernel_part_count(const struct kernel_part *part, struct kernel_counts *ret);

#endif
