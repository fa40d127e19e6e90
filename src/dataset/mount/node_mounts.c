/* SPDX-License-Identifier: Apache-2.0 */
/* node_mounts - what is mounted where on a node; only root calls this. */
#include "dataset/mount/node_mounts.h"

#include "base/cleanup.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "dataset/mount/fuse_door.h"
#include "dataset/mount/tree_owner.h"
#include "dataset/visit/visit.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/loop.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MOUNT_FLAGS (MS_RDONLY | MS_NOSUID | MS_NODEV)
#define MOUNTS_BYTES_MAX (16U << 20)
#define LOOP_TRIES 16

static void path_of(const struct node_mounts *node, const char *kind, const char *rest,
                    char path[static NODE_MOUNTS_PATH_SIZE])
{
    (void)snprintf(path, NODE_MOUNTS_PATH_SIZE, "%s/%s/%s", node->dir, kind, rest);
}

/* ---- directories ---- */

static int directory_make(const char *path, mode_t mode, struct err *err)
{
    struct stat st;
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    if (lstat(path, &st) < 0 || !S_ISDIR(st.st_mode) || st.st_uid != 0)
        return err_set(err, ENOTDIR, "%s: not a directory of root's", path);
    if (chmod(path, mode) < 0)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    return 0;
}

/* ---- what is mounted ---- */

static void mounts_read(struct strbuf *out)
{
    FILE *file = fopen("/proc/self/mountinfo", "re");
    char piece[4096];
    size_t size;
    while (file && (size = fread(piece, 1, sizeof piece, file)) > 0 &&
           out->size < MOUNTS_BYTES_MAX)
        strbuf_add(out, piece, size);
    if (file)
        (void)fclose(file);
}

/* The fifth field; a path with blanks in it is not one of the agent's. */
static bool mount_path(struct span line, struct span *ret)
{
    for (int i = 0; i < 5; i++)
        if (!span_cut(&line, ' ', ret))
            return false;
    return true;
}

static bool is_below(const struct node_mounts *node, struct span path)
{
    size_t size = strlen(node->dir);
    return path.size > size && memcmp(path.data, node->dir, size) == 0 &&
           path.data[size] == '/';
}

/* The last that was mounted goes first. */
static void mounts_clear(struct span lines, const struct node_mounts *node)
{
    char text[NODE_MOUNTS_PATH_SIZE];
    struct span line, path;
    if (!lines.size)
        return;
    (void)span_cut(&lines, '\n', &line);
    mounts_clear(lines, node);
    if (!mount_path(line, &path) || !is_below(node, path) || path.size >= sizeof text)
        return;
    memcpy(text, path.data, path.size);
    text[path.size] = '\0';
    (void)umount2(text, MNT_DETACH);
}

void node_mounts_clear(const struct node_mounts *node)
{
    AUTO(strbuf_done) struct strbuf mounts = STRBUF_INIT;
    mounts_read(&mounts);
    if (strbuf_error(&mounts) == 0)
        mounts_clear(strbuf_span(&mounts), node);
    if (node->is_bound)
        (void)umount2(node->dir, MNT_DETACH);
}

/* The last mount there, for which mountinfo has no peer and no master. */
static bool is_private(const char *path)
{
    AUTO(strbuf_done) struct strbuf mounts = STRBUF_INIT;
    struct span lines, line, field, word;
    bool found = false;
    mounts_read(&mounts);
    lines = strbuf_error(&mounts) == 0 ? strbuf_span(&mounts) : (struct span){ 0 };
    while (span_cut(&lines, '\n', &line)) {
        word = line;
        if (!mount_path(line, &field) || !span_is(field, path))
            continue;
        for (int i = 0; i < 7; i++)
            (void)span_cut(&word, ' ', &field);
        found = span_is(field, "-");
    }
    return found;
}

/* What is mounted below it is seen, and can be covered, in this mount namespace alone,
 * also where what it lies in is shared with others, as /run is.  One that was killed
 * has left it so. */
