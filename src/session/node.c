/* SPDX-License-Identifier: Apache-2.0 */
/* node - one node of a session: a state machine without sockets, threads or a loop. */
#include "session/node.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "session/census.h"
#include "session/epochs.h"
#include "session/events.h"
#include "session/members.h"
#include "session/peers.h"
#include "session/requests.h"
#include "session/upstream.h"

#include <errno.h>

#define HELLO_TIMEOUT_MAX_NS (10 * NS_PER_S)

/* ---- the end of every call into the node ---- */

static void child_gone(struct session_node *node, const struct session_peer *peer)
{
    node->stats.children_lost++;
    epochs_child_gone(node, peer->rank);
}

/* Callbacks may publish: what is gone is freed by the outermost call. */
static void node_settle(struct session_node *node)
{
    if (--node->calls > 0)
        return;
    if (members_update(node) && node_is_control(node))
        census_update(node);
    events_push(node);
    peers_sweep(node);
}

/* ---- hello ---- */

static void welcome_child(struct session_peer *peer, struct session_hello *hello)
{
    struct session_node *node = peer->node;
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    struct session_hello welcome = upstream_hello(node, &node->online);
    if (upstream_encode_hello(peer, IDENTITY_WELCOME, &welcome, &body) < 0) {
        peer_close(peer);
        return;
    }
    struct session_peer *old = peer_child(node, hello->rank);
    if (old) {
        peer_close(old);
        child_gone(node, old);
    }
    peer->role = PEER_CHILD;
    peer->rank = hello->rank;
    peer->boot = hello->boot;
    rank_set_done(&peer->below);
    peer->below = hello->ranks;
    hello->ranks = (struct rank_set){ 0 };
    node->has_below_changed = true;
    node->transport.admit(peer->link);
    events_resume(peer, hello->incarnation, hello->sequence);
    (void)peer_send(peer, SESSION_WELCOME, &body);
}

static int on_hello(struct session_peer *peer, struct span body)
{
    struct session_node *node = peer->node;
    struct session_hello hello = { 0 };
    int rc = session_hello_decode(body, &hello);
    struct err err = { "" };
    const char *difference = rc == 0 ? upstream_difference(node, &hello) : NULL;
    if (difference)
        peer_refuse(peer,
                    "%s of node '" SPAN_FMT "' (rank %u) differs from that of node "
                    "'%s'",
                    difference, SPAN_ARG(hello.host), hello.rank,
                    node_host(node, node->rank));
    else if (rc == 0 && (hello.rank >= node->size || hello.rank == node->rank ||
                         !topology_is_below(node->topology, hello.rank, node->rank) ||
                         !members_are_below(node, &hello.ranks, hello.rank)))
        peer_refuse(peer, "rank %u is not below rank %u", hello.rank, node->rank);
    else if (rc == 0 &&
             upstream_check_hello(peer, IDENTITY_HELLO, &hello, body, &err) < 0)
        peer_refuse(peer, "it does not show that it is node '%s' (rank %u): %s",
                    node_host(node, hello.rank), hello.rank, err.text);
    else if (rc == 0)
        welcome_child(peer, &hello);
    rank_set_done(&hello.ranks);
    return rc;
}

static bool are_of_session(const struct session_node *node,
                           const struct rank_set *ranks)
{
    return ranks->count == 0 || ranks->ranges[ranks->count - 1].last < node->size;
}

static int check_parent(struct session_peer *peer, const struct session_hello *welcome,
                        struct span body)
{
    struct err err = { "" };
    int rc = upstream_check_hello(peer, IDENTITY_WELCOME, welcome, body, &err);
    if (rc < 0)
        node_notice(peer->node, SESSION_WARNING,
                    "who is at the address of node '%s' (rank %u) does not show that "
                    "it is that node: %s",
                    node_host(peer->node, peer->rank), peer->rank, err.text);
    return rc;
}

