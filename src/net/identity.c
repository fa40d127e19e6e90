/* SPDX-License-Identifier: Apache-2.0 */
/* identity - who a peer is: by the kernel's word on a unix socket, else by its token.
 */
#include "net/identity.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "net/head.h"
#include "net/slot.h"
#include "net/token/token.h"

#include <stdio.h>
#include <strings.h>
#include <sys/random.h>

/* The bearer token of the head; data NULL: none. */
static struct span bearer_of(const struct net_request *request)
{
    /* "Token" is what clients of InfluxDB say. */
    static const char *const schemes[] = { "Bearer ", "Token " };
    struct span value = net_request_header(request, "Authorization");
    for (size_t i = 0; i < COUNT_OF(schemes); i++) {
        size_t size = strlen(schemes[i]);
        if (value.size >= size && strncasecmp(value.data, schemes[i], size) == 0)
            return span_trim(span_skip(value, size));
    }
    return (struct span){ 0 };
}

bool net_request_is_foreign(const struct net_request *request)
{
    static const char *const own[] = { "same-origin", "none" };
    struct span site = net_request_header(request, "Sec-Fetch-Site");
    bool is_own = !site.data;
    for (size_t i = 0; i < COUNT_OF(own); i++)
        is_own |= span_is(site, own[i]);
    return !is_own;
}

/* Another site's page can make a browser send requests with its cookies, so a cookie is
 * worth nothing for what changes something, and browsers state where a request comes
 * from. */
static bool only_reads(const struct net_request *request)
{
    return strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0;
}

static bool is_cookie_meant(const struct net_request *request)
{
    return !net_request_is_foreign(request) && only_reads(request);
}

struct span net_request_cookie(const struct net_request *request, const char *name)
{
    struct span cookies = { 0 };
    if (head_count_header(request, "Cookie", &cookies) != 1)
        return (struct span){ 0 };
    return token_cookie_find(cookies, name);
}

bool net_request_is_private(const struct net_request *request, bool *ret_is_encrypted)
{
    *ret_is_encrypted = request->peer->is_local || request->server->has_tls;
    return *ret_is_encrypted || request->peer->is_tcp_loopback;
}

const char *net_request_session_cookie(const struct net_request *request)
{
    bool is_encrypted;
    (void)net_request_is_private(request, &is_encrypted);
    return is_encrypted ? "__Host-baro_session" : "baro_session";
}

bool net_request_is_proxied(const struct net_request *request)
{
    const struct peer *peer = request->peer;
    return peer->is_local &&
           access_rules_proxy_header(request->server->rules, peer->uid);
}

const struct access_rules *net_request_rules(const struct net_request *request)
{
    return request->server->rules;
}

/* The token of the head, or else of the cookie; data NULL: none. */
static struct span shown_by(const struct net_request *request)
{
    const char *name = request->server->opts->token_cookie;
    struct span token = bearer_of(request);
    if (token.data || !name || !*name || !is_cookie_meant(request))
        return token;
    return net_request_cookie(request, name);
}

/* It carries what many hosts send: one host's rate would choke it. */
static void set_gateway(struct net_request *request)
{
    request->rate_fraction = 1 / (double)request->server->opts->rate_gateway;
}

/* texts: count of them, size bytes apart. */
static int set_accounts(struct net_request *request, const char *texts, size_t size,
                        size_t count)
{
    struct access_client *client = &request->identity.client;
    struct span *accounts =
        arena_alloc(&request->arena, (count + 1) * sizeof *accounts);
    if (!accounts)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        accounts[i] = span_of(texts + i * size);
    client->accounts = accounts;
    client->account_count = count;
    return 0;
}

/* Of its own wherever it comes from; no host's name has a blank. */
static void set_rate_of_user(struct net_request *request, struct span user)
{
    char name[TOKEN_USER_MAX + sizeof "user "];
    int size = snprintf(name, sizeof name, "user " SPAN_FMT, SPAN_ARG(user));
    request->rate_key = rate_key((struct span){ name, (size_t)size });
}

static struct span *accounts_new(struct net_request *request)
{
    return arena_alloc(&request->arena, ACCESS_ACCOUNTS_MAX * sizeof(struct span));
}

/* No groups are known here: one user's accounts are all there. */
static int grant(struct net_request *request)
{
    struct span *accounts = accounts_new(request);
    if (!accounts)
        return -ENOMEM;
    (void)access_rules_grant(request->server->rules, &request->identity.client,
                             accounts);
    return 0;
}

/* The accounts that the token names, or else those of the configuration. */
static int set_manager(struct net_request *request, const char *texts, size_t size,
                       size_t count)
{
    struct access_client *client = &request->identity.client;
    if (count > 0 || !(client->roles & NET_ROLE_MANAGER))
        return set_accounts(request, texts, size, count);
    struct span *accounts = accounts_new(request);
    if (!accounts)
        return -ENOMEM;
    (void)access_rules_add_accounts(request->server->rules, client, accounts);
    return 0;
}

