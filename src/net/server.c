/* SPDX-License-Identifier: Apache-2.0 */
/* server - start and stop of the HTTP server. */
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/group.h"
#include "base/system/secret.h"
#include "net/accept.h"
#include "net/head.h"
#include "net/request.h"
#include "net/token/token.h"

#include <stddef.h>

enum {
    THREADS_BY_ITSELF_MAX = 8,
    CONNECTION_MEMORY_BYTES = 64 * 1024,
    PEM_FILE_MAX = 1024 * 1024,
    LAST_RESPONSES_MS = 2000,
};

/* TLS 1.2 and newer. */
#define TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

/* ---- making ---- */

static struct rate *make_rate(const struct net_opts *opts)
{
    const struct rate_limit limits[] = {
        [RATE_REQUESTS] = { (double)opts->rate_requests,
                            (double)opts->rate_requests_burst },
        [RATE_BYTES] = { (double)opts->rate_bytes, (double)opts->rate_bytes_burst },
        [RATE_FAILURES] = { (double)opts->rate_failures / 60,
                            (double)opts->rate_failures },
    };
    return rate_new(limits);
}

static void make_accounts(struct net_server *server)
{
    const struct net_opts *opts = server->opts;
    budget_account_init(&server->own_requests, "requests", opts->body_budget_bytes);
    budget_account_init(&server->own_responses, "responses",
                        opts->response_budget_bytes);
    server->requests = opts->requests ? opts->requests : &server->own_requests;
    server->responses = opts->responses ? opts->responses : &server->own_responses;
    /* What is reserved for others leaves a place for the largest body. */
    struct budget_account *requests = server->requests;
    uint64_t large = requests->limit_bytes - requests->limit_bytes / 8;
    uint64_t body = opts->body_bytes_max + BUDGET_SMALL_BYTES;
    if (body > requests->limit_bytes)
        body = requests->limit_bytes;
    requests->large_bytes = large > body ? large : body;
}

static bool is_set(const char *text)
{
    return text && text[0] && strcmp(text, "none") != 0;
}

static int add_tcp(struct net_server *server, const char *text, struct err *err)
{
    if (strcmp(text, "none") == 0)
        return 0;
    if (server->listener_count == LISTENERS_MAX)
        return err_set(err, EINVAL, "listen: more than %d addresses", LISTENERS_MAX);
    struct listener *l = &server->listeners[server->listener_count];
    int rc = listener_parse_tcp(text, l, err);
    if (rc < 0)
        return rc;
    const struct net_opts *opts = server->opts;
    if (!l->is_loopback && !is_set(opts->key) && !is_set(opts->jwt_public_key))
        return err_set(
            err, EINVAL,
            "listen: %s would be open without authentication: set \"key\" (baro token "
            "key new makes one), or listen on loopback",
            text);
    if (!l->is_loopback && !server->has_tls && !opts->plaintext)
        return err_set(err, EINVAL,
                       "listen: %s would show tokens on the wire: set "
                       "\"tls_certificate\" and \"tls_key\", or \"plaintext = yes\"",
                       text);
    if (!l->is_loopback && clock_is_played())
        return err_set(err, EINVAL,
                       "listen: %s: with BARO_CLOCK only loopback is served", text);
    server->listener_count++;
    return 0;
}

static int add_listeners(struct net_server *server, struct err *err)
{
    const struct net_opts *opts = server->opts;
    int rc = opts->listen.count ? 0 : add_tcp(server, NET_LISTEN_DEFAULT, err);
    for (size_t i = 0; rc == 0 && i < opts->listen.count; i++)
        rc = add_tcp(server, opts->listen.items[i], err);
    if (rc < 0 || !is_set(opts->socket))
        return rc;
    if (server->listener_count == LISTENERS_MAX)
        return err_set(err, EINVAL, "listen: more than %d addresses", LISTENERS_MAX);
    rc = listener_parse_unix(opts->socket, &server->listeners[server->listener_count],
                             err);
    server->listeners[server->listener_count].is_private = opts->socket_is_private;
    server->listener_count += rc == 0;
    return rc;
}

