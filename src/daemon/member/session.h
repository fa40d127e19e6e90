/* SPDX-License-Identifier: Apache-2.0 */
/* session - barod as a node of a session, as a rule its control node: results become
 * samples of the metric store (session_store.h).
 */
#ifndef DAEMON_SESSION_H
#define DAEMON_SESSION_H

#include "api/session/session.h"
#include "daemon/forward.h"
#include "daemon/health/host_presence.h"
#include "daemon/store_sink.h"
#include "plugin/directory/directory.h"
#include "session/session.h"

struct daemon_session;

/* All outlive it. */
struct daemon_session_opts {
    const struct session_opts *session;
    const struct plugins_opts *plugins; /* whose sinks have its results */
    struct metric_store *store;         /* NULL: results are not stored */
    const struct store_sink *write;
    struct daemon_forward *forward;    /* NULL: nothing is forwarded */
    struct net_server *server;         /* its routes are added there */
    struct own_statements *statements; /* health that sinks state goes there */
    struct host_presence *presence;    /* who is online; NULL: it is not followed */
};

/* *ret stays NULL where none is configured.  Errors: as session_start(). */
int daemon_session_start(const struct daemon_session_opts *opts,
                         struct daemon_session **ret, struct err *err);
/* What waits for it gets 503: before net_server_free().  NULL is fine. */
void daemon_session_close_routes(struct daemon_session *session);
void daemon_session_stop(struct daemon_session *session); /* NULL is fine */
/* For /metrics; nothing for NULL. */
void daemon_session_print(struct daemon_session *session, struct strbuf *out);

#endif
