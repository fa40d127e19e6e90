/* SPDX-License-Identifier: Apache-2.0 */
/* held - descriptors of the agent that outlive its process, and with them all mounts.
 */
#include "dataset/mount/held.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define FDS_FIRST 3 /* SD_LISTEN_FDS_START */
#define FDS_MAX 64U
#define ARGUMENTS_MAX 256U
#define ARGUMENTS_BYTES 65536U
/* Of held_exec(): "PID:IMAGES:TABLE:LISTEN". */
#define EXEC_VARIABLE "BARO_DATASET_AGENT_HELD"

static const char *const names[] = { "images", "table", "socket" };

static int *held_at(struct held *held, size_t i)
{
    int *const at[] = { &held->images, &held->table, &held->listen };
    return at[i];
}

void held_close(struct held *held)
{
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (*held_at(held, i) >= 0)
            (void)close(*held_at(held, i));
    *held = HELD_NONE;
}

static bool number_of_text(struct span text, uint64_t max, int *ret)
{
    uint64_t value;
    if (number_parse_u64(text, &value) < 0 || value > max)
        return false;
    *ret = (int)value;
    return true;
}

/* ---- what is there ---- */

static void exec_held(const char *variable, struct held *ret)
{
    struct span rest = span_of(variable), word;
    int value;
    (void)span_cut(&rest, ':', &word);
    if (!number_of_text(word, INT32_MAX, &value) || value != getpid())
        return; /* of another process, which has left it to its child */
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        (void)span_cut(&rest, ':', &word);
        if (number_of_text(word, INT32_MAX, &value) && fcntl(value, F_GETFD) >= 0)
            *held_at(ret, i) = value;
    }
}

/* Names that are unknown, and earlier ones of the same name, are closed. */
static void listen_held(const char *pid, const char *count, const char *fd_names,
                        struct held *ret)
{
    struct span rest = span_of(fd_names), name;
    int value, fds;
    if (!number_of_text(span_of(pid), INT32_MAX, &value) || value != getpid() ||
        !number_of_text(span_of(count), FDS_MAX, &fds))
        return;
    for (int fd = FDS_FIRST; fd < FDS_FIRST + fds; fd++) {
        int *at = NULL;
        (void)span_cut(&rest, ':', &name);
        for (size_t i = 0; i < COUNT_OF(names); i++)
            at = span_is(name, names[i]) ? held_at(ret, i) : at;
        if (at && *at >= 0)
            (void)close(*at);
        if (at)
            *at = fd;
        else
            (void)close(fd);
    }
}

struct held held_find(void)
{
    static const char *const variables[] = { EXEC_VARIABLE, "LISTEN_PID", "LISTEN_FDS",
                                             "LISTEN_FDNAMES" };
    struct held held = HELD_NONE;
    const char *exec = getenv(EXEC_VARIABLE), *pid = getenv("LISTEN_PID");
    const char *fds = getenv("LISTEN_FDS"), *fd_names = getenv("LISTEN_FDNAMES");
    if (exec)
        exec_held(exec, &held);
    else if (pid && fds && fd_names)
        listen_held(pid, fds, fd_names, &held);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (*held_at(&held, i) >= 0)
            (void)fcntl(*held_at(&held, i), F_SETFD, FD_CLOEXEC);
    for (size_t i = 0; i < COUNT_OF(variables); i++)
        (void)unsetenv(variables[i]);
    return held;
}

/* ---- storing ---- */

/* fd -1: none goes with it. */
static void manager_notify(const char *text, int fd)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = { 0 };
    struct iovec part = { (void *)(uintptr_t)text, strlen(text) };
    size_t size = path ? strlen(path) : 0;
    if (size < 2 || size >= sizeof address.sun_path)
        return;
    memcpy(address.sun_path, path, size);
    if (path[0] == '@')
        address.sun_path[0] = '\0'; /* an abstract one */
    struct msghdr message = {
        .msg_name = &address,
        .msg_namelen = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size),
        .msg_iov = &part,
        .msg_iovlen = 1,
    };
    if (fd >= 0) {
        control.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof fd),
                                         .cmsg_level = SOL_SOCKET,
                                         .cmsg_type = SCM_RIGHTS };
        memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
        message.msg_control = &control;
        message.msg_controllen = sizeof control.bytes;
    }
    int to = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (to < 0)
        return;
    (void)sendmsg(to, &message, MSG_NOSIGNAL);
    (void)close(to);
}

void held_store(const struct held *held)
{
    struct held copy = *held;
    char text[64];
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        (void)snprintf(text, sizeof text, "FDSTOREREMOVE=1\nFDNAME=%s", names[i]);
        manager_notify(text, -1);
        (void)snprintf(text, sizeof text, "FDSTORE=1\nFDNAME=%s", names[i]);
        manager_notify(text, *held_at(&copy, i));
    }
}

/* ---- exec ---- */

static int arguments_read(char *bytes, const char *more, char **ret)
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, bytes, ARGUMENTS_BYTES - 1);
    size_t count = 0;
    if (fd >= 0)
        (void)close(fd);
    if (size <= 0 || size == ARGUMENTS_BYTES - 1)
        return -E2BIG;
    bytes[size] = '\0';
    for (char *at = bytes; at < bytes + size && count < ARGUMENTS_MAX;
         at += strlen(at) + 1)
        ret[count++] = at;
    if (count == ARGUMENTS_MAX)
        return -E2BIG;
    ret[count] = (char *)(uintptr_t)more;
    ret[count + 1] = NULL;
    return 0;
}

int held_exec(const struct held *held, const char *more, struct err *err)
{
    static char bytes[ARGUMENTS_BYTES], variable[64];
    static char *arguments[ARGUMENTS_MAX + 2];
    struct held copy = *held;
    int rc = arguments_read(bytes, more, arguments);
    if (rc < 0)
        return err_set(err, -rc, "its own arguments cannot be read");
    (void)snprintf(variable, sizeof variable, "%d:%d:%d:%d", (int)getpid(),
                   held->images, held->table, held->listen);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (*held_at(&copy, i) >= 0)
            (void)fcntl(*held_at(&copy, i), F_SETFD, 0);
    if (setenv(EXEC_VARIABLE, variable, 1) == 0)
        (void)execvp(arguments[0], arguments);
    rc = err_set(err, errno, "%s: %s", arguments[0], strerror(errno));
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (*held_at(&copy, i) >= 0)
            (void)fcntl(*held_at(&copy, i), F_SETFD, FD_CLOEXEC);
    (void)unsetenv(EXEC_VARIABLE);
    return rc;
}
