/* SPDX-License-Identifier: Apache-2.0 */
/* metric_body - bodies of requests to the metric store, read whole: they are small. */
#ifndef API_METRIC_BODY_H
#define API_METRIC_BODY_H

#include "net/net.h"

/* For a route: what the body holds is charged to its request. */
extern const struct net_body metric_whole_body;
/* The body of such a request, as long as the request is there; empty: it has none. */
struct span metric_body(const struct net_request *request);

#endif
