/* SPDX-License-Identifier: Apache-2.0 */
/* slot - which connection may have a slot, and which one is closed for it.
 *
 *     TCP          connections_max ┬ unauthenticated: half at most,
 *                                  │   one address (an IPv6 /64): a quarter
 *                                  └ one sender with a token: half at most
 *     unix socket  socket_connections_max: users who are not admin have half at most,
 *                                          one of them a quarter
 *
 * A connection is unauthenticated until a valid token was seen on it.  Where tokens are
 * not configured every connection from loopback counts as authenticated.  A newcomer
 * over a limit takes the place of the oldest connection below that limit that is least
 * worth having: one whose request was refused, one without a request.  So does a sender
 * over its half, among its own.  One that has just connected has a moment for its head,
 * and the newcomer waits that long.
 *
 * Threads  find and claim are called with the lock of peers held.
 */
#ifndef NET_SLOT_H
#define NET_SLOT_H

#include "net/peer.h"
#include "net/server.h"

enum slot_verdict {
    SLOT_NOW,  /* link it */
    SLOT_SOON, /* others have not begun yet, or were shut down and not gone: ask again
                */
    SLOT_NONE, /* every place is held by a request */
};

/* May the newcomer, which is not on the list, have a place?  *ret_victim: to be shut
 * down for it, or NULL. */
enum slot_verdict slot_find(const struct net_opts *opts, struct peer *peers,
                            const struct peer *newcomer, struct peer **ret_victim);

/* The peer has shown a valid token of this sender: it counts as authenticated, unless
 * the sender has its share of the places, and a request on each of them.  *ret_victim:
 * a connection of its own without one, to be shut down for it, or NULL.
 * Errors: -EAGAIN. */
int slot_claim(const struct net_opts *opts, struct peer *peers, struct peer *peer,
               uint64_t sender, struct peer **ret_victim);

/* slot_claim() under the lock, and the victim is shut down.  Errors: -EAGAIN. */
int slot_authenticate(const struct net_opts *opts, struct peers *peers,
                      struct peer *peer, uint64_t sender);

#endif
