/* SPDX-License-Identifier: Apache-2.0 */
/* nbd_request - what an NBD client requests of an export, and heads of replies. */
#ifndef DATASET_FORWARDER_NBD_REQUEST_H
#define DATASET_FORWARDER_NBD_REQUEST_H

#include "base/span_type.h"
#include "dataset/forwarder/nbd/nbd.h"

#define NBD_REQUEST_SIZE 28U
#define NBD_SIMPLE_HEAD_SIZE 16U
#define NBD_STRUCTURED_HEAD_SIZE 20U
#define NBD_DATA_HEAD_SIZE (NBD_STRUCTURED_HEAD_SIZE + 8U)
#define NBD_ERROR_HEAD_SIZE (NBD_STRUCTURED_HEAD_SIZE + 6U)

struct nbd_request {
    uint16_t flags, command;
    uint64_t cookie, offset;
    uint32_t size;
};

/* 1: there is less than one.  Errors: -EBADMSG. */
int nbd_request_read(struct span in, struct nbd_request *ret);
/* Bytes behind it, which a request to write has.  Errors: -EMSGSIZE. */
int nbd_request_payload(const struct nbd_request *request, uint32_t *ret_size);
/* Of an export of so many bytes, that is only read: 0, or an enum nbd_error. */
int nbd_request_check(const struct nbd_request *request, uint64_t export_bytes);

void nbd_simple_head(uint8_t head[static NBD_SIMPLE_HEAD_SIZE], uint64_t cookie,
                     uint32_t error);
void nbd_structured_head(uint8_t head[static NBD_STRUCTURED_HEAD_SIZE], uint64_t cookie,
                         uint16_t flags, uint16_t type, uint32_t size);
/* Of size bytes of the export, which follow. */
void nbd_data_head(uint8_t head[static NBD_DATA_HEAD_SIZE], uint64_t cookie,
                   uint16_t flags, uint64_t offset, uint32_t size);
void nbd_error_head(uint8_t head[static NBD_ERROR_HEAD_SIZE], uint64_t cookie,
                    uint32_t error);

#endif
