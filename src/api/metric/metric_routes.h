/* SPDX-License-Identifier: Apache-2.0 */
/* metric_routes - the routes of the metric store; private to api.
 *
 *     metric_query.c   /api/query: responses of any length, made while they are sent
 *     metric_admin.c   /api/free, /v1/store/exempt
 *     metric_debug.c   /api/debug
 *     metric_health.c  /api/healthcheck
 *     prometheus_routes.c  /api/v1/...
 *     metric_v1.c      /v1/metrics, /v1/series, /v1/query
 *
 * Queries run on workers (metric_call.h), changes on HTTP threads.
 */
#ifndef API_METRIC_ROUTES_H
#define API_METRIC_ROUTES_H

#include "api/metric/metric_api.h"
#include "base/json_writer.h"

/* metric must outlive the server.  Errors: -ENOMEM. */
int metric_routes_register(struct metric_api *metric, struct net_server *server);
/* Those below /api/v1; likewise. */
int prometheus_routes_register(struct metric_api *metric, struct net_server *server);

/* Handlers; arg is a struct metric_api of the query's own. */
void metric_query_handle(void *arg, struct net_request *request);
void metric_free_handle(void *arg, struct net_request *request);
void metric_exempt_handle(void *arg, struct net_request *request);
void metric_debug_handle(void *arg, struct net_request *request);
void metric_health_handle(void *arg, struct net_request *request);
void metric_list_handle(void *arg, struct net_request *request);
void metric_series_handle(void *arg, struct net_request *request);
void metric_v1_query_handle(void *arg, struct net_request *request);

/* The member "store" of /v1/status. */
void metric_write_status(struct metric_store *store, struct json_writer *w);

#endif
