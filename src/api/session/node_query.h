/* SPDX-License-Identifier: Apache-2.0 */
/* node_query - one request to nodes of a session, and their responses.
 *
 * Threads  none inside: the session's makes and fills it.
 */
#ifndef API_SESSION_NODE_QUERY_H
#define API_SESSION_NODE_QUERY_H

#include "base/table/table.h"
#include "session/session.h"

#define NODE_QUERY_HOSTS_MAX 256

/* Numbers of a node's response; names as there and in the table, nanoseconds are
 * seconds there. */
#define NODE_NUMBERS(X)                            \
    X(DEPTH, "depth", "", false)                   \
    X(CHILDREN, "children", "", false)             \
    X(EPOCHS, "epochs", "", false)                 \
    X(MISSED, "missed", "", false)                 \
    X(LATE, "late", "", false)                     \
    X(SKEW, "skew_ns", "s", true)                  \
    X(SKEW_MAX, "skew_max_ns", "s", true)          \
    X(BURST, "burst_ns", "s", true)                \
    X(BURST_MAX, "burst_max_ns", "s", true)        \
    X(CLOCK, "clock_difference_ns", "s", true)     \
    X(PARENTS_LOST, "parents_lost", "", false)     \
    X(CHILDREN_LOST, "children_lost", "", false)   \
    X(SLOW, "slow_children", "", false)            \
    X(REFUSED, "refused", "", false)               \
    X(EVENTS, "events", "", false)                 \
    X(EVENTS_DROPPED, "events_dropped", "", false) \
    X(EVENTS_LOST, "events_lost", "", false)

enum node_number {
#define X(NAME, text, unit, is_time) NODE_##NAME,
    NODE_NUMBERS(X)
#undef X
        NODE_NUMBER_COUNT
};

struct node_response {
    uint32_t rank;
    bool is_online, is_due, has_responded;
    int64_t sent_ns, responded_ns; /* steady */
    int64_t parent;                /* rank; -1: none */
    int64_t numbers[NODE_NUMBER_COUNT];
};

struct node_query {
    uint64_t number; /* of requests: number * RANKS_MAX + rank */
    uint32_t count, due_count;
    struct node_response responses[NODE_QUERY_HOSTS_MAX];
    uint32_t cut; /* hosts that were wanted beyond these */
};

/* Send it to those that are online.  Threads: the session's. */
void node_query_send(struct node_query *query, struct session_node *node);
/* Is it of this query?  Then it is noted. */
bool node_query_receive(struct node_query *query,
                        const struct session_request *response);
/* A row for each host; notes on those without a response. */
void node_query_table(const struct node_query *query, const struct hostset *hosts,
                      struct table *ret);

#endif