static int directory_make_private(struct node_mounts *node, struct err *err)
{
    const char *path = node->dir;
    if (is_private(path))
        return 0;
    node->is_bound = mount(path, path, NULL, MS_BIND, NULL) == 0;
    if (!node->is_bound || mount(NULL, path, NULL, MS_PRIVATE, NULL) < 0)
        return err_set(err, errno, "%s: making it private: %s", path, strerror(errno));
    return 0;
}

int node_mounts_make(struct node_mounts *node, struct err *err)
{
    static const struct {
        const char *name;
        mode_t mode;
    } kinds[] = { { "images", 0700 }, { "trees", 0700 }, { "locks", 0700 },
                  { "jobs", 0700 },   { "uses", 0700 },  { "here", 0755 } };
    char path[NODE_MOUNTS_PATH_SIZE];
    if (node->dir[0] != '/' || strlen(node->dir) > NODE_MOUNTS_DIR_MAX)
        return err_set(err, EINVAL, "directory '%s': write a path of at most %u bytes",
                       node->dir, NODE_MOUNTS_DIR_MAX);
    node_mounts_clear(node);
    int rc = directory_make(node->dir, 0755, err);
    if (rc == 0)
        rc = directory_make_private(node, err);
    for (size_t i = 0; rc == 0 && i < COUNT_OF(kinds); i++) {
        path_of(node, kinds[i].name, "", path);
        rc = directory_make(path, kinds[i].mode, err);
    }
    return rc;
}

static bool is_mounted(const char *path)
{
    struct stat here, above;
    char up[NODE_MOUNTS_PATH_SIZE + 4];
    (void)snprintf(up, sizeof up, "%s/..", path);
    return lstat(path, &here) == 0 && lstat(up, &above) == 0 &&
           here.st_dev != above.st_dev;
}

/* ---- images ---- */

/* A connection whose mount is gone has an error. */
int node_mounts_adopt(const struct node_mounts *node, int fd)
{
    char path[NODE_MOUNTS_PATH_SIZE];
    struct pollfd state = { fd, POLLIN, 0 };
    path_of(node, "images", "", path);
    bool is_there = is_private(node->dir) && is_mounted(path) &&
                    poll(&state, 1, 0) >= 0 && !(state.revents & (POLLERR | POLLNVAL));
    return is_there ? 0 : -ENOTCONN;
}

/* Without allow_other no other user has access, whatever the modes are; who serves the
 * files needs the descriptor alone. */
int node_mounts_mount_images(const struct node_mounts *node, int *ret_fd,
                             struct err *err)
{
    char path[NODE_MOUNTS_PATH_SIZE], options[128];
    int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return err_set(err, errno, "/dev/fuse: %s", strerror(errno));
    path_of(node, "images", "", path);
    (void)snprintf(options, sizeof options,
                   "fd=%d,rootmode=40500,user_id=0,group_id=0,default_permissions", fd);
    if (mount("barograph", path, "fuse", MOUNT_FLAGS | MS_NOEXEC, options) < 0) {
        int rc = err_set(err, errno, "%s: FUSE: %s", path, strerror(errno));
        (void)close(fd);
        return rc;
    }
    *ret_fd = fd;
    return 0;
}

static int resolve_failed(const char *name, int errnum, struct err *err)
{
    const char *why = errnum == ENOENT ? "there is no such dataset, or tag"
                      : errnum == ETIMEDOUT
                          ? "no upstream responded within the patience (upstream of "
                            "baro-dataset-agent on this node)"
                      : errnum == EACCES ? "it is not yours to read (its owner can "
                                           "grant it: baro dataset access)"
                                         : strerror(errnum);
    return err_set(err, errnum, "dataset '%s': %s", name, why);
}

