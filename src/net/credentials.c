/* SPDX-License-Identifier: Apache-2.0 */
/* credentials - what the kernel states about the other end of a socket. */
#include "net/credentials.h"

#include "base/span.h"

#include "net/rate.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { GROUPS_MAX = 1024 };

/* Clients without a token are distinguished by their address; in IPv6 a host may
 * choose among all addresses of its /64. */
static void read_origin(struct peer *peer)
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
        (void)snprintf(peer->origin, sizeof peer->origin, "uid %u", peer->uid);
    } else if (address.any.sa_family == AF_INET6 &&
               !IN6_IS_ADDR_V4MAPPED(&address.in6.sin6_addr)) {
        memset(address.in6.sin6_addr.s6_addr + 8, 0, 8);
        (void)inet_ntop(AF_INET6, &address.in6.sin6_addr, text, sizeof text);
        (void)snprintf(peer->origin, sizeof peer->origin, "%s/64", text);
    } else {
        const void *in4 = address.any.sa_family == AF_INET6
                              ? (const void *)(address.in6.sin6_addr.s6_addr + 12)
                              : (const void *)&address.in4.sin_addr;
        (void)inet_ntop(AF_INET, in4, text, sizeof text);
        (void)snprintf(peer->origin, sizeof peer->origin, "%s", text);
    }
    peer->origin_key = rate_key(span_of(peer->origin));
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

static void read_socket(const struct credential_groups *groups, struct peer *peer)
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
        (groups->has_admin && is_in_group(peer->fd, cred.gid, groups->admin));
    peer->is_scheduler =
        groups->has_scheduler && is_in_group(peer->fd, cred.gid, groups->scheduler);
}

void credentials_read(const struct credential_groups *groups, bool has_tokens,
                      struct peer *peer)
{
    read_socket(groups, peer);
    read_origin(peer);
    peer->is_known =
        peer->is_local ? peer->is_admin || peer->is_scheduler : !has_tokens;
}
