/* SPDX-License-Identifier: Apache-2.0 */
/* tree_owner - a copy of a mount in which what root owns is a user's. */
#include "dataset/mount/tree_owner.h"

#include "base/cleanup.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* It has a user namespace until its parent has that. */
__attribute__((noreturn)) static void map_hold(int out, int in)
{
    char byte = 0;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (unshare(CLONE_NEWUSER) < 0)
        _exit(errno);
    if (write(out, &byte, 1) == 1)
        (void)!read(in, &byte, 1);
    _exit(0);
}

static int map_write(pid_t child, const char *file, uint32_t number)
{
    char path[48], text[32];
    (void)snprintf(path, sizeof path, "/proc/%d/%s", (int)child, file);
    int size = snprintf(text, sizeof text, "0 %u 1\n", number);
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CLOEXEC);
    return fd < 0 || write(fd, text, (size_t)size) < 0 ? -errno : 0;
}

static int map_set(int tree, pid_t child, uid_t uid, gid_t gid)
{
    char path[48];
    int rc = map_write(child, "uid_map", uid);
    if (rc == 0)
        rc = map_write(child, "gid_map", gid);
    (void)snprintf(path, sizeof path, "/proc/%d/ns/user", (int)child);
    AUTO_CLOSE int space = rc < 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (space < 0)
        return rc < 0 ? rc : -errno;
    struct mount_attr attributes = { .attr_set = MOUNT_ATTR_IDMAP,
                                     .userns_fd = (uint64_t)space };
    return syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attributes,
                   sizeof attributes) < 0
               ? -errno
               : 0;
}

static void pair_close(int pair[2])
{
    (void)close(pair[0]);
    (void)close(pair[1]);
}

int tree_own(int tree, uid_t uid, gid_t gid)
{
    int up[2], down[2];
    char byte;
    if (pipe2(up, O_CLOEXEC) < 0)
        return -errno;
    if (pipe2(down, O_CLOEXEC) < 0) {
        int rc = -errno;
        pair_close(up);
        return rc;
    }
    (void)fflush(NULL);
    pid_t child = fork();
    int status = 0;
    int rc = child < 0 ? -errno : 0;
    if (child == 0) {
        (void)close(down[1]);
        map_hold(up[1], down[0]);
    }
    (void)close(up[1]);
    up[1] = -1;
    bool has_space = rc == 0 && read(up[0], &byte, 1) == 1;
    if (has_space)
        rc = map_set(tree, child, uid, gid);
    (void)close(up[0]);
    pair_close(down);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (rc == 0 && !has_space) /* its status is the error of unshare(2) */
        rc = WIFEXITED(status) && WEXITSTATUS(status) ? -WEXITSTATUS(status) : -ECHILD;
    return rc;
}
