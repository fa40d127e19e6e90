/* SPDX-License-Identifier: Apache-2.0 */
/* session - barod as a node of a session, as a rule its control node: results become
 * samples of the metric store.
 *
 *     load_one moments ─▶ load_one_mean, load_one_stddev   CLUSTER/HOST/session:NAME
 */
#ifndef DAEMON_SESSION_H
#define DAEMON_SESSION_H

#include "daemon/forward.h"
#include "session/session.h"
#include "store/store.h"

struct daemon_session;

/* *ret stays NULL where none is configured.  store may be NULL: then results are not
 * stored.  opts and store outlive it.  Errors: as session_start(). */
int daemon_session_start(const struct session_opts *opts, struct metric_store *store,
                         struct daemon_forward *forward, struct daemon_session **ret,
                         struct err *err);
void daemon_session_stop(struct daemon_session *session); /* NULL is fine */
/* For /metrics; nothing for NULL. */
void daemon_session_print(struct daemon_session *session, struct strbuf *out);

#endif
