/* SPDX-License-Identifier: Apache-2.0 */
/* check_server - baro-agent --check: whether the server would accept our batches. */
#ifndef AGENT_CHECK_CHECK_SERVER_H
#define AGENT_CHECK_CHECK_SERVER_H

#include "agent/config.h"
#include "base/strbuf.h"
#include "model/model.h"
#include "net/net.h"

enum check_server_state {
    CHECK_SERVER_ACCEPTS,
    CHECK_SERVER_QUERIES_ONLY, /* the token may query, not send */
    CHECK_SERVER_OTHER_HOST,   /* the token is of another host */
    CHECK_SERVER_NOT_BAROD,    /* what responds there is another program */
    CHECK_SERVER_REFUSES,      /* 401, 403 */
    CHECK_SERVER_FAILS,        /* another status */
    CHECK_SERVER_BUSY,         /* 503: batches would wait */
    CHECK_SERVER_AWAY,         /* no response: batches would wait */
    CHECK_SERVER_INVALID,      /* the address or the certificate */
    CHECK_SERVER_NO_TOKEN,     /* the token cannot be read */
};

struct check_server {
    enum check_server_state state;
    char reason[sizeof((struct err *)NULL)->text]; /* where it does not accept */
    char host[TOKEN_HOST_MAX + 1];                 /* of the token */
    struct strbuf targets;                         /* of the token; empty: all */
    int64_t expires_ns;                            /* of the token; T_NONE: never */
    int64_t server_now_ns;                         /* T_NONE: not known */
    int64_t ahead_ns; /* our clock before the server's; 0: not known */
};

/* Queries the server; *ret->targets is the caller's. */
void check_server(const struct agent_opts *opts, struct check_server *ret);
/* What the response to GET /v1/whoami means, which came at middle_ns. */
void check_server_judge(const struct agent_opts *opts,
                        const struct net_response *response, int64_t middle_ns,
                        struct check_server *ret);
/* Would a service run with it? */
bool check_server_is_good(const struct check_server *server);

#endif
