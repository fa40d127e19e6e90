/* SPDX-License-Identifier: Apache-2.0 */
/* upstream - which ancestor is the parent now. */
#include "session/upstream.h"

#include "base/clock.h"
#include "base/span.h"
#include "session/events.h"
#include "session/members.h"
#include "session/peers.h"

#include <errno.h>

struct session_hello upstream_hello(const struct session_node *node,
                                    const struct rank_set *ranks)
{
    return (struct session_hello){
        .protocol = SESSION_PROTOCOL,
        .name = span_of(node->opts->name),
        .host = span_of(node_host(node, node->rank)),
        .hosts_digest = node->plan->hosts_digest,
        .shape_digest = node->topology->digest,
        .heartbeat_ns = node->opts->heartbeat_ns,
        .rank = node->rank,
        .boot = node->boot,
        .incarnation = node->incarnation,
        .sequence = node->ring.last,
        .ranks = *ranks,
    };
}

/* The connection's own bytes, so that a hello is of no use on another one. */
static int exporter_of(struct session_peer *peer,
                       uint8_t ret[static IDENTITY_EXPORTER_BYTES])
{
    const struct session_transport *t = &peer->node->transport;
    return t->exporter ? t->exporter(peer->link, ret) : -EOPNOTSUPP;
}

int upstream_encode_hello(struct session_peer *peer, enum identity_use use,
                          struct session_hello *hello, struct strbuf *out)
{
    const struct session_identity *identity = peer->node->identity;
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT, signature = STRBUF_INIT;
    uint8_t exporter[IDENTITY_EXPORTER_BYTES];
    if (identity) {
        int rc = exporter_of(peer, exporter);
        hello->token = identity_token(identity);
        session_hello_encode_signed(hello, &body);
        if (rc == 0)
            rc = identity_sign(identity, use,
                               (struct span){ (char *)exporter, sizeof exporter },
                               strbuf_span(&body), &signature);
        if (rc < 0)
            return rc;
        hello->signature = strbuf_span(&signature);
    }
    session_hello_encode(hello, out);
    hello->signature = SPAN("");
    return strbuf_error(out);
}

int upstream_check_hello(struct session_peer *peer, enum identity_use use,
                         const struct session_hello *hello, struct span body,
                         struct err *err)
{
    struct session_node *node = peer->node;
    uint8_t exporter[IDENTITY_EXPORTER_BYTES];
    if (!node->identity)
        return 0;
    const struct identity_claim claim = {
        .use = use,
        .host = node_host(node, hello->rank),
        .bound = { (char *)exporter, sizeof exporter },
        .signed_text = { body.data, hello->signed_size },
        .token = hello->token,
        .signature = hello->signature,
    };
    int rc = exporter_of(peer, exporter);
    rc = rc < 0 ? err_set(err, EPERM, "the connection is not of TLS")
                : identity_check(node->identity, &claim, &peer->hold, err);
    node->stats.impostors += rc < 0;
    return rc;
}

const char *upstream_difference(const struct session_node *node,
                                const struct session_hello *hello)
{
    if (hello->protocol != SESSION_PROTOCOL)
        return "the protocol's version";
    if (!span_is(hello->name, node->opts->name))
        return "session.name";
    if (hello->hosts_digest != node->plan->hosts_digest)
        return "session.hosts";
    if (hello->shape_digest != node->topology->digest)
        return "session.fanout or session.parents";
    if (hello->heartbeat_ns != node->opts->heartbeat_ns)
        return "session.heartbeat";
    return NULL;
}

/* ---- whom to try ---- */

static bool is_last_ancestor(const struct session_node *node, uint32_t nth)
{
    return topology_ancestor(node->topology, node->rank, nth) == 0;
}

static void try_next(struct session_node *node)
{
    uint32_t rank = topology_ancestor(node->topology, node->rank, node->next_nth);
    struct session_peer *peer = peer_new(node, PEER_TRYING);
    node->try_ns = INT64_MAX;
    if (!peer)
        return;
    peer->rank = rank;
    node->trying = peer;
    if (node->transport.connect(node->transport.arg, rank, peer, &peer->link) < 0) {
        peer_close(peer);
        upstream_failed(node);
    }
}

void upstream_start(struct session_node *node)
{
    node->try_ns = node_is_control(node) ? INT64_MAX : clock_steady_ns();
}

void upstream_failed(struct session_node *node)
{
    int64_t now_ns = clock_steady_ns();
    bool was_last = node->parent ? node->next_nth + 1 >= node->parent_nth
                                 : is_last_ancestor(node, node->next_nth);
    node->next_nth = was_last ? 0 : node->next_nth + 1;
    node->try_ns = now_ns;
    if (was_last)
        node->try_ns +=
            node->parent ? node->opts->heartbeat_ns : node->opts->heartbeat_ns / 4;
}

void upstream_lost(struct session_node *node)
{
    node->stats.parents_lost++;
    node->next_nth =
        is_last_ancestor(node, node->parent_nth) ? 0 : node->parent_nth + 1;
    node->try_ns = clock_steady_ns();
    if (node->trying)
        peer_close(node->trying);
}

/* ---- an attempt ---- */

void upstream_connected(struct session_peer *peer)
{
    struct session_node *node = peer->node;
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    struct session_hello hello = upstream_hello(node, &node->below);
    if (upstream_encode_hello(peer, IDENTITY_HELLO, &hello, &body) == 0)
        (void)peer_send(peer, SESSION_HELLO, &body);
}

void upstream_welcomed(struct session_peer *peer, const struct session_hello *welcome)
{
    struct session_node *node = peer->node;
    uint32_t nth = node->next_nth;
    if (node->parent)
        peer_close(node->parent);
    node->trying = NULL;
    node->parent = peer;
    peer->role = PEER_PARENT;
    peer->boot = welcome->boot;
    node->parent_nth = nth;
    node->next_nth = 0;
    node->try_ns = nth ? clock_steady_ns() + node->opts->heartbeat_ns : INT64_MAX;
    if (welcome->incarnation >= node->incarnation)
        (void)rank_set_copy(&node->online, &welcome->ranks);
    events_joined(node, welcome->incarnation, welcome->sequence);
    members_report(node); /* what changed since the hello */
    node_notice(node, SESSION_INFO, "the parent is node '%s' (rank %u)",
                node_host(node, peer->rank), peer->rank);
}

/* Half a heartbeat: a node whose host is gone does not refuse a connection. */
static int64_t attempt_ends_ns(const struct session_node *node)
{
    return node->trying->opened_ns + node->opts->heartbeat_ns / 2;
}

void upstream_run(struct session_node *node)
{
    int64_t now_ns = clock_steady_ns();
    if (node->trying && now_ns >= attempt_ends_ns(node)) {
        peer_close(node->trying);
        upstream_failed(node);
    }
    while (!node->trying && now_ns >= node->try_ns)
        try_next(node);
}

int64_t upstream_due_ns(const struct session_node *node)
{
    return node->trying ? attempt_ends_ns(node) : node->try_ns;
}
