/* SPDX-License-Identifier: Apache-2.0 */
/* weather_route - GET /v1/weather: what the file systems did in a window, and whether
 * that is usual; private to api.
 *
 * The same typed result and the same JSON as `baro weather --output json` has of the
 * series and the health of this barod.
 */
#ifndef API_WEATHER_ROUTE_H
#define API_WEATHER_ROUTE_H

#include "api/api_private.h"

/* Of the route: see struct api_route. */
int weather_query_read(struct net_request *request, void **ret_query, struct err *err);
int weather_fetch(const struct api_readers *readers, const void *query,
                  struct api_result *ret, struct err *err);

#endif
