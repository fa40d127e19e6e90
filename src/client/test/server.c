/* SPDX-License-Identifier: Apache-2.0 */
/* server - a barod of the test's own process that gives scripted responses. */
#include "client/test/server.h"

#include "base/span.h"

#include "base/test/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* All runs on one HTTP thread while the test waits for the response. */
static void write_down(struct server *s, struct net_request *request)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct span name, value;
    strbuf_addf(&text, "%s " SPAN_FMT, net_request_method(request),
                SPAN_ARG(net_request_path(request)));
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++)
        strbuf_addf(&text, " " SPAN_FMT "=" SPAN_FMT, SPAN_ARG(name), SPAN_ARG(value));
    if (s->body.size)
        strbuf_addf(&text, " [" SPAN_FMT "]", SPAN_ARG(strbuf_span(&s->body)));
    (void)snprintf(s->last, sizeof s->last, "%s", strbuf_text(&text));
}

static void respond(void *arg, struct net_request *request)
{
    struct server *s = arg;
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    size_t index =
        s->requests < s->response_count ? s->requests : s->response_count - 1;
    const struct server_response *response = &s->responses[index];
    s->requests++;
    write_down(s, request);
    strbuf_clear(&s->body);
    if (response->retry_after)
        net_reply_header(request, "Retry-After", response->retry_after);
    if (response->has_more)
        net_reply_header(request, "Baro-More", "yes");
    strbuf_adds(&body, response->body);
    if (response->status < 300)
        net_reply_json(request, response->status, &body);
    else
        net_reply_problem(request, response->status, response->body);
}

static int body_begin(void *arg, struct net_request *request, void **ret_state,
                      struct err *err)
{
    (void)request;
    (void)err;
    *ret_state = arg;
    return 0;
}

static int body_data(void *state, struct net_request *request, const void *data,
                     size_t size, struct err *err)
{
    struct server *s = state;
    (void)request;
    (void)err;
    strbuf_add(&s->body, data, size);
    return 0;
}

static void body_free(void *state)
{
    (void)state;
}

static const struct net_body body_kept = { body_begin, body_data, body_free };

void server_start(struct server *server)
{
    static const char *const get_patterns[] = {
        "/v1/table",           "/v1/jobstats/top", "/v1/jobstats/rates",
        "/v1/jobstats/series", "/v1/query",        "/v1/jobstats/job/{id}",
    };
    static const char *const listen[] = { "127.0.0.1:0" };
    struct err err = { 0 };
    *server = (struct server){ .dir = "/tmp/baro-client.XXXXXX" };
    assert_non_null(mkdtemp(server->dir));
    (void)snprintf(server->socket, sizeof server->socket, "%s/sock", server->dir);
    (void)snprintf(server->url, sizeof server->url, "unix:%s", server->socket);
    net_opts_default(&server->opts);
    server->opts.listen.items = (const char **)(uintptr_t)listen;
    server->opts.listen.count = 1;
    server->opts.socket = server->socket;
    server->opts.threads = 1;
    if (net_server_new(&server->opts, &server->net, &err) < 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < COUNT_OF(get_patterns); i++) {
        const struct net_route route = { .method = "GET",
                                         .pattern = get_patterns[i],
                                         .roles = NET_ROLE_READER,
                                         .handle = respond,
                                         .arg = server };
        assert_int_equal(net_server_add_route(server->net, &route), 0);
    }
    const struct net_route with_body[] = {
        { .method = "GET",
          .pattern = "/api/query/",
          .roles = NET_ROLE_READER,
          .handle = respond,
          .body = &body_kept,
          .arg = server },
        { .method = "POST",
          .pattern = "/v1/jobs",
          .roles = NET_ROLE_READER,
          .handle = respond,
          .body = &body_kept,
          .arg = server },
    };
    for (size_t i = 0; i < COUNT_OF(with_body); i++)
        assert_int_equal(net_server_add_route(server->net, &with_body[i]), 0);
    if (net_server_start(server->net, &err) < 0)
        fail_msg("%s", err.text);
}

void server_script(struct server *server, const struct server_response *responses,
                   size_t count)
{
    assert_true(count >= 1 && count <= SERVER_RESPONSES_MAX);
    memcpy(server->responses, responses, count * sizeof *responses);
    server->response_count = count;
    server->requests = 0;
    server->last[0] = '\0';
}

void server_stop(struct server *server)
{
    net_server_free(server->net);
    strbuf_done(&server->body);
    (void)rmdir(server->dir);
}
