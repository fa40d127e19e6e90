/* SPDX-License-Identifier: Apache-2.0 */
/* api - the REST routes of barod, one table; the room's door.
 *
 *     HTTP thread: parameters checked ──▶ queue ──▶ worker: query ──▶ answer
 *                  (400, or 503 when full)          readers of its own
 *
 * No HTTP thread ever waits for the database or reads the metric store: responses are
 * deferred to a few workers, for the database with readers of their own
 * (doc/decisions/0050, 0342).  The OpenAPI document is made from
 * the same table that the routes are registered from.
 *
 * Threads  api_new and api_free: the program's; everything else is inside.
 */
#ifndef API_API_H
#define API_API_H

#include "analysis/footprint/footprint.h"
#include "analysis/log_dirs/log_dirs.h"
#include "analysis/rules/rules.h"
#include "base/json_writer.h"
#include "base/system/budget.h"
#include "net/net.h"
#include "query/query.h"
#include "records/records.h"
#include "store/store.h"

struct api;

struct api_opts {
    struct records *records;
    const struct site *site;           /* which clusters use what; NULL: not known */
    struct live *live;                 /* NULL: everything is read from the database */
    struct cell_cache *cells;          /* hours of it in memory; NULL: none */
    struct metric_store *store;        /* NULL: there is none, nor its routes */
    enum metric_strictness strictness; /* as cc-metric-store in all, or better */
    struct log_dirs *log_dirs;         /* where logs of jobs lie; NULL: none is read */
    const char *climate_map; /* of the runs of summaries: a file; NULL: there is none */
    const struct node_peaks *peaks; /* what nodes can do at best; NULL: not known */
    const struct site_rules *rules; /* that pages follow; NULL: what is built in */
    const struct resource_rules *resource_rules; /* of parts and enclosures */
    /* Add members of the program's own to the object of /v1/status, called on a worker;
     * NULL: none. */
    void (*status)(void *arg, struct json_writer *w);
    void *status_arg;
    size_t worker_count;            /* 0: 3; one sender has all but one at most */
    int64_t timeout_ns;             /* of one query, from its arrival; 0: none */
    struct budget_account *queries; /* what queries hold; NULL: no limit */
    size_t queue_max; /* waiting for a worker, of one sender half of it; 0: 32 */
};

/* Starts the workers; what opts points to must outlive the api.  Errors: -ENOMEM,
 * -EAGAIN (threads). */
int api_new(const struct api_opts *opts, struct api **ret, struct err *err);
/* What is asked from now on, waits or is being answered becomes 503, at once: before
 * net_server_free, which waits for the responses. */
void api_stop(struct api *api);
/* After net_server_free, which waits for the responses that are due. */
void api_free(struct api *api);
DEFINE_AUTO(struct api, api_free);

/* Add every route, before the server starts.  Errors: -ENOMEM. */
int api_register(struct api *api, struct net_server *server);

struct api_stats {
    uint64_t asked;   /* requests that a worker took */
    uint64_t refused; /* 503 because the queue was full */
    uint64_t stopped; /* queries cut off: too long, the asker gone, barod stopping */
    uint64_t failed;  /* answered with an error by a worker */
    size_t waiting, waiting_max;                 /* now, for the database */
    size_t metrics_waiting, metrics_waiting_max; /* and for the store */
};
void api_get_stats(struct api *api, struct api_stats *ret);

/* The OpenAPI 3.0 document that /v1/openapi.json serves. */
void api_openapi(struct strbuf *out);

#endif
