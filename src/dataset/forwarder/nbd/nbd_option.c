/* SPDX-License-Identifier: Apache-2.0 */
/* nbd_option - what an NBD client requests before it has chosen an export. */
#include "dataset/forwarder/nbd/nbd_option.h"

#include <errno.h>

#define INFO_FIXED_SIZE 6U /* u32 and u16 around the name */

static const uint8_t *octets_at(struct span in, size_t offset)
{
    return (const uint8_t *)in.data + offset;
}

int nbd_option_read(struct span in, struct nbd_option *ret, size_t *ret_used)
{
    if (in.size < NBD_OPTION_HEAD_SIZE)
        return 1;
    if (nbd_u64(octets_at(in, 0)) != NBD_OPTION_MAGIC)
        return -EBADMSG;
    uint32_t size = nbd_u32(octets_at(in, 12));
    if (size > NBD_OPTION_DATA_MAX)
        return -EMSGSIZE;
    if (in.size - NBD_OPTION_HEAD_SIZE < size)
        return 1;
    ret->code = nbd_u32(octets_at(in, 8));
    ret->data = (struct span){ in.data + NBD_OPTION_HEAD_SIZE, size };
    *ret_used = NBD_OPTION_HEAD_SIZE + size;
    return 0;
}

int nbd_info_request_read(struct span data, struct nbd_info_request *ret)
{
    if (data.size < INFO_FIXED_SIZE)
        return -EBADMSG;
    uint32_t name_size = nbd_u32(octets_at(data, 0));
    if (name_size > data.size - INFO_FIXED_SIZE)
        return -EBADMSG;
    struct nbd_info_request request = { .name = { data.data + 4, name_size } };
    uint16_t count = nbd_u16(octets_at(data, 4 + (size_t)name_size));
    if (data.size - INFO_FIXED_SIZE - name_size != count * (size_t)2)
        return -EBADMSG;
    for (size_t i = 0; i < count; i++) {
        uint16_t type = nbd_u16(octets_at(data, INFO_FIXED_SIZE + name_size + i * 2));
        request.wants_name |= type == NBD_INFO_NAME;
        request.wants_block_size |= type == NBD_INFO_BLOCK_SIZE;
    }
    *ret = request;
    return 0;
}

void nbd_option_reply(uint8_t head[static NBD_OPTION_REPLY_HEAD_SIZE], uint32_t code,
                      uint32_t type, uint32_t size)
{
    nbd_put_u64(head, NBD_OPTION_REPLY_MAGIC);
    nbd_put_u32(head + 8, code);
    nbd_put_u32(head + 12, type);
    nbd_put_u32(head + 16, size);
}
