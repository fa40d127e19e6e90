/* SPDX-License-Identifier: Apache-2.0 */
/* resource_history - GET /v1/resources/history: what was stated about resources, the
 * newest first; private to api. */
#ifndef API_RESOURCE_HISTORY_H
#define API_RESOURCE_HISTORY_H

#include "api/api_private.h"

/* As api_route has them. */
int resource_history_read(struct net_request *request, void **ret_query,
                          struct err *err);
int resource_history_fetch(const struct api_readers *readers, const void *query,
                           struct api_result *ret, struct err *err);

#endif
