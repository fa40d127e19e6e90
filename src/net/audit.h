/* SPDX-License-Identifier: Apache-2.0 */
/* audit - who requested what of the routes that are for admins alone, and what came of
 * it.
 *
 * Requests of clients that are not authenticated are left out: whoever can connect
 * could fill a log with them.
 */
#ifndef NET_AUDIT_H
#define NET_AUDIT_H

#include "net/server_private.h"

/* Once a response: calls the server's net_audit_fn where it is such a route's. */
void audit_report(const struct net_request *request);

#endif
