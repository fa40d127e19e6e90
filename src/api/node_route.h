/* SPDX-License-Identifier: Apache-2.0 */
/* node_route - GET /v1/nodes: which nodes differ from comparable ones; private to api.
 *
 *     store ─▶ node_hosts ─┐
 *     records: jobs ───────┼─▶ analysis/node ─▶ report/node_table
 *     store ─▶ metric_bins ┘   metric by metric
 */
#ifndef API_NODE_ROUTE_H
#define API_NODE_ROUTE_H

#include "api/api_private.h"

/* As api_route has them. */
int nodes_read(struct net_request *request, void **ret_query, struct err *err);
int nodes_fetch(const struct api_readers *readers, const void *query,
                struct api_result *ret, struct err *err);

#endif