static int find_groups(struct net_server *server, struct err *err)
{
    const char *admins = server->opts->socket_group;
    const char *scheduler = server->opts->scheduler_group;
    int rc = is_set(admins) ? group_find(admins, &server->groups.admin) : -ENOENT;
    server->groups.has_admin = rc == 0;
    if (is_set(admins) && rc == -ENOENT)
        return err_set(err, EINVAL, "socket_group: there is no group '%s'", admins);
    if (rc < 0 && rc != -ENOENT)
        return err_set(err, -rc, "socket_group: looking up '%s': %s", admins,
                       strerror(-rc));
    rc = is_set(scheduler) ? group_find(scheduler, &server->groups.scheduler) : -ENOENT;
    server->groups.has_scheduler = rc == 0;
    if (rc < 0 && rc != -ENOENT)
        return err_set(err, -rc, "scheduler_group: looking up '%s': %s", scheduler,
                       strerror(-rc));
    return 0;
}

/* Where persons see their own jobs only, no other way may show them all. */
static int refuse_open_loopback(const struct net_server *server, const char *what,
                                struct err *err)
{
    const struct net_opts *opts = server->opts;
    bool has_tcp = false;
    for (size_t i = 0; i < server->listener_count; i++)
        has_tcp |= server->listeners[i].address.any.sa_family != AF_UNIX;
    if (!has_tcp || is_set(opts->key) || is_set(opts->jwt_public_key))
        return 0;
    return err_set(err, EINVAL,
                   "%s: every client on loopback may read all: set "
                   "\"key\" in [net] (baro token key new makes one), or \"listen = "
                   "none\"",
                   what);
}

static int make_rules(struct net_server *server, struct err *err)
{
    const struct net_opts *opts = server->opts;
    int rc = access_rules_new(&opts->access, &server->rules, err);
    if (rc < 0)
        return rc;
    return access_rules_socket_role(server->rules) == NET_ROLE_USER
               ? refuse_open_loopback(server, "socket_role: user", err)
               : 0;
}

/* What would start and be of no use. */
static int check_use(const struct net_server *server, struct err *err)
{
    const struct net_opts *opts = server->opts;
    if (server->listener_count == 0)
        return err_set(err, EINVAL,
                       "nothing listens: set \"socket\" or \"listen\" in [net]");
    if (server->requests->limit_bytes < opts->body_bytes_max)
        return err_set(err, EINVAL,
                       "body_budget: less than body_max, so that a body of that size "
                       "would never be accepted: raise it, or lower body_max");
    return 0;
}

static int load_tls(struct net_server *server, struct err *err)
{
    const struct net_opts *opts = server->opts;
    if (!is_set(opts->tls_certificate) && !is_set(opts->tls_key))
        return 0;
    if (!is_set(opts->tls_certificate) || !is_set(opts->tls_key))
        return err_set(err, EINVAL, "tls_certificate and tls_key belong together");
    int rc =
        file_read(opts->tls_certificate, PEM_FILE_MAX, &server->tls_certificate, err);
    if (rc == 0)
        rc = secret_read(opts->tls_key, PEM_FILE_MAX, &server->tls_key, err);
    if (rc == 0)
        rc =
            certificate_check(strbuf_span(&server->tls_certificate),
                              strbuf_span(&server->tls_key), &server->tls_warning, err);
    server->has_tls = rc == 0;
    return rc;
}

static void describe(struct net_server *server)
{
    struct strbuf *out = &server->description;
    strbuf_clear(out);
    for (size_t i = 0; i < server->listener_count; i++) {
        const struct listener *l = &server->listeners[i];
        bool is_unix = l->address.any.sa_family == AF_UNIX;
        strbuf_addf(out, "%s%s", i ? ", " : "", is_unix ? "unix:" : "");
        /* The port is the one that ":0" became. */
        if (l->port)
            strbuf_addf(out, "%.*s:%u", (int)(strrchr(l->text, ':') - l->text), l->text,
                        l->port);
        else
            strbuf_adds(out, l->text);
        if (!is_unix && server->has_tls)
            strbuf_adds(out, " (TLS)");
    }
    strbuf_adds(out, server->key || server->jwt_key
                         ? "; tokens are required"
                         : "; no tokens: every client on loopback may read");
}

static int check_cookie(const struct net_opts *opts, struct err *err)
{
    if (!is_set(opts->token_cookie))
        return 0;
    if (!token_cookie_is_name(opts->token_cookie))
        return err_set(
            err, EINVAL,
            "token_cookie: invalid value '%s' (letters, digits, \"_\", \"-\", "
            "\".\"; %d at most)",
            opts->token_cookie, TOKEN_COOKIE_NAME_MAX);
    if (is_set(opts->key) || is_set(opts->jwt_public_key))
        return 0;
    return err_set(err, EINVAL,
                   "token_cookie: without a key no token holds: set key or "
                   "jwt_public_key");
}

