/* SPDX-License-Identifier: Apache-2.0 */
/* session - a set of nodes with one control node, joined in a tree; the room's door.
 *
 *     control node ── trigger: epoch, instant ──▶ every node samples at the instant
 *          ▲                                              │
 *          └────── contributions, merged at every node ◀──┘
 *     events: published anywhere, numbered by the control node, delivered everywhere
 *
 * Threads  a session has a thread and a loop of its own; callbacks come on that thread.
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "session/config.h"
#include "session/key.h"
#include "session/members.h"
#include "session/node.h"
#include "session/reduce/reduce.h"
#include "session/stats_text.h"

struct session;

/* Listen, start the thread.  opts outlives the session.
 * Errors: -EINVAL (the configuration), -EACCES (the key's file), errno of bind; each
 * with a line in err. */
int session_start(const struct session_opts *opts,
                  const struct session_callbacks *callbacks, struct session **ret,
                  struct err *err);
/* Ends the thread; no callback comes afterwards.  NULL is fine. */
void session_stop(struct session *session);
DEFINE_AUTO(struct session, session_stop);

/* The node that it drives, for the functions of node.h.  Threads: the session's. */
struct session_node *session_node(struct session *session);
/* As they were when the loop last waited.  Threads: any. */
void session_stats(struct session *session, struct session_node_stats *ret);

#endif
