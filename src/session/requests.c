/* SPDX-License-Identifier: Apache-2.0 */
/* requests - from one rank to another along the tree, and their responses. */
#include "session/requests.h"

#include "base/json_writer.h"
#include "base/span.h"
#include "session/peers.h"

#include <errno.h>

#define HOPS_MAX 64

/* ---- responses of this node ---- */

void node_stats(const struct session_node *node, struct session_node_stats *ret)
{
    *ret = node->stats;
    ret->incarnation = node->incarnation;
    ret->sequence = node->ring.last;
    ret->online = rank_set_size(&node->online);
    ret->depth = node->topology->depths[node->rank];
    ret->parent_rank = node->parent ? (int64_t)node->parent->rank : -1;
    ret->children = 0;
    ret->half_open = 0;
    for (const struct session_peer *p = node->peers; p; p = p->next) {
        ret->children += p->role == PEER_CHILD;
        ret->half_open += p->role == PEER_NEW;
    }
}

static void print_stats(const struct session_node *node, struct strbuf *out)
{
    struct session_node_stats s;
    struct json_writer w;
    node_stats(node, &s);
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {
        { "parent", s.parent_rank },
        { "depth", s.depth },
        { "children", s.children },
        { "epochs", (int64_t)s.epochs },
        { "missed", (int64_t)s.missed },
        { "late", (int64_t)s.late },
        { "skew_ns", s.skew_ns },
        { "skew_max_ns", s.skew_max_ns },
        { "burst_ns", s.burst_ns },
        { "burst_max_ns", s.burst_max_ns },
        { "clock_difference_ns", s.clock_difference_ns },
        { "parents_lost", (int64_t)s.parents_lost },
        { "children_lost", (int64_t)s.children_lost },
        { "slow_children", (int64_t)s.slow_children },
        { "refused", (int64_t)s.refused },
        { "impostors", (int64_t)s.impostors },
        { "events_forged", (int64_t)s.events_forged },
        { "half_open", (int64_t)s.half_open },
        { "half_open_dropped", (int64_t)s.half_open_dropped },
        { "events", (int64_t)s.events },
        { "events_published", (int64_t)s.events_published },
        { "events_refused", (int64_t)s.events_refused },
        { "events_lost", (int64_t)s.events_lost },
        { "events_dropped", (int64_t)s.events_dropped },
        { "incarnation", (int64_t)s.incarnation },
        { "sequence", (int64_t)s.sequence },
        { "online", s.online },
    };
    json_writer_init(&w, out);
    json_object(&w);
    json_key(&w, "host");
    json_text(&w, node_host(node, node->rank));
    json_key(&w, "rank");
    json_u64(&w, node->rank);
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        json_key(&w, numbers[i].name);
        json_i64(&w, numbers[i].value);
    }
    json_object_end(&w);
}

static void print_response(struct session_node *node,
                           const struct session_request *request, struct strbuf *text)
{
    if (span_is(request->text, "ping"))
        strbuf_adds(text, "pong");
    else if (span_is(request->text, "stats"))
        print_stats(node, text);
    else
        strbuf_adds(text, "unknown request");
}

/* ---- on the way ---- */

static int forward(struct session_node *node, uint8_t type,
                   const struct session_request *request)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    struct session_peer *peer = peer_towards(node, request->to);
    if (!peer || request->hops >= HOPS_MAX)
        return -EHOSTUNREACH;
    struct session_request next = *request;
    next.hops++;
    session_request_encode(&next, &body);
    return peer_send(peer, type, &body);
}

static void arrive(struct session_node *node, uint8_t type,
                   const struct session_request *request)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (type == SESSION_RESPONSE) {
        if (node->response_fn)
            node->response_fn(node->response_arg, request);
        return;
    }
    print_response(node, request, &text);
    const struct session_request response = { .from = node->rank,
                                              .to = request->from,
                                              .id = request->id,
                                              .text = strbuf_span(&text) };
    if (request->from == node->rank)
        arrive(node, SESSION_RESPONSE, &response);
    else
        (void)forward(node, SESSION_RESPONSE, &response);
}

int requests_receive(struct session_peer *peer, uint8_t type, struct span body)
{
    struct session_request request;
    int rc = session_request_decode(body, peer->node->size, &request);
    if (rc < 0)
        return rc;
    /* A child speaks for the ranks below it. */
    if (peer->role == PEER_CHILD && request.from != peer->rank &&
        !rank_set_has(&peer->below, request.from)) {
        peer->node->stats.foreign++;
        return 0;
    }
    if (request.to == peer->node->rank)
        arrive(peer->node, type, &request);
    else
        (void)forward(peer->node, type, &request); /* its sender has a deadline */
    return 0;
}

void node_on_response(struct session_node *node, node_response_fn *fn, void *arg)
{
    node->response_fn = fn;
    node->response_arg = arg;
}

int node_request(struct session_node *node, uint32_t to, uint64_t id, struct span text)
{
    const struct session_request request = {
        .from = node->rank, .to = to, .id = id, .text = text
    };
    if (to != node->rank)
        return forward(node, SESSION_REQUEST, &request);
    arrive(node, SESSION_REQUEST, &request);
    return 0;
}
