/* SPDX-License-Identifier: Apache-2.0 */
/* peer - one connection: who is at its other end, and what it is doing. */
#include "net/peer.h"

#include "base/cleanup.h"
#include "base/clock.h"

#include <stdlib.h>
#include <sys/socket.h>

void peer_enter(struct peer *peer, enum peer_phase phase)
{
    if (peer->phase == PEER_CLOSING)
        return;
    peer->since_ns = clock_monotonic_ns();
    peer->bytes = 0;
    peer->phase = phase;
}

void peer_continue(struct peer *peer, enum peer_phase phase)
{
    if (peer->phase != PEER_CLOSING)
        peer->phase = phase;
}

static void remove_peer(struct peers *peers, struct peer *peer)
{
    if (peer->next)
        peer->next->previous = peer->previous;
    if (peer->previous)
        peer->previous->next = peer->next;
    else
        peers->first = peer->next;
}

static struct peer *find_descriptor(const struct peers *peers, int fd)
{
    struct peer *peer = peers->first;
    while (peer && peer->fd != fd)
        peer = peer->next;
    return peer;
}

void peers_link(struct peers *peers, struct peer *peer)
{
    LOCKED(&peers->lock);
    struct peer *stale = find_descriptor(peers, peer->fd);
    if (stale) {
        remove_peer(peers, stale);
        free(stale);
    }
    peer->next = peers->first;
    if (peer->next)
        peer->next->previous = peer;
    peers->first = peer;
}

void peers_unlink(struct peers *peers, struct peer *peer)
{
    LOCKED(&peers->lock);
    remove_peer(peers, peer);
}

struct peer *peers_start(struct peers *peers, int fd)
{
    LOCKED(&peers->lock);
    struct peer *peer = find_descriptor(peers, fd);
    if (peer)
        peer->is_started = true;
    return peer;
}

void peer_shut_down(struct peer *peer)
{
    peer->phase = PEER_CLOSING;
    (void)shutdown(peer->fd, SHUT_RDWR);
}

bool peers_are_busy(struct peers *peers)
{
    LOCKED(&peers->lock);
    for (const struct peer *peer = peers->first; peer; peer = peer->next)
        if (peer->phase == PEER_WAITING || peer->phase == PEER_RESPONSE)
            return true;
    return false;
}

void peers_count(struct peers *peers, struct peer_counts *ret)
{
    struct peer_counts counts = { 0 };
    LOCKED(&peers->lock);
    for (const struct peer *peer = peers->first; peer; peer = peer->next) {
        counts.tcp += !peer->is_local;
        counts.tcp_unauthenticated += !peer->is_local && !peer->is_known;
        counts.local += peer->is_local;
    }
    *ret = counts;
}

void peers_init(struct peers *peers)
{
    *peers = (struct peers){ .first = NULL };
    (void)pthread_mutex_init(&peers->lock, NULL);
}

void peers_done(struct peers *peers)
{
    (void)pthread_mutex_destroy(&peers->lock);
}
