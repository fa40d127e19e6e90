/* SPDX-License-Identifier: Apache-2.0 */
/* diff_route - GET /v1/diff: in what jobs differ; private to api.
 *
 *     ids ─▶ job_evidence: whose a job is, and its log ─▶ profiles ─▶ analysis/pair ─▶
 *     the rows that baro job diff -o json prints
 */
#ifndef API_DIFF_DIFF_ROUTE_H
#define API_DIFF_DIFF_ROUTE_H

#include "api/api_private.h"

/* Of struct api_route: see there. */
int diff_read(struct net_request *request, void **ret_query, struct err *err);
int diff_fetch(const struct api_readers *readers, const void *query,
               struct api_result *ret, struct err *err);

#endif
