/* SPDX-License-Identifier: Apache-2.0 */
/* credentials - what the kernel states about the other end of a socket: a TCP address,
 * or the user and groups of a unix socket's client. */
#ifndef NET_CREDENTIALS_H
#define NET_CREDENTIALS_H

#include "net/peer.h"

/* The groups whose members have a role on the unix socket. */
struct credential_groups {
    gid_t admin, scheduler;
    bool has_admin, has_scheduler;
};

/* Fills origin, origin_key, uid and what the peer may be without a token.  fd is set.
 * has_tokens: without one a TCP client counts as unauthenticated.  Cannot fail: what
 * the kernel does not state is "?", and may nothing. */
void credentials_read(const struct credential_groups *groups, bool has_tokens,
                      struct peer *peer);

#endif