int node_mounts_resolve(const struct node_mounts *node, const char *name,
                        const struct reader *reader, struct digest *ret,
                        struct err *err)
{
    char path[NODE_MOUNTS_PATH_SIZE], file[NAME_MAX + 1], text[DIGEST_TEXT_SIZE];
    size_t size = strlen(name);
    if (size == 0 || size >= NODE_MOUNTS_NAME_SIZE || strpbrk(name, "%,"))
        return resolve_failed("", ENOENT, err);
    int length =
        snprintf(file, sizeof file, "%s,%u,%s", name, reader->uid, reader->groups);
    if (length < 0 || (size_t)length >= sizeof file)
        return resolve_failed(name, ENAMETOOLONG, err);
    for (size_t i = 0; i < size; i++)
        file[i] = file[i] == '/' ? '%' : file[i];
    path_of(node, "images", file, path);
    ssize_t got = readlink(path, text, sizeof text);
    if (got < 0)
        return resolve_failed(name, errno, err);
    return digest_parse((struct span){ text, (size_t)got }, ret) < 0
               ? resolve_failed(name, EIO, err)
               : 0;
}

int node_mounts_view(const struct node_mounts *node, const struct digest *name,
                     const char *view, struct view_text *ret, struct err *err)
{
    char path[NODE_MOUNTS_PATH_SIZE], digits[DIGEST_TEXT_SIZE];
    char attribute[sizeof FUSE_DOOR_VIEW + VIEW_NAME_MAX];
    digest_print(name, digits);
    path_of(node, "images", digits, path);
    (void)snprintf(attribute, sizeof attribute, FUSE_DOOR_VIEW "%s", view);
    ssize_t size = lgetxattr(path, attribute, ret->data, sizeof ret->data);
    if (size >= 0) {
        ret->size = (size_t)size;
        return 0;
    }
    int errnum = errno;
    return err_set(err, errnum, "dataset %.12s: view '%s': %s", digits, view,
                   errnum == ENODATA ? "it has none of that name (baro dataset view "
                                       "lists them)"
                   : errnum == ETIMEDOUT ? "no upstream responded within the patience"
                   : errnum == EOPNOTSUPP
                       ? "an agent without views had this FUSE connection, and the "
                         "kernel requests none of it: stop baro-dataset-agent, "
                         "unmount its images, and start it"
                   : errnum == EIO ? "no server between here and the repository has "
                                     "views, or it is none (their logs state why)"
                                   : strerror(errnum));
}

/* What serves the files writes it in the repository, or removes it there: a name that
 * is never there, and the error that it did so. */
int node_mounts_job_ref(const struct node_mounts *node, const struct node_job_ref *ref,
                        bool is_held, struct err *err)
{
    char path[NODE_MOUNTS_PATH_SIZE], file[NAME_MAX + 1], text[DIGEST_TEXT_SIZE];
    struct stat st;
    digest_print(&ref->name, text);
    (void)snprintf(file, sizeof file, "%c%" PRIu64 ",%" PRIu32 ",%s",
                   is_held ? FUSE_DOOR_HOLD : FUSE_DOOR_GIVE_BACK, ref->job, ref->uid,
                   text);
    path_of(node, "images", file, path);
    int errnum = lstat(path, &st) < 0 ? errno : EIO;
    if (errnum == FUSE_DOOR_DONE)
        return 0;
    return err_set(err, errnum,
                   "dataset %.12s: the reference of job %" PRIu64 " %s: %s", text,
                   ref->job, is_held ? "was not written" : "was not removed",
                   errnum == ETIMEDOUT ? "no upstream responded within the patience"
                   : errnum == EIO ? "the repository refused it (its log states why)"
                                   : strerror(errnum));
}

/* ---- an image as a tree ---- */

