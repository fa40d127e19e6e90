/* SPDX-License-Identifier: Apache-2.0 */
/* nbd_export - a connection to an NBD server, until an export of it is chosen.
 *
 * Fixed newstyle, NBD_OPT_GO: behind it the kernel has the socket.  All integers are
 * big endian on the wire. Bounds   an option's reply has at most 4096 bytes, and there
 * are at most 16. Blocks   until the server has replied, or has ended; there is no
 * other limit of time.
 */
#ifndef DATASET_DEVICE_NBD_EXPORT_H
#define DATASET_DEVICE_NBD_EXPORT_H

#include "base/err.h"

#include <stdint.h>

#define NBD_EXPORT_NAME_MAX 255U

struct nbd_export {
    uint64_t size_bytes;
    uint16_t flags; /* NBD_FLAG_..., as the kernel has them */
    char name[NBD_EXPORT_NAME_MAX +
              1]; /* as the server has it: a digest; or as requested */
};

/* Errors: -ENOENT (no export has that name), -EACCES, -EAGAIN (not now), -EBADMSG
 * (that is no NBD), -EINVAL (the name is too long), -EPIPE (the server has ended), what
 * the socket has. */
int nbd_export_choose(int fd, const char *name, struct nbd_export *ret,
                      struct err *err);

#endif
