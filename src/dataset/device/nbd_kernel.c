/* SPDX-License-Identifier: Apache-2.0 */
/* nbd_kernel - the kernel's NBD client, by generic netlink. */
#include "dataset/device/nbd_kernel.h"

#include "base/cleanup.h"

#include <assert.h>
#include <linux/genetlink.h>
#include <linux/nbd-netlink.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#define REPLY_MAX 8192U
#define BLOCK_BYTES 4096U
/* Not in the headers of kernels before 5.14, which ignore it. */
#define ATTR_BACKEND_IDENTIFIER 10U

/* ---- messages ---- */

static void message_add(struct nbd_message *message, const void *data, size_t size)
{
    assert(message->size + NLA_ALIGN(size) <= sizeof message->data);
    memcpy(message->data + message->size, data, size);
    message->size += NLA_ALIGN(size);
}

static void message_begin(struct nbd_message *message, uint16_t family, uint8_t command,
                          uint8_t version)
{
    struct nlmsghdr head = { .nlmsg_type = family,
                             .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK };
    struct genlmsghdr generic = { .cmd = command, .version = version };
    *message = (struct nbd_message){ .size = 0 };
    message_add(message, &head, sizeof head);
    message_add(message, &generic, sizeof generic);
}

static void message_end(struct nbd_message *message)
{
    uint32_t size = (uint32_t)message->size;
    memcpy(message->data + offsetof(struct nlmsghdr, nlmsg_len), &size, sizeof size);
}

static void attribute_add(struct nbd_message *message, uint16_t type, const void *data,
                          size_t size)
{
    struct nlattr head = { .nla_len = (uint16_t)(sizeof head + size),
                           .nla_type = type };
    message_add(message, &head, sizeof head);
    message_add(message, data, size);
}

static void attribute_add_u32(struct nbd_message *message, uint16_t type,
                              uint32_t value)
{
    attribute_add(message, type, &value, sizeof value);
}

static void attribute_add_u64(struct nbd_message *message, uint16_t type,
                              uint64_t value)
{
    attribute_add(message, type, &value, sizeof value);
}

/* NBD_ATTR_SOCKETS { NBD_SOCK_ITEM { NBD_SOCK_FD } } */
static void socket_add(struct nbd_message *message, int fd)
{
    struct {
        struct nlattr sockets, item, descriptor;
        uint32_t fd;
    } nested = {
        .sockets = { sizeof nested, NLA_F_NESTED | NBD_ATTR_SOCKETS },
        .item = { sizeof nested - 4, NLA_F_NESTED | NBD_SOCK_ITEM },
        .descriptor = { sizeof nested - 8, NBD_SOCK_FD },
        .fd = (uint32_t)fd,
    };
    message_add(message, &nested, sizeof nested);
}

/* No NBD_ATTR_TIMEOUT on purpose: with one, the kernel ends a connection whose server
 * is slow, and a server whose upstreams are away is. */
static void device_message(uint16_t family, uint8_t command,
                           const struct nbd_kernel_device *device,
                           struct nbd_message *ret)
{
    message_begin(ret, family, command, NBD_GENL_VERSION);
    attribute_add_u32(ret, NBD_ATTR_INDEX, device->index);
    if (command == NBD_CMD_CONNECT) {
        attribute_add_u64(ret, NBD_ATTR_SIZE_BYTES, device->size_bytes);
        attribute_add_u64(ret, NBD_ATTR_BLOCK_SIZE_BYTES, BLOCK_BYTES);
        attribute_add_u64(ret, NBD_ATTR_SERVER_FLAGS, device->flags);
    }
    attribute_add_u64(ret, NBD_ATTR_DEAD_CONN_TIMEOUT, NBD_KERNEL_DEAD_S);
    attribute_add(ret, ATTR_BACKEND_IDENTIFIER, device->name, strlen(device->name) + 1);
    socket_add(ret, device->socket);
    message_end(ret);
}

void nbd_kernel_connect_message(uint16_t family, const struct nbd_kernel_device *device,
                                struct nbd_message *ret)
{
    device_message(family, NBD_CMD_CONNECT, device, ret);
}

void nbd_kernel_reconnect_message(uint16_t family,
                                  const struct nbd_kernel_device *device,
                                  struct nbd_message *ret)
{
    device_message(family, NBD_CMD_RECONFIGURE, device, ret);
}

static int head_read(const void *data, size_t size, struct nlmsghdr *ret)
{
    if (size < sizeof *ret)
        return -EBADMSG;
    memcpy(ret, data, sizeof *ret);
    return ret->nlmsg_len < sizeof *ret || ret->nlmsg_len > size ? -EBADMSG : 0;
}

