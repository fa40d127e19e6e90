/* SPDX-License-Identifier: Apache-2.0 */
/* listen - addresses and the sockets on them. */
#include "net/listen.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/socket_path.h"

#include <arpa/inet.h>
#include <sys/stat.h>

enum { BACKLOG = 512 };

static int bad_address(const char *text, struct err *err)
{
    return err_set(err, EINVAL,
                   "listen: '%s' is not ADDRESS:PORT, like 127.0.0.1:8091 or "
                   "[::1]:8091",
                   text);
}

int listener_parse_tcp(const char *text, struct listener *ret, struct err *err)
{
    struct listener l = { .fd = -1, .text = text };
    const char *colon = strrchr(text, ':');
    uint64_t port = 0;
    if (!colon || number_parse_u64(span_of(colon + 1), &port) < 0 || port > 65535)
        return bad_address(text, err);
    struct span host = { text, (size_t)(colon - text) };
    bool is_v6 = span_starts(host, "[") && span_ends(host, "]");
    if (is_v6)
        host = (struct span){ host.data + 1, host.size - 2 };
    if (span_is(host, "localhost"))
        host = SPAN("127.0.0.1");
    char name[INET6_ADDRSTRLEN];
    if (host.size >= sizeof name)
        return bad_address(text, err);
    memcpy(name, host.data, host.size);
    name[host.size] = '\0';
    if (is_v6) {
        l.address.in6.sin6_family = AF_INET6;
        l.address.in6.sin6_port = htons((uint16_t)port);
        l.address_size = sizeof l.address.in6;
        if (inet_pton(AF_INET6, name, &l.address.in6.sin6_addr) != 1)
            return bad_address(text, err);
        l.is_loopback = IN6_IS_ADDR_LOOPBACK(&l.address.in6.sin6_addr);
    } else {
        l.address.in4.sin_family = AF_INET;
        l.address.in4.sin_port = htons((uint16_t)port);
        l.address_size = sizeof l.address.in4;
        if (inet_pton(AF_INET, name, &l.address.in4.sin_addr) != 1)
            return bad_address(text, err);
        l.is_loopback = ntohl(l.address.in4.sin_addr.s_addr) >> 24 == 127;
    }
    *ret = l;
    return 0;
}

int listener_parse_unix(const char *path, struct listener *ret, struct err *err)
{
    struct listener l = { .fd = -1, .text = path, .is_loopback = true };
    size_t size = strlen(path);
    if (size >= sizeof l.address.un.sun_path)
        return err_set(err, EINVAL, "socket: '%s' is longer than %zu bytes", path,
                       sizeof l.address.un.sun_path - 1);
    l.address.un.sun_family = AF_UNIX;
    memcpy(l.address.un.sun_path, path, size + 1);
    l.address_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size + 1);
    *ret = l;
    return 0;
}

static int learn_port(struct listener *l, int fd)
{
    socklen_t size = sizeof l->address;
    if (getsockname(fd, &l->address.any, &size) < 0)
        return -errno;
    l->port = ntohs(l->address.any.sa_family == AF_INET ? l->address.in4.sin_port
                                                        : l->address.in6.sin6_port);
    return 0;
}

static const char *listen_remedy(int errnum)
{
    switch (errnum) {
    case EADDRINUSE:
        return ": another program listens there (ss -ltnp lists it); give net.listen "
               "another port";
    case EADDRNOTAVAIL:
        return ": no interface of this host has that address; see net.listen";
    case EACCES:
        return ": ports below 1024 want privileges; give net.listen another port";
    default:
        return "";
    }
}

int listener_open(struct listener *l, struct err *err)
{
    bool is_unix = l->address.any.sa_family == AF_UNIX;
    int rc = is_unix ? socket_path_clear(l->address.un.sun_path, err) : 0;
    if (rc < 0)
        return rc;
    AUTO_CLOSE int fd =
        socket(l->address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return err_set(err, errno, "socket: %s", strerror(errno));
    static const int on = 1;
    if (!is_unix)
        (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (l->address.any.sa_family == AF_INET6)
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if (bind(fd, &l->address.any, l->address_size) < 0 || listen(fd, BACKLOG) < 0)
        return err_set(err, errno, "listen on %s: %s%s", l->text, strerror(errno),
                       listen_remedy(errno));
    /* Everybody may connect: what they may do is decided by their credentials. */
    if (is_unix && chmod(l->address.un.sun_path, l->is_private ? 0600 : 0666) < 0)
        return err_set(err, errno, "chmod '%s': %s", l->text, strerror(errno));
    if (!is_unix && learn_port(l, fd) < 0)
        return err_set(err, errno, "getsockname: %s", strerror(errno));
    l->fd = TAKE_FD(fd);
    return 0;
}

void listener_close(struct listener *l)
{
    if (l->fd < 0)
        return;
    if (l->address.any.sa_family == AF_UNIX)
        (void)unlink(l->address.un.sun_path);
    (void)close(l->fd);
    l->fd = -1;
}
