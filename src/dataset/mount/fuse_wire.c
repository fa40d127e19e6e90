/* SPDX-License-Identifier: Apache-2.0 */
/* fuse_wire - requests of the kernel and responses to it, as <linux/fuse.h> has them.
 */
#include "dataset/mount/fuse_wire.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>

/* Of kernels 6.9 and later; the headers of Debian 12 have it not. */
#define NOTIFY_RESEND 7
#define MINOR_MIN 31U
#define BACKGROUND_MAX 64U
#define BLOCK_SIZE 4096U

int fuse_request_read(struct span in, struct fuse_in_header *ret, struct span *ret_rest)
{
    struct fuse_in_header head;
    if (in.size < sizeof head)
        return -EBADMSG;
    memcpy(&head, in.data, sizeof head);
    if (head.len != in.size)
        return -EBADMSG;
    *ret = head;
    *ret_rest = (struct span){ in.data + sizeof head, in.size - sizeof head };
    return 0;
}

bool fuse_struct_read(struct span rest, void *out, size_t size)
{
    if (rest.size < size)
        return false;
    memcpy(out, rest.data, size);
    return true;
}

bool fuse_name_read(struct span rest, struct span *ret)
{
    const char *end = rest.size ? memchr(rest.data, '\0', rest.size) : NULL;
    if (!end || end == rest.data)
        return false;
    *ret = (struct span){ rest.data, (size_t)(end - rest.data) };
    return true;
}

int fuse_reply(int fd, uint64_t unique, int error, const void *data, size_t size)
{
    struct fuse_out_header head = { .len = (uint32_t)(sizeof head + size),
                                    .error = error,
                                    .unique = unique };
    struct iovec parts[] = { { &head, sizeof head },
                             { (void *)(uintptr_t)data, size } };
    return writev(fd, parts, data ? 2 : 1) < 0 ? -errno : 0;
}

int fuse_resend(int fd)
{
    const struct fuse_out_header head = { .len = sizeof head, .error = NOTIFY_RESEND };
    return write(fd, &head, sizeof head) < 0 ? -errno : 0;
}

int fuse_init_fill(const struct fuse_init_in *in, struct fuse_init_out *out)
{
    const uint32_t wanted = FUSE_ASYNC_READ | FUSE_PARALLEL_DIROPS | FUSE_MAX_PAGES;
    if (in->major != FUSE_KERNEL_VERSION || in->minor < MINOR_MIN)
        return -EPROTO;
    *out = (struct fuse_init_out){
        .major = FUSE_KERNEL_VERSION,
        .minor = MINOR_MIN,
        .max_readahead = in->max_readahead,
        .flags = wanted & in->flags,
        .max_background = BACKGROUND_MAX,
        .congestion_threshold = BACKGROUND_MAX / 4 * 3,
        .max_write = BLOCK_SIZE,
        .time_gran = 1,
        .max_pages = FUSE_READ_MAX / BLOCK_SIZE,
    };
    return 0;
}

void fuse_attr_fill(uint64_t inode, uint64_t size, uint32_t mode, struct fuse_attr *out)
{
    *out = (struct fuse_attr){
        .ino = inode,
        .size = size,
        .blocks = (size + 511) / 512,
        .mode = mode,
        .nlink = S_ISDIR(mode) ? 2 : 1,
        .blksize = BLOCK_SIZE,
    };
}

int fuse_error_of(int rc)
{
    if (rc == -EACCES)
        return rc;
    return rc == -ENOENT || rc == -EINVAL                   ? -ENOENT
           : rc == -ETIMEDOUT                               ? -ETIMEDOUT
           : rc == -ENOMEM || rc == -EBUSY || rc == -EAGAIN ? -EAGAIN
                                                            : -EIO;
}
