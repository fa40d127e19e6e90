/* SPDX-License-Identifier: Apache-2.0 */
/* nbd_export - a connection to an NBD server, until an export of it is chosen. */
#include "dataset/device/nbd_export.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#define GREETING_MAGIC UINT64_C(0x4e42444d41474943)
#define OPTION_MAGIC UINT64_C(0x49484156454f5054)
#define REPLY_MAGIC UINT64_C(0x0003e889045565a9)
#define REPLY_BYTES_MAX 4096U
#define REPLIES_MAX 16U

enum { FIXED_NEWSTYLE = 1, NO_ZEROES = 2 };
enum { OPT_GO = 7 };
enum { INFO_EXPORT = 0, INFO_NAME = 1 };
enum {
    REP_ACK = 1,
    REP_INFO = 3,
    REP_ERR_POLICY = 0x80000002U,
    REP_ERR_UNKNOWN = 0x80000006U,
    REP_ERR_SHUTDOWN = 0x80000007U,
};

struct greeting {
    uint64_t magic, option_magic;
    uint16_t flags;
} __attribute__((packed));

struct reply_head {
    uint64_t magic;
    uint32_t option, type, size;
} __attribute__((packed));

static int receive(int fd, void *data, size_t size, struct err *err)
{
    for (size_t have = 0; have < size;) {
        ssize_t n = recv(fd, (char *)data + have, size - have, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set(err, errno == ECONNRESET ? EPIPE : errno, "it is read: %m");
        if (n == 0)
            return err_set(err, EPIPE, "the server has ended the connection");
        have += (size_t)n;
    }
    return 0;
}

static int transmit(int fd, const void *data, size_t size, struct err *err)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = send(fd, (const char *)data + done, size - done, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set(err, errno == ECONNRESET ? EPIPE : errno,
                           "it is written: %m");
        done += (size_t)n;
    }
    return 0;
}

static int greet(int fd, struct err *err)
{
    struct greeting greeting;
    uint32_t flags = htobe32(FIXED_NEWSTYLE | NO_ZEROES);
    int rc = receive(fd, &greeting, sizeof greeting, err);
    if (rc < 0)
        return rc;
    if (be64toh(greeting.magic) != GREETING_MAGIC ||
        be64toh(greeting.option_magic) != OPTION_MAGIC ||
        (be16toh(greeting.flags) & (FIXED_NEWSTYLE | NO_ZEROES)) !=
            (FIXED_NEWSTYLE | NO_ZEROES))
        return err_set(err, EBADMSG, "that is no NBD server of the fixed newstyle");
    return transmit(fd, &flags, sizeof flags, err);
}

static int go_send(int fd, const char *name, struct err *err)
{
    struct {
        uint64_t magic;
        uint32_t option, size, name_size;
        char rest[NBD_EXPORT_NAME_MAX +
                  4]; /* the name, a count, one kind of information */
    } __attribute__((packed)) go;
    size_t size = strlen(name);
    uint16_t wanted[2] = { htobe16(1), htobe16(INFO_NAME) };
    if (size > NBD_EXPORT_NAME_MAX)
        return err_set(err, EINVAL, "the name has more than %u bytes",
                       NBD_EXPORT_NAME_MAX);
    go.magic = htobe64(OPTION_MAGIC);
    go.option = htobe32(OPT_GO);
    go.size = htobe32((uint32_t)(4 + size + sizeof wanted));
    go.name_size = htobe32((uint32_t)size);
    memcpy(go.rest, name, size);
    memcpy(go.rest + size, wanted, sizeof wanted);
    return transmit(fd, &go, sizeof go - sizeof go.rest + size + sizeof wanted, err);
}

static uint16_t be16_at(const uint8_t *data)
{
    return (uint16_t)(data[0] << 8 | data[1]);
}

/* What it does not know it ignores, as the protocol wants it. */
static int info_read(const uint8_t *data, uint32_t size, struct nbd_export *export,
                     bool *has_size, struct err *err)
{
    if (size < 2)
        return err_set(err, EBADMSG, "an information of %u bytes", size);
    uint16_t kind = be16_at(data);
    if (kind == INFO_EXPORT) {
        if (size != 12)
            return err_set(err, EBADMSG, "an export in %u bytes", size);
        uint64_t value;
        memcpy(&value, data + 2, sizeof value);
        export->size_bytes = be64toh(value);
        export->flags = be16_at(data + 10);
        *has_size = true;
    } else if (kind == INFO_NAME) {
        if (size - 2 > NBD_EXPORT_NAME_MAX || memchr(data + 2, '\0', size - 2))
            return err_set(err, EBADMSG, "a name of %u bytes", size - 2);
        memcpy(export->name, data + 2, size - 2);
        export->name[size - 2] = '\0';
    }
    return 0;
}

static int refusal(uint32_t type, struct err *err)
{
    switch (type) {
    case REP_ERR_UNKNOWN:
        return err_set(err, ENOENT, "there is no such dataset");
    case REP_ERR_POLICY:
        return err_set(err, EACCES, "this server may not have it");
    case REP_ERR_SHUTDOWN:
        return err_set(err, EAGAIN, "the server cannot serve it now");
    default:
        return err_set(err, EBADMSG, "the server refused it (0x%x)", type);
    }
}

static int reply_receive(int fd, uint32_t *ret_type, uint8_t *data, uint32_t *ret_size,
                         struct err *err)
{
    struct reply_head head;
    int rc = receive(fd, &head, sizeof head, err);
    if (rc < 0)
        return rc;
    uint32_t size = be32toh(head.size);
    if (be64toh(head.magic) != REPLY_MAGIC || be32toh(head.option) != OPT_GO)
        return err_set(err, EBADMSG, "a reply that belongs to no option");
    if (size > REPLY_BYTES_MAX)
        return err_set(err, EBADMSG, "a reply of %u bytes", size);
    rc = receive(fd, data, size, err);
    *ret_type = be32toh(head.type);
    *ret_size = size;
    return rc;
}

int nbd_export_choose(int fd, const char *name, struct nbd_export *ret, struct err *err)
{
    struct nbd_export export = { 0 };
    uint8_t data[REPLY_BYTES_MAX];
    uint32_t type = 0, size = 0;
    bool has_size = false;
    int rc = greet(fd, err);
    if (rc == 0)
        rc = go_send(fd, name, err);
    if (rc < 0)
        return rc;
    memcpy(export.name, name, strlen(name));
    for (unsigned i = 0; i < REPLIES_MAX && type != REP_ACK; i++) {
        rc = reply_receive(fd, &type, data, &size, err);
        if (rc == 0 && type == REP_INFO)
            rc = info_read(data, size, &export, &has_size, err);
        else if (rc == 0 && type != REP_ACK)
            rc = refusal(type, err);
        if (rc < 0)
            return rc;
    }
    if (type != REP_ACK || !has_size || !export.size_bytes)
        return err_set(err, EBADMSG, "the server named no size");
    *ret = export;
    return 0;
}
