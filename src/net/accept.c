/* SPDX-License-Identifier: Apache-2.0 */
/* accept - the thread that takes connections and sweeps out the slow ones.
 *
 * libmicrohttpd knows idle connections only: a peer that sends a byte now and then
 * would keep its place for ever.  So each connection has a phase, a time since, and a
 * number of bytes; twice a second those that are behind are shut down.  place.c decides
 * which one makes room when places are short.
 */
#include "base/clock.h"
#include "net/place.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

enum {
    SWEEP_MS = 500,
    ACCEPT_AT_ONCE = 64,
    NO_DESCRIPTORS_WAIT_US = 20000,
    ROOM_WAIT_US = 2000,
    ROOM_WAITS_MAX = 250,
    UNSENT_BYTES = 256 * 1024,
};

#define CATCH_UP_NS (2 * SWEEP_MS * INT64_C(1000000))

void peer_enter(struct peer *peer, enum peer_phase phase)
{
    if (peer->phase == PEER_CLOSING)
        return;
    peer->since_ns = clock_monotonic_ns();
    peer->bytes = 0;
    peer->phase = phase;
}

void peer_continue(struct peer *peer, enum peer_phase phase)
{
    if (peer->phase != PEER_CLOSING)
        peer->phase = phase;
}

static void peer_remove(struct net_server *server, struct peer *peer)
{
    if (peer->next)
        peer->next->previous = peer->previous;
    if (peer->previous)
        peer->previous->next = peer->next;
    else
        server->peers = peer->next;
}

static struct peer *find_descriptor(const struct net_server *server, int fd)
{
    struct peer *peer = server->peers;
    while (peer && peer->fd != fd)
        peer = peer->next;
    return peer;
}

static void peer_link(struct net_server *server, struct peer *peer)
{
    LOCKED(&server->peers_lock);
    /* One that libmicrohttpd could not take over, and closed: it never started. */
    struct peer *stale = find_descriptor(server, peer->fd);
    if (stale) {
        peer_remove(server, stale);
        free(stale);
    }
    peer->next = server->peers;
    if (peer->next)
        peer->next->previous = peer;
    server->peers = peer;
}

static void peer_unlink(struct net_server *server, struct peer *peer)
{
    LOCKED(&server->peers_lock);
    peer_remove(server, peer);
}

/* Runs on the connection's HTTP thread; CLOSED comes before the descriptor is closed,
 * so that a started peer on the list always has a descriptor of its own. */
void peer_notify(void *arg, struct MHD_Connection *connection, void **socket_context,
                 enum MHD_ConnectionNotificationCode code)
{
    struct net_server *server = arg;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        struct peer *peer = *socket_context;
        if (!peer)
            return;
        *socket_context = NULL;
        peer_unlink(server, peer);
        free(peer);
        return;
    }
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (!info)
        return; /* its requests are refused: there is no context */
    LOCKED(&server->peers_lock);
    struct peer *peer = find_descriptor(server, info->connect_fd);
    if (peer)
        peer->is_started = true;
    *socket_context = peer;
}

/* ---- sweeping ---- */

static void shut_down(struct peer *peer)
{
    peer->phase = PEER_CLOSING;
    (void)shutdown(peer->fd, SHUT_RDWR);
}

int peer_authenticate(struct net_server *server, struct peer *peer, uint64_t sender)
{
    struct peer *victim;
    if (peer->is_local || (peer->is_known && peer->sender == sender))
        return 0;
    LOCKED(&server->peers_lock);
    int rc = place_claim(server->opts, server->peers, peer, sender, &victim);
    if (victim)
        shut_down(victim);
    return rc;
}

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
    case PEER_ANSWER:
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
    if (peer->phase == PEER_ANSWER || peer->phase == PEER_REFUSED ||
        peer->phase == PEER_CLOSING)
        return false;
    if (ioctl(peer->fd, FIONREAD, &unread) == 0 && unread > 0)
        peer->unread_ns = now_ns;
    return peer->unread_ns != 0 && now_ns - peer->unread_ns < CATCH_UP_NS;
}

static void sweep(struct net_server *server)
{
    int64_t now_ns = clock_monotonic_ns();
    LOCKED(&server->peers_lock);
    for (struct peer *peer = server->peers; peer; peer = peer->next) {
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
        shut_down(peer);
    }
}

/* ---- accepting ---- */

static enum place_verdict find_place(struct net_server *server,
                                     const struct peer *newcomer)
{
    struct peer *victim;
    LOCKED(&server->peers_lock);
    enum place_verdict verdict =
        place_find(server->opts, server->peers, newcomer, &victim);
    if (victim || verdict == PLACE_NONE)
        server->stats.refused_full++;
    if (victim)
        shut_down(victim);
    return verdict;
}

static enum place_verdict wait_for_place(struct net_server *server,
                                         const struct peer *newcomer)
{
    enum place_verdict verdict = find_place(server, newcomer);
    for (int i = 0; verdict == PLACE_SOON && i < ROOM_WAITS_MAX; i++) {
        (void)usleep(ROOM_WAIT_US);
        verdict = find_place(server, newcomer);
    }
    return verdict;
}

/* Descriptors are out: the least worthy TCP connection goes. */
static void free_a_descriptor(struct net_server *server)
{
    const struct net_opts full = { .connections_max = 0 };
    const struct peer newcomer = { .is_known = true };
    struct peer *victim;
    LOCKED(&server->peers_lock);
    (void)place_find(&full, server->peers, &newcomer, &victim);
    if (victim)
        shut_down(victim);
}

static void send_full(int fd)
{
    static const char answer[] = "HTTP/1.1 503 Service Unavailable\r\n"
                                 "Retry-After: 5\r\n"
                                 "Content-Length: 0\r\n"
                                 "Connection: close\r\n\r\n";
    (void)send(fd, answer, sizeof answer - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* It may have gone already when this returns. */
static void hand_over_peer(struct net_server *server, struct peer *peer,
                           const struct sockaddr_storage *address, socklen_t size)
{
    struct MHD_Daemon *daemon =
        server->tls && !peer->is_local ? server->tls : server->plain;
    peer_link(server, peer);
    /* It closes the descriptor itself when it fails. */
    if (MHD_add_connection(daemon, peer->fd, (const struct sockaddr *)address, size) ==
        MHD_YES)
        return;
    peer_unlink(server, peer);
    free(peer);
}

/* Returns false when there is nothing more to accept now. */
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
    identity_read_credentials(server, peer);
    peer_enter(peer, PEER_HEAD);
    enum place_verdict verdict = wait_for_place(server, peer);
    if (verdict != PLACE_NOW) {
        send_full(fd);
        return verdict == PLACE_NONE; /* no second wait before the other listeners */
    }
    /* What a peer does not read stays with us, where it is charged, instead of filling
     * the kernel's memory; what is on its way is not counted. */
    static const int unsent_bytes = UNSENT_BYTES;
    if (!peer->is_local)
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent_bytes,
                         sizeof unsent_bytes);
    (void)TAKE_FD(fd);
    hand_over_peer(server, TAKE(peer), &address, size);
    return true;
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
        if (revoked_refresh(server, NULL) < 0)
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
