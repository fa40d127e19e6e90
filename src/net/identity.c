/* SPDX-License-Identifier: Apache-2.0 */
/* identity - who a peer is: by the kernel's word on a unix socket, else by its token.
 */
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "net/jwt.h"
#include "net/server_private.h"
#include "net/token_watch.h"

#include <arpa/inet.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>

enum {
    REVOKED_FILE_MAX = 16 * 1024 * 1024,
    GROUPS_MAX = 1024,
};

/* Who sends as nobody in particular is told apart by where it comes from; in IPv6 a
 * host may choose among all addresses of its /64. */
static void read_place(struct peer *peer)
{
    union {
        struct sockaddr any;
        struct sockaddr_in in4;
        struct sockaddr_in6 in6;
        struct sockaddr_un un;
    } address = { .any.sa_family = AF_UNSPEC };
    socklen_t size = sizeof address;
    char text[INET6_ADDRSTRLEN] = "?";
    if (getpeername(peer->fd, &address.any, &size) < 0)
        address.any.sa_family = AF_UNSPEC;
    if (peer->is_local) {
        (void)snprintf(peer->place, sizeof peer->place, "uid %u", peer->uid);
    } else if (address.any.sa_family == AF_INET6 &&
               !IN6_IS_ADDR_V4MAPPED(&address.in6.sin6_addr)) {
        memset(address.in6.sin6_addr.s6_addr + 8, 0, 8);
        (void)inet_ntop(AF_INET6, &address.in6.sin6_addr, text, sizeof text);
        (void)snprintf(peer->place, sizeof peer->place, "%s/64", text);
    } else {
        const void *in4 = address.any.sa_family == AF_INET6
                              ? (const void *)(address.in6.sin6_addr.s6_addr + 12)
                              : (const void *)&address.in4.sin_addr;
        (void)inet_ntop(AF_INET, in4, text, sizeof text);
        (void)snprintf(peer->place, sizeof peer->place, "%s", text);
    }
    peer->place_key = rate_key(span_of(peer->place));
}

static bool is_in_group(int fd, gid_t own, gid_t wanted)
{
    gid_t groups[GROUPS_MAX];
    socklen_t size = sizeof groups;
    if (own == wanted)
        return true;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) < 0)
        return false;
    for (size_t i = 0; i < size / sizeof groups[0]; i++)
        if (groups[i] == wanted)
            return true;
    return false;
}

static void read_credentials(const struct net_server *server, struct peer *peer)
{
    union {
        struct sockaddr any;
        struct sockaddr_in in4;
        struct sockaddr_in6 in6;
        struct sockaddr_un un;
    } address = { .any.sa_family = AF_UNSPEC };
    socklen_t size = sizeof address;
    if (getsockname(peer->fd, &address.any, &size) < 0)
        return;
    if (address.any.sa_family == AF_INET)
        peer->is_tcp_loopback = ntohl(address.in4.sin_addr.s_addr) >> 24 == 127;
    if (address.any.sa_family == AF_INET6)
        peer->is_tcp_loopback = IN6_IS_ADDR_LOOPBACK(&address.in6.sin6_addr);
    if (address.any.sa_family != AF_UNIX)
        return;
    struct ucred cred;
    size = sizeof cred;
    if (getsockopt(peer->fd, SOL_SOCKET, SO_PEERCRED, &cred, &size) < 0)
        return;
    peer->is_local = true;
    peer->uid = cred.uid;
    peer->is_admin =
        cred.uid == 0 || cred.uid == geteuid() ||
        (server->has_admin_gid && is_in_group(peer->fd, cred.gid, server->admin_gid));
    peer->is_scheduler = server->has_scheduler_gid &&
                         is_in_group(peer->fd, cred.gid, server->scheduler_gid);
}

void identity_read_credentials(const struct net_server *server, struct peer *peer)
{
    bool has_tokens = server->key || server->jwt_key;
    read_credentials(server, peer);
    read_place(peer);
    peer->is_known =
        peer->is_local ? peer->is_admin || peer->is_scheduler : !has_tokens;
}

/* ---- revocation ---- */

int revoked_refresh(struct net_server *server, struct err *err)
{
    const char *path = server->opts->revoked;
    struct stat st;
    if (!path || !path[0])
        return 0;
    if (stat(path, &st) < 0)
        return err_set(err, errno, "revoked: '%s': %s", path, strerror(errno));
    if (st.st_mtim.tv_sec == server->revoked_mtime.tv_sec &&
        st.st_mtim.tv_nsec == server->revoked_mtime.tv_nsec)
        return 0;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(hashmap_done) struct hashmap ids = HASHMAP_INIT;
    int rc = file_read(path, REVOKED_FILE_MAX, &text, err);
    if (rc == 0)
        rc = token_revoked_parse(strbuf_span(&text), &ids, err);
    if (rc < 0)
        return err_prefix(err, rc, "revoked: '%s'", path);
    LOCKED(&server->revoked_lock);
    struct hashmap old = server->revoked;
    server->revoked = ids;
    ids = old; /* freed on the way out */
    server->revoked_mtime = st.st_mtim;
    return 0;
}

static bool is_revoked(struct net_server *server, const struct token *token)
{
    LOCKED(&server->revoked_lock);
    return hashmap_get(&server->revoked, span_of(token->id)) != NULL;
}

/* ---- tokens ---- */

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
    if (rc == 0 && is_revoked(server, &request->token))
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

/* One in four, and nobody can tell which. */
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
static int take_token(struct net_request *request, struct span text, struct err *err)
{
    struct rate *rate = request->server->rate;
    uint64_t place = request->peer->place_key, known = rate_key(text);
    int64_t now_ns = clock_monotonic_ns();
    if (!rate_knows(rate, known) &&
        rate_wait_ns(rate, place, RATE_FAILURES, now_ns) > 0 && !is_drawn())
        return err_set(err, EUSERS, "too many wrong tokens from %s",
                       request->peer->place);
    int rc = verify(request, text, err);
    if (rc < 0) {
        rate_charge(rate, place, RATE_FAILURES, 1, now_ns);
        return rc;
    }
    rate_charge(rate, known, RATE_FAILURES, 0, now_ns);
    if (peer_authenticate(request->server, request->peer, request->rate_key) < 0)
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
    request->rate_key = peer->place_key;
    request->rate_fraction = 1;
    *identity = (struct net_identity){ .is_local = peer->is_local, .uid = peer->uid };
    if (peer->is_local)
        identity->role = role_of_peer(peer);
    struct span bearer = bearer_of(request);
    bool has_key = server->key || server->jwt_key;
    if (has_key && bearer.data && !peer->is_admin)
        return take_token(request, bearer, err);
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
