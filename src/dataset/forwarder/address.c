/* SPDX-License-Identifier: Apache-2.0 */
/* address - where a door is: "unix:PATH", "HOST:PORT" or "[ADDRESS]:PORT". */
#include "dataset/forwarder/address.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/socket_path.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#define BACKLOG 1024
#define SOCKET_FLAGS (SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK)
/* A megabyte under way, so that neither side wakes up for each small part of it. */
#define BUFFER_BYTES (1 << 20)
/* A peer whose host does not respond is gone after a minute and a half at most. */
#define PROBE_IDLE_S 60
#define PROBE_INTERVAL_S 10
#define PROBE_COUNT 3
#define UNACCEPTED_MS 60000U

int address_parse(const char *text, struct address *ret, struct err *err)
{
    struct address address = { .text = text };
    const char *colon = strrchr(text, ':');
    uint64_t port = 0;
    if (strncmp(text, "unix:", 5) == 0) {
        address.path = text + 5;
        if (!*address.path ||
            strlen(address.path) >= sizeof((struct sockaddr_un *)0)->sun_path)
            return err_set(err, EINVAL, "'%s': a socket's path has 1 to 107 bytes",
                           text);
        *ret = address;
        return 0;
    }
    struct span host = { text, colon ? (size_t)(colon - text) : 0 };
    if (host.size > 2 && host.data[0] == '[' && host.data[host.size - 1] == ']')
        host = (struct span){ host.data + 1, host.size - 2 };
    if (!colon || number_parse_u64(span_of(colon + 1), &port) < 0 || port == 0 ||
        port > 65535 || host.size == 0 || host.size >= sizeof address.host)
        return err_set(err, EINVAL,
                       "'%s' is not HOST:PORT, [ADDRESS]:PORT or unix:PATH", text);
    (void)snprintf(address.host, sizeof address.host, SPAN_FMT, SPAN_ARG(host));
    (void)snprintf(address.port, sizeof address.port, "%u", (unsigned)port);
    *ret = address;
    return 0;
}

void address_tune(int fd, unsigned unaccepted_ms)
{
    static const int on = 1, bytes = BUFFER_BYTES;
    static const int idle = PROBE_IDLE_S, interval = PROBE_INTERVAL_S,
                     count = PROBE_COUNT;
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unaccepted_ms,
                     sizeof unaccepted_ms);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

static socklen_t path_address(const char *path, struct sockaddr_un *ret)
{
    *ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
    memcpy(ret->sun_path, path, strlen(path) + 1);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path) + 1);
}

/* ---- listening ---- */

/* Bound so that the owner alone may connect, until the mode is as wanted. */
static int path_listen(const struct address *address, mode_t mode, int *ret_fd,
                       struct err *err)
{
    struct sockaddr_un un;
    socklen_t size = path_address(address->path, &un);
    int rc = socket_path_clear(address->path, err);
    if (rc < 0)
        return rc;
    AUTO_CLOSE int fd = socket(AF_UNIX, SOCKET_FLAGS, 0);
    mode_t old = umask(0177);
    rc = fd < 0 ? -1 : bind(fd, (struct sockaddr *)&un, size);
    int bound = errno;
    (void)umask(old);
    if (rc < 0)
        return err_set(err, bound, "listen on '%s': %s", address->text,
                       strerror(bound));
    if (chmod(address->path, mode) < 0 || listen(fd, BACKLOG) < 0)
        return err_set(err, errno, "listen on '%s': %s", address->text,
                       strerror(errno));
    *ret_fd = TAKE_FD(fd);
    return 0;
}

static bool is_loopback(const struct sockaddr *any)
{
    if (any->sa_family == AF_INET)
        return ntohl(
                   ((const struct sockaddr_in *)(const void *)any)->sin_addr.s_addr) >>
                   24 ==
               127;
    return any->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(
               &((const struct sockaddr_in6 *)(const void *)any)->sin6_addr);
}

static int tcp_listen(const struct addrinfo *found, bool is_one, int *ret_fd)
{
    static const int on = 1;
    AUTO_CLOSE int fd = socket(found->ai_family, SOCKET_FLAGS, 0);
    if (fd < 0)
        return -errno;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (found->ai_family == AF_INET6 && !is_one) /* IPv4 has a socket of its own */
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if (bind(fd, found->ai_addr, found->ai_addrlen) < 0 || listen(fd, BACKLOG) < 0)
        return -errno;
    *ret_fd = TAKE_FD(fd);
    return 0;
}