/* A person has the rates of one host, a program those of many. */
static int set_person(struct net_request *request, const struct jwt_claims *claims)
{
    struct access_client *client = &request->identity.client;
    struct span user = { arena_dup(&request->arena, span_of(claims->user)),
                         strlen(claims->user) };
    if (!user.data)
        return -ENOMEM;
    client->roles = access_roles_expand(claims->roles);
    client->user = user;
    if (client->roles & NET_ROLE_USER)
        set_rate_of_user(request, user);
    else
        set_gateway(request);
    /* The texts that spans are of last as long as the request. */
    size_t bytes = sizeof claims->accounts;
    char *accounts = arena_alloc(&request->arena, bytes);
    if (!accounts)
        return -ENOMEM;
    memcpy(accounts, claims->accounts, bytes);
    return set_manager(request, accounts, sizeof claims->accounts[0],
                       claims->account_count);
}

/* A token of another program names no host; its role is configured, or its own. */
static int verify_jwt(struct net_request *request, struct span text, struct err *err)
{
    const struct net_server *server = request->server;
    struct jwt_claims claims;
    int rc = jwt_verify(server->jwt_key, text, clock_now_ns() / NS_PER_S, &claims, err);
    if (rc < 0)
        return rc;
    if (server->believes_claims && claims.has_roles)
        return set_person(request, &claims);
    request->identity.client.roles = server->jwt_roles;
    set_gateway(request);
    return 0;
}

static int verify(struct net_request *request, struct span text, struct err *err)
{
    struct net_server *server = request->server;
    if (server->jwt_key && (!server->key || jwt_is_one(text)))
        return verify_jwt(request, text, err);
    int rc = token_verify(server->key, text, clock_now_ns() / NS_PER_S, &request->token,
                          err);
    if (rc == 0 && revoked_has(&server->revoked, request->token.id))
        rc = err_set(err, EPERM, "the token was revoked");
    if (rc == 0 && request->token.role == NET_ROLE_NODE) /* it is no secret */
        rc = err_set(err, EPERM, "a node's token is for sessions, and no client's");
    if (rc < 0)
        return rc;
    token_watch_see(server->tokens, &request->token, clock_now_ns() / NS_PER_S);
    const struct token *token = &request->token;
    request->identity.token = token;
    request->identity.client = (struct access_client){
        .roles = access_roles_expand(token->role),
        .user = span_of(token->user),
        .cluster = span_of(token->cluster),
    };
    /* A token that names no host has a bucket of its own wherever it is used. */
    const char *name = token->host[0] ? token->host : token->id;
    request->rate_key = rate_key(span_of(name));
    if (!token->host[0] && !token->user[0])
        set_gateway(request);
    return set_manager(request, token->accounts[0], sizeof token->accounts[0],
                       token->account_count);
}

/* No rate of failures: there is nothing to be guessed, and a browser may go on to show
 * one that has ended. */
static int check_session(struct net_request *request, struct span text, struct err *err)
{
    struct net_server *server = request->server;
    struct access_client *client = &request->identity.client;
    struct session session;
    if (session_find(server->sessions, text, clock_now_ns() / NS_PER_S, &session) < 0 ||
        revoked_has(&server->revoked, session.token.id))
        return err_set(err, EPERM, "the session has ended: sign in at /v1/login");
    request->token = session.token;
    const struct token *token = &request->token;
    request->identity.token = token;
    client->roles = session.roles;
    client->user = span_of(token->user);
    set_rate_of_user(request, client->user);
    if (slot_authenticate(server->opts, &server->peers, request->peer,
                          request->rate_key) < 0)
        return err_set(err, EAGAIN,
                       "too many connections of one sender: use one for several "
                       "requests");
    return set_accounts(request, token->accounts[0], sizeof token->accounts[0],
                        token->account_count);
}

/* Whose browser it is, where persons sign in; data NULL: no cookie states it. */
static struct span session_shown(const struct net_request *request)
{
    if (!request->server->sessions || !is_cookie_meant(request))
        return (struct span){ 0 };
    return net_request_cookie(request, net_request_session_cookie(request));
}

/* One in four, and no client can tell which. */
static bool is_drawn(void)
{
    uint8_t random = 0;
    (void)!getrandom(&random, sizeof random, GRND_NONBLOCK);
    return random % 4 == 0;
}

/* A signature costs a tenth of a millisecond to look at, so that wrong ones are a way
 * to keep us busy.  From where too many came, tokens are looked at that were right
 * before, so that those who share the address with a guesser go on, and of the others
 * some: a right one that we have not seen yet comes through after a few times, however
 * quick the guesser is to take what the address may have. */