static int loop_attach(int image, char *device, size_t size)
{
    struct loop_config config = { .fd = (uint32_t)image,
                                  .info = { .lo_flags = LO_FLAGS_READ_ONLY |
                                                        LO_FLAGS_AUTOCLEAR } };
    int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), loop = -1;
    int rc = control < 0 ? -errno : -EBUSY;
    for (int i = 0; rc == -EBUSY && i < LOOP_TRIES; i++) {
        int number = ioctl(control, LOOP_CTL_GET_FREE);
        (void)snprintf(device, size, "/dev/loop%d", number);
        loop = number < 0 ? -1 : open(device, O_RDWR | O_CLOEXEC);
        rc = loop >= 0 && ioctl(loop, LOOP_CONFIGURE, &config) == 0 ? 0 : -errno;
        if (rc < 0 && loop >= 0)
            (void)close(loop);
    }
    if (control >= 0)
        (void)close(control);
    return rc < 0 ? rc : loop; /* to be closed when it is mounted */
}

/* Also where a process has made the directory's mount shared since: what is a peer of
 * this mount could be covered by any process that has a copy of it. */
static int tree_make_private(const char *path, struct err *err)
{
    if (mount(NULL, path, NULL, MS_PRIVATE, NULL) == 0)
        return 0;
    int rc = err_set(err, errno, "%s: making it private: %s", path, strerror(errno));
    (void)umount2(path, MNT_DETACH);
    return rc;
}

/* The file itself, else through a loop device: that which is open, whatever its path
 * leads to meanwhile. */
static int tree_mount(int image, const char *path, struct err *err)
{
    char device[32], file[40];
    (void)snprintf(file, sizeof file, "/proc/self/fd/%d", image);
    if (mount(file, path, "erofs", MOUNT_FLAGS, NULL) == 0)
        return tree_make_private(path, err);
    int direct = errno;
    if (direct != ENOTBLK && direct != EINVAL && direct != ENODEV)
        return err_set(err, direct, "mounting an image at %s as EROFS: %s", path,
                       strerror(direct));
    int loop = loop_attach(image, device, sizeof device);
    int rc = loop < 0 ? loop : mount(device, path, "erofs", MOUNT_FLAGS, NULL);
    int errnum = loop < 0 ? -loop : errno;
    if (loop >= 0)
        (void)close(loop);
    if (rc == 0)
        return tree_make_private(path, err);
    return err_set(
        err, errnum,
        "mounting an image at %s as EROFS: the file itself: %s; through a loop "
        "device: %s (a kernel with CONFIG_EROFS_FS is needed)",
        path, strerror(direct), strerror(errnum));
}

/* ---- locks ---- */

static int lock_open(const struct node_mounts *node, const char *name, struct err *err)
{
    char path[NODE_MOUNTS_PATH_SIZE];
    path_of(node, "locks", name, path);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return fd < 0 ? err_set(err, errno, "%s: %s", path, strerror(errno)) : fd;
}

static void fd_close(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}
#define AUTO_FD __attribute__((cleanup(fd_close)))

/* One process at a time mounts and unmounts a dataset; who uses a mount has a shared
 * lock of another file, so that the last one is known by an exclusive one, also where
 * another was killed.  Mounting waits for an upstream where that is away: no command of
 * another dataset waits with it. */
static int change_begin(const struct node_mounts *node, const char *digest, int how,
                        struct err *err)
{
    char name[DIGEST_TEXT_SIZE + sizeof ".change"];
    (void)snprintf(name, sizeof name, "%s.change", digest);
    int fd = lock_open(node, name, err);
    if (fd >= 0 && flock(fd, how) < 0) {
        int rc = err_set(err, errno, "lock: %s", strerror(errno));
        (void)close(fd);
        return rc;
    }
    return fd;
}

/* The first blocks are read without a lock.  What is opened is a file of the process
 * that serves images, which root does not trust: a file, or nothing. */
static int image_read(const char *path, struct err *err)
{
    char block[8192];
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    int errnum = fd < 0 || fstat(fd, &st) < 0            ? errno
                 : !S_ISREG(st.st_mode)                  ? EIO
                 : pread(fd, block, sizeof block, 0) < 0 ? errno
                                                         : 0;
    if (errnum && fd >= 0)
        (void)close(fd);
    return errnum ? err_set(err, errnum, "reading %s: %s", path, strerror(errnum)) : fd;
}

