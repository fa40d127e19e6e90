/* SPDX-License-Identifier: Apache-2.0 */
/* session_part - the agent as a node of a session: what it contributes, what it
 * reports.
 *
 * Threads  start and stop: the loop's.  The session has a thread and a loop of its own,
 *          so that a Lustre round never delays an instant.
 */
#ifndef AGENT_SESSION_PART_H
#define AGENT_SESSION_PART_H

#include "agent/config.h"
#include "agent/report.h"
#include "agent/sampling/sampler.h"

struct session_part;

/* *ret stays NULL where no session is configured.  sampler, unless NULL, runs at its
 * triggers, on its thread.  All outlive it.  Errors: as session_start(). */
int session_part_start(const struct agent_opts *opts, const struct agent_report *report,
                       struct sampler *sampler, struct session_part **ret,
                       struct err *err);
void session_part_stop(struct session_part *part); /* NULL is fine */
/* In the text form of Prometheus; nothing for NULL.  Threads: any. */
void session_part_print(struct session_part *part, struct strbuf *out);

#endif