static int on_welcome(struct session_peer *peer, struct span body)
{
    struct session_node *node = peer->node;
    struct session_hello welcome = { 0 };
    int rc = session_hello_decode(body, &welcome);
    const char *difference = rc == 0 ? upstream_difference(node, &welcome) : NULL;
    if (rc == 0 && (difference || welcome.rank != peer->rank)) {
        node_notice(node, SESSION_WARNING, "node '%s': %s differs from ours",
                    node_host(node, peer->rank), difference ? difference : "its rank");
        rc = -EBADMSG;
    }
    if (rc == 0 && !are_of_session(node, &welcome.ranks))
        rc = -EBADMSG;
    if (rc == 0)
        rc = check_parent(peer, &welcome, body);
    if (rc == 0)
        upstream_welcomed(peer, &welcome);
    rank_set_done(&welcome.ranks);
    return rc;
}

static int on_refuse(struct session_peer *peer, struct span body)
{
    struct session_node *node = peer->node;
    struct span reason = { body.data, body.size < 300 ? body.size : 300 };
    node_notice(node, SESSION_WARNING,
                "node '%s' (rank %u) refuses this one: " SPAN_FMT,
                node_host(node, peer->rank), peer->rank, SPAN_ARG(reason));
    return -ECONNREFUSED;
}

/* ---- what comes from a parent or a child ---- */

static int on_heartbeat(struct session_peer *peer, struct span body)
{
    struct session_heartbeat beat;
    struct session_node *node = peer->node;
    int64_t now_ns = clock_now_ns();
    int rc = session_heartbeat_decode(body, &beat);
    if (rc < 0)
        return rc;
    peer->peer_now_ns = beat.now_ns;
    peer->peer_heard_ns = now_ns;
    if (peer == node->parent && beat.peer_now_ns > 0)
        node->stats.clock_difference_ns =
            ((beat.now_ns - beat.held_ns - beat.peer_now_ns) + (beat.now_ns - now_ns)) /
            2;
    return 0;
}

static int on_trigger(struct session_peer *peer, struct span body)
{
    struct session_trigger trigger = { 0 };
    int rc = session_trigger_decode(body, peer->node->size, &trigger);
    if (rc == 0)
        epochs_trigger(peer->node, &trigger);
    rank_set_done(&trigger.idle);
    return rc;
}

static int on_contribution(struct session_peer *peer, struct span body)
{
    struct session_contribution c;
    int rc = session_contribution_decode(body, peer->node->size, &c);
    if (rc == 0)
        epochs_contribution(peer, &c);
    bundle_done(&c.bundle);
    return rc;
}

static int on_members(struct session_peer *peer, struct span body)
{
    struct rank_set ranks = { 0 };
    int rc = session_members_decode(body, peer->node->size, &ranks);
    if (rc == 0 && !members_are_below(peer->node, &ranks, peer->rank))
        rc = -EBADMSG;
    if (rc < 0) {
        rank_set_done(&ranks);
        return rc;
    }
    rank_set_done(&peer->below);
    peer->below = ranks;
    peer->node->has_below_changed = true;
    return rank_set_add(&peer->below, peer->rank, peer->rank);
}

static int on_publish(struct session_peer *peer, struct span body)
{
    struct session_event event;
    int rc = session_event_decode(body, peer->node->size, &event);
    if (rc == 0)
        events_published(peer, &event, body);
    return rc;
}

static int on_numbered_event(struct session_peer *peer, struct span body)
{
    struct session_event event;
    int rc = session_event_decode(body, peer->node->size, &event);
    if (rc == 0 && (event.incarnation == 0 || event.sequence == 0))
        rc = -EBADMSG;
    if (rc == 0)
        rc = events_check_numbered(peer, &event, body);
    if (rc == 0)
        events_received(peer->node, &event, body);
    return rc;
}

static int on_gap(struct session_peer *peer, struct span body)
{
    struct session_gap gap;
    int rc = session_gap_decode(body, peer->node->size, &gap);
    if (rc == 0)
        events_gap(peer->node, &gap);
    rank_set_done(&gap.online);
    return rc;
}

static int on_request(struct session_peer *peer, struct span body)
{
    return requests_receive(peer, SESSION_REQUEST, body);
}

static int on_response(struct session_peer *peer, struct span body)
{
    return requests_receive(peer, SESSION_RESPONSE, body);
}

#define BOTH (1u << PEER_CHILD | 1u << PEER_PARENT)

