/* SPDX-License-Identifier: Apache-2.0 */
/* root - a dataset as the root of a mount namespace. */
#include "base/span.h"
#include "dataset/visit/overlay.h"
#include "dataset/visit/visit.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Names of directories that an image does not have are in memory. */
#define NAMES_BYTES (UINT64_C(1) << 20)

/* ---- paths in an image ---- */

/* No link of an image leads anywhere: not even within it, as what is to be seen at a
 * path would be somewhere else. */
static int name_open(int dir, const char *name, bool creates)
{
    const struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
                                  .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
                                             RESOLVE_NO_MAGICLINKS };
    int fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof how);
    if (fd >= 0 || errno != ENOENT || !creates)
        return fd < 0 ? -errno : fd;
    if (mkdirat(dir, name, 0755) < 0)
        return -errno;
    fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof how);
    return fd < 0 ? -errno : fd;
}

int root_path_open(int root, const char *path, bool creates)
{
    struct span rest = span_of(path), part;
    char name[NAME_MAX + 1];
    int dir = fcntl(root, F_DUPFD_CLOEXEC, 0);
    while (dir >= 0 && rest.size) {
        (void)span_cut(&rest, '/', &part);
        if (part.size == 0 || span_is(part, "."))
            continue;
        bool is_name = part.size < sizeof name && !span_is(part, "..");
        memcpy(name, part.data, is_name ? part.size : 0);
        name[is_name ? part.size : 0] = '\0';
        int next = is_name ? name_open(dir, name, creates) : -EINVAL;
        (void)close(dir);
        dir = next;
    }
    return dir < 0 && dir == -1 ? -errno : dir;
}

static const char *why_not(int rc)
{
    return rc == -ELOOP     ? "the image has a symbolic link there"
           : rc == -ENOTDIR ? "the image has a file there"
           : rc == -EINVAL  ? "a path with '..'"
           : rc == -EROFS   ? "the image has no such directory, and cannot be written"
                            : strerror(-rc);
}

/* ---- what stays reachable ---- */

/* The tree that is there, with what is mounted in it; -ENOENT: there is none. */
static int tree_open(const char *path, const struct visit_user *user)
{
    AUTO_CLOSE int at = visit_directory_open(path, user);
    if (at < 0)
        return at;
    int tree = (int)syscall(SYS_open_tree, at, "",
                            AT_EMPTY_PATH | OPEN_TREE_CLONE | AT_RECURSIVE |
                                (unsigned)OPEN_TREE_CLOEXEC);
    return tree < 0 ? -errno : tree;
}

static int directory_bind(int root, const char *path, const struct visit_user *user,
                          struct err *err)
{
    AUTO_CLOSE int tree = tree_open(path, user);
    if (tree < 0)
        return tree == -ENOENT || tree == -EACCES
                   ? 0
                   : err_set(err, -tree, "%s: %s", path, strerror(-tree));
    AUTO_CLOSE int at = root_path_open(root, path, true);
    if (at < 0)
        return err_set(err, -at, "%s in the root: %s", path, why_not(at));
    return syscall(SYS_move_mount, tree, "", at, "",
                   MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0
               ? err_set(err, errno, "%s in the root: %s", path, strerror(errno))
               : 0;
}

static int directories_bind(int root, const struct visit_root *opts,
                            const struct visit_user *user, struct err *err)
{
    static const char *const system_paths[] = { "/proc", "/sys", "/dev", "/tmp" };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < COUNT_OF(system_paths); i++)
        rc = directory_bind(root, system_paths[i], NULL, err);
    for (size_t i = 0; rc == 0 && i < opts->path_count; i++)
        if (opts->paths[i][strspn(opts->paths[i], "/.")])
            rc = directory_bind(root, opts->paths[i], user, err);
    return rc;
}

/* ---- the root ---- */

static int root_mount(const struct visit *visit, int tree, int *ret, struct err *err)
{
    char path[VISIT_PATH_SIZE + 8];
    (void)snprintf(path, sizeof path, "%s/root", visit->here);
    if (mount("barograph", visit->here, "tmpfs", MS_NOSUID | MS_NODEV,
              "mode=0755,size=64k") < 0 ||
        mkdir(path, 0755) < 0 ||
        syscall(SYS_move_mount, tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) < 0)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    int root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    *ret = root;
    return 0;
}

/* What it was before goes with all that is mounted there. */
static int root_change(int root, struct err *err)
{
    if (fchdir(root) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 ||
        umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
        return err_set(err, errno, "changing the root: %s", strerror(errno));
    return 0;
}

static int root_protect(int tree, struct err *err)
{
    struct mount_attr attributes = { .attr_set = MOUNT_ATTR_RDONLY };
    return syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attributes,
                   sizeof attributes) < 0
               ? err_set(err, errno, "making the root read-only: %s", strerror(errno))
               : 0;
}

int visit_enter_root(struct visit *visit, const struct visit_root *opts,
                     const struct visit_user *user, struct err *err)
{
    struct visit_dataset *dataset = &visit->datasets[visit->root];
    AUTO_CLOSE int tree = -1;
    AUTO_CLOSE int root = -1;
    int rc =
        overlay_make(visit->here, dataset->fd,
                     opts->size_bytes ? opts->size_bytes : NAMES_BYTES, &tree, err);
    if (rc == 0)
        rc = root_mount(visit, tree, &root, err);
    if (rc == 0)
        rc = directories_bind(root, opts, user, err);
    if (rc == 0 && visit->has_here) {
        AUTO_CLOSE int here = root_path_open(root, visit->here, true);
        rc = here < 0
                 ? err_set(err, -here, "%s in the root: %s", visit->here, why_not(here))
                 : 0;
    }
    if (rc == 0 && !opts->size_bytes)
        rc = root_protect(tree, err);
    if (rc == 0)
        rc = visit_hooks_run(visit, opts, err);
    return rc < 0 ? rc : root_change(root, err);
}
