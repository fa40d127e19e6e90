/* SPDX-License-Identifier: Apache-2.0 */
/* route - the table of what is served, and taking paths apart. */
#ifndef NET_ROUTE_H
#define NET_ROUTE_H

#include "net/server_private.h"

/* The route, or NULL with 404, or 405 and the methods in allow. */
const struct net_route *route_find(struct net_request *request, const char *method,
                                   unsigned *ret_status, struct strbuf *allow);
/* Percent-decode into the arena.  Errors: -EINVAL, -EMSGSIZE. */
int route_decode(struct arena *arena, struct span text, bool is_query,
                 struct span *ret);

#endif
