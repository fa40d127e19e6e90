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
};

/* text outlives it.  Errors: -EINVAL with a line. */
int address_parse(const char *text, struct address *ret, struct err *err);

struct address_listen_opts {
    mode_t mode;         /* of a unix socket */
    bool allows_foreign; /* other addresses than those of the loopback */
};
/* A socket that a killed process left behind is replaced.  *ret_fd does not block.
 * Errors: -EADDRINUSE, -EPERM (a foreign address), those of bind, with a line. */
int address_listen(const struct address *address,
                   const struct address_listen_opts *opts, int *ret_fd,
                   struct err *err);
/* Does not wait: what comes of it is known when the socket is read or written.
 * found: of TCP, what a resolver found.  Errors: errno of socket and connect. */
int address_connect(const struct address *address, const struct addrinfo *found,
                    int *ret_fd);
/* Small messages are sent at once; a peer whose host is gone is noticed. */
void address_tune(int fd);

#endif
