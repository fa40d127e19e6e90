/* SPDX-License-Identifier: Apache-2.0 */
/* upstream - which ancestor is the parent now.
 *
 * The right parent is tried first, then its parent, up to the control node.  Below
 * another than the right one a node goes on trying those between, once a heartbeat.
 */
#ifndef SESSION_UPSTREAM_H
#define SESSION_UPSTREAM_H

#include "session/state.h"

void upstream_start(struct session_node *node);
void upstream_connected(struct session_peer *peer); /* hello is sent */
void upstream_welcomed(struct session_peer *peer, const struct session_hello *welcome);
/* The parent, or the one that is tried, is gone or has refused. */
void upstream_lost(struct session_node *node);
void upstream_failed(struct session_node *node);
void upstream_run(struct session_node *node);
int64_t upstream_due_ns(const struct session_node *node); /* steady */
/* What this node states of itself; ranks are the caller's. */
struct session_hello upstream_hello(const struct session_node *node,
                                    const struct rank_set *ranks);
/* With token and signature, where there are identities.  Errors: -EPIPE, -EIO, -ENOMEM.
 */
int upstream_encode_hello(struct session_peer *peer, enum identity_use use,
                          struct session_hello *hello, struct strbuf *out);
/* Whether a hello or welcome, whose body was decoded, is of whom it states.
 * Errors: -EPERM with the reason. */
int upstream_check_hello(struct session_peer *peer, enum identity_use use,
                         const struct session_hello *hello, struct span body,
                         struct err *err);
/* In what another node's configuration differs; NULL: in nothing. */
const char *upstream_difference(const struct session_node *node,
                                const struct session_hello *hello);

#endif
