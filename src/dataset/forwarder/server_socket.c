/* SPDX-License-Identifier: Apache-2.0 */
/* server_socket - a connection to a server for who waits for it, without a loop. */
#include "dataset/forwarder/server_socket.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "dataset/forwarder/address.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECT_S 10U

int server_wait_failed(const char *address, int errnum, struct err *err)
{
    return err_set(err, errnum == EAGAIN ? ETIMEDOUT : errnum, "'%s': %s", address,
                   errnum == EAGAIN ? "no response in time" : strerror(errnum));
}

/* To this one alone. */
static int connect_wait(struct address *address, const struct addrinfo *found,
                        unsigned timeout_s, int *ret_fd)
{
    struct addrinfo one = found ? *found : (struct addrinfo){ 0 };
    int fd = -1, error = 0;
    socklen_t size = sizeof error;
    one.ai_next = NULL;
    int rc = address_connect(address, &one, &fd);
    if (rc < 0)
        return rc;
    struct pollfd wait = { .fd = fd, .events = POLLOUT };
    if (poll(&wait, 1, (int)timeout_s * 1000) != 1)
        error = ETIMEDOUT;
    else
        (void)getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error)
        (void)close(fd);
    else
        *ret_fd = fd;
    return -error;
}

int server_connect(const char *text, unsigned timeout_s, int *ret_fd, struct err *err)
{
    static const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
                                           .ai_flags = AI_NUMERICSERV };
    const struct timeval timeout = { .tv_sec = timeout_s };
    struct addrinfo *found = NULL;
    struct address address;
    AUTO_CLOSE int fd = -1;
    int rc = address_parse(text, &address, err);
    if (rc < 0)
        return rc;
    if (!address.path && (rc = getaddrinfo(address.host, address.port, &hints, &found)))
        return err_set(err, EHOSTUNREACH, "'%s': %s", text, gai_strerror(rc));
    const struct addrinfo *at = found;
    do {
        rc = connect_wait(&address, at, timeout_s < CONNECT_S ? timeout_s : CONNECT_S,
                          &fd);
        at = at ? at->ai_next : NULL;
    } while (rc < 0 && at);
    if (found)
        freeaddrinfo(found);
    if (rc < 0)
        return err_set(err, -rc, "connect to '%s': %s", text, strerror(-rc));
    (void)fcntl(fd, F_SETFL, 0); /* it waits from now on */
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    *ret_fd = TAKE_FD(fd);
    return 0;
}
