/* SPDX-License-Identifier: Apache-2.0 */
/* node_record - what is read of an image on this node; only root calls this. */
#include "dataset/mount/node_record.h"

#include "dataset/mount/fuse_door.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

static void image_path(const struct node_mounts *node, const struct digest *name,
                       char path[static NODE_MOUNTS_PATH_SIZE])
{
    char digits[DIGEST_TEXT_SIZE];
    digest_print(name, digits);
    (void)snprintf(path, NODE_MOUNTS_PATH_SIZE, "%s/images/%s", node->dir, digits);
}

static int record_failed(int errnum, struct err *err)
{
    return err_set(err, errnum, "its reads were not recorded: %s",
                   errnum == ENODATA
                       ? "what serves images was started anew meanwhile: try again"
                       : strerror(errnum));
}

/* What is in the kernel's cache already would not be read. */
static void cache_drop(const char *path)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0)
        (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

int node_record_begin(const struct node_mounts *node, const struct digest *name,
                      struct err *err)
{
    char path[NODE_MOUNTS_PATH_SIZE], none[8];
    image_path(node, name, path);
    cache_drop(path);
    return lgetxattr(path, FUSE_DOOR_RECORD, none, sizeof none) < 0
               ? record_failed(errno, err)
               : 0;
}

int node_record_read(const struct node_mounts *node, const struct digest *name,
                     struct strbuf *out, struct err *err)
{
    char path[NODE_MOUNTS_PATH_SIZE], attribute[sizeof FUSE_DOOR_PROFILE + 24];
    static char part[FUSE_DOOR_PROFILE_PART];
    ssize_t size = sizeof part;
    image_path(node, name, path);
    for (uint32_t i = 0; size == sizeof part && out->size < PROFILE_TEXT_MAX; i++) {
        (void)snprintf(attribute, sizeof attribute, FUSE_DOOR_PROFILE "%" PRIu32, i);
        size = lgetxattr(path, attribute, part, sizeof part);
        if (size < 0)
            return record_failed(errno, err);
        strbuf_add(out, part, (size_t)size);
    }
    return strbuf_error(out);
}
