/* SPDX-License-Identifier: Apache-2.0 */
/* accept - the thread that takes connections and sweeps out the slow ones.
 *
 * libmicrohttpd knows idle connections only: a peer that sends a byte now and then
 * would keep its slot for ever.  So each connection has a phase, a time since, and a
 * number of bytes; twice a second those that are behind are shut down.  slot.c decides
 * which one makes room when slots are short.
 */
#include "net/accept.h"

#include "base/clock.h"
#include "net/credentials.h"
#include "net/slot.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

enum {
    SWEEP_MS = 500,
    ACCEPT_AT_ONCE = 64,
    NO_DESCRIPTORS_WAIT_US = 20000,
    SLOT_WAIT_US = 2000,
    SLOT_WAITS_MAX = 250,
    UNSENT_BYTES = 256 * 1024,
};

#define CATCH_UP_NS (2 * SWEEP_MS * INT64_C(1000000))

/* Runs on the connection's HTTP thread; CLOSED comes before the descriptor is closed,
 * so that a started peer on the list always has a descriptor of its own. */
void accept_notify(void *arg, struct MHD_Connection *connection, void **socket_context,
                   enum MHD_ConnectionNotificationCode code)
{
    struct net_server *server = arg;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        struct peer *peer = *socket_context;
        if (!peer)
            return;
        *socket_context = NULL;
        peers_unlink(&server->peers, peer);
        free(peer);
        return;
    }
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (!info)
        return; /* its requests are refused: there is no context */
    *socket_context = peers_start(&server->peers, info->connect_fd);
}

/* ---- sweeping ---- */

/* Is it fast enough, in what it sends or reads? */
static bool keeps_pace(const struct net_opts *opts, struct peer *peer, int64_t now_ns,
                       enum pace_time whose)
{
    int64_t allowance_ns =
        peer->phase == PEER_BODY ? opts->body_grace_ns : opts->idle_timeout_ns;
    const struct pace_limit limit = { allowance_ns, opts->body_rate_min };
    return pace_is_kept(&peer->pace, &limit, peer->since_ns, now_ns, peer->bytes,
                        whose);
}

static bool is_too_slow(const struct net_opts *opts, struct peer *peer, int64_t now_ns)
{
    int64_t spent_ns = now_ns - peer->since_ns;
    switch ((enum peer_phase)peer->phase) {
    case PEER_HEAD:
        return spent_ns > opts->head_timeout_ns;
    case PEER_IDLE:
        return spent_ns > opts->idle_timeout_ns;
    case PEER_BODY:
        return !keeps_pace(opts, peer, now_ns, PACE_THEIRS);
    case PEER_REFUSED:
        return spent_ns > DRAIN_NS;
    case PEER_RESPONSE:
        return !keeps_pace(opts, peer, now_ns, PACE_THEIRS) ||
               (opts->response_time_ns && spent_ns > opts->response_time_ns);
    case PEER_WAITING: /* amid a response */
        (void)keeps_pace(opts, peer, now_ns, PACE_OURS);
        break;
    case PEER_CLOSING:
        break;
    }
    return false;
}

/* Whose bytes wait for us is not slow: we are.  Nor is one whose bytes waited a moment
 * ago: they may have been read just now, and not looked at yet. */
static bool waits_for_us(struct peer *peer, int64_t now_ns)
{
    int unread = 0;
    if (peer->phase == PEER_RESPONSE || peer->phase == PEER_REFUSED ||
        peer->phase == PEER_CLOSING)
        return false;
    if (ioctl(peer->fd, FIONREAD, &unread) == 0 && unread > 0)
        peer->unread_ns = now_ns;
    return peer->unread_ns != 0 && now_ns - peer->unread_ns < CATCH_UP_NS;
}

static void sweep(struct net_server *server)
{
    int64_t now_ns = clock_monotonic_ns();
    LOCKED(&server->peers.lock);
    for (struct peer *peer = server->peers.first; peer; peer = peer->next) {
        if (!peer->is_started)
            continue;
        if (waits_for_us(peer, now_ns)) {
            (void)keeps_pace(server->opts, peer, now_ns, PACE_OURS);
            continue;
        }
        if (!is_too_slow(server->opts, peer, now_ns))
            continue;
        /* One that keeps quiet between requests did nothing wrong. */
        if (peer->phase != PEER_IDLE)
            server->stats.swept_slow++;
        peer_shut_down(peer);
    }
}

/* ---- accepting ---- */

static enum slot_verdict find_slot(struct net_server *server,
                                   const struct peer *newcomer)
{
    struct peer *victim;
    LOCKED(&server->peers.lock);
    enum slot_verdict verdict =
        slot_find(server->opts, server->peers.first, newcomer, &victim);
    if (victim || verdict == SLOT_NONE)
        server->stats.refused_full++;
    if (victim)
        peer_shut_down(victim);
    return verdict;
}

