/* SPDX-License-Identifier: Apache-2.0 */
/* inventory_route - GET /v1/resources/inventory: parts of nodes, or what became of
 * them; private to api. */
#ifndef API_HISTORY_INVENTORY_ROUTE_H
#define API_HISTORY_INVENTORY_ROUTE_H

#include "api/api_private.h"

/* As api_route has them. */
int inventory_route_read(struct net_request *request, void **ret_query,
                         struct err *err);
int inventory_route_fetch(const struct api_readers *readers, const void *query,
                          struct api_result *ret, struct err *err);

#endif
