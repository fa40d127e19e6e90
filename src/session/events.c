/* SPDX-License-Identifier: Apache-2.0 */
/* events - published anywhere, numbered by the control node, delivered everywhere. */
#include "session/events.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "session/members.h"
#include "session/peers.h"

#include <errno.h>

#define RESERVED "session."

/* ---- what is stored for children ---- */

static void ring_clear(struct event_ring *ring)
{
    for (uint64_t s = ring->first; s <= ring->last && ring->last; s++) {
        free(ring->events[s % EVENTS_STORED_MAX]);
        ring->events[s % EVENTS_STORED_MAX] = NULL;
    }
    *ring = (struct event_ring){ .first = 1 };
}

static void ring_drop_first(struct event_ring *ring)
{
    struct stored_event **at = &ring->events[ring->first++ % EVENTS_STORED_MAX];
    ring->bytes -= *at ? (*at)->size : 0;
    free(*at);
    *at = NULL;
}

/* An event that finds no memory is a gap for children. */
static void ring_add(struct event_ring *ring, uint64_t sequence, struct span body)
{
    struct stored_event *event = malloc(sizeof *event + body.size);
    if (!event || sequence != ring->last + 1) {
        while (ring->first <= ring->last)
            ring_drop_first(ring);
        ring->first = event ? sequence : sequence + 1;
    }
    ring->last = sequence;
    if (!event)
        return;
    event->sequence = sequence;
    event->size = body.size;
    memcpy(event->bytes, body.data, body.size);
    if (sequence - ring->first >= EVENTS_STORED_MAX)
        ring_drop_first(ring);
    ring->events[sequence % EVENTS_STORED_MAX] = event;
    ring->bytes += body.size;
    while (ring->bytes > EVENTS_BYTES_MAX && ring->first < ring->last)
        ring_drop_first(ring);
}

/* ---- delivery ---- */

static void outbox_release(struct session_node *node, uint64_t publication)
{
    while (node->published < publication && node->published < node->publication) {
        struct outbox_entry *entry = &node->outbox[++node->published % OUTBOX_MAX];
        strbuf_done(&entry->body_name);
        strbuf_done(&entry->payload);
    }
}

/* A control node that began anew may number again what it had numbered before: what
 * this node has seen of an origin it does not deliver twice. */
static bool is_new_of_origin(struct session_node *node,
                             const struct session_event *event)
{
    struct event_origin last = origins_find(&node->origins, event->origin);
    const struct event_origin now = { event->origin, event->boot, event->publication };
    if (last.publication && last.boot == event->boot &&
        event->publication <= last.publication)
        return false;
    if (origins_set(&node->origins, &now) == 0)
        return true;
    node->stats.events_lost++; /* twice would be worse */
    return false;
}

static void deliver(struct session_node *node, const struct session_event *event)
{
    if (node_is_control(node) || is_new_of_origin(node, event)) {
        node->stats.events++;
        if (event->origin == 0 && span_starts(event->name, RESERVED))
            members_apply(node, event);
        if (node->callbacks.event)
            node->callbacks.event(node->callbacks.arg, event, NULL);
    }
    /* At the control node its own event lies in the outbox. */
    if (event->origin == node->rank && event->boot == node->boot)
        outbox_release(node, event->publication);
}

/* ---- signatures ---- */

/* Append the whole body. */
static int encode_signed_event(struct session_node *node, enum identity_use use,
                               struct session_event *event, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT, signature = STRBUF_INIT;
    event->token = event->signature = SPAN("");
    if (node->identity) {
        event->token = identity_token(node->identity);
        session_event_encode_signed(event, &body);
        int rc = strbuf_error(&body);
        if (rc == 0)
            rc = identity_sign(node->identity, use, SPAN(""), strbuf_span(&body),
                               &signature);
        if (rc < 0)
            return rc;
        event->signature = strbuf_span(&signature);
    }
    session_event_encode(event, out);
    event->signature = SPAN("");
    return strbuf_error(out);
}

