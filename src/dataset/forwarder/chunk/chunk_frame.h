/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_frame - messages of the chunk protocol (doc/formats/chunk-protocol.md).
 *
 *     head   body size u32, type u16, position u16, id u64
 *     body   as the type has it, at most CHUNK_FRAME_BODY_MAX bytes
 *
 * Little endian.  A response has the id of its request; a chunk has its position in it.
 */
#ifndef DATASET_FORWARDER_CHUNK_CHUNK_FRAME_H
#define DATASET_FORWARDER_CHUNK_CHUNK_FRAME_H

#include "base/err.h"
#include "base/span_type.h"
#include "dataset/forwarder/readers.h"
#include "dataset/repository/repository.h"
#include "dataset/view/view.h"

#include <stdint.h>

#define CHUNK_FRAME_VERSION 1U
#define CHUNK_FRAME_HEAD_SIZE 16U
#define CHUNK_FRAME_BODY_MAX (UINT32_C(1) << 20)
#define CHUNK_FRAME_BATCH_MAX 64U   /* chunks a request */
#define CHUNK_FRAME_LOOKUPS_MAX 64U /* names and indexes under way; and one list */
#define CHUNK_FRAME_TEXT_MAX 256U
#define CHUNK_COMMITTED_BEFORE 1U /* the user could read it before */
#define CHUNK_FRAME_PLAIN_MAX (UINT32_C(256) << 10)
#define CHUNK_FRAME_HELLO_SIZE 24U
#define CHUNK_FRAME_LEASE_SIZE 40U /* and the holder, or groups */
#define CHUNK_FRAME_VIEW_SIZE 40U  /* and the name of the view */
#define CHUNK_FRAME_PUSH_SIZE 56U  /* and a part of the index */
#define CHUNK_FRAME_PUSH_PART_MAX (UINT32_C(128) << 10)
#define CHUNK_FRAME_PUT_SIZE 8U /* and the chunk, as in CHUNK */
#define CHUNK_FRAME_COMMITTED_SIZE 8U
#define CHUNK_FRAME_PUTS_MAX 16U /* of a push, in flight */
#define CHUNK_FRAME_IDENTITY_SIZE (READER_NONCE_SIZE + READER_PROOF_SIZE)

enum chunk_frame_type {
    CHUNK_FRAME_HELLO = 1,
    CHUNK_FRAME_WELCOME,
    CHUNK_FRAME_RESOLVE,
    CHUNK_FRAME_RESOLVED,
    CHUNK_FRAME_INDEX,
    CHUNK_FRAME_INDEX_PART,
    CHUNK_FRAME_CHUNKS,
    CHUNK_FRAME_CHUNK,
    CHUNK_FRAME_LIST,
    CHUNK_FRAME_NAMES,
    CHUNK_FRAME_STATS,
    CHUNK_FRAME_TEXT,
    CHUNK_FRAME_PING,
    CHUNK_FRAME_PONG,
    CHUNK_FRAME_FAILED,
    CHUNK_FRAME_LEASE,
    CHUNK_FRAME_LEASED,
    CHUNK_FRAME_PERMIT,
    CHUNK_FRAME_PROOF,
    CHUNK_FRAME_CHALLENGE,
    CHUNK_FRAME_IDENTITY,
    CHUNK_FRAME_VIEW,
    CHUNK_FRAME_VIEWED,
    CHUNK_FRAME_CREDENTIAL,
    CHUNK_FRAME_PUSH,
    CHUNK_FRAME_PUSHED,
    CHUNK_FRAME_PUT,
    CHUNK_FRAME_COMMIT,
    CHUNK_FRAME_COMMITTED,
    CHUNK_FRAME_PROFILE = 30,
    CHUNK_FRAME_PROFILED,
};

enum chunk_failure {
    CHUNK_FAILURE_NOT_FOUND = 1,
    CHUNK_FAILURE_DAMAGED,
    CHUNK_FAILURE_UNAVAILABLE,
    CHUNK_FAILURE_REFUSED, /* for good */
    CHUNK_FAILURE_BUSY,    /* too much at once */
    CHUNK_FAILURE_DENIED,  /* the user may not read it */
};

struct chunk_frame {
    uint16_t type, position;
    uint64_t id;
    struct span body;
};

/* What each side states first: it receives no more than this. */
struct chunk_hello {
    uint32_t version, batch_max;
    uint32_t requests_max; /* chunks that may be under way */
};

/* The first frame of in, of which the body has the form that its type wants; *ret_used
 * is how long it is.  1: there is less than one.  Errors: -EBADMSG with a line. */
int chunk_frame_read(struct span in, struct chunk_frame *ret, size_t *ret_used,
                     struct err *err);
void chunk_frame_head(uint8_t head[static CHUNK_FRAME_HEAD_SIZE],
                      const struct chunk_frame *frame, size_t body_size);

/* ---- bodies, of frames that chunk_frame_read() accepted ---- */

/* Errors: -EBADMSG (no hello), -EPROTO (another version), each with a line. */
int chunk_hello_decode(struct span body, struct chunk_hello *ret, struct err *err);
void chunk_hello_encode(const struct chunk_hello *hello,
                        uint8_t body[static CHUNK_FRAME_HELLO_SIZE]);
struct digest chunk_frame_digest(struct span body, size_t index);
uint32_t chunk_frame_u32(struct span body);
/* Of CHUNK_FRAME_INDEX, _LEASE (seconds) and _PERMIT (a user) behind the digest; of
 * CHUNK_FRAME_INDEX_PART the first. */
uint64_t chunk_frame_offset(struct span body);
uint64_t chunk_frame_total(struct span body);

/* Of PUSH, without the part behind it. */
struct chunk_push_head {
    struct digest name;
    uint64_t image_bytes, index_bytes, offset;
};
void chunk_push_head_decode(struct span body, struct chunk_push_head *ret);
void chunk_push_head_encode(const struct chunk_push_head *head,
                            uint8_t body[static CHUNK_FRAME_PUSH_SIZE]);
/* Of PUT and COMMITTED the second number: plain size; the owner. */
uint32_t chunk_frame_second(struct span body);

#endif
