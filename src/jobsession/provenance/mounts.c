/* SPDX-License-Identifier: Apache-2.0 */
/* mounts - of which file systems a file may be looked at. */
#include "jobsession/provenance/mounts.h"

#include "base/cleanup.h"
#include "base/span.h"

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

bool mounts_may_read(struct span mountinfo, struct span path)
{
    bool may_read = mountinfo.size == 0;
    size_t longest = 0;
    while (mountinfo.size > 0) {
        struct span line, word = { "", 0 }, point = { "", 0 };
        (void)span_cut(&mountinfo, '\n', &line);
        for (size_t i = 0; i <= MOUNT_POINT_FIELD; i++)
            (void)span_cut(&line, ' ', &point);
        while (line.size > 0 && !span_is(word, "-"))
            (void)span_cut(&line, ' ', &word);
        if (!span_is(word, "-"))
            continue;
        (void)span_cut(&line, ' ', &word);
        size_t size = match(point, path);
        if (size == 0 || size < longest)
            continue; /* of several at one place the last is in front */
        longest = size;
        may_read = is_known_type(word);
    }
    return may_read;
}
