/* SPDX-License-Identifier: Apache-2.0 */
/* job_context_route - GET /v1/jobs/{id}: all that barod knows of one job, and
 * its page as HTML (/page); and samples of its nodes (/nodes); private to api.
 */
#ifndef API_JOB_CONTEXT_ROUTE_H
#define API_JOB_CONTEXT_ROUTE_H

#include "api/api_private.h"

/* Of struct api_route: see there. */
int job_context_read(struct net_request *request, void **ret_query, struct err *err);
int job_context_fetch(const struct api_readers *readers, const void *query,
                      struct api_result *ret, struct err *err);

/* Likewise; job_context_fetch() fetches the page, too. */
int job_page_read(struct net_request *request, void **ret_query, struct err *err);
/* Likewise. */
int job_nodes_read(struct net_request *request, void **ret_query, struct err *err);
int job_nodes_fetch(const struct api_readers *readers, const void *query,
                    struct api_result *ret, struct err *err);

#endif
