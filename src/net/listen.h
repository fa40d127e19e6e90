/* SPDX-License-Identifier: Apache-2.0 */
/* listen - addresses and the sockets on them. */
#ifndef NET_LISTEN_H
#define NET_LISTEN_H

#include "base/err.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { LISTENERS_MAX = 16 };

struct listener {
    int fd; /* -1: not open */
    bool is_loopback;
    bool is_private; /* of a unix socket: mode 0600 */
    unsigned port;   /* 0: unix */
    socklen_t address_size;
    union {
        struct sockaddr any;
        struct sockaddr_in in4;
        struct sockaddr_in6 in6;
        struct sockaddr_un un;
    } address;
    const char *text; /* as configured */
};

/* "ADDRESS:PORT", "[ADDRESS]:PORT", "localhost:PORT"; text outlives it.
 * Errors: -EINVAL. */
int listener_parse_tcp(const char *text, struct listener *ret, struct err *err);
/* Errors: -EINVAL (longer than a socket's path may be). */
int listener_parse_unix(const char *path, struct listener *ret, struct err *err);
/* A socket that a killed daemon left behind is replaced.
 * Errors: -EADDRINUSE (another process serves it), -EEXIST (a file that is no socket),
 * what socket(), bind() and listen() report. */
int listener_open(struct listener *listener, struct err *err);
void listener_close(struct listener *listener);

#endif
