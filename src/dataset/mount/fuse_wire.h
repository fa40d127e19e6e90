/* SPDX-License-Identifier: Apache-2.0 */
/* fuse_wire - requests of the kernel and responses to it, as <linux/fuse.h> has them.
 */
#ifndef DATASET_MOUNT_FUSE_WIRE_H
#define DATASET_MOUNT_FUSE_WIRE_H

#include "base/span_type.h"
#include "dataset/image/image.h"

#include <linux/fuse.h>
#include <stddef.h>
#include <stdint.h>

#define FUSE_OPEN_CACHED \
    (1U << 1) /* what is cached of a file stays, when it is opened */
#define FUSE_READ_MAX (UINT32_C(1) << 20)
/* The largest request that is accepted: none of them has data to write. */
#define FUSE_REQUEST_MAX (UINT32_C(64) << 10)

/* Out of bytes that were read from /dev/fuse: the head, and what is behind it.
 * Errors: -EBADMSG. */
int fuse_request_read(struct span in, struct fuse_in_header *ret,
                      struct span *ret_rest);
/* A structure at the begin of rest, where there is as much.  False: there is not. */
bool fuse_struct_read(struct span rest, void *out, size_t size);
/* A name that ends with a NUL.  False: there is none. */
bool fuse_name_read(struct span rest, struct span *ret);

/* A response.  data NULL: none.  Errors: errno of write; -ENOENT: its process waits for
 * it no longer. */
int fuse_reply(int fd, uint64_t unique, int error, const void *data, size_t size);
/* Of ours as the kernel has it: it has no other names for these. */
int fuse_error_of(int rc);
/* What the kernel has sent and has no response to is sent again.  Errors: -EINVAL (a
 * kernel before 6.9). */
int fuse_resend(int fd);

/* The response to FUSE_INIT.  Errors: -EPROTO (a kernel that is too old). */
int fuse_init_fill(const struct fuse_init_in *in, struct fuse_init_out *out);
void fuse_attr_fill(uint64_t inode, uint64_t size, uint32_t mode,
                    struct fuse_attr *out);

#endif
