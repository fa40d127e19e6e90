/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5_socket - the parent's end of what it and the process that reads HDF5 share. */
#include "source/lmt/hdf5_socket.h"

#include "base/clock.h"
#include "base/number.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#define POLL_MS_MAX 1000

void hdf5_socket_begin(struct hdf5_socket *s, int64_t wall_ns)
{
    s->until_ns = clock_monotonic_ns() + wall_ns;
}

int hdf5_socket_read(void *arg, void *data, size_t size)
{
    const struct hdf5_socket *s = arg;
    for (char *at = data; size;) {
        /* Looked at each time: there may always be something. */
        int64_t left_ns = s->until_ns - clock_monotonic_ns();
        if (left_ns <= 0)
            return -ETIMEDOUT;
        ssize_t got = recv(s->fd, at, size, MSG_DONTWAIT);
        if (got > 0) {
            at += got;
            size -= (size_t)got;
            continue;
        }
        if (got == 0 || (errno != EAGAIN && errno != EINTR))
            return -EPIPE;
        int64_t left_ms = left_ns / NS_PER_MS + 1;
        struct pollfd poll_fd = { .fd = s->fd, .events = POLLIN };
        (void)poll(&poll_fd, 1, left_ms < POLL_MS_MAX ? (int)left_ms : POLL_MS_MAX);
    }
    return 0;
}

int hdf5_socket_write(void *arg, const void *data, size_t size)
{
    const struct hdf5_socket *s = arg;
    ssize_t sent = send(s->fd, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent == (ssize_t)size)
        return 0;
    return sent >= 0 || errno == EAGAIN ? -ETIMEDOUT : -EPIPE;
}