static int load_jwt(struct net_server *server, struct err *err)
{
    const struct config_list *roles = &server->opts->jwt_roles;
    unsigned granted = 0;
    for (size_t i = 0; i < roles->count; i++) {
        enum net_role role;
        if (strcmp(roles->items[i], "claims") == 0) {
            server->believes_claims = true;
            continue;
        }
        /* A user without a name would see nothing. */
        if (net_role_parse(span_of(roles->items[i]), &role) < 0 ||
            role & (NET_ROLE_USER | NET_ROLE_MANAGER))
            return err_set(err, EINVAL,
                           "jwt_role: invalid value '%s' (choose reader, agent, "
                           "scheduler, support, api, admin, claims)",
                           roles->items[i]);
        granted |= role;
    }
    if (roles->count == 0)
        granted = NET_ROLE_READER | NET_ROLE_AGENT;
    server->jwt_roles = access_roles_expand(granted);
    return jwt_key_parse(span_of(server->opts->jwt_public_key), &server->jwt_key, err);
}

int net_server_new(const struct net_opts *opts, struct net_server **ret,
                   struct err *err)
{
    AUTO(net_server_free) struct net_server *server = calloc(1, sizeof *server);
    if (!server)
        return err_set(err, ENOMEM, "out of memory");
    server->opts = opts;
    server->wake_fd = -1;
    make_accounts(server);
    revoked_init(&server->revoked, opts->revoked);
    peers_init(&server->peers);
    active_init(&server->active);
    server->rate = make_rate(opts);
    if (!server->rate || token_watch_new(&server->tokens) < 0)
        return err_set(err, ENOMEM, "out of memory");
    int rc = load_tls(server, err);
    if (rc == 0)
        rc = add_listeners(server, err);
    if (rc == 0)
        rc = check_use(server, err);
    if (rc == 0)
        rc = make_rules(server, err);
    if (rc == 0)
        rc = find_groups(server, err);
    if (rc == 0)
        rc = check_cookie(opts, err);
    if (rc == 0 && is_set(opts->key))
        rc = token_key_load(opts->key, &server->key, err);
    if (rc == 0 && is_set(opts->jwt_public_key))
        rc = load_jwt(server, err);
    if (rc == 0)
        rc = revoked_refresh(&server->revoked, err);
    if (rc < 0)
        return rc;
    describe(server);
    *ret = TAKE(server);
    return 0;
}

/* ---- starting ---- */

static void keep_quiet(void *arg, const char *fmt, va_list ap)
{
    (void)arg;
    (void)fmt;
    (void)ap;
}

static struct MHD_Daemon *start_daemon(struct net_server *server, unsigned tls_flag)
{
    const struct net_opts *opts = server->opts;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = cores < 1                       ? 1
                       : cores > THREADS_BY_ITSELF_MAX ? THREADS_BY_ITSELF_MAX
                                                       : (unsigned)cores;
    if (opts->threads)
        threads = (unsigned)opts->threads;
    if (threads == 1) /* a pool of one is refused */
        threads = 0;
    /* The limit is held by accept.c; the library's own is per thread, and only a
     * second net below it. */
    unsigned limit =
        (unsigned)((opts->connections_max + opts->socket_connections_max) * 2 + 64) *
        (threads ? threads : 1);
    struct MHD_OptionItem tls_options[] = {
        { MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)TLS_PRIORITIES },
        { MHD_OPTION_HTTPS_MEM_CERT, 0, server->tls_certificate.data },
        { MHD_OPTION_HTTPS_MEM_KEY, 0, server->tls_key.data },
        { MHD_OPTION_END, 0, NULL },
    };
    struct MHD_OptionItem no_options[] = { { MHD_OPTION_END, 0, NULL } };
    return MHD_start_daemon(
        MHD_USE_NO_LISTEN_SOCKET | MHD_USE_EPOLL_INTERNAL_THREAD |
            MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG | tls_flag,
        0, NULL, NULL, request_access, server,                               /**/
        MHD_OPTION_EXTERNAL_LOGGER, keep_quiet, NULL,                        /**/
        MHD_OPTION_THREAD_POOL_SIZE, threads,                                /**/
        MHD_OPTION_CONNECTION_LIMIT, limit,                                  /**/
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY_BYTES, /**/
        MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)(opts->idle_timeout_ns / NS_PER_S + 1),          /**/
        MHD_OPTION_UNESCAPE_CALLBACK, head_unescape_nothing, NULL, /**/
        MHD_OPTION_NOTIFY_COMPLETED, request_completed, server,    /**/
        MHD_OPTION_NOTIFY_CONNECTION, accept_notify, server,       /**/
        MHD_OPTION_ARRAY, tls_flag ? tls_options : no_options, MHD_OPTION_END);
}

