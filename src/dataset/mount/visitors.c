/* SPDX-License-Identifier: Apache-2.0 */
/* visitors - which commands are connected: how many of whom, and whose has gone. */
#include "dataset/mount/visitors.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77 /* Linux 6.5 */
#endif
#define LEAVE_NS (2 * NS_PER_S)

void visitors_init(struct visitors *visitors)
{
    for (unsigned i = 0; i < VISITORS_MAX; i++)
        visitors->slots[i] = (struct visitors_slot){ .fd = -1 };
}

/* ---- who it is ---- */

static uint32_t login_read(pid_t pid)
{
    char path[48], text[16];
    uint64_t login = VISITORS_LOGIN_NONE;
    (void)snprintf(path, sizeof path, "/proc/%d/loginuid", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (fd >= 0)
        (void)close(fd);
    if (size <= 0 ||
        number_parse_u64((struct span){ text, (size_t)size }, &login) < 0 ||
        login > VISITORS_LOGIN_NONE)
        return VISITORS_LOGIN_NONE;
    return (uint32_t)login;
}

/* The number of a process that has ended may be another one's meanwhile. */
static int login_find(int fd, pid_t pid, uint32_t *ret)
{
    int process = -1;
    socklen_t size = sizeof process;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &process, &size) < 0 &&
        errno != ENOPROTOOPT)
        return -ESRCH;
    *ret = pid > 0 ? login_read(pid) : VISITORS_LOGIN_NONE;
    if (process < 0)
        return 0;
    struct pollfd end = { process, POLLIN, 0 };
    int rc = poll(&end, 1, 0) == 0 ? 0 : -ESRCH;
    (void)close(process);
    return rc;
}

int visitors_identify(int fd, struct visitors_user *ret)
{
    struct ucred user = { 0 };
    socklen_t size = sizeof user;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &user, &size) < 0)
        return -errno;
    *ret = (struct visitors_user){ user.uid, VISITORS_LOGIN_NONE };
    return user.uid == 0 ? 0 : login_find(fd, user.pid, &ret->login);
}

/* ---- slots ---- */

static bool is_same_user(const struct visitors_user *one,
                         const struct visitors_user *other)
{
    return one->uid == other->uid || (one->uid && one->login == other->login &&
                                      one->login != VISITORS_LOGIN_NONE);
}

struct visitors_slot *visitors_slot(struct visitors *visitors,
                                    const struct visitors_user *user)
{
    struct visitors_slot *found = NULL;
    unsigned own = 0, count = 0;
    for (unsigned i = 0; i < VISITORS_MAX; i++) {
        struct visitors_slot *slot = &visitors->slots[i];
        count += slot->pid != 0;
        own += slot->pid && is_same_user(&slot->user, user);
        if (!slot->pid && !found)
            found = slot;
    }
    if (user->uid == 0)
        return found;
    return own < VISITORS_OF_USER_MAX && count < VISITORS_MAX - VISITORS_OF_ROOT ? found
                                                                                 : NULL;
}

void visitors_add(struct visitors_slot *slot, pid_t pid,
                  const struct visitors_user *user, int fd)
{
    *slot = (struct visitors_slot){ .pid = pid, .user = *user, .fd = fd };
}

static void visitor_close(struct visitors_slot *slot)
{
    if (slot->fd >= 0)
        (void)close(slot->fd);
    slot->fd = -1;
}

bool visitors_remove(struct visitors *visitors, pid_t pid)
{
    for (unsigned i = 0; i < VISITORS_MAX; i++) {
        if (visitors->slots[i].pid != pid)
            continue;
        visitor_close(&visitors->slots[i]);
        visitors->slots[i].pid = 0;
        return true;
    }
    return false;
}

/* ---- who is gone ---- */

void visitors_watch(const struct visitors *visitors, struct pollfd *fds)
{
    for (unsigned i = 0; i < VISITORS_MAX; i++)
        fds[i] = (struct pollfd){ visitors->slots[i].fd, POLLRDHUP, 0 };
}

int64_t visitors_check(struct visitors *visitors, const struct pollfd *fds,
                       int64_t now_ns)
{
    int64_t next_ns = INT64_MAX;
    for (unsigned i = 0; i < VISITORS_MAX; i++) {
        struct visitors_slot *slot = &visitors->slots[i];
        if (!slot->pid)
            continue;
        if (slot->fd >= 0 && slot->fd == fds[i].fd && fds[i].revents) {
            visitor_close(slot);
            slot->end_ns = now_ns + LEAVE_NS;
        } else if (slot->end_ns && slot->end_ns <= now_ns) {
            (void)kill(slot->pid, SIGTERM);
            slot->end_ns = now_ns + LEAVE_NS;
        }
        if (slot->end_ns && slot->end_ns < next_ns)
            next_ns = slot->end_ns;
    }
    return next_ns;
}
