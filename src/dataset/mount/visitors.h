/* SPDX-License-Identifier: Apache-2.0 */
/* visitors - which commands are connected: how many of whom, and whose has gone;
 * private to the room.
 *
 * A user has its part of the slots, also by several numbers (those of a user
 * namespace) where the kernel knows who logged in; some are root's.  A process that
 * waits for an upstream does not see that its command is gone, so its connection is
 * watched here. Threads  one.
 */
#ifndef DATASET_MOUNT_VISITORS_H
#define DATASET_MOUNT_VISITORS_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define VISITORS_MAX 512U
#define VISITORS_OF_USER_MAX 128U
#define VISITORS_OF_ROOT 32U
#define VISITORS_LOGIN_NONE UINT32_MAX

struct visitors_user {
    uid_t uid;
    uint32_t login; /* who logged in (audit); VISITORS_LOGIN_NONE: not known */
};

struct visitors_slot {
    pid_t pid; /* 0: none */
    struct visitors_user user;
    int fd;         /* of its connection, to watch it; -1: it is gone */
    int64_t end_ns; /* then it is ended; 0: not */
};

struct visitors {
    struct visitors_slot slots[VISITORS_MAX];
};

void visitors_init(struct visitors *visitors);
/* Who is connected.  Errors: those of getsockopt; -ESRCH: its process has ended. */
int visitors_identify(int fd, struct visitors_user *ret);
/* NULL: that user has too many, or there are. */
struct visitors_slot *visitors_slot(struct visitors *visitors,
                                    const struct visitors_user *user);
/* The connection is the table's now. */
void visitors_add(struct visitors_slot *slot, pid_t pid,
                  const struct visitors_user *user, int fd);
/* A process has ended.  False: it is not one here. */
bool visitors_remove(struct visitors *visitors, pid_t pid);

/* What is to be waited for, in VISITORS_MAX slots. */
void visitors_watch(const struct visitors *visitors, struct pollfd *fds);
/* After poll(): who is gone has time to leave by itself, then it is ended.  When to
 * look again; INT64_MAX: not before a connection is gone. */
int64_t visitors_check(struct visitors *visitors, const struct pollfd *fds,
                       int64_t now_ns);

#endif