int nbd_kernel_ack_read(const void *data, size_t size)
{
    struct nlmsghdr head;
    int32_t error = 0;
    if (head_read(data, size, &head) < 0 || head.nlmsg_type != NLMSG_ERROR ||
        head.nlmsg_len < sizeof head + sizeof error)
        return -EBADMSG;
    memcpy(&error, (const char *)data + sizeof head, sizeof error);
    return error > 0 || error < -4095 ? -EBADMSG : error;
}

int nbd_kernel_family_read(const void *data, size_t size, uint16_t *ret)
{
    struct nlmsghdr head;
    struct nlattr attribute;
    if (head_read(data, size, &head) < 0 || head.nlmsg_type != GENL_ID_CTRL)
        return -EBADMSG;
    size_t at = sizeof head + sizeof(struct genlmsghdr);
    while (at + sizeof attribute <= head.nlmsg_len) {
        memcpy(&attribute, (const char *)data + at, sizeof attribute);
        if (attribute.nla_len < sizeof attribute ||
            attribute.nla_len > head.nlmsg_len - at)
            return -EBADMSG;
        if ((attribute.nla_type & NLA_TYPE_MASK) == CTRL_ATTR_FAMILY_ID &&
            attribute.nla_len == sizeof attribute + sizeof *ret) {
            memcpy(ret, (const char *)data + at + sizeof attribute, sizeof *ret);
            return 0;
        }
        at += NLA_ALIGN(attribute.nla_len);
    }
    return -EBADMSG;
}

/* ---- the socket ---- */

static ssize_t kernel_receive(int fd, void *data, size_t size)
{
    ssize_t n;
    do
        n = recv(fd, data, size, 0);
    while (n < 0 && errno == EINTR);
    return n;
}

static int kernel_send(int fd, const struct nbd_message *message, struct err *err)
{
    ssize_t n;
    do
        n = send(fd, message->data, message->size, 0);
    while (n < 0 && errno == EINTR);
    return n < 0 ? err_set(err, errno, "netlink: %m") : 0;
}

/* Connecting has a message of its own before its acknowledgement. */
static int kernel_acknowledged(int fd, const char *what, struct err *err)
{
    _Alignas(8) char reply[REPLY_MAX];
    for (;;) {
        struct nlmsghdr head;
        ssize_t n = kernel_receive(fd, reply, sizeof reply);
        if (n < 0)
            return err_set(err, errno, "netlink: %m");
        if (head_read(reply, (size_t)n, &head) < 0)
            return err_set(err, EBADMSG, "netlink: %zd bytes that are no message", n);
        if (head.nlmsg_type != NLMSG_ERROR)
            continue;
        int rc = nbd_kernel_ack_read(reply, (size_t)n);
        return rc < 0 ? err_set(err, -rc, "the kernel does not %s the device: %s", what,
                                strerror(-rc))
                      : 0;
    }
}

static int family_find(int fd, uint16_t *ret, struct err *err)
{
    struct nbd_message message;
    _Alignas(8) char reply[REPLY_MAX];
    message_begin(&message, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
    attribute_add(&message, CTRL_ATTR_FAMILY_NAME, NBD_GENL_FAMILY_NAME,
                  sizeof NBD_GENL_FAMILY_NAME);
    message_end(&message);
    int rc = kernel_send(fd, &message, err);
    if (rc < 0)
        return rc;
    ssize_t n = kernel_receive(fd, reply, sizeof reply);
    if (n < 0)
        return err_set(err, errno, "netlink: %m");
    if (nbd_kernel_family_read(reply, (size_t)n, ret) < 0)
        return err_set(err, ENOENT, "the kernel has no nbd (a module)");
    return kernel_acknowledged(fd, "name", err);
}

int nbd_kernel_open(struct nbd_kernel *ret, struct err *err)
{
    AUTO_CLOSE int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
    struct sockaddr_nl address = { .nl_family = AF_NETLINK };
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
        return err_set(err, errno, "netlink: %m");
    int rc = family_find(fd, &ret->family, err);
    if (rc == 0)
        ret->fd = TAKE_FD(fd);
    return rc;
}

void nbd_kernel_close(struct nbd_kernel *kernel)
{
    (void)close(kernel->fd);
    kernel->fd = -1;
}

int nbd_kernel_connect(const struct nbd_kernel *kernel,
                       const struct nbd_kernel_device *device, struct err *err)
{
    struct nbd_message message;
    nbd_kernel_connect_message(kernel->family, device, &message);
    int rc = kernel_send(kernel->fd, &message, err);
    return rc < 0 ? rc : kernel_acknowledged(kernel->fd, "connect", err);
}

int nbd_kernel_reconnect(const struct nbd_kernel *kernel,
                         const struct nbd_kernel_device *device, struct err *err)
{
    struct nbd_message message;
    nbd_kernel_reconnect_message(kernel->family, device, &message);
    int rc = kernel_send(kernel->fd, &message, err);
    return rc < 0 ? rc : kernel_acknowledged(kernel->fd, "connect", err);
}
