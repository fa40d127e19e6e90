/* SPDX-License-Identifier: Apache-2.0 */
/* check_server - baro-agent --check: whether the server would take our batches.
 */
#include "agent/check/check.h"
#include "base/clock.h"
#include "base/json_reader.h"
#include "base/number.h"
#include "base/secret.h"
#include "base/timetext.h"
#include "net/net.h"

#define SERVER_TIMEOUT_NS (5 * NS_PER_S)
#define TOKEN_BYTES_MAX 8192
#define CLOCK_WARN_NS (10 * NS_PER_S)
#define EXPIRY_WARN_NS (14 * 86400 * NS_PER_S)

/* What GET /v1/whoami says; times are T_NONE where it says nothing. */
struct believed {
    enum { OTHER, ROLES, HOST, TARGETS, EXPIRES, NOW } key;
    unsigned roles;
    char host[TOKEN_HOST_MAX + 1];
    struct strbuf targets;
    int64_t expires_ns, now_ns;
};

static int take_value(struct believed *b, struct span text)
{
    enum net_role role;
    switch (b->key) {
    case ROLES:
        /* A role that is not known here is one that a later server has. */
        if (net_role_parse(text, &role) == 0)
            b->roles |= role;
        return 0;
    case HOST:
        (void)snprintf(b->host, sizeof b->host, SPAN_FMT, SPAN_ARG(text));
        return 0;
    case TARGETS:
        strbuf_addf(&b->targets, "%s" SPAN_FMT, b->targets.size ? ", " : "",
                    SPAN_ARG(text));
        return 0;
    case EXPIRES:
        return timetext_parse(text, &b->expires_ns);
    case NOW:
        return timetext_parse(text, &b->now_ns);
    default:
        return 0;
    }
}

static int on_json(void *arg, enum json_event event, struct span text, unsigned depth)
{
    struct believed *b = arg;
    if (event == JSON_STRING)
        return take_value(b, text);
    if (event != JSON_KEY)
        return 0;
    b->key = depth                      ? OTHER
             : span_is(text, "roles")   ? ROLES
             : span_is(text, "host")    ? HOST
             : span_is(text, "targets") ? TARGETS
             : span_is(text, "expires") ? EXPIRES
             : span_is(text, "now")     ? NOW
                                        : OTHER;
    return 0;
}

static void print_clock(const struct believed *b, int64_t middle_ns, FILE *out)
{
    int64_t ahead_ns = middle_ns - b->now_ns;
    if (ahead_ns < CLOCK_WARN_NS && ahead_ns > -CLOCK_WARN_NS)
        return;
    fprintf(out,
            "  warning: this clock is %lld s %s the server's: rows more than an hour "
            "ahead are refused\n",
            (long long)((ahead_ns < 0 ? -ahead_ns : ahead_ns) / NS_PER_S),
            ahead_ns < 0 ? "behind" : "ahead of");
}

static void print_expiry(const struct believed *b, FILE *out)
{
    char text[TIMETEXT_SIZE];
    if (b->expires_ns == T_NONE)
        return;
    (void)timetext_print(text, b->expires_ns);
    fprintf(out, "  %sthe token holds until %s\n",
            b->expires_ns - b->now_ns < EXPIRY_WARN_NS ? "warning: " : "", text);
}

static int judge(const struct agent_opts *opts, const struct believed *b, FILE *out)
{
    if (b->roles & NET_ROLE_ADMIN) {
        fprintf(out, "server: answers, and lets us send\n");
        return EXIT_OK;
    }
    if (!(b->roles & NET_ROLE_AGENT)) {
        fprintf(out, "server: answers, and lets us ask but not send: that wants a "
                     "token of an agent; see token_file\n");
        return EXIT_FAILED;
    }
    if (strcmp(b->host, opts->host) != 0) {
        fprintf(out,
                "server: would refuse us: the token is for the host '%s', this one "
                "reports as '%s'; see token_file and host\n",
                b->host, opts->host);
        return EXIT_FAILED;
    }
    fprintf(out, "server: answers, and lets us send%s%s\n",
            b->targets.size ? "; of the targets " : "", strbuf_text(&b->targets));
    return EXIT_OK;
}

static int read_answer(const struct agent_opts *opts, const struct net_answer *answer,
                       int64_t middle_ns, FILE *out)
{
    struct err err = { 0 };
    struct believed believed = { .expires_ns = T_NONE, .now_ns = T_NONE };
    int status = EXIT_FAILED;
    if (json_read(strbuf_span(&answer->body), on_json, &believed, &err) < 0 ||
        believed.now_ns == T_NONE) {
        fprintf(out, "server: what answers there is not barod; see server\n");
    } else {
        status = judge(opts, &believed, out);
        print_expiry(&believed, out);
        print_clock(&believed, middle_ns, out);
    }
    strbuf_done(&believed.targets);
    return status;
}

static int read_refusal(struct net_answer *answer, FILE *out)
{
    struct err err = { 0 };
    if (answer->status == 503) {
        (void)net_answer_check(answer, &err);
        fprintf(out, "server: %s; batches would wait in the spool\n", err.text);
        return EXIT_OK;
    }
    if (net_answer_check(answer, &err) == 0)
        (void)err_set(&err, EPROTO, "what answers %u there is not barod",
                      answer->status);
    bool is_about_us = answer->status == 401 || answer->status == 403;
    fprintf(out, "server: %s%s\n", err.text,
            is_about_us ? "; see token_file" : "; see server");
    return EXIT_FAILED;
}

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

int agent_check_server(const struct agent_opts *opts, FILE *out)
{
    AUTO(strbuf_done) struct strbuf token = STRBUF_INIT;
    AUTO(net_client_free) struct net_client *client = NULL;
    AUTO(net_answer_done) struct net_answer answer = { 0 };
    struct err err = { 0 };
    int rc = load_token(opts->token_file, &token, &err);
    if (rc < 0) {
        fprintf(out, "token_file: %s\n", err.text);
        return EXIT_FAILED;
    }
    struct net_client_opts client_opts = {
        .url = opts->server,
        .token = strbuf_text(&token),
        .ca_file = opts->ca_file,
        .timeout_ns = SERVER_TIMEOUT_NS,
        .connect_timeout_ns = SERVER_TIMEOUT_NS,
    };
    rc = net_client_new(&client_opts, &client, &err);
    int64_t asked_ns = clock_now_ns();
    if (rc == 0)
        rc = net_client_get(client, "/v1/whoami", &answer, &err);
    if (rc == -EINVAL || rc == -EACCES) {
        fprintf(out, "server: %s\n", err.text);
        return EXIT_FAILED;
    }
    if (rc < 0) {
        fprintf(out, "server: does not answer: %s; batches would wait in the spool\n",
                err.text);
        return EXIT_OK;
    }
    if (answer.status != 200)
        return read_refusal(&answer, out);
    int64_t middle_ns = asked_ns + (clock_now_ns() - asked_ns) / 2;
    return read_answer(opts, &answer, middle_ns, out);
}
