/* SPDX-License-Identifier: Apache-2.0 */
/* session - barod as a node of a session, as a rule its control node: results become
 * samples of the metric store.
 *
 *     load_one moments ─▶ load_one_mean, load_one_stddev   CLUSTER/HOST/session:NAME
 */
#ifndef DAEMON_SESSION_H
#define DAEMON_SESSION_H

#include "api/session/session.h"
#include "daemon/forward.h"
#include "session/session.h"
#include "store/store.h"

struct daemon_session;

/* *ret stays NULL where none is configured.  store may be NULL: then results are not
 * stored.  Its routes are added to server.  opts and store outlive it.
 * Errors: as session_start(). */
int daemon_session_start(const struct session_opts *opts, struct metric_store *store,
                         struct daemon_forward *forward, struct net_server *server,
                         struct daemon_session **ret, struct err *err);
/* What waits for it gets 503: before net_server_free().  NULL is fine. */
void daemon_session_close_routes(struct daemon_session *session);
void daemon_session_stop(struct daemon_session *session); /* NULL is fine */
/* For /metrics; nothing for NULL. */
void daemon_session_print(struct daemon_session *session, struct strbuf *out);

#endif
