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
 * path would be somewhere else.  Nothing is made but in the overlay itself: what is
 * bound into it is the node's, or a user's. */
static int name_open(int dir, const char *name, bool creates, dev_t device)
{
    const struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
                                  .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
                                             RESOLVE_NO_MAGICLINKS };
    int fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof how);
    struct stat st;
    if (fd >= 0 || errno != ENOENT || !creates)
        return fd < 0 ? -errno : fd;
    if (fstat(dir, &st) < 0)
        return -errno;
    if (st.st_dev != device)
        return -EXDEV;
    if (mkdirat(dir, name, 0755) < 0)
        return -errno;
    fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof how);
    return fd < 0 ? -errno : fd;
}

int root_path_open(int root, const char *path, bool creates)
{
    struct span rest = span_of(path), part;
    char name[NAME_MAX + 1];
    struct stat st;
    if (fstat(root, &st) < 0)
        return -errno;
    int dir = fcntl(root, F_DUPFD_CLOEXEC, 0);
    if (dir < 0)
        return -errno;
    while (dir >= 0 && rest.size) {
        (void)span_cut(&rest, '/', &part);
        if (part.size == 0 || span_is(part, "."))
            continue;
        bool is_name = part.size < sizeof name && !span_is(part, "..");
        memcpy(name, part.data, is_name ? part.size : 0);
        name[is_name ? part.size : 0] = '\0';
        int next = is_name ? name_open(dir, name, creates, st.st_dev) : -EINVAL;
        (void)close(dir);
        dir = next;
    }
    return dir;
}

static const char *why_not(int rc)
{
    return rc == -ELOOP     ? "the image has a symbolic link there"
           : rc == -ENOTDIR ? "the image has a file there"
           : rc == -EINVAL  ? "a path with '..'"
           : rc == -EXDEV   ? "it would have to be made in what is bound there"
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

static struct span name_cut(struct span *path)
{
    struct span name = { path->data, 0 };
    while (path->size && (name.size == 0 || span_is(name, ".")))
        (void)span_cut(path, '/', &name);
    return span_is(name, ".") ? (struct span){ path->data, 0 } : name;
}

static bool path_has_up(const char *path)
{
    struct span rest = span_of(path), name;
    do
        name = name_cut(&rest);
    while (name.size && !span_is(name, ".."));
    return name.size > 0;
}

/* Or is that. */
static bool path_is_below(const char *path, const char *above)
{
    struct span rest = span_of(path), above_rest = span_of(above), name;
    while ((name = name_cut(&above_rest)).size)
        if (!span_eq(name_cut(&rest), name))
            return false;
    return true;
}

/* What its user cannot open is left out, and a command that needs it not stopped. */
static int tree_failed(struct visit *visit, const char *path, int rc, struct err *err)
{
    if (rc != -EACCES)
        return rc == -ENOENT ? 0 : err_set(err, -rc, "%s: %s", path, strerror(-rc));
    size_t used = strlen(visit->note.text);
    (void)snprintf(visit->note.text + used, sizeof visit->note.text - used,
                   "%s%s: not in the root: %s", used ? "; " : "", path, strerror(-rc));
    return 0;
}

static int directory_bind(struct visit *visit, int root, const char *path,
                          const struct visit_user *user, struct err *err)
{
    AUTO_CLOSE int tree = tree_open(path, user);
    if (tree < 0)
        return tree_failed(visit, path, tree, err);
    AUTO_CLOSE int at = root_path_open(root, path, true);
    if (at < 0)
        return err_set(err, -at, "%s in the root: %s", path, why_not(at));
    return syscall(SYS_move_mount, tree, "", at, "",
                   MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0
               ? err_set(err, errno, "%s in the root: %s", path, strerror(errno))
               : 0;
}

static const char *const system_paths[] = { "/proc", "/sys", "/dev", "/tmp" };

/* With what is above it: a tree is bound whole, and root walks into none of a user. */
static bool is_bound(const char *path, const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!path_is_below("/", paths[i]) && path_is_below(path, paths[i]))
            return true;
    return false;
}

static int user_path_bind(struct visit *visit, int root, const struct visit_root *opts,
                          size_t number, const struct visit_user *user, struct err *err)
{
    const char *path = opts->paths[number];
    if (path_has_up(path))
        return err_set(err, EINVAL, "%s in the root: %s", path, why_not(-EINVAL));
    return path_is_below("/", path) ||
                   is_bound(path, system_paths, COUNT_OF(system_paths)) ||
                   is_bound(path, opts->paths, number)
               ? 0
               : directory_bind(visit, root, path, user, err);
}

static int directories_bind(struct visit *visit, int root,
                            const struct visit_root *opts,
                            const struct visit_user *user, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < COUNT_OF(system_paths); i++)
        rc = directory_bind(visit, root, system_paths[i], NULL, err);
    for (size_t i = 0; rc == 0 && i < opts->path_count; i++)
        rc = user_path_bind(visit, root, opts, i, user, err);
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

/* A hook writes, as root, by paths in an image that its user chose: a link in it would
 * lead to a file of the node as long as the former root is there. */
static int hooks_run(const struct visit *visit, int tree, const struct visit_root *opts,
                     struct err *err)
{
    struct mount_attr attributes = { .attr_set = MOUNT_ATTR_NOSYMFOLLOW };
    if (!opts->hooks || !opts->hooks->count)
        return 0;
    if (syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attributes,
                sizeof attributes) < 0)
        return err_set(
            err, errno,
            "hooks need a root in which no link is followed (Linux 5.14): %s",
            strerror(errno));
    int rc = visit_hooks_run(visit, opts, err);
    attributes = (struct mount_attr){ .attr_clr = MOUNT_ATTR_NOSYMFOLLOW };
    if (rc == 0 && syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attributes,
                           sizeof attributes) < 0)
        rc = err_set(err, errno, "links of the root: %s", strerror(errno));
    return rc;
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
        rc = directories_bind(visit, root, opts, user, err);
    if (rc == 0 && visit->has_here) {
        AUTO_CLOSE int here = root_path_open(root, visit->here, true);
        rc = here < 0
                 ? err_set(err, -here, "%s in the root: %s", visit->here, why_not(here))
                 : 0;
    }
    if (rc == 0 && !opts->size_bytes)
        rc = root_protect(tree, err);
    if (rc == 0)
        rc = hooks_run(visit, tree, opts, err);
    return rc < 0 ? rc : root_change(root, err);
}