static const struct {
    unsigned roles; /* of the peer that may send it */
    int (*receive)(struct session_peer *peer, struct span body);
} messages[] = {
    [SESSION_HELLO] = { 1u << PEER_NEW, on_hello },
    [SESSION_WELCOME] = { 1u << PEER_TRYING, on_welcome },
    [SESSION_REFUSE] = { 1u << PEER_TRYING | 1u << PEER_PARENT, on_refuse },
    [SESSION_HEARTBEAT] = { BOTH, on_heartbeat },
    [SESSION_TRIGGER] = { 1u << PEER_PARENT, on_trigger },
    [SESSION_CONTRIBUTION] = { 1u << PEER_CHILD, on_contribution },
    [SESSION_MEMBERS] = { 1u << PEER_CHILD, on_members },
    [SESSION_PUBLISH] = { 1u << PEER_CHILD, on_publish },
    [SESSION_EVENT] = { 1u << PEER_PARENT, on_numbered_event },
    [SESSION_GAP] = { 1u << PEER_PARENT, on_gap },
    [SESSION_REQUEST] = { BOTH, on_request },
    [SESSION_RESPONSE] = { BOTH, on_response },
};

/* ---- links ---- */

static bool has_shown_key(const struct session_peer *peer)
{
    const struct session_transport *t = &peer->node->transport;
    return t->is_proven && t->is_proven(peer->link);
}

/* The oldest of the source that has the most: who opens many loses his own. */
static struct session_peer *oldest_of_most(struct session_peer *const *peers,
                                           size_t count)
{
    size_t most = 0;
    struct session_peer *oldest = NULL;
    for (size_t i = count; i-- > 0;) { /* the oldest stand last */
        size_t same = 0;
        for (size_t k = 0; k < count; k++)
            same += peers[k]->source == peers[i]->source;
        if (same > most) {
            most = same;
            oldest = peers[i];
        }
    }
    return oldest;
}

/* Those that send nothing have few slots; who has shown the key has others. */
static void limit_half_open(struct session_node *node)
{
    struct session_peer *unproven[HALF_OPEN_MAX + 1], *oldest = NULL;
    size_t count = 0, proven = 0;
    for (struct session_peer *p = node->peers; p; p = p->next) {
        if (p->role != PEER_NEW)
            continue;
        if (!has_shown_key(p) && count < COUNT_OF(unproven))
            unproven[count++] = p;
        else if (++proven > HALF_OPEN_PROVEN_MAX)
            oldest = p;
    }
    if (count > HALF_OPEN_MAX)
        oldest = oldest_of_most(unproven, count);
    if (oldest) {
        node->stats.half_open_dropped++;
        peer_close(oldest);
    }
}

/* A line a minute of those that had no key. */
static void note_unproven(struct session_node *node, const char *reason)
{
    int64_t now_ns = clock_steady_ns();
    node->stats.half_open_ended++;
    node->unproven++;
    if (now_ns < node->unproven_ns)
        return;
    node_notice(node, SESSION_WARNING,
                "%llu connections ended without a hello; of the last one: %s",
                (unsigned long long)node->unproven, reason);
    node->unproven = 0;
    node->unproven_ns = now_ns + 60 * NS_PER_S;
}

struct session_peer *node_accepted(struct session_node *node, void *link)
{
    node->calls++;
    struct session_peer *peer = peer_new(node, PEER_NEW);
    if (peer) {
        peer->link = link;
        if (node->transport.source)
            peer->source = node->transport.source(link);
        limit_half_open(node);
    }
    node_settle(node);
    return peer;
}

void node_connected(struct session_peer *peer)
{
    struct session_node *node = peer->node;
    node->calls++;
    if (peer->role == PEER_TRYING)
        upstream_connected(peer);
    node_settle(node);
}

static void end_peer(struct session_peer *peer, const char *reason)
{
    struct session_node *node = peer->node;
    enum peer_role role = peer->role;
    peer_close(peer);
    if (role == PEER_CHILD) {
        node_notice(node, SESSION_INFO, "node '%s' (rank %u) is gone: %s",
                    node_host(node, peer->rank), peer->rank, reason);
        child_gone(node, peer);
    } else if (role == PEER_PARENT) {
        node_notice(node, SESSION_INFO, "the parent, node '%s' (rank %u), is gone: %s",
                    node_host(node, peer->rank), peer->rank, reason);
        upstream_lost(node);
    } else if (role == PEER_TRYING) {
        upstream_failed(node);
    } else if (role == PEER_NEW) {
        note_unproven(node, reason);
    }
}

