/* SPDX-License-Identifier: Apache-2.0 */
/* address - where a door is: "unix:PATH", "HOST:PORT" or "[ADDRESS]:PORT". */
#ifndef DATASET_FORWARDER_ADDRESS_H
#define DATASET_FORWARDER_ADDRESS_H

#include "base/err.h"

#include <netdb.h>
#include <stdbool.h>
#include <sys/types.h>

struct address {
    const char *text; /* as configured */
    const char *path; /* of a unix socket; NULL: TCP */
    char host[256];
    char port[8];
    unsigned attempt; /* which of the addresses of its name is connected to next */
};

#define ADDRESS_SOCKETS_MAX 8U

/* text outlives it.  Errors: -EINVAL with a line. */
int address_parse(const char *text, struct address *ret, struct err *err);

struct address_listen_opts {
    mode_t mode;         /* of a unix socket */
    bool allows_foreign; /* other addresses than those of the loopback */
};
/* At each address that a name has, but for those of a protocol that this host does not
 * have.  A socket that a killed process left behind is replaced.  The descriptors do
 * not block.  Errors: -EADDRINUSE, -EPERM (a foreign address), those of bind, with a
 * line. */
int address_listen(const struct address *address,
                   const struct address_listen_opts *opts,
                   int ret_fds[static ADDRESS_SOCKETS_MAX], size_t *ret_count,
                   struct err *err);
/* Does not wait: what comes of it is known when the socket is read or written.
 * found: of TCP, what a resolver found; the address's attempt is the one of them that
 * is tried, and those behind it where the attempt ends at once.  Errors: errno of
 * socket and connect. */
int address_connect(struct address *address, const struct addrinfo *found, int *ret_fd);
/* Small messages are sent at once; a peer whose host is gone is noticed, and one that
 * accepts no bytes for so long. */
void address_tune(int fd, unsigned unaccepted_ms);

#endif
