/* SPDX-License-Identifier: Apache-2.0 */
/* mounts - of which file systems a file may be looked at. */
#include "jobsession/provenance/mounts.h"

#include "base/cleanup.h"
#include "base/span.h"
#include "base/strbuf.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#define MOUNT_POINT_FIELD 4 /* from 0 */

/* Local ones; and those of networks whose waits a signal ends. */
static const char *const types[] = {
    "bcachefs", "btrfs",  "erofs",   "ext2",   "ext3",   "ext4",     "f2fs",  "iso9660",
    "jfs",      "nilfs2", "overlay", "ramfs",  "rootfs", "squashfs", "tmpfs", "vfat",
    "xfs",      "zfs",    "ceph",    "lustre", "nfs",    "nfs4",
};

static bool is_known_type(struct span type)
{
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (span_is(type, types[i]))
            return true;
    return false;
}

/* "\040" is a blank, as the kernel escapes it. */
static bool eat_byte(struct span *text, char *ret)
{
    if (text->size == 0)
        return false;
    *ret = text->data[0];
    size_t size = 1;
    if (*ret == '\\' && text->size >= 4) {
        *ret = (char)((text->data[1] - '0') * 64 + (text->data[2] - '0') * 8 +
                      (text->data[3] - '0'));
        size = 4;
    }
    *text = span_skip(*text, size);
    return true;
}

/* The length of point where path is it or below it, else 0. */
static size_t match(struct span point, struct span path)
{
    size_t size = 0;
    char c;
    while (eat_byte(&point, &c)) {
        if (size == path.size || path.data[size] != c)
            return 0;
        size++;
    }
    return size == 1 || size == path.size || path.data[size] == '/' ? size : 0;
}

static bool mount_cut(struct span *mountinfo, struct span *point, struct span *type)
{
    struct span line, word = { "", 0 };
    (void)span_cut(mountinfo, '\n', &line);
    for (size_t i = 0; i <= MOUNT_POINT_FIELD; i++)
        (void)span_cut(&line, ' ', point);
    while (line.size > 0 && !span_is(word, "-"))
        (void)span_cut(&line, ' ', &word);
    (void)span_cut(&line, ' ', type);
    return span_is(word, "-");
}

static const char *type_of_root(void)
{
    static const struct {
        long magic;
        const char *type;
    } roots[] = {
        { EXT4_SUPER_MAGIC, "ext4" },   { XFS_SUPER_MAGIC, "xfs" },
        { BTRFS_SUPER_MAGIC, "btrfs" }, { OVERLAYFS_SUPER_MAGIC, "overlay" },
        { TMPFS_MAGIC, "tmpfs" },       { RAMFS_MAGIC, "ramfs" },
        { SQUASHFS_MAGIC, "squashfs" }, { NFS_SUPER_MAGIC, "nfs" },
    };
    struct statfs status;
    if (statfs("/", &status) < 0)
        return NULL;
    for (size_t i = 0; i < COUNT_OF(roots); i++)
        if ((long)status.f_type == roots[i].magic)
            return roots[i].type;
    return NULL;
}

void mounts_add_root(struct strbuf *mountinfo)
{
    struct span rest = strbuf_span(mountinfo), point, type;
    while (rest.size > 0)
        if (mount_cut(&rest, &point, &type) && span_is(point, "/"))
            return;
    const char *root = mountinfo->size > 0 ? type_of_root() : NULL;
    if (root)
        strbuf_addf(mountinfo, "0 0 0:0 / / rw - %s none rw\n", root);
}

bool mounts_may_read(struct span mountinfo, struct span path)
{
    bool may_read = mountinfo.size == 0;
    size_t longest = 0;
    while (mountinfo.size > 0) {
        struct span point = { "", 0 }, word = { "", 0 };
        if (!mount_cut(&mountinfo, &point, &word))
            continue;
        size_t size = match(point, path);
        if (size == 0 || size < longest)
            continue; /* of several at one place the last is in front */
        longest = size;
        may_read = is_known_type(word);
    }
    return may_read;
}
