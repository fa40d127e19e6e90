/* SPDX-License-Identifier: Apache-2.0 */
/* job_routes - GET /v1/jobs and /v1/summaries; private to api. */
#ifndef API_JOB_ROUTES_H
#define API_JOB_ROUTES_H

#include "api/api_private.h"

/* Of struct api_route: see there. */
int jobs_read(struct net_request *request, void **ret_query, struct err *err);
int jobs_fetch(const struct api_readers *readers, const void *query,
               struct api_result *ret, struct err *err);
int summaries_read(struct net_request *request, void **ret_query, struct err *err);
int summaries_fetch(const struct api_readers *readers, const void *query,
                    struct api_result *ret, struct err *err);

#endif