struct tree_paths {
    char digest[DIGEST_TEXT_SIZE];
    char image[NODE_MOUNTS_PATH_SIZE], tree[NODE_MOUNTS_PATH_SIZE];
};

static void paths_fill(const struct node_mounts *node, const struct digest *name,
                       struct tree_paths *out)
{
    digest_print(name, out->digest);
    path_of(node, "images", out->digest, out->image);
    path_of(node, "trees", out->digest, out->tree);
}

/* ---- entering and leaving ---- */

/* A copy that is retained after its command leaves a mount alive that nothing shows any
 * more, so what counts is who had it mounted while its image is open. */
static int limit_check(const struct node_mounts *node, const struct digest *name,
                       uid_t uid, struct err *err)
{
    if (uid != 0 &&
        image_table_mounts_of(node->table, uid, name) >= NODE_MOUNTS_OF_USER_MAX)
        return err_set(err, EDQUOT,
                       "user %u has %u datasets mounted on this node already: end "
                       "commands that use them",
                       uid, NODE_MOUNTS_OF_USER_MAX);
    return 0;
}

/* Mounted once for all who use it. */
static int tree_enter(const struct node_mounts *node, const struct node_mount *mount,
                      const struct tree_paths *paths, int image, struct err *err)
{
    if (flock(mount->lock_fd, LOCK_SH) < 0)
        return err_set(err, errno, "lock: %s", strerror(errno));
    if (mkdir(paths->tree, 0500) < 0 && errno != EEXIST)
        return err_set(err, errno, "%s: %s", paths->tree, strerror(errno));
    if (is_mounted(paths->tree))
        return 0;
    int rc = limit_check(node, &mount->name, mount->uid, err);
    if (rc == 0)
        rc = tree_mount(image, paths->tree, err);
    if (rc == 0)
        image_table_charge(node->table, &mount->name, mount->uid);
    return rc;
}

/* Where a user has retained a copy of a former mount, which has the image open, too,
 * this one stays: else each command would make another one.  True: it is not mounted,
 * or a command uses it. */
static bool tree_leave(const struct node_mounts *node, const struct digest *name,
                       const struct tree_paths *paths, int *lock_fd)
{
    bool is_right = true;
    if (*lock_fd >= 0 && flock(*lock_fd, LOCK_EX | LOCK_NB) == 0) {
        bool is_there = is_mounted(paths->tree);
        is_right = !is_there || image_table_opens(node->table, name) <= 1;
        if (is_there && is_right)
            (void)umount2(paths->tree, MNT_DETACH);
        if (is_right)
            (void)rmdir(paths->tree);
    }
    fd_close(lock_fd);
    return is_right;
}

/* ---- copies ---- */

/* The kernel locks flags of a mount (nodev, nosuid, read-only) where a user namespace
 * has it from another one: copies of that mount have the locks, so that who receives
 * one cannot clear these flags in a user namespace of its own. */
__attribute__((noreturn)) static void copy_send(const char *path, int fd)
{
    long copy = -1;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (chdir(path) == 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
        mount(NULL, ".", NULL, MS_PRIVATE, NULL) == 0)
        copy = syscall(SYS_open_tree, AT_FDCWD, ".",
                       OPEN_TREE_CLONE | (unsigned)O_CLOEXEC);
    if (copy < 0)
        _exit(errno);
    _exit(-agent_line_send(fd, "\n", 1, (int)copy));
}

static int copy_receive(pid_t child, int fd, int *ret)
{
    char line[AGENT_LINE_MAX];
    size_t size;
    int status, rc = agent_line_receive(fd, line, &size, ret);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -errno;
    if (rc < 0 && WIFEXITED(status) && WEXITSTATUS(status))
        return -WEXITSTATUS(status);
    return rc == 0 && *ret < 0 ? -EBADMSG : rc;
}