int net_server_start(struct net_server *server, struct err *err)
{
    for (size_t i = 0; i < server->listener_count; i++) {
        int rc = listener_open(&server->listeners[i], err);
        if (rc < 0)
            return rc;
    }
    describe(server);
    server->plain = start_daemon(server, 0);
    if (server->has_tls)
        server->tls = start_daemon(server, MHD_USE_TLS);
    if (!server->plain || (server->has_tls && !server->tls))
        return err_set(err, EIO, "the HTTP threads did not start%s",
                       server->has_tls ? ": look at tls_certificate and tls_key" : "");
    return accept_start(server, err);
}

/* ---- stopping ---- */

static void wait_for_responses(struct net_server *server)
{
    active_close(&server->active);
    for (int ms = 0; ms < LAST_RESPONSES_MS && peers_are_busy(&server->peers); ms += 10)
        (void)usleep(10000);
}

void net_server_free(struct net_server *server)
{
    if (!server)
        return;
    accept_stop(server);
    for (size_t i = 0; i < server->listener_count; i++)
        listener_close(&server->listeners[i]);
    wait_for_responses(server);
    if (server->plain)
        MHD_stop_daemon(server->plain);
    if (server->tls)
        MHD_stop_daemon(server->tls);
    access_rules_free(server->rules);
    token_key_free(server->key);
    token_key_free(server->jwt_key);
    rate_free(server->rate);
    revoked_done(&server->revoked);
    strbuf_done(&server->tls_certificate);
    token_watch_free(server->tokens);
    strbuf_done(&server->tls_key);
    strbuf_done(&server->description);
    peers_done(&server->peers);
    active_done(&server->active);
    free(server);
}

int net_server_accept_sessions(struct net_server *server, struct sessions *sessions,
                               struct err *err)
{
    int rc = refuse_open_loopback(server, "[login]", err);
    if (rc == 0)
        server->sessions = sessions;
    return rc;
}

struct token_watch *net_server_tokens(struct net_server *server)
{
    return server->tokens;
}

void net_server_on_limited(struct net_server *server, net_limited_fn *fn, void *arg)
{
    server->limited = fn;
    server->limited_arg = arg;
}

unsigned net_server_port(const struct net_server *server, size_t index)
{
    return index < server->listener_count ? server->listeners[index].port : 0;
}

const char *net_server_warning(const struct net_server *server)
{
    return server->tls_warning.text;
}

const char *net_server_describe(const struct net_server *server)
{
    return strbuf_text(&server->description);
}

void net_server_stats(const struct net_server *server, struct net_stats *ret)
{
    struct net_stats stats = {
        .requests = server->stats.requests,
        .refused_full = server->stats.refused_full,
        .swept_slow = server->stats.swept_slow,
        .body_bytes = server->stats.body_bytes,
        .body_bytes_decoded = server->stats.body_bytes_decoded,
        .budget_bytes = server->requests->used_bytes,
        .budget_refusals = server->requests->refusal_count,
        .response_bytes = server->responses->used_bytes,
        .response_refusals = server->responses->refusal_count,
        .rate_refusals = server->stats.rate_refusals,
        .revoked_failures = server->stats.revoked_failures,
    };
    for (size_t i = 0; i < COUNT_OF(stats.status); i++)
        stats.status[i] = server->stats.status[i];
    struct peer_counts peers;
    peers_count((struct peers *)(uintptr_t)&server->peers, &peers);
    stats.connections = peers.tcp;
    stats.connections_unauthenticated = peers.tcp_unauthenticated;
    stats.connections_socket = peers.local;
    struct rate_stats rate;
    rate_stats(server->rate, &rate);
    stats.rate_senders = rate.senders;
    stats.rate_senders_max = RATE_SENDERS;
    stats.rate_forgotten = rate.forgotten;
    stats.connections_max = server->opts->connections_max;
    stats.connections_socket_max = server->opts->socket_connections_max;
    *ret = stats;
}
