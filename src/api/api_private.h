/* SPDX-License-Identifier: Apache-2.0 */
/* api_private - what the files of the api share: its state, and the form of a route. */
#ifndef API_API_PRIVATE_H
#define API_API_PRIVATE_H

#include "access/scope/scope.h"
#include "api/api.h"
#include "api/metric/metric_api.h"
#include "api/workers.h"

/* What a query that is no selection's results in. */
struct api_result {
    struct strbuf *body;
    const char *content_type; /* NULL: JSON */
    const char *policy;       /* Content-Security-Policy of a page; NULL: none */
    bool has_more;            /* Baro-More: yes */
    struct budget_hold *hold; /* where what the query holds is charged */
};

/* What a worker reads with. */
struct api_readers {
    struct api *api;
    struct records_reader *rows;
    const struct query_ctx *ctx;
    const struct access_client *client; /* for whom */
    int (*watch)(void *arg);            /* shall the query go on?  Below 0: not */
    void *watch_arg;
    bool is_objects; /* a table is printed as an array of objects */
};

/* The table as the client wants it. */
void api_table_print(const struct api_readers *readers, const struct table *table,
                     struct strbuf *out);

struct api_route {
    const char *method, *path;
    unsigned roles;
    const char *summary;
    const char *response;      /* a schema of the document: "Table"; NULL: no content */
    const char *request;       /* a schema of the document; NULL: no body */
    const char *request_type;  /* NULL: application/json */
    const char *response_type; /* NULL: application/json */
    uint64_t params;           /* PARAM_* */
    const char *path_param, *path_help;
    /* On a worker: fill *out with JSON.  NULL: another room serves it, it is here to be
     * described; or it needs no worker. */
    int (*run)(const struct api_readers *readers, struct selection *sel,
               struct strbuf *out, struct err *err);
    enum row_scope rows; /* that run reads */
    /* Instead of run, for queries of another kind than a selection.  read, on an HTTP
     * thread: the parameters, all of which are the route's, to a query that free()
     * frees.  fetch, on a worker, reads the database. */
    int (*read)(struct net_request *request, void **ret_query, struct err *err);
    int (*fetch)(const struct api_readers *readers, const void *query,
                 struct api_result *ret, struct err *err);
    bool is_elsewhere;
    bool is_redirect; /* it responds with 303 */
    bool is_accepted; /* it responds with 202 */
    bool is_limited;  /* served elsewhere, and query_timeout ends it: 504 */
};

struct api_binding {
    struct api *api;
    const struct api_route *route;
};

struct api {
    struct api_opts opts;
    _Atomic uint64_t stopped, failed;
    _Atomic bool is_stopping;
    int64_t began_ns;             /* time of day */
    struct workers *workers;      /* of the database's queries */
    struct api_binding *bindings; /* one a route: handlers have one argument */
    struct metric_api metric;
};

#endif
