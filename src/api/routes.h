/* SPDX-License-Identifier: Apache-2.0 */
/* routes - the table of routes; private to api. */
#ifndef API_ROUTES_H
#define API_ROUTES_H

#include "api/api_private.h"

extern const struct api_route api_routes[];
extern const size_t api_route_count;

#endif
