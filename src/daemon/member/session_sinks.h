/* SPDX-License-Identifier: Apache-2.0 */
/* session_sinks - what the sinks of plugins make of a session's results.
 *
 *     result ─▶ plugin_runner ─▶ sink(t, inputs) ─┬▶ samples: into the metric store
 *                                                 ├▶ events: published to the session
 *                                                 └▶ health: statements about resources
 *
 * Threads  the session's; session_sinks_print(): any.
 */
#ifndef DAEMON_SESSION_SINKS_H
#define DAEMON_SESSION_SINKS_H

#include "daemon/health/own_statements.h"
#include "daemon/member/session_store.h"
#include "plugin/directory/directory.h"
#include "session/session.h"

struct session_sinks;

/* All outlive it. */
struct session_sinks_opts {
    const struct plugins_opts *plugins;
    struct session_store *store;       /* NULL: samples are dropped */
    struct own_statements *statements; /* about the control node, and parts of it */
    const char *cluster, *host;        /* its component */
};

/* *ret stays NULL where no directory is configured.  Errors: -ENOMEM. */
int session_sinks_new(const struct session_sinks_opts *opts,
                      struct session_sinks **ret);
void session_sinks_free(struct session_sinks *sinks); /* NULL is fine */

/* As session_callbacks have them. */
int session_sinks_begin(struct session_sinks *sinks, struct session *session,
                        struct uv_loop_s *loop);
void session_sinks_end(struct session_sinks *sinks);
void session_sinks_result(struct session_sinks *sinks,
                          const struct session_result *result);

/* As the session's reduce(). */
bool session_sinks_reduce(struct session_sinks *sinks, const struct session_instant *at,
                          const struct bundle *bundle);

void session_sinks_print(struct session_sinks *sinks, struct strbuf *out);

#endif
