/* SPDX-License-Identifier: Apache-2.0 */
/* server - a barod of the test's own process that gives scripted responses. */
#ifndef CLIENT_TEST_SERVER_H
#define CLIENT_TEST_SERVER_H

#include "net/net.h"

#define SERVER_RESPONSES_MAX 8

struct server_response {
    unsigned status;
    const char *body; /* of a failure its detail */
    const char *retry_after;
    bool has_more;
};

struct server {
    char dir[32], socket[64], url[80];
    struct net_opts opts;
    struct net_server *net;
    /* Given one after the other; the last one again and again. */
    struct server_response responses[SERVER_RESPONSES_MAX];
    size_t response_count;
    size_t requests;
    char last[512]; /* "POST /v1/x name=value ... body" of the newest request */
    struct strbuf body;
};

void server_start(struct server *server);
/* The next responses; count at least 1.  Between requests only. */
void server_script(struct server *server, const struct server_response *responses,
                   size_t count);
void server_stop(struct server *server);
DEFINE_AUTO_DONE(struct server, server_stop);

#endif
