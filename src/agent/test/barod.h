/* SPDX-License-Identifier: Apache-2.0 */
/* barod - a server in the test's own process that stands in for a barod: it gives each
 * POST the same response, and counts and remembers what came.
 */
#ifndef AGENT_TEST_BAROD_H
#define AGENT_TEST_BAROD_H

#include "base/test/testing.h"
#include "net/net.h"

#include <pthread.h>

struct barod {
    struct net_opts opts;
    struct net_server *server;
    char url[64];
    pthread_mutex_t lock; /* of what follows */
    unsigned status;
    const char *body;
    unsigned requests;
    struct strbuf bodies; /* of all requests, one after the other */
};

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
    LOCKED(&b->lock);
    strbuf_add(&b->bodies, data, size);
    return 0;
}

static void barod_body_free(void *state)
{
    (void)state;
}

static void barod_respond(void *arg, struct net_request *request)
{
    struct barod *b = arg;
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    unsigned status;
    {
        LOCKED(&b->lock);
        b->requests++;
        status = b->status;
        strbuf_adds(&body, b->body);
    }
    net_reply(request, status, "application/json", &body);
}

static void barod_start(struct barod *b, unsigned status, const char *body)
{
    static const char *const listen[] = { "127.0.0.1:0" };
    static const struct net_body receiver = { barod_body_begin, barod_body_data,
                                              barod_body_free };
    static const char *const paths[] = { "/v1/jobstats", "/api/write", "/v1/health" };
    struct err err = { 0 };
    *b = (struct barod){ .status = status, .body = body };
    (void)pthread_mutex_init(&b->lock, NULL);
    net_opts_default(&b->opts);
    b->opts.listen.items = (const char **)(uintptr_t)listen;
    b->opts.listen.count = 1;
    b->opts.socket = "none";
    b->opts.threads = 1;
    if (net_server_new(&b->opts, &b->server, &err) < 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        const struct net_route route = { .method = "POST",
                                         .pattern = paths[i],
                                         .handle = barod_respond,
                                         .body = &receiver,
                                         .arg = b };
        assert_int_equal(net_server_add_route(b->server, &route), 0);
    }
    if (net_server_start(b->server, &err) < 0)
        fail_msg("%s", err.text);
    (void)snprintf(b->url, sizeof b->url, "http://127.0.0.1:%u",
                   net_server_port(b->server, 0));
}

static inline void barod_set(struct barod *b, unsigned status, const char *body)
{
    LOCKED(&b->lock);
    b->status = status;
    b->body = body;
}

static void barod_stop(struct barod *b)
{
    net_server_free(b->server);
    strbuf_done(&b->bodies);
}

#endif
