/* SPDX-License-Identifier: Apache-2.0 */
/* peers - the links of a node: made, sent to, closed. */
#include "session/peers.h"

#include "base/clock.h"
#include "base/span.h"

#include <errno.h>

void node_notice(struct session_node *node, enum session_notice notice, const char *fmt,
                 ...)
{
    char text[512];
    va_list ap;
    if (!node->callbacks.notice)
        return;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    node->callbacks.notice(node->callbacks.arg, notice, text);
}

const char *node_host(const struct session_node *node, uint32_t rank)
{
    return rank < node->size ? hostset_at(node->plan->hosts, rank) : "?";
}

struct session_peer *peer_new(struct session_node *node, enum peer_role role)
{
    struct session_peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        return NULL;
    peer->node = node;
    peer->role = role;
    peer->opened_ns = peer->heard_ns = peer->sent_ns = clock_steady_ns();
    peer->next = node->peers;
    node->peers = peer;
    return peer;
}

int peer_send(struct session_peer *peer, uint8_t type, const struct strbuf *body)
{
    struct session_node *node = peer->node;
    if (!peer->link || strbuf_error(body) < 0)
        return peer->link ? -ENOMEM : -EPIPE;
    int rc = node->transport.send(peer->link, type, strbuf_span(body));
    if (rc == 0)
        peer->sent_ns = clock_steady_ns();
    if (rc == -ENOBUFS && !peer->is_slow) {
        peer->is_slow = true;
        node->stats.slow_children += peer->role == PEER_CHILD;
        node_notice(node, SESSION_WARNING,
                    "node '%s' is slow: more than queue_bytes_max waits for it",
                    node_host(node, peer->rank));
    }
    return rc;
}

void peer_close(struct session_peer *peer)
{
    struct session_node *node = peer->node;
    if (peer->link)
        node->transport.close(peer->link);
    peer->link = NULL;
    if (peer->role == PEER_CHILD) {
        node->has_below_changed = true;
        node->stats.slow_children -= peer->is_slow;
    }
    if (node->parent == peer)
        node->parent = NULL;
    if (node->trying == peer)
        node->trying = NULL;
    peer->role = PEER_GONE;
}

void peer_refuse(struct session_peer *peer, const char *fmt, ...)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    va_list ap;
    va_start(ap, fmt);
    strbuf_vaddf(&body, fmt, ap);
    va_end(ap);
    peer->node->stats.refused++;
    node_notice(peer->node, SESSION_WARNING, "a node was refused: %s",
                strbuf_text(&body));
    (void)peer_send(peer, SESSION_REFUSE, &body);
    peer_close(peer);
}

void peers_sweep(struct session_node *node)
{
    struct session_peer **at = &node->peers;
    while (*at) {
        struct session_peer *peer = *at;
        if (peer->role != PEER_GONE) {
            at = &peer->next;
            continue;
        }
        *at = peer->next;
        rank_set_done(&peer->below);
        free(peer);
    }
}

struct session_peer *peer_child(struct session_node *node, uint32_t rank)
{
    for (struct session_peer *p = node->peers; p; p = p->next)
        if (p->role == PEER_CHILD && p->rank == rank)
            return p;
    return NULL;
}

struct session_peer *peer_towards(struct session_node *node, uint32_t rank)
{
    for (struct session_peer *p = node->peers; p; p = p->next)
        if (p->role == PEER_CHILD && rank_set_has(&p->below, rank))
            return p;
    return node->parent;
}
