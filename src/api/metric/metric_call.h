/* SPDX-License-Identifier: Apache-2.0 */
/* metric_call - a query to the metric store on its way; private to api.
 *
 *     HTTP thread: body ──▶ queue ──▶ worker: handler ──▶ response, or its first piece
 *                  503 when full                │           (504 at the deadline)
 *     HTTP thread: piece sent ─▶ queue ─▶ worker: the next piece ─▶ HTTP thread ...
 *
 * No HTTP thread reads the store (doc/decisions/0342), so that queries cannot hold up
 * writes, health or each other's bodies.  A handler is given a struct metric_api of its
 * own, whose call is this one.
 *
 * Deadline  query_timeout from a query's arrival to its first piece; of what
 *           follows, so much time of workers, since a slow client is none of theirs.
 */
#ifndef API_METRIC_CALL_H
#define API_METRIC_CALL_H

#include "api/metric/metric_api.h"
#include "api/workers.h"

struct metric_call;

struct workers_opts metric_call_workers(struct metric_api *metric, size_t count);

/* On an HTTP thread: queue the request for handle, or refuse it. */
void metric_call_begin(struct metric_api *metric, struct net_request *request,
                       net_handler_fn *handle);

/* May the query go on?  Asked by what works for it.  Errors: -ETIMEDOUT, -ECANCELED
 * (the client has gone), -ESHUTDOWN; after one of them always the same. */
int metric_call_watch(void *call);
/* Where memory is counted that the query holds beside its body and its response,
 * until it has ended.  What it refuses is passed to metric_call_error() as it is. */
struct budget_hold *metric_call_hold(struct metric_call *call);

/* As net_reply_stream(), by pieces that workers make.  What fails before the first
 * piece is there becomes an error in the form of the route. */
void metric_call_stream(struct metric_api *api, struct net_request *request,
                        const char *content_type, const struct net_stream *stream);

/* In the form of the route: /v1/ has problems, /api/ what cc-metric-store says. */
void metric_call_error(struct metric_api *api, struct net_request *request, int rc,
                       const struct err *err);

#endif
