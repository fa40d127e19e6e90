/* SPDX-License-Identifier: Apache-2.0 */
/* job_context_route - GET /v1/jobs/{id}: all that barod knows of one job; private to
 * api.
 */
#ifndef API_JOB_CONTEXT_ROUTE_H
#define API_JOB_CONTEXT_ROUTE_H

#include "api/api_private.h"

/* Of struct api_route: see there. */
int job_context_read(struct net_request *request, void **ret_query, struct err *err);
int job_context_fetch(const struct api_readers *readers, const void *query,
                      struct api_result *ret, struct err *err);

#endif
