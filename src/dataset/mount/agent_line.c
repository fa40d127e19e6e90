/* SPDX-License-Identifier: Apache-2.0 */
/* agent_line - what a command requests of the agent, and what it responds. */
#include "dataset/mount/agent_line.h"

#include "base/number.h"
#include "base/span.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int agent_request_parse(struct span line, enum agent_request *ret,
                        char name[static NODE_MOUNTS_NAME_SIZE])
{
    struct span word;
    (void)span_cut(&line, ' ', &word);
    if (!span_is(word, "mount") || line.size == 0 ||
        line.size >= NODE_MOUNTS_NAME_SIZE || line.data[0] == '-')
        return -EBADMSG;
    for (size_t i = 0; i < line.size; i++)
        if (!isalnum((unsigned char)line.data[i]) && !strchr("._-+:/@", line.data[i]))
            return -EBADMSG;
    if (memchr(line.data, '\0', line.size))
        return -EBADMSG;
    memcpy(name, line.data, line.size);
    name[line.size] = '\0';
    *ret = AGENT_REQUEST_MOUNT;
    return 0;
}

int agent_response_parse(struct span line, struct agent_response *ret)
{
    struct agent_response response = { 0 };
    struct span word, number;
    uint64_t errnum = 0;
    (void)span_cut(&line, ' ', &word);
    if (span_is(word, "ok")) {
        if (digest_parse(line, &response.name) < 0)
            return -EBADMSG;
        *ret = response;
        return 0;
    }
    (void)span_cut(&line, ' ', &number);
    if (!span_is(word, "error") || number_parse_u64(number, &errnum) < 0 ||
        errnum == 0 || errnum > 4095 || line.size >= sizeof response.text)
        return -EBADMSG;
    response.error = (int)errnum;
    memcpy(response.text, line.data, line.size);
    *ret = response;
    return 0;
}

size_t agent_response_print(const struct agent_response *response,
                            char out[static AGENT_LINE_MAX])
{
    char text[DIGEST_TEXT_SIZE];
    digest_print(&response->name, text);
    int size = response->error ? snprintf(out, AGENT_LINE_MAX, "error %d %s\n",
                                          response->error, response->text)
                               : snprintf(out, AGENT_LINE_MAX, "ok %s\n", text);
    return (size_t)size < AGENT_LINE_MAX ? (size_t)size : AGENT_LINE_MAX - 1;
}

/* The control buffer holds more than one by its alignment: those would stay open. */
static void fds_accept(struct msghdr *message, int *ret_fd)
{
    const struct cmsghdr *part = CMSG_FIRSTHDR(message);
    for (; part; part = CMSG_NXTHDR(message, (struct cmsghdr *)(uintptr_t)part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
            if (*ret_fd < 0)
                *ret_fd = fd;
            else
                (void)close(fd);
        }
    }
}

/* A byte at a time: a descriptor comes with the line that it belongs to.  Where none is
 * expected the kernel installs none. */
int agent_line_receive(int fd, char line[static AGENT_LINE_MAX], size_t *ret_size,
                       int *ret_fd)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    int received = -1;
    for (size_t size = 0; size < AGENT_LINE_MAX; size++) {
        struct iovec part = { line + size, 1 };
        struct msghdr message = { .msg_iov = &part,
                                  .msg_iovlen = 1,
                                  .msg_control = ret_fd ? &control : NULL,
                                  .msg_controllen = ret_fd ? sizeof control : 0 };
        ssize_t got;
        do
            got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
        while (got < 0 && errno == EINTR);
        int rc = got < 0 ? -errno : got == 0 ? -ECONNRESET : 0;
        if (rc == 0)
            fds_accept(&message, &received);
        if (rc == 0 && line[size] != '\n')
            continue;
        if (rc < 0 && received >= 0)
            (void)close(received);
        if (rc < 0)
            return rc;
        *ret_size = size;
        if (ret_fd)
            *ret_fd = received;
        return 0;
    }
    if (received >= 0)
        (void)close(received);
    return -EMSGSIZE;
}

int agent_line_send(int fd, const char *line, size_t size, int fd_sent)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = { 0 };
    struct iovec part = { (void *)(uintptr_t)line, size };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    if (fd_sent >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(head), &fd_sent, sizeof(int));
    }
    return sendmsg(fd, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}