static enum slot_verdict wait_for_slot(struct net_server *server,
                                       const struct peer *newcomer,
                                       bool *ret_has_waited)
{
    enum slot_verdict verdict = find_slot(server, newcomer);
    *ret_has_waited = verdict == SLOT_SOON;
    for (int i = 0; verdict == SLOT_SOON && i < SLOT_WAITS_MAX; i++) {
        (void)usleep(SLOT_WAIT_US);
        verdict = find_slot(server, newcomer);
    }
    return verdict;
}

/* Descriptors are out: the least worthy TCP connection goes. */
static void free_a_descriptor(struct net_server *server)
{
    const struct net_opts full = { .connections_max = 0 };
    const struct peer newcomer = { .is_known = true };
    struct peer *victim;
    LOCKED(&server->peers.lock);
    (void)slot_find(&full, server->peers.first, &newcomer, &victim);
    if (victim)
        peer_shut_down(victim);
}

static void send_full(int fd)
{
    static const char response[] = "HTTP/1.1 503 Service Unavailable\r\n"
                                   "Retry-After: 5\r\n"
                                   "Content-Length: 0\r\n"
                                   "Connection: close\r\n\r\n";
    (void)send(fd, response, sizeof response - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* It may have gone already when this returns. */
static void hand_over_peer(struct net_server *server, struct peer *peer,
                           const struct sockaddr_storage *address, socklen_t size)
{
    struct MHD_Daemon *daemon =
        server->tls && !peer->is_local ? server->tls : server->plain;
    peers_link(&server->peers, peer);
    /* It closes the descriptor itself when it fails. */
    if (MHD_add_connection(daemon, peer->fd, (const struct sockaddr *)address, size) ==
        MHD_YES)
        return;
    peers_unlink(&server->peers, peer);
    free(peer);
}

/* Returns false when there is nothing more to accept now, or when it is the turn of the
 * other listeners: none of them waits twice for the slots of this one. */
static bool accept_one(struct net_server *server, const struct listener *l)
{
    struct sockaddr_storage address = { 0 };
    socklen_t size = sizeof address;
    AUTO_CLOSE int fd = accept4(l->fd, (struct sockaddr *)&address, &size,
                                SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
        if (errno != EMFILE && errno != ENFILE)
            return errno == ECONNABORTED || errno == EINTR;
        free_a_descriptor(server);
        (void)usleep(NO_DESCRIPTORS_WAIT_US);
        return false;
    }
    AUTO_FREE struct peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        return true;
    peer->fd = fd;
    credentials_read(&server->groups, server->key || server->jwt_key, peer);
    peer_enter(peer, PEER_HEAD);
    bool has_waited;
    enum slot_verdict verdict = wait_for_slot(server, peer, &has_waited);
    if (verdict != SLOT_NOW) {
        send_full(fd);
        return !has_waited;
    }
    /* What a peer does not read stays with us, where it is charged, instead of filling
     * the kernel's memory; what is on its way is not counted. */
    static const int unsent_bytes = UNSENT_BYTES;
    if (!peer->is_local)
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent_bytes,
                         sizeof unsent_bytes);
    (void)TAKE_FD(fd);
    hand_over_peer(server, TAKE(peer), &address, size);
    return !has_waited;
}

static void *accept_run(void *arg)
{
    struct net_server *server = arg;
    struct pollfd fds[LISTENERS_MAX + 1];
    int64_t swept_ns = clock_monotonic_ns();
    for (;;) {
        for (size_t i = 0; i < server->listener_count; i++)
            fds[i] = (struct pollfd){ .fd = server->listeners[i].fd, .events = POLLIN };
        fds[server->listener_count] =
            (struct pollfd){ .fd = server->wake_fd, .events = POLLIN };
        (void)poll(fds, server->listener_count + 1, SWEEP_MS);
        if (fds[server->listener_count].revents)
            return NULL;
        for (size_t i = 0; i < server->listener_count; i++)
            for (int n = 0; fds[i].revents && n < ACCEPT_AT_ONCE; n++)
                if (!accept_one(server, &server->listeners[i]))
                    break;
        if (clock_monotonic_ns() - swept_ns < SWEEP_MS * INT64_C(1000000))
            continue;
        swept_ns = clock_monotonic_ns();
        sweep(server);
        if (revoked_refresh(&server->revoked, NULL) < 0)
            server->stats.revoked_failures++;
    }
}

int accept_start(struct net_server *server, struct err *err)
{
    server->wake_fd = eventfd(0, EFD_CLOEXEC);
    if (server->wake_fd < 0)
        return err_set(err, errno, "eventfd: %s", strerror(errno));
    int rc = pthread_create(&server->thread, NULL, accept_run, server);
    if (rc)
        return err_set(err, rc, "start a thread: %s", strerror(rc));
    server->has_thread = true;
    return 0;
}

void accept_stop(struct net_server *server)
{
    if (server->has_thread) {
        (void)eventfd_write(server->wake_fd, 1);
        (void)pthread_join(server->thread, NULL);
        server->has_thread = false;
    }
    if (server->wake_fd >= 0)
        (void)close(server->wake_fd);
    server->wake_fd = -1;
}
