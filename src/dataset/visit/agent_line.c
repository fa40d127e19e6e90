/* SPDX-License-Identifier: Apache-2.0 */
/* agent_line - what a command requests of the agent, and what it responds. */
#include "dataset/visit/agent_line.h"

#include "base/number.h"
#include "base/span.h"
#include "dataset/view/view.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool is_made_of(struct span text, const char *others, bool has_letters)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (!(has_letters ? isalnum(c) : isdigit(c)) && (!c || !strchr(others, c)))
            return false;
    }
    return text.size > 0;
}

static bool name_read(struct span text, char name[static AGENT_NAME_SIZE])
{
    if (text.size >= AGENT_NAME_SIZE || !is_made_of(text, "._-+:/@", true) ||
        text.data[0] == '-')
        return false;
    memcpy(name, text.data, text.size);
    name[text.size] = '\0';
    return true;
}

static bool number_read(struct span *line, uint64_t most, uint64_t *ret)
{
    struct span word;
    (void)span_cut(line, ' ', &word);
    return is_made_of(word, "", false) && number_parse_u64(word, ret) == 0 &&
           *ret <= most;
}

/* What root states of a user. */
static bool user_read(struct span *line, struct agent_request *request)
{
    struct span groups;
    uint64_t uid = 0;
    if (!number_read(line, UINT32_MAX - 1, &uid))
        return false;
    request->uid = (uint32_t)uid;
    (void)span_cut(line, ' ', &groups);
    if (groups.size >= sizeof request->groups || !is_made_of(groups, ".", false))
        return false;
    memcpy(request->groups, groups.data, groups.size);
    return number_read(line, UINT32_MAX, &request->job);
}

/* Who sends it has mounted it there: the path may have any bytes but a line's end. */
static bool used_read(struct span *line, struct agent_request *request)
{
    struct span command;
    if (!number_read(line, UINT32_MAX, &request->number))
        return false;
    (void)span_cut(line, ' ', &command);
    if (command.size >= sizeof request->command || !is_made_of(command, "-", true) ||
        line->size == 0 || line->size >= sizeof request->path || line->data[0] != '/' ||
        memchr(line->data, 0, line->size))
        return false;
    memcpy(request->command, command.data, command.size);
    memcpy(request->path, line->data, line->size);
    return true;
}

static bool view_read(struct span *line, struct agent_request *request)
{
    return number_read(line, UINT32_MAX, &request->number) &&
           view_name_check(*line, NULL) == 0 && name_read(*line, request->name);
}

int agent_request_parse(struct span line, struct agent_request *ret)
{
    struct agent_request request = { .kind = AGENT_REQUEST_MOUNT };
    struct span word;
    bool is_right = false;
    (void)span_cut(&line, ' ', &word);
    if (span_is(word, "mount")) {
        is_right = name_read(line, request.name);
    } else if (span_is(word, "mount-for")) {
        request.kind = AGENT_REQUEST_MOUNT_FOR;
        is_right = user_read(&line, &request) && name_read(line, request.name);
    } else if (span_is(word, "end")) {
        request.kind = AGENT_REQUEST_END;
        is_right = number_read(&line, UINT32_MAX, &request.job) && line.size == 0 &&
                   request.job;
    } else if (span_is(word, "used")) {
        request.kind = AGENT_REQUEST_USED;
        is_right = used_read(&line, &request);
    } else if (span_is(word, "where")) {
        request.kind = AGENT_REQUEST_WHERE;
        is_right = line.size == 0;
    } else if (span_is(word, "view")) {
        request.kind = AGENT_REQUEST_VIEW;
        is_right = view_read(&line, &request);
    } else if (span_is(word, "own") || span_is(word, "record") ||
               span_is(word, "profile")) {
        request.kind = word.data[0] == 'o'   ? AGENT_REQUEST_OWN
                       : word.data[0] == 'r' ? AGENT_REQUEST_RECORD
                                             : AGENT_REQUEST_PROFILE;
        is_right = number_read(&line, UINT32_MAX, &request.number) && line.size == 0;
    }
    if (!is_right)
        return -EBADMSG;
    *ret = request;
    return 0;
}

size_t agent_request_print(const struct agent_request *request,
                           char out[static AGENT_LINE_MAX])
{
    int size = 0;
    switch (request->kind) {
    case AGENT_REQUEST_MOUNT:
        size = snprintf(out, AGENT_LINE_MAX, "mount %s\n", request->name);
        break;
    case AGENT_REQUEST_MOUNT_FOR:
        size =
            snprintf(out, AGENT_LINE_MAX, "mount-for %" PRIu32 " %s %" PRIu64 " %s\n",
                     request->uid, request->groups, request->job, request->name);
        break;
    case AGENT_REQUEST_END:
        size = snprintf(out, AGENT_LINE_MAX, "end %" PRIu64 "\n", request->job);
        break;
    case AGENT_REQUEST_USED:
        size = snprintf(out, AGENT_LINE_MAX, "used %" PRIu64 " %s %s\n",
                        request->number, request->command, request->path);
        break;
    case AGENT_REQUEST_WHERE:
        size = snprintf(out, AGENT_LINE_MAX, "where\n");
        break;
    case AGENT_REQUEST_VIEW:
        size = snprintf(out, AGENT_LINE_MAX, "view %" PRIu64 " %s\n", request->number,
                        request->name);
        break;
    case AGENT_REQUEST_OWN:
        size = snprintf(out, AGENT_LINE_MAX, "own %" PRIu64 "\n", request->number);
        break;
    case AGENT_REQUEST_RECORD:
        size = snprintf(out, AGENT_LINE_MAX, "record %" PRIu64 "\n", request->number);
        break;
    case AGENT_REQUEST_PROFILE:
        size = snprintf(out, AGENT_LINE_MAX, "profile %" PRIu64 "\n", request->number);
        break;
    }
    return (size_t)size;
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