void node_frame(struct session_peer *peer, uint8_t type, struct span body)
{
    struct session_node *node = peer->node;
    node->calls++;
    peer->heard_ns = clock_steady_ns();
    bool is_known = type < COUNT_OF(messages) && messages[type].receive;
    int rc = is_known && (messages[type].roles & 1u << peer->role)
                 ? messages[type].receive(peer, body)
                 : -EBADMSG;
    if (rc < 0 && peer->role != PEER_GONE)
        end_peer(peer,
                 rc == -ECONNREFUSED ? "it refused" : "what it sent is not valid");
    node_settle(node);
}

void node_closed(struct session_peer *peer, const char *reason)
{
    struct session_node *node = peer->node;
    node->calls++;
    peer->link = NULL;
    if (peer->role != PEER_GONE)
        end_peer(peer, reason);
    node_settle(node);
}

void node_drained(struct session_peer *peer)
{
    struct session_node *node = peer->node;
    node->calls++;
    if (peer->is_slow && peer->role == PEER_CHILD)
        node->stats.slow_children--;
    peer->is_slow = false;
    node_settle(node);
}

/* ---- heartbeats ---- */

static void send_heartbeat(struct session_peer *peer)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    int64_t now_ns = clock_now_ns();
    struct session_heartbeat beat = { .now_ns = now_ns };
    if (peer->peer_now_ns > 0 && now_ns >= peer->peer_heard_ns) {
        beat.peer_now_ns = peer->peer_now_ns;
        beat.held_ns = now_ns - peer->peer_heard_ns;
    }
    session_heartbeat_encode(&beat, &body);
    (void)peer_send(peer, SESSION_HEARTBEAT, &body);
    peer->sent_ns = clock_steady_ns(); /* also where it is slow */
}

void node_acknowledge(struct session_peer *peer)
{
    if (peer->role == PEER_CHILD || peer->role == PEER_PARENT)
        send_heartbeat(peer);
}

static int64_t silence_ends_ns(const struct session_peer *peer)
{
    int64_t limit_ns = LOST_AFTER(peer->node->opts->heartbeat_ns);
    if (peer->role == PEER_NEW && limit_ns > HELLO_TIMEOUT_MAX_NS)
        limit_ns = HELLO_TIMEOUT_MAX_NS;
    return peer->heard_ns + limit_ns;
}

/* Tokens end, and are revoked, while their nodes are connected. */
static void check_tokens(struct session_node *node, int64_t now_ns)
{
    struct err err = { "" };
    if (!node->identity || now_ns < node->identity_ns)
        return;
    node->identity_ns = now_ns + node->opts->heartbeat_ns;
    if (identity_refresh(node->identity, &err) < 0)
        node_notice(node, SESSION_WARNING, "%s; the list before it stays", err.text);
    for (struct session_peer *p = node->peers; p; p = p->next)
        if ((p->role == PEER_CHILD || p->role == PEER_PARENT) &&
            !identity_holds(node->identity, &p->hold))
            end_peer(p, "its token was revoked, or has expired");
}

static void run_peers(struct session_node *node)
{
    int64_t now_ns = clock_steady_ns();
    for (struct session_peer *p = node->peers; p; p = p->next) {
        bool is_up = p->role == PEER_CHILD || p->role == PEER_PARENT;
        if (p->role == PEER_GONE || p->role == PEER_TRYING)
            continue;
        if (now_ns >= silence_ends_ns(p))
            end_peer(p, "nothing was heard of it");
        else if (is_up && now_ns >= p->sent_ns + node->opts->heartbeat_ns)
            send_heartbeat(p);
    }
}

void node_run(struct session_node *node)
{
    node->calls++;
    run_peers(node);
    check_tokens(node, clock_steady_ns());
    epochs_run(node);
    upstream_run(node);
    if (clock_steady_ns() >= node->resend_ns)
        events_resend(node);
    if (node_is_control(node))
        census_run(node);
    node_settle(node);
}