/* One notice a minute: what is forged comes as often as the forger likes. */
static void note_forged(struct session_peer *from, const struct session_event *event,
                        const char *reason)
{
    struct session_node *node = from->node;
    int64_t now_ns = clock_steady_ns();
    node->stats.events_forged++;
    if (now_ns < node->forged_ns)
        return;
    node->forged_ns = now_ns + 60 * NS_PER_S;
    node_notice(node, SESSION_WARNING,
                "an event '" SPAN_FMT "' of node '%s' (rank %u) came by way of node "
                "'%s' (rank %u), altered or invented: %s; %llu so far",
                SPAN_ARG(event->name), node_host(node, event->origin), event->origin,
                node_host(node, from->rank), from->rank, reason,
                (unsigned long long)node->stats.events_forged);
}

static bool is_signed_by(struct session_peer *from, enum identity_use use,
                         uint32_t rank, const struct session_event *event,
                         struct span body)
{
    struct session_node *node = from->node;
    struct err err = { "" };
    const struct identity_claim claim = {
        .use = use,
        .host = node_host(node, rank),
        .signed_text = { body.data, event->signed_size },
        .token = event->token,
        .signature = event->signature,
    };
    if (!node->identity || identity_check(node->identity, &claim, NULL, &err) == 0)
        return true;
    note_forged(from, event, err.text);
    return false;
}

int events_check_numbered(struct session_peer *parent,
                          const struct session_event *event, struct span body)
{
    return is_signed_by(parent, IDENTITY_EVENT, 0, event, body) ? 0 : -EBADMSG;
}

/* ---- at the control node ---- */

static void number_event(struct session_node *node, struct session_event *event)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    event->incarnation = node->incarnation;
    event->sequence = node->ring.last + 1;
    const struct event_origin last = { event->origin, event->boot, event->publication };
    if (encode_signed_event(node, IDENTITY_EVENT, event, &body) < 0 ||
        origins_set(&node->origins, &last) < 0)
        return; /* it has no number: its origin sends it again */
    ring_add(&node->ring, event->sequence, strbuf_span(&body));
    /* The one that is stored: a callback may publish, and that gives the outbox back.
     */
    struct session_event stored = { 0 };
    if (session_event_decode(strbuf_span(&body), node->size, &stored) == 0)
        deliver(node, &stored);
}

/* In order, and each once: what comes after a hole is sent again after it. */
static bool is_next_of_origin(const struct session_node *node,
                              const struct session_event *event)
{
    struct event_origin last = origins_find(&node->origins, event->origin);
    if (last.publication == 0 || last.boot != event->boot)
        return event->publication > 0 && event->publication == event->base;
    return event->publication == last.publication + 1;
}

/* ---- publishing ---- */

static void send_publication(struct session_node *node,
                             const struct outbox_entry *entry)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    struct session_event event = {
        .origin = node->rank,
        .boot = node->boot,
        .publication = entry->publication,
        .base = node->published + 1,
        .t_ns = entry->t_ns,
        .uid = entry->uid,
        .name = strbuf_span(&entry->body_name),
        .payload = strbuf_span(&entry->payload),
    };
    if (node_is_control(node)) {
        number_event(node, &event);
        return;
    }
    /* Signed for this incarnation: no later one has to accept it again. */
    event.incarnation = node->identity ? node->incarnation : 0;
    if (node->parent && encode_signed_event(node, IDENTITY_PUBLISH, &event, &body) == 0)
        (void)peer_send(node->parent, SESSION_PUBLISH, &body);
}

static int outbox_add(struct session_node *node, uint32_t uid, struct span name,
                      struct span payload)
{
    if (node->publication - node->published >= OUTBOX_MAX)
        return -ENOBUFS;
    struct outbox_entry *entry = &node->outbox[(node->publication + 1) % OUTBOX_MAX];
    *entry = (struct outbox_entry){ .publication = node->publication + 1,
                                    .t_ns = clock_now_ns(),
                                    .uid = uid };
    strbuf_add_span(&entry->body_name, name);
    strbuf_add_span(&entry->payload, payload);
    if (strbuf_error(&entry->body_name) < 0 || strbuf_error(&entry->payload) < 0) {
        strbuf_done(&entry->body_name);
        strbuf_done(&entry->payload);
        return -ENOMEM;
    }
    node->publication++;
    node->stats.events_published++;
    send_publication(node, entry);
    if (node->resend_ns == INT64_MAX)
        node->resend_ns = clock_steady_ns() + 3 * node->opts->heartbeat_ns;
    return 0;
}

