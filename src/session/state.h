/* SPDX-License-Identifier: Apache-2.0 */
/* state - what a node knows: private to the files that it is made of.
 *
 *     node ─▶ upstream, epochs, census, requests ─▶ events ─▶ members ─▶ peers
 */
#ifndef SESSION_STATE_H
#define SESSION_STATE_H

#include "session/node.h"
#include "session/origins.h"

#define EPOCHS_OPEN_MAX 4
/* Links without a hello, of those who have not shown the key: of the source that has
 * the most the oldest gives way.  And of those who have. */
#define HALF_OPEN_MAX 64
#define HALF_OPEN_PROVEN_MAX 1024
#define EVENTS_STORED_MAX 4096
#define EVENTS_BYTES_MAX (4u << 20)
#define OUTBOX_MAX 256
/* Nodes that join one after another are announced together. */
#define MEMBERS_EACH(heartbeat_ns) ((heartbeat_ns) / 16)
#define LOST_AFTER(heartbeat_ns) ((heartbeat_ns)*5 / 2)

enum peer_role {
    PEER_NEW,    /* accepted; no hello yet */
    PEER_CHILD,  /* below this node */
    PEER_TRYING, /* connecting, or waiting for the welcome */
    PEER_PARENT,
    PEER_GONE, /* to be freed when the call into the node ends */
};

struct session_peer {
    struct session_node *node;
    struct session_peer *next;
    void *link; /* NULL: closed */
    enum peer_role role;
    bool is_slow;
    uint32_t rank;
    uint64_t source;
    uint64_t boot;
    struct identity_hold hold;            /* of its token */
    struct rank_set below;                /* of a child: it and who is online below */
    int64_t opened_ns, heard_ns, sent_ns; /* steady */
    int64_t peer_now_ns, peer_heard_ns;   /* its clock, and ours when it came */
    uint64_t cursor;                      /* of a child: last event sent */
    int64_t interval_ns;   /* of a child, steady: since when its events are counted */
    uint64_t publications; /* in this interval, which is a heartbeat */
};

struct node_epoch {
    bool is_open, is_sampled;
    bool is_held;                 /* more of this node comes into own */
    bool is_reducing, is_reduced; /* by callbacks.reduce */
    struct session_trigger trigger;
    int64_t closes_ns;
    struct bundle own, bundle;
    struct rank_set waiting; /* children that have not contributed */
};

struct stored_event {
    uint64_t sequence;
    size_t size;
    char bytes[]; /* the body */
};

struct event_ring {
    struct stored_event *events[EVENTS_STORED_MAX]; /* sequence % EVENTS_STORED_MAX */
    uint64_t first, last; /* what is stored; last 0: nothing was seen */
    size_t bytes;
};

struct outbox_entry {
    uint64_t publication;
    struct strbuf body_name, payload;
    int64_t t_ns;
    uint32_t uid;
};

struct session_node {
    const struct session_opts *opts;
    const struct session_plan *plan;
    const struct topology *topology;
    struct session_transport transport;
    struct session_callbacks callbacks;
    uint32_t rank, size;
    uint64_t boot;
    struct session_identity *identity; /* NULL: there are none */
    int64_t identity_ns; /* steady: when tokens of peers are looked at again */
    int64_t forged_ns;   /* steady: not before then is there another notice */

    unsigned calls; /* into the node, one inside another */
    struct session_peer *peers;
    struct session_peer *parent, *trying; /* NULL: none */
    uint32_t parent_nth; /* which ancestor the parent is: 0 is the right one */
    uint32_t next_nth;   /* the next to be tried */
    int64_t try_ns;      /* steady: when; INT64_MAX: not now */

    struct rank_set all, below, online;
    bool has_below_changed;
    int64_t members_ns;    /* steady: not before then is a change looked at again */
    int64_t *gone_ns;      /* control node: since when a rank is not seen; 0: it is */
    int64_t gone_since_ns; /* the earliest; INT64_MAX: all are seen */

    struct node_epoch epochs[EPOCHS_OPEN_MAX];
    struct node_epoch *sampling; /* of which sample() is called now */
    uint64_t epoch;              /* the last */
    struct session_trigger next; /* control node: the next to be announced */
    struct rank_set idle;        /* control node: who does not sample from then on */
    uint64_t late_unsent;

    uint64_t incarnation; /* of the events seen */
    struct event_ring ring;
    struct origins origins;                 /* what was seen with a number */
    struct outbox_entry outbox[OUTBOX_MAX]; /* publication % OUTBOX_MAX */
    uint64_t publication, published;        /* last made, last seen with a number */
    int64_t resend_ns;                      /* steady */
    uint64_t unproven;   /* links that ended without a hello since the last notice */
    int64_t unproven_ns; /* steady: not before then is there another */
    int64_t credit_ns;   /* of the rate: when the burst is full again */

    node_response_fn *response_fn;
    void *response_arg;
    struct session_node_stats stats;
};

static inline bool node_is_control(const struct session_node *node)
{
    return node->rank == 0;
}

#endif