/* A resolver may name an address twice. */
static bool is_repeated(const struct addrinfo *first, const struct addrinfo *found)
{
    for (const struct addrinfo *at = first; at != found; at = at->ai_next)
        if (at->ai_addrlen == found->ai_addrlen &&
            memcmp(at->ai_addr, found->ai_addr, found->ai_addrlen) == 0)
            return true;
    return false;
}

static int foreign_check(const struct address *address, const struct addrinfo *first,
                         const struct address_listen_opts *opts, struct err *err)
{
    for (const struct addrinfo *at = first; at; at = at->ai_next)
        if (!opts->allows_foreign && !is_loopback(at->ai_addr))
            return err_set(
                err, EPERM,
                "'%s' is not an address of the loopback: what listens there has "
                "no encryption and no authentication; set insecure = yes where "
                "the network itself is protected",
                address->text);
    return 0;
}

static int found_listen(const struct addrinfo *first,
                        int ret_fds[static ADDRESS_SOCKETS_MAX], size_t *ret_count)
{
    int rc = 0, missing = -EADDRNOTAVAIL;
    for (const struct addrinfo *at = first;
         at && rc == 0 && *ret_count < ADDRESS_SOCKETS_MAX; at = at->ai_next) {
        if (is_repeated(first, at))
            continue;
        rc = tcp_listen(at, !first->ai_next, &ret_fds[*ret_count]);
        *ret_count += rc == 0;
        if (rc == -EADDRNOTAVAIL || rc == -EAFNOSUPPORT) {
            missing = rc; /* as ::1 where there is no IPv6 */
            rc = 0;
        }
    }
    return rc == 0 && !*ret_count ? missing : rc;
}

int address_listen(const struct address *address,
                   const struct address_listen_opts *opts,
                   int ret_fds[static ADDRESS_SOCKETS_MAX], size_t *ret_count,
                   struct err *err)
{
    static const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
                                           .ai_flags = AI_NUMERICSERV | AI_PASSIVE };
    struct addrinfo *found = NULL;
    *ret_count = 0;
    if (address->path) {
        int rc = path_listen(address, opts->mode, ret_fds, err);
        *ret_count = rc == 0;
        return rc;
    }
    int rc = getaddrinfo(address->host, address->port, &hints, &found);
    if (rc)
        return err_set(err, EINVAL, "'%s': %s", address->text, gai_strerror(rc));
    rc = foreign_check(address, found, opts, err);
    if (rc == 0) {
        rc = found_listen(found, ret_fds, ret_count);
        if (rc < 0)
            rc = err_set(err, -rc, "listen on '%s': %s", address->text, strerror(-rc));
    }
    freeaddrinfo(found);
    while (rc < 0 && *ret_count)
        (void)close(ret_fds[--*ret_count]);
    return rc;
}

/* ---- connecting ---- */

static int socket_connect(int family, const struct sockaddr *to, socklen_t size,
                          int *ret_fd)
{
    AUTO_CLOSE int fd = socket(family, SOCKET_FLAGS, 0);
    if (fd < 0)
        return -errno;
    if (connect(fd, to, size) < 0 && errno != EINPROGRESS)
        return -errno;
    address_tune(fd, UNACCEPTED_MS);
    *ret_fd = TAKE_FD(fd);
    return 0;
}

int address_connect(struct address *address, const struct addrinfo *found, int *ret_fd)
{
    struct sockaddr_un un;
    unsigned count = 0;
    int rc = -ENOENT;
    if (address->path) {
        socklen_t size = path_address(address->path, &un);
        return socket_connect(AF_UNIX, (struct sockaddr *)&un, size, ret_fd);
    }
    for (const struct addrinfo *at = found; at; at = at->ai_next)
        count++;
    for (unsigned i = 0; i < count && rc < 0; i++) {
        const struct addrinfo *at = found;
        address->attempt = (address->attempt + (i > 0)) % count;
        for (unsigned k = 0; k < address->attempt; k++)
            at = at->ai_next;
        rc = socket_connect(at->ai_family, at->ai_addr, at->ai_addrlen, ret_fd);
    }
    return rc;
}
