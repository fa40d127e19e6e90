/* SPDX-License-Identifier: Apache-2.0 */
/* sampler - what this node measures of itself, at each trigger, as metrics.
 *
 *     trigger of the session ─┐
 *     own timer, while none ──┴▶ source/node ──▶ lines ──▶ metric_queue ──▶ barod
 *                             └▶ plugins ──┬▶ samples: lines
 *                                          ├▶ events: published to the session
 *                                          └▶ contributions: into the epoch, which
 * waits
 *
 * A contribution NAME of a plugin is PLUGIN.NAME in the reduction, an event likewise.
 * While the control node is away, and without a session, the timer stands for the
 * trigger: no sample is missed for it.
 *
 * Threads  begin to end: those of the loop that begin was called with, the session's or
 *          the agent's.  The others: the agent's loop.
 */
#ifndef AGENT_SAMPLING_SAMPLER_H
#define AGENT_SAMPLING_SAMPLER_H

#include "agent/sampling/metric_queue.h"

struct sampler;

/* *ret stays NULL where nothing is configured.  opts, report and loop (the agent's)
 * outlive it.  Errors: -EINVAL (the configuration), as metric_queue_open(). */
int sampler_new(const struct agent_opts *opts, const struct agent_report *report,
                uv_loop_t *loop, struct sampler **ret, struct err *err);
/* After end; NULL is fine.  The memory stays as long as the agent's loop. */
void sampler_stop(struct sampler *sampler);
/* In the text form of Prometheus; nothing for NULL. */
void sampler_print(struct sampler *sampler, struct strbuf *out);

/* session: whose loop it is; NULL: the agent's. */
int sampler_begin(struct sampler *sampler, uv_loop_t *loop, struct session *session);
/* Inside of the session's sample(). */
void sampler_trigger(struct sampler *sampler, const struct session_instant *at);
/* As the session's reduce(). */
bool sampler_reduce(struct sampler *sampler, const struct session_instant *at,
                    const struct bundle *bundle);
/* As the session's event(); is_own: this node published it. */
void sampler_event(struct sampler *sampler, const struct session_event *event,
                   const struct session_gap *gap, bool is_own);
void sampler_end(struct sampler *sampler);

#endif