static int check_token(struct net_request *request, struct span text, struct err *err)
{
    struct net_server *server = request->server;
    struct rate *rate = server->rate;
    uint64_t origin = request->peer->origin_key, known = rate_key(text);
    int64_t now_ns = clock_monotonic_ns();
    if (!rate_knows(rate, known) &&
        rate_wait_ns(rate, origin, RATE_FAILURES, now_ns) > 0 && !is_drawn())
        return err_set(err, EUSERS, "too many wrong tokens from %s",
                       request->peer->origin);
    int rc = verify(request, text, err);
    if (rc < 0) {
        rate_charge(rate, origin, RATE_FAILURES, 1, now_ns);
        return rc;
    }
    rate_charge(rate, known, RATE_FAILURES, 0, now_ns);
    if (slot_authenticate(server->opts, &server->peers, request->peer,
                          request->rate_key) < 0)
        return err_set(err, EAGAIN,
                       "too many connections of one sender: use one for several "
                       "requests");
    return 0;
}

/* A page that a browser on this host has open may send requests here, but must name
 * another host in them: it is refused where no token would stop it. */
static bool is_host_local(struct span host)
{
    static const char *const names[] = { "localhost", "127.0.0.1", "[::1]" };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (!span_starts(host, names[i]))
            continue;
        struct span rest = span_skip(host, strlen(names[i]));
        if (rest.size == 0 || rest.data[0] == ':')
            return true;
    }
    return host.size == 0;
}

/* By its credentials: what the kernel states. */
static int set_peer(struct net_request *request, struct err *err)
{
    const struct peer *peer = request->peer;
    const struct access_rules *rules = request->server->rules;
    struct access_client *client = &request->identity.client;
    if (peer->is_admin) {
        client->roles = NET_ROLE_ADMIN;
        return 0;
    }
    if (request->server->opts->socket_is_private)
        return err_set(err, EACCES,
                       "this socket is of user %u, and of no use to user %u",
                       (unsigned)geteuid(), (unsigned)peer->uid);
    client->roles = access_rules_socket_role(rules);
    int rc = 0;
    if (client->roles & NET_ROLE_USER) {
        char text[12];
        int size = snprintf(text, sizeof text, "%u", peer->uid);
        client->uid = (struct span){ arena_dup(&request->arena,
                                               (struct span){ text, (size_t)size }),
                                     (size_t)size };
        if (!client->uid.data)
            return -ENOMEM;
        rc = grant(request);
    }
    if (peer->is_scheduler)
        client->roles = access_roles_expand(client->roles | NET_ROLE_SCHEDULER);
    return rc;
}

/* A proxy is whom it names; without a name it is no one, so that a client that
 * prevents this gains nothing. */
static int set_proxied(struct net_request *request, const char *header, struct err *err)
{
    struct access_client *client = &request->identity.client;
    struct span user = { 0 };
    size_t count = head_count_header(request, header, &user);
    /* The browser signs in at the proxy by itself, whichever page makes it send. */
    if (!only_reads(request) && net_request_is_foreign(request))
        return err_set(err, EACCES, "a page of another site may change nothing here");
    if (count != 1 || !token_is_name(user, TOKEN_USER_MAX))
        return err_set(err, EPERM, "the proxy has to name one user: %s", header);
    client->roles = NET_ROLE_USER;
    client->user = user;
    set_rate_of_user(request, user);
    return grant(request);
}

int identity_find(struct net_request *request, struct err *err)
{
    const struct net_server *server = request->server;
    const struct peer *peer = request->peer;
    struct net_identity *identity = &request->identity;
    request->rate_key = peer->origin_key;
    request->rate_fraction = 1;
    *identity = (struct net_identity){ .is_local = peer->is_local, .uid = peer->uid };
    struct span bearer = shown_by(request), named = { 0 };
    bool has_key = server->key || server->jwt_key;
    const char *proxy =
        peer->is_local ? access_rules_proxy_header(server->rules, peer->uid) : NULL;
    bool is_named = proxy && head_count_header(request, proxy, &named) > 0;
    bool is_admin = peer->is_admin && !proxy;
    if (has_key && bearer.data && !is_admin && !is_named)
        return check_token(request, bearer, err);
    struct span session = session_shown(request);
    if (session.data && !bearer.data && !is_named)
        return check_session(request, session, err);
    if (proxy)
        return set_proxied(request, proxy, err);
    if (peer->is_local)
        return set_peer(request, err);
    if (has_key)
        return err_set(err, EPERM, "this needs a token: Authorization: Bearer TOKEN");
    if (!is_host_local(net_request_header(request, "Host")))
        return err_set(err, EACCES, "without tokens this host is served as localhost");
    identity->client.roles = NET_ROLE_READER;
    set_gateway(request);
    return 0;
}
