/* SPDX-License-Identifier: Apache-2.0 */
/* players - a session in memory: nodes in one process, whose links are queues.
 *
 * Time is real.  A frame is delivered by the next players_step(); a node that is killed
 * is gone with its links, a node that hangs delivers and says nothing.
 */
#ifndef SESSION_TEST_PLAYERS_H
#define SESSION_TEST_PLAYERS_H

#include "session/session.h"

struct player_link;
struct players;

struct player {
    struct players *players;
    struct session_node *node; /* NULL: killed */
    struct session_plan plan;
    uint32_t rank;
    bool hangs;
    struct strbuf log; /* of events: "SEQUENCE NAME PAYLOAD\n" */
    uint64_t gaps;
};

struct players {
    struct session_opts opts;
    struct session_plan plan; /* of rank 0; topology and hosts are shared */
    struct player *players;
    uint32_t count;
    struct player_link *links;
    uint64_t incarnation, boots;
    uint64_t frames, bytes;
    void (*sample)(void *arg, const struct session_instant *at, struct bundle *bundle);
    /* of the last result */
    uint64_t results, late;
    int64_t result_ns; /* from the instant to the result */
    struct bundle last;
    struct rank_set missing;
};

/* More of opts may be set before the nodes start. */
void players_init(struct players *p, uint32_t count, uint32_t fanout);
void players_done(struct players *p);
void player_start(struct players *p, uint32_t rank);
void player_kill(struct players *p, uint32_t rank);
/* Deliver what is queued and run what is due; waits no longer than until the next due
 * time or wait_ms. */
void players_step(struct players *p, int64_t wait_ms);
/* Until is_so() or the time is over; whether it is. */
bool players_until(struct players *p, bool (*is_so)(struct players *p),
                   int64_t wait_ms);

#endif
