/* SPDX-License-Identifier: Apache-2.0 */
/* node - one node of a session: a state machine without sockets, threads or a loop.
 *
 *     links (transport)  ──▶ node_frame, node_closed ...  ──▶ transport->send
 *     alarm, timer       ──▶ node_run                     ──▶ sample, result, event
 *
 * What drives it (session.c over libuv, a player in memory) calls node_run() when
 * one of the two due times has come, and what else is below from one thread.  Callbacks
 * come from inside these calls.
 */
#ifndef SESSION_NODE_H
#define SESSION_NODE_H

#include "session/config.h"
#include "session/identity.h"
#include "session/message.h"

struct session_node;
struct session_peer; /* one link's end, as the node sees it */

struct session_transport {
    void *arg;
    /* Begin to connect to a rank.  Later node_connected() or node_closed() is called,
     * never from inside.  *ret_link is the transport's.  Errors: any, as unreachable.
     */
    int (*connect)(void *arg, uint32_t rank, struct session_peer *peer,
                   void **ret_link);
    /* Errors: -ENOBUFS (too much waits for this peer), -EPIPE. */
    int (*send)(void *link, uint8_t type, struct span body);
    /* Nothing is called for this link afterwards. */
    void (*close)(void *link);
    /* The peer was admitted: its frames may be as large as frames are. */
    void (*admit)(void *link);
    /* Whether more may be sent without -ENOBUFS soon. */
    bool (*is_ready)(void *link);
    /* Of an accepted link: whether its peer has shown the session's key, and where it
     * is, as a number.  NULL: none has, and all are in one place. */
    bool (*is_proven)(void *link);
    uint64_t (*source)(void *link);
    /* Of an open link: bytes that its two ends have and no other two.  NULL: there are
     * no identities. */
    int (*exporter)(void *link, uint8_t ret[static IDENTITY_EXPORTER_BYTES]);
};

/* What is sampled when, for sources. */
struct session_instant {
    uint64_t incarnation, epoch;
    int64_t instant_ns, period_ns;
    uint32_t rank;
};

struct session_result {
    struct session_instant at;
    uint32_t expected;           /* nodes of the session that are not idle */
    const struct bundle *bundle; /* its ranks: who contributed */
    const struct rank_set *missing;
    uint64_t late;     /* contributions of earlier epochs that came too late */
    int64_t closed_ns; /* time of day */
};

enum session_notice { SESSION_INFO, SESSION_WARNING };

struct session;
struct uv_loop_s;

struct session_callbacks {
    void *arg;
    /* Handles of the program may run on the session's loop: begin adds them before the
     * thread starts, end closes them after it has ended.  May be NULL. */
    int (*begin)(void *arg, struct session *session, struct uv_loop_s *loop);
    void (*end)(void *arg);
    /* The instant has come: put what this node contributes into bundle.  NULL: it
     * contributes only what the session itself measures. */
    void (*sample)(void *arg, const struct session_instant *at, struct bundle *bundle);
    /* All below have contributed to an epoch: what is merged by others than the session
     * is merged now.  true: node_reduced() comes, and bundle (node_reducing()) changes
     * until then; at its deadline the epoch closes with what is there.  May be NULL. */
    bool (*reduce)(void *arg, const struct session_instant *at,
                   const struct bundle *bundle);
    /* At the control node, once an epoch.  May be NULL. */
    void (*result)(void *arg, const struct session_result *result);
    /* Every event in order, also this node's own.  first_lost: events up to this one
     * are not to be had any more, and event is NULL.  May be NULL. */
    void (*event)(void *arg, const struct session_event *event,
                  const struct session_gap *gap);
    void (*notice)(void *arg, enum session_notice notice, const char *text);
};

