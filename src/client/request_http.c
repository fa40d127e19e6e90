/* SPDX-License-Identifier: Apache-2.0 */
/* request_http - requests to a barod: a selection as an URL, JSON as tables. */
#include "client/http.h"
#include "client/transport.h"

static int http_open(const struct client_endpoint *endpoint, void **ret,
                     struct err *err)
{
    struct client_http *http = NULL;
    int rc = client_http_open(endpoint, &http, err);
    if (rc == 0)
        *ret = http;
    return rc;
}

static void http_close(void *state)
{
    client_http_close(state);
}

struct writer {
    struct net_url *url;
    const char *left_out; /* a parameter that the path has; NULL: none */
};

static void add_param(void *arg, const char *name, struct span value)
{
    const struct writer *w = arg;
    if (!w->left_out || strcmp(name, w->left_out) != 0)
        net_url_add_span(w->url, name, value);
}

static int http_table(void *state, enum client_request request, struct selection *sel,
                      struct table *ret, struct err *err)
{
    static const char *const paths[] = {
        [CLIENT_TOP] = "/v1/jobstats/top",
        [CLIENT_RATES] = "/v1/jobstats/rates",
        [CLIENT_SERIES] = "/v1/jobstats/series",
    };
    AUTO(net_url_done) struct net_url url;
    struct writer writer = { &url, NULL };
    struct span body = { 0 };
    net_url_init(&url, paths[request]);
    int rc = selection_params(sel, add_param, &writer);
    if (rc == 0)
        rc = client_http_get_typed(state, &url, &body, err);
    return rc < 0 ? rc : table_from_json(body, ret, err);
}

static int http_job(void *state, struct selection *sel, struct table *parts,
                    struct err *err)
{
    AUTO(net_url_done) struct net_url url;
    struct writer writer = { &url, "job" };
    struct span body = { 0 };
    net_url_init(&url, "/v1/jobstats/job");
    net_url_add_segment(&url, sel->filter.job);
    int rc = selection_params(sel, add_param, &writer);
    if (rc == 0)
        rc = client_http_get_typed(state, &url, &body, err);
    return rc < 0 ? rc : query_job_from_json(body, parts, err);
}

const struct client_transport client_transport_http = {
    .open = http_open,
    .close = http_close,
    .table = http_table,
    .job = http_job,
};
