/* SPDX-License-Identifier: Apache-2.0 */
/* overlay - what is written of a mount is in a tmpfs of its own. */
#include "dataset/visit/overlay.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of the tmpfs: names, too, are memory of the kernel. */
#define BYTES_PER_INODE 4096U
#define INODES_MIN 1024U

static int step_failed(const char *what, struct err *err)
{
    return err_set(err, errno, "an overlay: %s: %s", what, strerror(errno));
}

/* The root of an overlay looks as the directory of what is written. */
static int directories_make(int dir, int lower, struct err *err)
{
    struct stat st;
    if (fstat(lower, &st) < 0 || mkdirat(dir, "lower", 0700) < 0 ||
        mkdirat(dir, "work", 0700) < 0 || mkdirat(dir, "upper", 0700) < 0 ||
        fchownat(dir, "upper", st.st_uid, st.st_gid, 0) < 0 ||
        fchmodat(dir, "upper", st.st_mode & 0777, 0) < 0)
        return step_failed("directories", err);
    return syscall(SYS_move_mount, lower, "", dir, "lower", MOVE_MOUNT_F_EMPTY_PATH) < 0
               ? step_failed("the dataset", err)
               : 0;
}

/* By descriptors: a path may have a ':', which is between two of them. */
static int layer_set(int fs, const char *key, int dir, const char *name,
                     struct err *err)
{
    char path[40];
    AUTO_CLOSE int layer = openat(dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", layer);
    return layer < 0 || syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, key, path, 0) < 0
               ? step_failed(key, err)
               : 0;
}

/* There attributes "trusted.", which mark what was removed, cannot be set. */
static bool is_in_user_namespace(void)
{
    char text[64];
    uint64_t numbers[3];
    AUTO_CLOSE int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text);
    struct span rest = { text, size < 0 ? 0 : (size_t)size }, number;
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        rest = span_trim(rest);
        (void)span_cut(&rest, ' ', &number);
        if (number_parse_u64(number, &numbers[i]) < 0)
            return true;
    }
    return numbers[0] || numbers[1] || numbers[2] != UINT32_MAX;
}

static int layers_join(int dir, int *ret, struct err *err)
{
    AUTO_CLOSE int fs = (int)syscall(SYS_fsopen, "overlay", FSOPEN_CLOEXEC);
    if (fs < 0)
        return step_failed("this kernel has none (CONFIG_OVERLAY_FS)", err);
    int rc = layer_set(fs, "lowerdir", dir, "lower", err);
    if (rc == 0)
        rc = layer_set(fs, "upperdir", dir, "upper", err);
    if (rc == 0)
        rc = layer_set(fs, "workdir", dir, "work", err);
    if (rc < 0)
        return rc;
    /* A kernel that has no such option does without. */
    if (is_in_user_namespace())
        (void)syscall(SYS_fsconfig, fs, FSCONFIG_SET_FLAG, "userxattr", NULL, 0);
    if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
        return step_failed("mounting it", err);
    int made = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC,
                            MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    if (made < 0)
        return step_failed("mounting it", err);
    *ret = made;
    return 0;
}

/* The overlay has mounts of its own of both: those here go, so that no path leads to
 * what is below it. */
int overlay_make(const char *dir, int lower, uint64_t size_bytes, int *ret,
                 struct err *err)
{
    char options[96];
    uint64_t inodes = size_bytes / BYTES_PER_INODE;
    (void)snprintf(options, sizeof options,
                   "mode=0700,size=%" PRIu64 ",nr_inodes=%" PRIu64, size_bytes,
                   inodes < INODES_MIN ? INODES_MIN : inodes);
    if (mount("barograph", dir, "tmpfs", MS_NOSUID | MS_NODEV, options) < 0)
        return err_set(err, errno, "%s: a tmpfs: %s", dir, strerror(errno));
    AUTO_CLOSE int at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = at < 0 ? step_failed(dir, err) : directories_make(at, lower, err);
    if (rc == 0)
        rc = layers_join(at, ret, err);
    (void)umount2(dir, MNT_DETACH);
    return rc;
}
