/* SPDX-License-Identifier: Apache-2.0 */
/* watch_part - what the site has of this node, for those who watch it on the socket.
 *
 *     events of the site's session ── of this node, with configured names ─┐
 *     GET /v1/resources/check, by a thread, every 5 s while any watches ───┼▶ watchers
 *     reports of sessions, as they are accepted ───────────────────────────┘
 *
 * Which jobs are on this node the kernel states, so that no other node's events are for
 * any of them.  Health is a state: what it was between two requests is not seen, and
 * what it is always, whatever was restarted.
 *
 * Threads  open, stop, free: the agent's loop.  counts: any.  The others: the
 * sampler's.
 */
#ifndef AGENT_SAMPLING_WATCH_PART_H
#define AGENT_SAMPLING_WATCH_PART_H

#include "agent/config.h"
#include "agent/local/local_watchers.h"
#include "agent/report.h"

struct watch_part;

/* All outlive it.  Errors: -ENOMEM, -EAGAIN (threads), as net_client_new(). */
int watch_part_open(const struct agent_opts *opts, const struct agent_report *report,
                    struct watch_part **ret, struct err *err);
/* Ends its thread: waits for a request that is under way, three seconds at most.  NULL
 * is fine. */
void watch_part_stop(struct watch_part *part);
/* Once none watches and the loop has ended.  NULL is fine. */
void watch_part_free(struct watch_part *part);

int watch_part_begin(struct watch_part *part, uv_loop_t *loop);
/* Those who watch have left.  NULL is fine. */
void watch_part_end(struct watch_part *part);
struct local_watchers *watch_part_watchers(struct watch_part *part);
/* part: one more watches the node. */
void watch_part_wanted(void *part);
/* As the session's event(); is_own: this node published it.  NULL is fine. */
void watch_part_event(struct watch_part *part, const struct session_event *event,
                      const struct session_gap *gap, bool is_own);

struct watch_counts {
    uint64_t queries, failures; /* of its health */
};
void watch_part_count(struct watch_part *part, struct watch_counts *ret);

#endif
