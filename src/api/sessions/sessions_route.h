/* SPDX-License-Identifier: Apache-2.0 */
/* sessions_route - GET /v1/sessions, one of them, and its events; private to api. */
#ifndef API_SESSIONS_SESSIONS_ROUTE_H
#define API_SESSIONS_SESSIONS_ROUTE_H

#include "api/api_private.h"

/* As api_route has them. */
int sessions_read(struct net_request *request, void **ret_query, struct err *err);
int sessions_fetch(const struct api_readers *readers, const void *query,
                   struct api_result *ret, struct err *err);
int session_read(struct net_request *request, void **ret_query, struct err *err);
int session_fetch(const struct api_readers *readers, const void *query,
                  struct api_result *ret, struct err *err);
int session_events_fetch(const struct api_readers *readers, const void *query,
                         struct api_result *ret, struct err *err);

#endif
