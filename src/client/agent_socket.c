/* SPDX-License-Identifier: Apache-2.0 */
/* agent_socket - requests of a program to the agent of its node. */
#include "client/agent_socket.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

enum { PATIENCE_S = 10, RESPONSE_BYTES_MAX = 256 };

const char *agent_socket_path(void)
{
    const char *path = getenv("BARO_AGENT");
    return path && *path ? path : AGENT_SOCKET_DEFAULT;
}

static const char *connect_remedy(int errnum)
{
    switch (errnum) {
    case ENOENT:
        return ": no agent has a socket there; an administrator sets node.socket in "
               "baro-agent.conf";
    case ECONNREFUSED:
        return ": the agent of this node does not run";
    default:
        return "";
    }
}

static int connect_agent(const char *path, int flags, int *ret_fd, struct err *err)
{
    struct sockaddr_un un = { .sun_family = AF_UNIX };
    const struct timeval patience = { .tv_sec = PATIENCE_S };
    if (strlen(path) >= sizeof un.sun_path)
        return err_set(err, EINVAL, "'%s' is longer than a socket's path may be", path);
    memcpy(un.sun_path, path, strlen(path) + 1);
    AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
    if (fd < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) < 0)
        return err_set(err, errno, "socket: %s", strerror(errno));
    if (connect(fd, (const struct sockaddr *)&un, sizeof un) < 0) {
        int errnum = errno == EAGAIN ? ETIMEDOUT : errno;
        return err_set(err, errnum, "%s: %s%s", path, strerror(errnum),
                       connect_remedy(errnum));
    }
    *ret_fd = TAKE_FD(fd);
    return 0;
}

static int receive_line(int fd, char ret[RESPONSE_BYTES_MAX])
{
    size_t size = 0;
    while (size + 1 < RESPONSE_BYTES_MAX) {
        ssize_t n = recv(fd, ret + size, 1, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0 ? -ECONNRESET : errno == EAGAIN ? -ETIMEDOUT : -errno;
        if (ret[size] == '\n')
            break;
        size++;
    }
    ret[size] = '\0';
    return 0;
}

static int send_line(int fd, struct span line)
{
    while (line.size > 0) {
        ssize_t n = send(fd, line.data, line.size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN ? -ETIMEDOUT : -errno;
        line.data += n;
        line.size -= (size_t)n;
    }
    return 0;
}

int agent_socket_open(const char *path, int *ret_fd, struct err *err)
{
    return connect_agent(path, SOCK_NONBLOCK, ret_fd, err);
}

int agent_socket_submit(const char *path, struct span lines, struct err *err)
{
    static const char refused[] = "refused: ", later[] = "later: ";
    char response[RESPONSE_BYTES_MAX];
    AUTO_CLOSE int fd = -1;
    int rc = connect_agent(path, 0, &fd, err);
    while (rc == 0 && lines.size > 0) {
        const char *end = memchr(lines.data, '\n', lines.size);
        struct span line = { lines.data,
                             end ? (size_t)(end + 1 - lines.data) : lines.size };
        lines.data += line.size;
        lines.size -= line.size;
        rc = send_line(fd, line);
        if (rc == 0 || rc == -EPIPE) /* closed: perhaps with a reason */
            rc = receive_line(fd, response);
        if (rc < 0)
            return err_set(err, -rc, "%s: %s", path, strerror(-rc));
        if (span_starts(span_of(response), refused))
            return err_set(err, EPERM, "the agent refuses: %s",
                           response + sizeof refused - 1);
        if (span_starts(span_of(response), later))
            return err_set(err, EAGAIN, "the agent accepts it later: %s",
                           response + sizeof later - 1);
        if (strcmp(response, "ok") != 0)
            return err_set(err, EPROTO, "%s: not an agent's response: '%.40s'", path,
                           response);
    }
    return rc;
}

static int put_line_add(struct strbuf *lines, const char *name, const char *value,
                        struct err *err)
{
    double number = 0;
    if (number_parse_double(span_of(value), &number) < 0 || !isfinite(number))
        return err_set(err, EINVAL, "'%s' is not a finite number, the value of %s",
                       value, name);
    if (strpbrk(name, " \n"))
        return err_set(err, EINVAL, "'%s' is not the name of a metric", name);
    strbuf_addf(lines, "metric %s %s\n", name, value);
    return strbuf_error(lines);
}

int agent_socket_put(const char *path, size_t operand_count, char *const *operands,
                     struct err *err)
{
    AUTO(strbuf_done) struct strbuf lines = STRBUF_INIT;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i + 1 < operand_count; i += 2)
        rc = put_line_add(&lines, operands[i], operands[i + 1], err);
    return rc < 0 ? rc : agent_socket_submit(path, strbuf_span(&lines), err);
}

int agent_socket_publish(const char *path, const char *name, const char *payload,
                         struct err *err)
{
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    if (strpbrk(name, " \n") || strchr(payload, '\n'))
        return err_set(
            err, EINVAL,
            "a name without blanks, and a payload of one line, go by an agent");
    strbuf_addf(&line, "event %s %s\n", name, payload);
    int rc = strbuf_error(&line);
    return rc < 0 ? rc : agent_socket_submit(path, strbuf_span(&line), err);
}
