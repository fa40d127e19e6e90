/* SPDX-License-Identifier: Apache-2.0 */
/* metric_routes - what is asked of the metric store; private to api.
 *
 *     metric_query.c   /api/query: answers of any length, made while they are sent
 *     metric_admin.c   /api/free, /v1/store/spare
 *     metric_debug.c   /api/debug
 *     metric_health.c  /api/healthcheck
 *     metric_v1.c      /v1/metrics, /v1/series, /v1/query
 *
 * Questions run on workers (metric_call.h), changes on HTTP threads.
 */
#ifndef API_METRIC_ROUTES_H
#define API_METRIC_ROUTES_H

#include "api/api.h"

#include <stdatomic.h>

struct metric_call;
struct workers;

struct metric_api {
    struct metric_store *store;
    enum metric_strictness strictness;
    struct workers *workers;
    int64_t timeout_ns;               /* of a question; 0: none */
    struct budget_account *questions; /* NULL: no limit */
    const _Atomic bool *is_stopping;  /* what is under way becomes 503 */
    _Atomic uint64_t *stopped_count;  /* questions that were cut off */
    struct metric_call *call;         /* a handler's own question */
};

/* metric must outlive the server.  Errors: -ENOMEM. */
int metric_routes_register(struct metric_api *metric, struct net_server *server);

/* Handlers; arg is a struct metric_api of the question's own. */
void metric_query_handle(void *arg, struct net_request *request);
void metric_free_handle(void *arg, struct net_request *request);
void metric_spare_handle(void *arg, struct net_request *request);
void metric_debug_handle(void *arg, struct net_request *request);
void metric_health_handle(void *arg, struct net_request *request);
void metric_list_handle(void *arg, struct net_request *request);
void metric_series_handle(void *arg, struct net_request *request);
void metric_v1_query_handle(void *arg, struct net_request *request);

/* The member "store" of /v1/status. */
void metric_write_status(struct metric_store *store, struct json_writer *w);

/* The body of such a request, whole. */
struct span metric_body(const struct net_request *request);

/* {"status":"Bad Request","error":...}, as cc-metric-store says it. */
void metric_reply_error(struct net_request *request, int rc, const struct err *err);

/* A JSON string. */
void metric_add_text(struct strbuf *out, struct span text);

#endif