struct session_node_opts {
    const struct session_opts *opts;
    const struct session_plan *plan; /* both outlive the node */
    struct session_transport transport;
    struct session_callbacks callbacks;
    struct session_identity *identity; /* NULL: who has the key is believed */
    uint64_t boot;        /* drawn at random; with an identity later ones are greater */
    uint64_t incarnation; /* of the control node; else 0 */
};

struct session_node_stats {
    uint64_t epochs, missed, late, overlapping, foreign;
    int64_t skew_ns, skew_max_ns;   /* from the instant to the sample's beginning */
    int64_t burst_ns, burst_max_ns; /* of sampling */
    int64_t clock_difference_ns;    /* the parent's less ours */
    uint64_t parents_lost, children_lost, refused, half_open, half_open_dropped,
        half_open_ended;
    uint64_t slow_children; /* now */
    uint64_t events, events_published, events_refused, events_lost;
    uint64_t impostors;      /* peers that were refused: they are not whom they claim */
    uint64_t events_forged;  /* not signed by whom they claim as origin */
    uint64_t events_dropped; /* of children that published more than a subtree may */
    uint64_t incarnation, sequence;
    uint32_t online, children, depth;
    int64_t parent_rank; /* -1: none now */
};

int node_new(const struct session_node_opts *opts, struct session_node **ret);
void node_free(struct session_node *node); /* links must be closed by the transport */
DEFINE_AUTO(struct session_node, node_free);

/* A link was accepted: NULL where there is no memory. */
struct session_peer *node_accepted(struct session_node *node, void *link);
void node_connected(struct session_peer *peer);
void node_frame(struct session_peer *peer, uint8_t type, struct span body);
/* The peer has sent so much without a frame of ours that it should see one. */
void node_acknowledge(struct session_peer *peer);
void node_closed(struct session_peer *peer, const char *reason);
void node_drained(struct session_peer *peer);

/* Do what is due. */
void node_run(struct session_node *node);
/* When node_run() is to be called next: by clock_steady_ns(), and by clock_now_ns()
 * (0: no instant is set). */
int64_t node_due_steady_ns(const struct session_node *node);
int64_t node_due_ns(const struct session_node *node);

/* Publish an event as uid.  Errors: -EINVAL (the name), -EMSGSIZE (payload), -EAGAIN
 * (more than event_rate), -ENOBUFS (too many wait for their number). */
int node_publish(struct session_node *node, uint32_t uid, struct span name,
                 struct span payload);
/* An event of the session itself, whose name begins with "session.".  At the control
 * node.  Errors: -EINVAL (the name), -EMSGSIZE, -ENOBUFS. */
int node_announce(struct session_node *node, struct span name, struct span payload);
/* Who does not sample from the next trigger on that is announced, and is not expected
 * to.  At the control node.  Errors: -ENOMEM: it is as it was. */
int node_set_idle(struct session_node *node, const struct rank_set *idle);

/* Inside of sample(): more of this node comes.  The epoch waits for node_release(), at
 * the latest until its deadline.  node_held(): where to put it; NULL where the epoch is
 * closed. */
void node_hold(struct session_node *node);
struct bundle *node_held(struct session_node *node, const struct session_instant *at);
void node_release(struct session_node *node, const struct session_instant *at);

/* After reduce() was true: what is to be changed; NULL where the epoch is closed. */
struct bundle *node_reducing(struct session_node *node,
                             const struct session_instant *at);
void node_reduced(struct session_node *node, const struct session_instant *at);

/* A request to a rank; the response comes to response_fn with the same id, or nothing
 * does: the caller has a deadline.  Errors: -EHOSTUNREACH. */
typedef void node_response_fn(void *arg, const struct session_request *response);
void node_on_response(struct session_node *node, node_response_fn *fn, void *arg);
int node_request(struct session_node *node, uint32_t to, uint64_t id, struct span text);

/* Who is online, as the last event that was seen has it. */
const struct rank_set *node_online(const struct session_node *node);
void node_stats(const struct session_node *node, struct session_node_stats *ret);

#endif
