/* SPDX-License-Identifier: Apache-2.0 */
/* peers - the links of a node: made, sent to, closed. */
#ifndef SESSION_PEERS_H
#define SESSION_PEERS_H

#include "session/state.h"

void node_notice(struct session_node *node, enum session_notice notice, const char *fmt,
                 ...) __attribute__((format(printf, 3, 4)));
/* "node017", or "rank 17". */
const char *node_host(const struct session_node *node, uint32_t rank);

struct session_peer *peer_new(struct session_node *node, enum peer_role role);
/* Errors: as transport->send; the first -ENOBUFS of a peer names it as slow. */
int peer_send(struct session_peer *peer, uint8_t type, const struct strbuf *body);
/* Its link ends; it is freed by peers_sweep(). */
void peer_close(struct session_peer *peer);
/* Report to a peer why, and close. */
void peer_refuse(struct session_peer *peer, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Free what is gone. */
void peers_sweep(struct session_node *node);
/* The child that is rank, or has it below; NULL: none. */
struct session_peer *peer_child(struct session_node *node, uint32_t rank);
struct session_peer *peer_towards(struct session_node *node, uint32_t rank);

#endif
