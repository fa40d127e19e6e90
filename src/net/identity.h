/* SPDX-License-Identifier: Apache-2.0 */
/* identity - who a peer is: by its credentials on a unix socket, else by its token. */
#ifndef NET_IDENTITY_H
#define NET_IDENTITY_H

#include "net/server_private.h"

/* Fills request->identity, and whose rates it is charged to.
 * Errors: -EPERM (no valid token), -EACCES (not allowed from here), -EUSERS (too many
 * wrong tokens from this origin: this one was not checked), -EAGAIN (its sender has its
 * share of the connections). */
int identity_find(struct net_request *request, struct err *err);

#endif
