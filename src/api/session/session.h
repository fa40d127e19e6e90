/* SPDX-License-Identifier: Apache-2.0 */
/* session - the session over REST; the room's door.
 *
 *     GET  /v1/session         who is online, who contributed to the last epoch
 *     GET  /v1/session/nodes   each node's own numbers, sent along the tree
 *     GET  /v1/events          the last events, or the next (wait=30s)
 *     POST /v1/events/{name}   publish one
 *
 *     HTTP threads ──lock──▶ session_view ◀──lock── the session's thread: results,
 *                               events, responses of nodes; it replies
 *
 * Threads  session_view_new, _register, _stop, _free: the program's; _begin to _event:
 *          the session's callbacks, as struct session_callbacks has them.
 */
#ifndef API_SESSION_SESSION_H
#define API_SESSION_SESSION_H

#include "net/net.h"
#include "session/session.h"

struct session_view;

/* opts outlives it.  Errors: as session_plan_make(). */
int session_view_new(const struct session_opts *opts, struct session_view **ret,
                     struct err *err);
/* Before the server starts.  Errors: -ENOMEM. */
int session_view_register(struct session_view *view, struct net_server *server);
/* What waits gets 503 at once, and what comes afterwards: before net_server_free(),
 * which waits for the responses.  NULL is fine. */
void session_view_stop(struct session_view *view);
/* After the session has ended and the server is gone.  NULL is fine. */
void session_view_free(struct session_view *view);
DEFINE_AUTO(struct session_view, session_view_free);

/* For the session's callbacks; arg is the view. */
int session_view_begin(void *arg, struct session *session, struct uv_loop_s *loop);
void session_view_end(void *arg);
void session_view_result(void *arg, const struct session_result *result);
void session_view_event(void *arg, const struct session_event *event,
                        const struct session_gap *gap);

#endif
