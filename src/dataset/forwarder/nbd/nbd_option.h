/* SPDX-License-Identifier: Apache-2.0 */
/* nbd_option - what an NBD client requests before it has chosen an export.
 *
 *     option  magic u64, code u32, size u32, data
 *     reply   magic u64, code u32, type u32, size u32, data
 */
#ifndef DATASET_FORWARDER_NBD_OPTION_H
#define DATASET_FORWARDER_NBD_OPTION_H

#include "base/span_type.h"
#include "dataset/forwarder/nbd/nbd.h"

#define NBD_OPTION_HEAD_SIZE 16U
#define NBD_OPTION_DATA_MAX 8192U /* a name has at most 4096 bytes */
#define NBD_OPTION_REPLY_HEAD_SIZE 20U

struct nbd_option {
    uint32_t code;
    struct span data;
};

/* What NBD_OPT_INFO and NBD_OPT_GO have as their data. */
struct nbd_info_request {
    struct span name;
    bool wants_name, wants_block_size;
};

/* 1: there is less than one.  Errors: -EBADMSG (another magic), -EMSGSIZE. */
int nbd_option_read(struct span in, struct nbd_option *ret, size_t *ret_used);
/* Errors: -EBADMSG. */
int nbd_info_request_read(struct span data, struct nbd_info_request *ret);
void nbd_option_reply(uint8_t head[static NBD_OPTION_REPLY_HEAD_SIZE], uint32_t code,
                      uint32_t type, uint32_t size);

#endif
