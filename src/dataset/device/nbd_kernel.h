/* SPDX-License-Identifier: Apache-2.0 */
/* nbd_kernel - the kernel's NBD client, by generic netlink (linux/nbd-netlink.h).
 *
 *     message  nlmsghdr, genlmsghdr, attributes; each one acknowledged with an error
 * number
 *
 * A device that was connected this way stays when its connection ends: its requests
 * wait until it has another one, for as long as NBD_KERNEL_DEAD_S.  Capability
 * CAP_SYS_ADMIN. Threads  one at a time.
 */
#ifndef DATASET_DEVICE_NBD_KERNEL_H
#define DATASET_DEVICE_NBD_KERNEL_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* Ten years: the kernel has no word for "for ever". */
#define NBD_KERNEL_DEAD_S UINT64_C(315360000)
#define NBD_KERNEL_MESSAGE_MAX 1024U

struct nbd_kernel {
    int fd;
    uint16_t family; /* nlmsg_type of its messages */
};

struct nbd_kernel_device {
    uint32_t index; /* 0: /dev/nbd0 */
    uint64_t size_bytes;
    uint64_t flags;   /* of the export */
    const char *name; /* another connection has to state the same */
    int socket;
};

struct nbd_message {
    _Alignas(8) uint8_t data[NBD_KERNEL_MESSAGE_MAX];
    size_t size;
};

/* Errors: -ENOENT (the kernel has no nbd: it is a module), what the socket has. */
int nbd_kernel_open(struct nbd_kernel *ret, struct err *err);
void nbd_kernel_close(struct nbd_kernel *kernel);

/* Errors: -EBUSY (the device is in use, or open), what the kernel has. */
int nbd_kernel_connect(const struct nbd_kernel *kernel,
                       const struct nbd_kernel_device *device, struct err *err);
/* The device has this socket from now on, where the former one is dead; where the
 * kernel has not seen yet that it is, nothing is changed, and the kernel reports no
 * error. */
int nbd_kernel_reconnect(const struct nbd_kernel *kernel,
                         const struct nbd_kernel_device *device, struct err *err);

/* ---- without a kernel, for tests ---- */

void nbd_kernel_connect_message(uint16_t family, const struct nbd_kernel_device *device,
                                struct nbd_message *ret);
void nbd_kernel_reconnect_message(uint16_t family,
                                  const struct nbd_kernel_device *device,
                                  struct nbd_message *ret);
/* The number in a reply to CTRL_CMD_GETFAMILY.  Errors: -EBADMSG. */
int nbd_kernel_family_read(const void *data, size_t size, uint16_t *ret);
/* What an acknowledgement states: 0 or -errno.  Errors: -EBADMSG. */
int nbd_kernel_ack_read(const void *data, size_t size);

#endif
