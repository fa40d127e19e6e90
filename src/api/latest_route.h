/* SPDX-License-Identifier: Apache-2.0 */
/* latest_route - GET /v1/nodes/latest: what nodes do now, a row a node; private to api.
 *
 *     store ─▶ node_hosts ─▶ metric_bins: one bin up to now ─▶ largest first
 */
#ifndef API_LATEST_ROUTE_H
#define API_LATEST_ROUTE_H

#include "api/api_private.h"

/* As api_route has them. */
int latest_read(struct net_request *request, void **ret_query, struct err *err);
int latest_fetch(const struct api_readers *readers, const void *query,
                 struct api_result *ret, struct err *err);

#endif
