/* SPDX-License-Identifier: Apache-2.0 */
/* ninep_message - requests of 9P2000.L read, and responses written; without state.
 * Threads  none inside. */
#ifndef DATASET_FORWARDER_NINEP_MESSAGE_H
#define DATASET_FORWARDER_NINEP_MESSAGE_H

#include "base/span_type.h"
#include "dataset/forwarder/ninep/ninep.h"

#include <stdbool.h>

#define NINEP_RESPONSE_MAX 256U

/* What of it is set depends on its type. */
struct ninep_message {
    uint8_t type;
    uint16_t tag, old_tag;
    uint32_t fid, newfid, afid;
    uint32_t msize, count, flags, user;
    uint64_t offset, mask;
    struct span version, aname, data;
    uint16_t name_count;
    struct span names[NINEP_NAMES_MAX];
    uint32_t skip; /* bytes of it that follow, and are not read */
};

/* The first request of in, of at most msize bytes; its spans are in in.  Of a type that
 * this door does not have, and of those that write, the body is not read.  1: there is
 * less than one.  Errors: -EMSGSIZE (longer than may be), -EBADMSG (no such body). */
int ninep_message_read(struct span in, uint32_t msize, struct ninep_message *ret,
                       size_t *ret_used);
/* It would change something: there is one response to all of them. */
bool ninep_type_writes(uint8_t type);

struct ninep_qid {
    uint8_t type;
    uint64_t path;
};

/* A response of at most NINEP_RESPONSE_MAX bytes: that it fits is its caller's care. */
struct ninep_response {
    uint32_t size;
    uint8_t data[NINEP_RESPONSE_MAX];
};

void ninep_response_begin(struct ninep_response *response, uint8_t type, uint16_t tag);
void ninep_put_u8(struct ninep_response *response, uint8_t value);
void ninep_put_u16(struct ninep_response *response, uint16_t value);
void ninep_put_u32(struct ninep_response *response, uint32_t value);
void ninep_put_u64(struct ninep_response *response, uint64_t value);
void ninep_put_text(struct ninep_response *response, struct span text);
void ninep_put_qid(struct ninep_response *response, const struct ninep_qid *qid);
/* more: bytes that follow, and belong to it. */
void ninep_response_end(struct ninep_response *response, uint32_t more);

#endif