static int tree_copy(const char *path, struct err *err)
{
    int pair[2], copy = -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return err_set(err, errno, "socketpair: %s", strerror(errno));
    (void)fflush(NULL);
    pid_t child = fork();
    int rc = child < 0 ? -errno : 0;
    if (child == 0)
        copy_send(path, pair[1]);
    (void)close(pair[1]);
    if (child > 0)
        rc = copy_receive(child, pair[0], &copy);
    (void)close(pair[0]);
    return rc < 0 ? err_set(err, -rc,
                            "%s: a copy of the mount, in a user namespace: %s (does "
                            "sysctl user.max_user_namespaces give any?)",
                            path, strerror(-rc))
                  : copy;
}

int node_mounts_enter(const struct node_mounts *node, const struct digest *name,
                      uid_t uid, struct node_mount *ret, struct err *err)
{
    struct node_mount mount = {
        .name = *name, .uid = uid, .lock_fd = -1, .tree_fd = -1
    };
    struct tree_paths paths;
    paths_fill(node, name, &paths);
    AUTO_FD int image = image_read(paths.image, err);
    if (image < 0)
        return image;
    AUTO_FD int change = change_begin(node, paths.digest, LOCK_EX, err);
    if (change < 0)
        return change;
    int rc = mount.lock_fd = lock_open(node, paths.digest, err);
    if (rc >= 0)
        rc = tree_enter(node, &mount, &paths, image, err);
    if (rc == 0)
        rc = mount.tree_fd = tree_copy(paths.tree, err);
    if (rc < 0) {
        (void)tree_leave(node, name, &paths, &mount.lock_fd);
        return rc;
    }
    *ret = mount;
    return 0;
}

int node_mounts_own(const struct node_mounts *node, const struct node_mount *mount,
                    gid_t gid, int *ret, struct err *err)
{
    struct tree_paths paths;
    paths_fill(node, &mount->name, &paths);
    AUTO_FD int copy = tree_copy(paths.tree, err);
    int rc = copy < 0 ? copy : 0;
    if (rc == 0 && mount->uid != 0)
        rc = tree_own(copy, mount->uid, gid);
    if (rc < 0)
        return err_set(err, -rc,
                       "dataset %.12s: a mount whose files are the user's: %s%s",
                       paths.digest, strerror(-rc),
                       rc == -EINVAL || rc == -ENOSYS
                           ? " (a kernel with mounts of mapped users is needed, 5.19)"
                       : rc == -ENOSPC ? " (too many user namespaces: see sysctl "
                                         "user.max_user_namespaces)"
                                       : "");
    *ret = TAKE_FD(copy);
    return 0;
}

bool node_mounts_leave(const struct node_mounts *node, struct node_mount *mount)
{
    struct tree_paths paths;
    paths_fill(node, &mount->name, &paths);
    AUTO_FD int change = change_begin(node, paths.digest, LOCK_EX, NULL);
    fd_close(&mount->tree_fd);
    return tree_leave(node, &mount->name, &paths, &mount->lock_fd);
}

/* Who is mounting it, or leaving it, has the lock: then it is used. */
static bool tree_sweep(const struct node_mounts *node, const char *digest)
{
    struct digest name;
    struct tree_paths paths;
    if (digest_parse(span_of(digest), &name) < 0)
        return true;
    paths_fill(node, &name, &paths);
    AUTO_FD int change = change_begin(node, paths.digest, LOCK_EX | LOCK_NB, NULL);
    if (change < 0)
        return true;
    AUTO_FD int lock = lock_open(node, paths.digest, NULL);
    return tree_leave(node, &name, &paths, &lock);
}

bool node_mounts_sweep(const struct node_mounts *node)
{
    char path[NODE_MOUNTS_PATH_SIZE];
    bool is_right = true;
    path_of(node, "trees", "", path);
    DIR *trees = opendir(path);
    const struct dirent *entry;
    while (trees && (entry = readdir(trees)))
        is_right &= tree_sweep(node, entry->d_name);
    if (trees)
        (void)closedir(trees);
    return is_right;
}
