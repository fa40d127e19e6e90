/* SPDX-License-Identifier: Apache-2.0 */
/* identity - who a peer is: by the kernel's word on a unix socket, else by its token.
 */
#include "net/identity.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "net/slot.h"
#include "net/token/token.h"

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

/* It carries what many hosts send: one host's rate would choke it. */
static void set_gateway(struct net_request *request)
{
    request->rate_fraction = 1 / (double)request->server->opts->rate_gateway;
}

/* A token of another program names no host: there is its role alone. */
static int verify(struct net_request *request, struct span text, struct err *err)
{
    struct net_server *server = request->server;
    if (server->jwt_key && (!server->key || jwt_is_one(text))) {
        int rc = jwt_verify(server->jwt_key, text, clock_now_ns() / NS_PER_S, err);
        if (rc < 0)
            return rc;
        request->identity.role = (enum net_role)server->jwt_roles;
        set_gateway(request);
        return 0;
    }
    int rc = token_verify(server->key, text, clock_now_ns() / NS_PER_S, &request->token,
                          err);
    if (rc == 0 && revoked_has(&server->revoked, request->token.id))
        rc = err_set(err, EPERM, "the token was revoked");
    if (rc < 0)
        return rc;
    token_watch_see(server->tokens, &request->token, clock_now_ns() / NS_PER_S);
    unsigned role = request->token.role;
    if (role & NET_ROLE_SCHEDULER)
        role |= NET_ROLE_READER;
    request->identity.role = (enum net_role)role;
    request->identity.token = &request->token;
    /* A token that names no host has a bucket of its own wherever it is used. */
    const char *name = request->token.host[0] ? request->token.host : request->token.id;
    request->rate_key = rate_key(span_of(name));
    if (!request->token.host[0])
        set_gateway(request);
    return 0;
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

static enum net_role role_of_peer(const struct peer *peer)
{
    if (peer->is_admin)
        return NET_ROLE_ADMIN;
    unsigned role = NET_ROLE_READER;
    if (peer->is_scheduler)
        role |= NET_ROLE_SCHEDULER;
    return (enum net_role)role;
}

int identity_find(struct net_request *request, struct err *err)
{
    const struct net_server *server = request->server;
    const struct peer *peer = request->peer;
    struct net_identity *identity = &request->identity;
    request->rate_key = peer->origin_key;
    request->rate_fraction = 1;
    *identity = (struct net_identity){ .is_local = peer->is_local, .uid = peer->uid };
    if (peer->is_local)
        identity->role = role_of_peer(peer);
    struct span bearer = bearer_of(request);
    bool has_key = server->key || server->jwt_key;
    if (has_key && bearer.data && !peer->is_admin)
        return check_token(request, bearer, err);
    if (peer->is_local)
        return 0;
    if (has_key)
        return err_set(err, EPERM, "this needs a token: Authorization: Bearer TOKEN");
    if (!is_host_local(net_request_header(request, "Host")))
        return err_set(err, EACCES, "without tokens this host is served as localhost");
    identity->role = NET_ROLE_READER;
    set_gateway(request);
    return 0;
}
