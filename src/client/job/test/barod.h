/* SPDX-License-Identifier: Apache-2.0 */
/* barod - a server in the test's own process that stands in for a barod: each request
 * gets the first response whose words it has, and is written down.
 */
#ifndef CLIENT_JOB_TEST_BAROD_H
#define CLIENT_JOB_TEST_BAROD_H

#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/testing.h"
#include "net/net.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BAROD_BODY_SHOWN 200 /* bytes of a request's body */

struct barod_response {
    const char *words; /* of "GET /v1/jobs id=7 limit=10"; NULL: of every request */
    unsigned status;
    const char *body; /* of a failure its detail */
    bool has_more;
};

struct barod {
    char dir[32], socket[64], url[80];
    struct net_opts opts;
    struct net_server *net;
    const struct barod_response *responses; /* none fits: 404 */
    size_t count;
    struct strbuf requests; /* a line each, with their bodies in brackets */
    struct strbuf body;     /* of the newest */
};

/* All runs on one HTTP thread while the test waits for the response. */
static void barod_write_down(struct barod *b, struct net_request *request,
                             struct strbuf *line)
{
    struct span name, value, body = strbuf_span(&b->body);
    strbuf_addf(line, "%s " SPAN_FMT, net_request_method(request),
                SPAN_ARG(net_request_path(request)));
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++)
        strbuf_addf(line, " " SPAN_FMT "=" SPAN_FMT, SPAN_ARG(name), SPAN_ARG(value));
    body.size = body.size < BAROD_BODY_SHOWN ? body.size : BAROD_BODY_SHOWN;
    if (body.size > 0)
        strbuf_addf(line, " [" SPAN_FMT "]", SPAN_ARG(body));
    strbuf_addf(&b->requests, "%s\n", strbuf_text(line));
    strbuf_clear(&b->body);
}

static void barod_respond(void *arg, struct net_request *request)
{
    struct barod *b = arg;
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    const struct barod_response *found = NULL;
    barod_write_down(b, request, &line);
    for (size_t i = 0; i < b->count && !found; i++)
        if (!b->responses[i].words || strstr(strbuf_text(&line), b->responses[i].words))
            found = &b->responses[i];
    if (!found || found->status >= 300) {
        net_reply_problem(request, found ? found->status : 404,
                          found ? found->body : "not here");
        return;
    }
    if (found->has_more)
        net_reply_header(request, "Baro-More", "yes");
    strbuf_adds(&body, found->body);
    net_reply_json(request, found->status, &body);
}

static int barod_body_begin(void *arg, struct net_request *request, void **ret_state,
                            struct err *err)
{
    (void)request;
    (void)err;
    *ret_state = arg;
    return 0;
}

static int barod_body_data(void *state, struct net_request *request, const void *data,
                           size_t size, struct err *err)
{
    struct barod *b = state;
    (void)request;
    (void)err;
    strbuf_add(&b->body, data, size);
    return 0;
}

static void barod_body_free(void *state)
{
    (void)state;
}

static inline void barod_start(struct barod *b)
{
    static const char *const listen[] = { "127.0.0.1:0" };
    static const struct net_body receiver = { barod_body_begin, barod_body_data,
                                              barod_body_free };
    static const struct {
        const char *method, *path;
    } routes[] = {
        { "GET", "/v1/jobs" },           { "GET", "/v1/summaries" },
        { "GET", "/v1/status" },         { "GET", "/v1/series" },
        { "GET", "/v1/query" },          { "GET", "/v1/jobstats/top" },
        { "GET", "/v1/jobstats/rates" }, { "GET", "/v1/jobstats/job/{id}" },
        { "GET", "/v1/jobs/{id}" },      { "POST", "/v1/jobs" },
        { "POST", "/v1/summaries" },
    };
    struct err err = { 0 };
    *b = (struct barod){ .dir = "/tmp/baro-client-job.XXXXXX" };
    assert_non_null(mkdtemp(b->dir));
    (void)snprintf(b->socket, sizeof b->socket, "%s/sock", b->dir);
    (void)snprintf(b->url, sizeof b->url, "unix:%s", b->socket);
    net_opts_default(&b->opts);
    b->opts.listen.items = (const char **)(uintptr_t)listen;
    b->opts.listen.count = 1;
    b->opts.socket = b->socket;
    b->opts.threads = 1;
    if (net_server_new(&b->opts, &b->net, &err) < 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < COUNT_OF(routes); i++) {
        const struct net_route route = {
            .method = routes[i].method,
            .pattern = routes[i].path,
            .roles = NET_ROLE_READER,
            .handle = barod_respond,
            .body = routes[i].method[0] == 'P' ? &receiver : NULL,
            .arg = b,
        };
        assert_int_equal(net_server_add_route(b->net, &route), 0);
    }
    if (net_server_start(b->net, &err) < 0)
        fail_msg("%s", err.text);
}

/* Between requests only; the responses are the caller's. */
static inline void barod_script(struct barod *b, const struct barod_response *responses,
                                size_t count)
{
    b->responses = responses;
    b->count = count;
    strbuf_clear(&b->requests);
}

static inline void barod_stop(struct barod *b)
{
    net_server_free(b->net);
    strbuf_done(&b->requests);
    strbuf_done(&b->body);
    (void)rmdir(b->dir);
}

/* ---- as what runs beside all tests of a program ---- */

static struct barod barod;

static inline int barod_begin(void **state)
{
    (void)state;
    barod_start(&barod);
    return 0;
}

static inline int barod_end(void **state)
{
    (void)state;
    barod_stop(&barod);
    return 0;
}

#endif