static int64_t sooner(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t node_due_steady_ns(const struct session_node *node)
{
    int64_t due_ns = sooner(upstream_due_ns(node), node->resend_ns);
    due_ns = sooner(due_ns, census_due_ns(node));
    if (node->identity)
        due_ns = sooner(due_ns, node->identity_ns);
    if (node->has_below_changed)
        due_ns = sooner(due_ns, node->members_ns);
    for (const struct session_peer *p = node->peers; p; p = p->next) {
        if (p->role == PEER_TRYING || p->role == PEER_GONE)
            continue;
        due_ns = sooner(due_ns, silence_ends_ns(p));
        if (p->role != PEER_NEW)
            due_ns = sooner(due_ns, p->sent_ns + node->opts->heartbeat_ns);
    }
    return due_ns;
}

int64_t node_due_ns(const struct session_node *node)
{
    return epochs_due_ns(node);
}

/* ---- the rest of the door ---- */

int node_publish(struct session_node *node, uint32_t uid, struct span name,
                 struct span payload)
{
    node->calls++;
    int rc = events_publish(node, uid, name, payload);
    node_settle(node);
    return rc;
}

int node_announce(struct session_node *node, struct span name, struct span payload)
{
    if (!session_event_name_is_valid(name) || !span_starts(name, "session."))
        return -EINVAL;
    if (payload.size > SESSION_PAYLOAD_MAX)
        return -EMSGSIZE;
    node->calls++;
    int rc = events_announce(node, name, payload);
    node_settle(node);
    return rc;
}

int node_set_idle(struct session_node *node, const struct rank_set *idle)
{
    return rank_set_copy(&node->idle, idle);
}

void node_hold(struct session_node *node)
{
    if (node->sampling)
        node->sampling->is_held = true;
}

struct bundle *node_held(struct session_node *node, const struct session_instant *at)
{
    return epochs_held(node, at);
}

void node_release(struct session_node *node, const struct session_instant *at)
{
    node->calls++;
    epochs_release(node, at);
    node_settle(node);
}

struct bundle *node_reducing(struct session_node *node,
                             const struct session_instant *at)
{
    return epochs_reducing(node, at);
}

void node_reduced(struct session_node *node, const struct session_instant *at)
{
    node->calls++;
    epochs_reduced(node, at);
    node_settle(node);
}

const struct rank_set *node_online(const struct session_node *node)
{
    return &node->online;
}

static int start_node(struct session_node *node)
{
    node->calls++;
    if (node_is_control(node))
        node->gone_ns = calloc(node->size, sizeof *node->gone_ns);
    if ((node_is_control(node) && !node->gone_ns) ||
        rank_set_add(&node->all, 0, node->size - 1) < 0)
        return -ENOMEM; /* the node is freed */
    node->ring.first = 1;
    node->resend_ns = INT64_MAX;
    node->gone_since_ns = INT64_MAX;
    node->has_below_changed = true;
    upstream_start(node);
    node_settle(node);
    node->members_ns = 0; /* the first child is reported at once */
    return 0;
}

int node_new(const struct session_node_opts *opts, struct session_node **ret)
{
    AUTO(node_free) struct session_node *node = calloc(1, sizeof *node);
    if (!node)
        return -ENOMEM;
    node->opts = opts->opts;
    node->plan = opts->plan;
    node->topology = opts->plan->topology;
    node->transport = opts->transport;
    node->callbacks = opts->callbacks;
    node->rank = opts->plan->rank;
    node->size = node->topology->size;
    node->boot = opts->boot;
    node->identity = opts->identity;
    node->incarnation = opts->incarnation;
    int rc = start_node(node);
    if (rc < 0)
        return rc;
    *ret = TAKE(node);
    return 0;
}

void node_free(struct session_node *node)
{
    if (!node)
        return;
    for (struct session_peer *p = node->peers; p; p = p->next) {
        p->role = PEER_GONE;
        p->link = NULL;
    }
    peers_sweep(node);
    epochs_done(node);
    events_done(node);
    rank_set_done(&node->all);
    rank_set_done(&node->below);
    rank_set_done(&node->online);
    rank_set_done(&node->idle);
    origins_done(&node->origins);
    free(node->gone_ns);
    free(node);
}
