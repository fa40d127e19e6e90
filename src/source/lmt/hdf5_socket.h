/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5_socket - the parent's end of what it and the process that reads HDF5 share.
 *
 * One deadline holds for a request and its whole response, however slowly a child taken
 * over by its file sends the pieces, or reads none.
 *
 * Threads  one at a time for each socket.
 */
#ifndef SOURCE_LMT_HDF5_SOCKET_H
#define SOURCE_LMT_HDF5_SOCKET_H

#include <stddef.h>
#include <stdint.h>

struct hdf5_socket {
    int fd;
    int64_t until_ns; /* by the monotonic clock */
};

/* A request begins: it has this long. */
void hdf5_socket_begin(struct hdf5_socket *s, int64_t wall_ns);

/* For struct hdf5_pipe; arg is the socket.  Exactly size bytes.
 * Errors: -EPIPE (the other end is closed), -ETIMEDOUT. */
int hdf5_socket_read(void *arg, void *data, size_t size);
/* A request is far smaller than the socket's buffer: no room is as no response. */
int hdf5_socket_write(void *arg, const void *data, size_t size);

#endif
