/* SPDX-License-Identifier: Apache-2.0 */
/* check_server - baro-agent --check: whether the server would accept our batches. */
#include "agent/check/check_server.h"

#include "base/clock.h"
#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/secret.h"
#include "base/timetext.h"

#define SERVER_TIMEOUT_NS (5 * NS_PER_S)
#define TOKEN_BYTES_MAX 8192

/* What GET /v1/whoami reports; times are T_NONE where it reports none. */
struct whoami_parser {
    enum { OTHER, ROLES, HOST, TARGETS, EXPIRES, NOW } key;
    unsigned roles;
    struct check_server *ret;
};

static int on_whoami_text(struct whoami_parser *p, struct span text)
{
    enum net_role role;
    switch (p->key) {
    case ROLES:
        /* A role that is not known here is one that a later server has. */
        if (net_role_parse(text, &role) == 0)
            p->roles |= role;
        return 0;
    case HOST:
        (void)snprintf(p->ret->host, sizeof p->ret->host, SPAN_FMT, SPAN_ARG(text));
        return 0;
    case TARGETS:
        strbuf_addf(&p->ret->targets, "%s" SPAN_FMT, p->ret->targets.size ? ", " : "",
                    SPAN_ARG(text));
        return 0;
    case EXPIRES:
        return timetext_parse(text, &p->ret->expires_ns);
    case NOW:
        return timetext_parse(text, &p->ret->server_now_ns);
    default:
        return 0;
    }
}

static int on_whoami(void *arg, enum json_event event, struct span text, unsigned depth)
{
    struct whoami_parser *p = arg;
    if (event == JSON_STRING)
        return on_whoami_text(p, text);
    if (event != JSON_KEY)
        return 0;
    p->key = depth                      ? OTHER
             : span_is(text, "roles")   ? ROLES
             : span_is(text, "host")    ? HOST
             : span_is(text, "targets") ? TARGETS
             : span_is(text, "expires") ? EXPIRES
             : span_is(text, "now")     ? NOW
                                        : OTHER;
    return 0;
}

static enum check_server_state judge_token(const struct agent_opts *opts,
                                           const struct whoami_parser *p)
{
    if (p->roles & NET_ROLE_ADMIN)
        return CHECK_SERVER_ACCEPTS;
    if (!(p->roles & NET_ROLE_AGENT))
        return CHECK_SERVER_QUERIES_ONLY;
    return strcmp(p->ret->host, opts->host) == 0 ? CHECK_SERVER_ACCEPTS
                                                 : CHECK_SERVER_OTHER_HOST;
}

static void judge_failure(const struct net_response *response, struct check_server *ret)
{
    struct err err = { 0 };
    if (net_response_check(response, &err) == 0)
        (void)err_set(&err, EPROTO, "what responds %u there is not barod",
                      response->status);
    ret->state = response->status == 503 ? CHECK_SERVER_BUSY
                 : response->status == 401 || response->status == 403
                     ? CHECK_SERVER_REFUSES
                     : CHECK_SERVER_FAILS;
    (void)snprintf(ret->reason, sizeof ret->reason, "%s", err.text);
}

void check_server_judge(const struct agent_opts *opts,
                        const struct net_response *response, int64_t middle_ns,
                        struct check_server *ret)
{
    struct whoami_parser parser = { .ret = ret };
    struct err err = { 0 };
    ret->expires_ns = ret->server_now_ns = T_NONE;
    if (response->status != 200) {
        judge_failure(response, ret);
        return;
    }
    if (json_read(strbuf_span(&response->body), on_whoami, &parser, &err) < 0 ||
        ret->server_now_ns == T_NONE) {
        ret->state = CHECK_SERVER_NOT_BAROD;
        return;
    }
    ret->state = judge_token(opts, &parser);
    /* All targets are an admin's. */
    if (parser.roles & NET_ROLE_ADMIN)
        strbuf_clear(&ret->targets);
    ret->ahead_ns = middle_ns - ret->server_now_ns;
}

/* ---- the request ---- */

/* A file with one token, or no path: then the token is empty. */
static int load_token(const char *path, struct strbuf *token, struct err *err)
{
    if (!path || !*path)
        return 0;
    int rc = secret_read(path, TOKEN_BYTES_MAX, token, err);
    if (rc < 0)
        return rc;
    while (token->size && (token->data[token->size - 1] == '\n' ||
                           token->data[token->size - 1] == ' '))
        token->data[--token->size] = '\0';
    return 0;
}

static void set_state(struct check_server *ret, enum check_server_state state,
                      const struct err *err)
{
    ret->state = state;
    (void)snprintf(ret->reason, sizeof ret->reason, "%s", err->text);
}

void check_server(const struct agent_opts *opts, struct check_server *ret)
{
    AUTO(strbuf_done) struct strbuf token = STRBUF_INIT;
    AUTO(net_client_free) struct net_client *client = NULL;
    AUTO(net_response_done) struct net_response response = { 0 };
    struct err err = { 0 };
    *ret = (struct check_server){ .expires_ns = T_NONE, .server_now_ns = T_NONE };
    int rc = load_token(opts->token_file, &token, &err);
    if (rc < 0) {
        set_state(ret, CHECK_SERVER_NO_TOKEN, &err);
        return;
    }
    const struct net_client_opts client_opts = {
        .url = opts->server,
        .token = strbuf_text(&token),
        .ca_file = opts->ca_file,
        .timeout_ns = SERVER_TIMEOUT_NS,
        .connect_timeout_ns = SERVER_TIMEOUT_NS,
    };
    rc = net_client_new(&client_opts, &client, &err);
    int64_t asked_ns = clock_now_ns();
    if (rc == 0)
        rc = net_client_get(client, "/v1/whoami", &response, &err);
    int64_t middle_ns = asked_ns + (clock_now_ns() - asked_ns) / 2;
    if (rc < 0)
        set_state(ret,
                  rc == -EINVAL || rc == -EACCES ? CHECK_SERVER_INVALID
                                                 : CHECK_SERVER_AWAY,
                  &err);
    else
        check_server_judge(opts, &response, middle_ns, ret);
}

bool check_server_is_good(const struct check_server *server)
{
    return server->state == CHECK_SERVER_ACCEPTS ||
           server->state == CHECK_SERVER_BUSY || server->state == CHECK_SERVER_AWAY;
}
