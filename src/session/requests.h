/* SPDX-License-Identifier: Apache-2.0 */
/* requests - from one rank to another along the tree, and their responses.
 *
 * A request goes down where the rank is below, else up.  "ping" has the response
 * "pong", "stats" the node's counters; its sender has a deadline of its own.
 */
#ifndef SESSION_REQUESTS_H
#define SESSION_REQUESTS_H

#include "session/state.h"

/* type: SESSION_REQUEST or SESSION_RESPONSE.  Errors: -EBADMSG. */
int requests_receive(struct session_peer *peer, uint8_t type, struct span body);

#endif
