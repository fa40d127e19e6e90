/* SPDX-License-Identifier: Apache-2.0 */
/* nbd_request - what an NBD client requests of an export, and heads of replies. */
#include "dataset/forwarder/nbd/nbd_request.h"

#include <errno.h>

int nbd_request_read(struct span in, struct nbd_request *ret)
{
    const uint8_t *p = (const uint8_t *)in.data;
    if (in.size < NBD_REQUEST_SIZE)
        return 1;
    if (nbd_u32(p) != NBD_REQUEST_MAGIC)
        return -EBADMSG;
    *ret = (struct nbd_request){
        .flags = nbd_u16(p + 4),
        .command = nbd_u16(p + 6),
        .cookie = nbd_u64(p + 8),
        .offset = nbd_u64(p + 16),
        .size = nbd_u32(p + 24),
    };
    return 0;
}

int nbd_request_payload(const struct nbd_request *request, uint32_t *ret_size)
{
    if (request->command != NBD_CMD_WRITE) {
        *ret_size = 0;
        return 0;
    }
    if (request->size > NBD_BLOCK_MAX)
        return -EMSGSIZE;
    *ret_size = request->size;
    return 0;
}

static int range_check(const struct nbd_request *request, uint64_t export_bytes)
{
    if (request->size == 0 || request->offset > export_bytes ||
        request->size > export_bytes - request->offset)
        return NBD_EINVAL;
    return request->size > NBD_BLOCK_MAX ? NBD_EOVERFLOW : 0;
}

int nbd_request_check(const struct nbd_request *request, uint64_t export_bytes)
{
    switch (request->command) {
    case NBD_CMD_READ:
        if (request->flags & ~(NBD_CMD_FLAG_FUA | NBD_CMD_FLAG_DF))
            return NBD_EINVAL;
        return range_check(request, export_bytes);
    case NBD_CMD_CACHE:
        if (request->flags & ~NBD_CMD_FLAG_FUA)
            return NBD_EINVAL;
        return range_check(request, export_bytes);
    case NBD_CMD_FLUSH:
        return request->flags & ~NBD_CMD_FLAG_FUA ? NBD_EINVAL : 0;
    case NBD_CMD_WRITE:
    case NBD_CMD_TRIM:
    case NBD_CMD_WRITE_ZEROES:
        return NBD_EPERM;
    default:
        return NBD_EINVAL;
    }
}

void nbd_simple_head(uint8_t head[static NBD_SIMPLE_HEAD_SIZE], uint64_t cookie,
                     uint32_t error)
{
    nbd_put_u32(head, NBD_SIMPLE_REPLY_MAGIC);
    nbd_put_u32(head + 4, error);
    nbd_put_u64(head + 8, cookie);
}

void nbd_structured_head(uint8_t head[static NBD_STRUCTURED_HEAD_SIZE], uint64_t cookie,
                         uint16_t flags, uint16_t type, uint32_t size)
{
    nbd_put_u32(head, NBD_STRUCTURED_REPLY_MAGIC);
    nbd_put_u16(head + 4, flags);
    nbd_put_u16(head + 6, type);
    nbd_put_u64(head + 8, cookie);
    nbd_put_u32(head + 16, size);
}

void nbd_data_head(uint8_t head[static NBD_DATA_HEAD_SIZE], uint64_t cookie,
                   uint16_t flags, uint64_t offset, uint32_t size)
{
    nbd_structured_head(head, cookie, flags, NBD_REPLY_OFFSET_DATA, size + 8);
    nbd_put_u64(head + NBD_STRUCTURED_HEAD_SIZE, offset);
}

void nbd_error_head(uint8_t head[static NBD_ERROR_HEAD_SIZE], uint64_t cookie,
                    uint32_t error)
{
    nbd_structured_head(head, cookie, NBD_REPLY_FLAG_DONE, NBD_REPLY_ERROR, 6);
    nbd_put_u32(head + NBD_STRUCTURED_HEAD_SIZE, error);
    nbd_put_u16(head + NBD_STRUCTURED_HEAD_SIZE + 4, 0);
}