/* A bucket of event_burst that fills with event_rate. */
static bool has_credit(struct session_node *node)
{
    int64_t now_ns = clock_steady_ns();
    int64_t each_ns = NS_PER_S / (int64_t)node->opts->event_rate;
    int64_t full_ns = each_ns * (int64_t)node->opts->event_burst;
    if (node->credit_ns < now_ns)
        node->credit_ns = now_ns;
    if (node->credit_ns + each_ns > now_ns + full_ns)
        return false;
    node->credit_ns += each_ns;
    return true;
}

int events_publish(struct session_node *node, uint32_t uid, struct span name,
                   struct span payload)
{
    int rc = 0;
    if (!session_event_name_is_valid(name) || span_starts(name, RESERVED))
        rc = -EINVAL;
    else if (payload.size > SESSION_PAYLOAD_MAX)
        rc = -EMSGSIZE;
    else if (!has_credit(node))
        rc = -EAGAIN;
    else
        rc = outbox_add(node, uid, name, payload);
    node->stats.events_refused += rc < 0;
    return rc;
}

int events_announce(struct session_node *node, struct span name, struct span payload)
{
    return outbox_add(node, 0, name, payload);
}

/* What the nodes below a child may publish in a heartbeat, and all that they send
 * again: no honest subtree has more. */
static uint64_t publications_max(const struct session_peer *child)
{
    const struct session_opts *opts = child->node->opts;
    uint64_t heartbeat_s = (uint64_t)(opts->heartbeat_ns / NS_PER_S) + 1;
    uint64_t each = opts->event_burst + opts->event_rate * heartbeat_s + OUTBOX_MAX;
    return each * rank_set_size(&child->below);
}

/* What is dropped is sent again by its origin, if that is one that does so. */
static bool is_within_rate(struct session_peer *child)
{
    struct session_node *node = child->node;
    int64_t now_ns = clock_steady_ns();
    uint64_t max = publications_max(child);
    if (now_ns - child->interval_ns >= node->opts->heartbeat_ns) {
        child->interval_ns = now_ns;
        child->publications = 0;
    }
    child->publications++;
    if (child->publications <= max)
        return true;
    node->stats.events_dropped++;
    if (child->publications == max + 1)
        node_notice(
            node, SESSION_WARNING,
            "node '%s' (rank %u) sent more than %llu events in a heartbeat: the "
            "others are dropped",
            node_host(node, child->rank), child->rank, (unsigned long long)max);
    return false;
}

/* With identities: signed by its origin, for this incarnation of the control node, and
 * not by a program of the origin that ended before another one began. */
static bool is_of_now(struct session_peer *child, const struct session_event *event,
                      struct span body)
{
    const struct session_node *node = child->node;
    if (!node->identity)
        return true;
    if (!is_signed_by(child, IDENTITY_PUBLISH, event->origin, event, body))
        return false;
    struct event_origin last = origins_find(&node->origins, event->origin);
    if (event->incarnation == node->incarnation && last.boot > event->boot)
        note_forged(child, event,
                    "it is of a program that ended before, or the origin's clock was "
                    "set back");
    return event->incarnation == node->incarnation && last.boot <= event->boot;
}

void events_published(struct session_peer *child, const struct session_event *event,
                      struct span body)
{
    struct session_node *node = child->node;
    if (!is_within_rate(child))
        return;
    if (!topology_is_below(node->topology, event->origin, child->rank) ||
        span_starts(event->name, RESERVED)) {
        node->stats.foreign++;
        return;
    }
    if (!node_is_control(node)) {
        struct strbuf copy = STRBUF_INIT;
        strbuf_add_span(&copy, body);
        if (node->parent)
            (void)peer_send(node->parent, SESSION_PUBLISH, &copy);
        strbuf_done(&copy);
    } else if (is_of_now(child, event, body) && is_next_of_origin(node, event)) {
        struct session_event numbered = *event;
        number_event(node, &numbered);
    }
}

