/* SPDX-License-Identifier: Apache-2.0 */
/* server_socket - a connection to a server for who waits for it, without a loop. */
#ifndef DATASET_FORWARDER_SERVER_SOCKET_H
#define DATASET_FORWARDER_SERVER_SOCKET_H

#include "base/err.h"

/* Reads and writes wait so long.  Errors: those of connect, with a line. */
int server_connect(const char *text, unsigned timeout_s, int *ret_fd, struct err *err);
/* What a read or a write of it ended with, with a line. */
int server_wait_failed(const char *address, int errnum, struct err *err);

#endif
