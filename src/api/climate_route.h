/* SPDX-License-Identifier: Apache-2.0 */
/* climate_route - GET /v1/climate: what is normal among the runs whose summaries the
 * database has; private to api.
 *
 * The same as `baro climate show --map FILE --output json barod`, by the same code;
 * what the columns mean is the configuration's climate_map.
 */
#ifndef API_CLIMATE_ROUTE_H
#define API_CLIMATE_ROUTE_H

#include "api/api_private.h"

/* Of the route: see struct api_route. */
int climate_query_read(struct net_request *request, void **ret_query, struct err *err);
int climate_fetch(const struct api_readers *readers, const void *query,
                  struct api_result *ret, struct err *err);

#endif
