/* SPDX-License-Identifier: Apache-2.0 */
/* place - which connection may have a place, and which one makes room for it. */
#include "net/slot.h"

#include "base/cleanup.h"
#include "base/clock.h"

#include <sys/ioctl.h>

enum {
    RANK_NEVER = 100,
    /* A client that has just connected is about to send its head, or an HTTP thread is
     * reading it: on a busy machine that takes longer than the next connection. */
    HEAD_GRACE_MS = 250,
};

struct slot_limits {
    uint64_t all, unauthenticated, address;
};

/* Those that count towards one limit. */
enum slot_scope {
    SCOPE_ADDRESS, /* unauthenticated, of the newcomer's address or user */
    SCOPE_UNAUTHENTICATED,
    SCOPE_ALL,
};

static uint64_t part_of(uint64_t places, uint64_t divisor)
{
    return places / divisor ? places / divisor : 1;
}

static struct slot_limits limits_of(const struct net_opts *opts, bool is_local)
{
    uint64_t all = is_local ? opts->socket_connections_max : opts->connections_max;
    return (struct slot_limits){ all, part_of(all, 2), part_of(all, 4) };
}

static bool is_in_scope(const struct peer *peer, const struct peer *newcomer,
                        enum slot_scope scope)
{
    if (peer->is_local != newcomer->is_local || peer->phase == PEER_CLOSING)
        return false;
    switch (scope) {
    case SCOPE_ADDRESS:
        return !peer->is_known && peer->origin_key == newcomer->origin_key;
    case SCOPE_UNAUTHENTICATED:
        return !peer->is_known;
    case SCOPE_ALL:
        break;
    }
    return true;
}

static uint64_t count_scope(struct peer *peers, const struct peer *newcomer,
                            enum slot_scope scope)
{
    uint64_t count = 0;
    for (const struct peer *peer = peers; peer; peer = peer->next)
        count += is_in_scope(peer, newcomer, scope);
    return count;
}

/* Its head is in the socket: an HTTP thread is about to authenticate it. */
static bool is_head_unread(const struct peer *peer)
{
    int unread = 0;
    return ioctl(peer->fd, FIONREAD, &unread) == 0 && unread > 0;
}

static bool is_fresh(const struct peer *peer)
{
    return peer->phase == PEER_HEAD &&
           clock_monotonic_ns() - peer->since_ns < HEAD_GRACE_MS * INT64_C(1000000);
}

/* The lower, the sooner it goes.  An authenticated request is never cut off, and
 * neither is a handler that runs; a connection that libmicrohttpd has not taken over
 * yet may not be touched. */
static int rank_of(const struct peer *peer)
{
    if (!peer->is_started)
        return RANK_NEVER;
    switch ((enum peer_phase)peer->phase) {
    case PEER_REFUSED:
        return 0;
    case PEER_HEAD:
    case PEER_IDLE:
        if (is_fresh(peer) || is_head_unread(peer))
            return RANK_NEVER;
        if (peer->phase == PEER_HEAD)
            return peer->is_known ? 4 : 1;
        return peer->is_known ? 5 : 2;
    case PEER_RESPONSE:
    case PEER_BODY:
        return peer->is_known ? RANK_NEVER : 3;
    case PEER_WAITING:
    case PEER_CLOSING:
        break;
    }
    return RANK_NEVER;
}

static struct peer *find_victim(struct peer *peers, const struct peer *newcomer,
                                enum slot_scope scope)
{
    struct peer *victim = NULL;
    int least = RANK_NEVER;
    for (struct peer *peer = peers; peer; peer = peer->next) {
        int rank = rank_of(peer);
        if (rank == RANK_NEVER || !is_in_scope(peer, newcomer, scope))
            continue;
        if (rank < least || (rank == least && peer->since_ns < victim->since_ns)) {
            victim = peer;
            least = rank;
        }
    }
    return victim;
}

/* One that will soon be known, or refused. */
static bool is_one_starting(struct peer *peers, const struct peer *newcomer,
                            enum slot_scope scope)
{
    for (const struct peer *peer = peers; peer; peer = peer->next)
        if (peer->phase == PEER_HEAD && is_in_scope(peer, newcomer, scope))
            return true;
    return false;
}

/* Peers that were shut down count no more, but twice the places is the end for them,
 * too. */
static enum slot_verdict wait_for_closing(struct peer *peers,
                                          const struct peer *newcomer, uint64_t places)
{
    uint64_t count = 0;
    for (const struct peer *peer = peers; peer; peer = peer->next)
        count += peer->is_local == newcomer->is_local;
    return count < 2 * places ? SLOT_NOW : SLOT_SOON;
}

enum slot_verdict slot_find(const struct net_opts *opts, struct peer *peers,
                            const struct peer *newcomer, struct peer **ret_victim)
{
    const struct slot_limits limits = limits_of(opts, newcomer->is_local);
    const struct {
        enum slot_scope scope;
        uint64_t limit;
    } scopes[] = {
        { SCOPE_ADDRESS, newcomer->is_known ? UINT64_MAX : limits.address },
        { SCOPE_UNAUTHENTICATED,
          newcomer->is_known ? UINT64_MAX : limits.unauthenticated },
        { SCOPE_ALL, limits.all },
    };
    *ret_victim = NULL;
    for (size_t i = 0; i < COUNT_OF(scopes); i++) {
        if (count_scope(peers, newcomer, scopes[i].scope) < scopes[i].limit)
            continue;
        *ret_victim = find_victim(peers, newcomer, scopes[i].scope);
        if (!*ret_victim)
            return is_one_starting(peers, newcomer, scopes[i].scope) ? SLOT_SOON
                                                                     : SLOT_NONE;
        break; /* it counts towards every wider limit, too */
    }
    return wait_for_closing(peers, newcomer, limits.all);
}

int slot_claim(const struct net_opts *opts, struct peer *peers, struct peer *peer,
               uint64_t sender, struct peer **ret_victim)
{
    uint64_t count = 0;
    struct peer *victim = NULL;
    *ret_victim = NULL;
    if (peer->is_known && peer->sender == sender)
        return 0;
    for (struct peer *p = peers; p; p = p->next) {
        if (p == peer || !p->is_known || p->sender != sender ||
            p->phase == PEER_CLOSING)
            continue;
        count++;
        if (p->phase == PEER_IDLE && rank_of(p) != RANK_NEVER &&
            (!victim || p->since_ns < victim->since_ns))
            victim = p;
    }
    if (count >= part_of(opts->connections_max, 2)) {
        if (!victim)
            return -EAGAIN;
        *ret_victim = victim;
    }
    peer->sender = sender;
    peer->is_known = true;
    return 0;
}

int slot_authenticate(const struct net_opts *opts, struct peers *peers,
                      struct peer *peer, uint64_t sender)
{
    struct peer *victim;
    if (peer->is_local || (peer->is_known && peer->sender == sender))
        return 0;
    LOCKED(&peers->lock);
    int rc = slot_claim(opts, peers->first, peer, sender, &victim);
    if (victim)
        peer_shut_down(victim);
    return rc;
}
