/* SPDX-License-Identifier: Apache-2.0 */
/* member_plugins - the owner's plugins on one node of her session.
 *
 *     sample load of plugin p   ─▶  load      mean, min, max, and each node's as top
 *     contribution open of p    ─▶  p.open    as it is to be merged
 *     event high of p           ─▶  p.high    published
 *
 * Threads  new, free: while the session does not run; the others: the session's.
 */
#ifndef JOBSESSION_MEMBER_PLUGINS_H
#define JOBSESSION_MEMBER_PLUGINS_H

#include "plugin/directory/directory.h"
#include "session/session.h"

struct member_plugins;

/* Components that plugins state something about are this, the host, its parts. */
#define SESSION_HEALTH_CLUSTER "session"

/* opts and host outlive it.  Errors: -ENOMEM. */
int member_plugins_new(const struct plugins_opts *opts, const char *host,
                       struct member_plugins **ret);
void member_plugins_free(struct member_plugins *plugins); /* NULL is fine */
int member_plugins_begin(struct member_plugins *plugins, struct session *session,
                         struct uv_loop_s *loop);
/* Inside of the session's sample(). */
void member_plugins_trigger(struct member_plugins *plugins,
                            const struct session_instant *at);
void member_plugins_end(struct member_plugins *plugins);

#endif