void events_resend(struct session_node *node)
{
    for (uint64_t p = node->published + 1; p <= node->publication; p++)
        send_publication(node, &node->outbox[p % OUTBOX_MAX]);
    node->resend_ns = node->published < node->publication
                          ? clock_steady_ns() + 3 * node->opts->heartbeat_ns
                          : INT64_MAX;
}

/* ---- from the parent ---- */

static void begin_incarnation(struct session_node *node, uint64_t incarnation)
{
    ring_clear(&node->ring);
    node->incarnation = incarnation;
    if (node->identity && node->published < node->publication)
        node->resend_ns = clock_steady_ns(); /* what waits is signed for the new one */
    for (struct session_peer *p = node->peers; p; p = p->next)
        p->cursor = 0;
}

static void report_gap(struct session_node *node, const struct session_gap *gap)
{
    node->stats.events_lost += gap->last - gap->first + 1;
    if (node->callbacks.event)
        node->callbacks.event(node->callbacks.arg, NULL, gap);
}

void events_received(struct session_node *node, const struct session_event *event,
                     struct span body)
{
    if (event->incarnation < node->incarnation)
        return;
    if (event->incarnation > node->incarnation)
        begin_incarnation(node, event->incarnation);
    if (event->sequence <= node->ring.last)
        return;
    ring_add(&node->ring, event->sequence, body);
    deliver(node, event);
}

void events_gap(struct session_node *node, const struct session_gap *gap)
{
    if (gap->incarnation < node->incarnation || gap->last == 0)
        return;
    bool had_seen_any = node->incarnation != 0;
    if (gap->incarnation > node->incarnation)
        begin_incarnation(node, gap->incarnation);
    if (gap->last <= node->ring.last)
        return;
    ring_clear(&node->ring);
    node->ring.last = gap->last;
    node->ring.first = gap->last + 1;
    (void)rank_set_copy(&node->online, &gap->online);
    if (had_seen_any) /* else it begins here */
        report_gap(node, gap);
}

void events_joined(struct session_node *node, uint64_t incarnation, uint64_t sequence)
{
    if (node->incarnation == 0 && incarnation != 0) {
        begin_incarnation(node, incarnation);
        node->ring.last = sequence;
        node->ring.first = sequence + 1;
    }
    events_resend(node);
}

/* ---- to children ---- */

void events_resume(struct session_peer *child, uint64_t incarnation, uint64_t sequence)
{
    const struct session_node *node = child->node;
    if (incarnation == 0)
        child->cursor = node->ring.last; /* it has seen nothing: from now on */
    else if (incarnation == node->incarnation)
        child->cursor = sequence;
    else
        child->cursor = 0;
}

static int push_gap(struct session_node *node, struct session_peer *child)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    const struct session_gap gap = { .incarnation = node->incarnation,
                                     .first = child->cursor + 1,
                                     .last = node->ring.first - 1,
                                     .online = node->online };
    session_gap_encode(&gap, &body);
    int rc = peer_send(child, SESSION_GAP, &body);
    if (rc == 0)
        child->cursor = gap.last;
    return rc;
}

static int push_next(struct session_node *node, struct session_peer *child)
{
    struct event_ring *ring = &node->ring;
    if (child->cursor + 1 < ring->first)
        return push_gap(node, child);
    struct stored_event *event = ring->events[(child->cursor + 1) % EVENTS_STORED_MAX];
    struct strbuf body = { .data = event->bytes, .size = event->size };
    int rc = peer_send(child, SESSION_EVENT, &body);
    if (rc == 0)
        child->cursor++;
    return rc;
}

void events_push(struct session_node *node)
{
    for (struct session_peer *p = node->peers; p; p = p->next)
        while (p->role == PEER_CHILD && p->cursor < node->ring.last &&
               node->transport.is_ready(p->link))
            if (push_next(node, p) < 0)
                break;
}

void events_done(struct session_node *node)
{
    ring_clear(&node->ring);
    outbox_release(node, node->publication);
}
