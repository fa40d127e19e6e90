/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_frame - messages of the chunk protocol. */
#include "dataset/forwarder/chunk/chunk_frame.h"

#include "base/cleanup.h"
#include "base/span.h"

#define MAGIC "barochnk"
#define HELLO_SIZE CHUNK_FRAME_HELLO_SIZE

/* What a body may be: its least and its largest size, and of what it is a multiple; 0:
 * there is no such type. */
static const struct frame_form {
    uint32_t min, max, multiple;
} forms[] = {
    [CHUNK_FRAME_HELLO] = { HELLO_SIZE, HELLO_SIZE, 1 },
    [CHUNK_FRAME_WELCOME] = { HELLO_SIZE, HELLO_SIZE, 1 },
    [CHUNK_FRAME_RESOLVE] = { 1, DATASET_TAG_MAX, 1 },
    [CHUNK_FRAME_RESOLVED] = { DIGEST_SIZE, DIGEST_SIZE, 1 },
    [CHUNK_FRAME_INDEX] = { DIGEST_SIZE + 8, DIGEST_SIZE + 8, 1 },
    [CHUNK_FRAME_INDEX_PART] = { 8, CHUNK_FRAME_BODY_MAX, 1 },
    [CHUNK_FRAME_CHUNKS] = { DIGEST_SIZE, CHUNK_FRAME_BATCH_MAX *DIGEST_SIZE,
                             DIGEST_SIZE },
    [CHUNK_FRAME_CHUNK] = { 4 + 1, 4 + CHUNK_FRAME_PLAIN_MAX, 1 },
    [CHUNK_FRAME_LIST] = { 0, 0, 1 },
    [CHUNK_FRAME_NAMES] = { 0, CHUNK_FRAME_BODY_MAX, 1 },
    [CHUNK_FRAME_STATS] = { 0, 0, 1 },
    [CHUNK_FRAME_TEXT] = { 0, CHUNK_FRAME_BODY_MAX, 1 },
    [CHUNK_FRAME_PING] = { 0, 0, 1 },
    [CHUNK_FRAME_PONG] = { 0, 0, 1 },
    [CHUNK_FRAME_FAILED] = { 4, 4 + CHUNK_FRAME_TEXT_MAX, 1 },
    [CHUNK_FRAME_LEASE] = { CHUNK_FRAME_LEASE_SIZE + 1,
                            CHUNK_FRAME_LEASE_SIZE + DATASET_TAG_MAX, 1 },
    [CHUNK_FRAME_LEASED] = { 0, 0, 1 },
    [CHUNK_FRAME_PERMIT] = { CHUNK_FRAME_LEASE_SIZE,
                             CHUNK_FRAME_LEASE_SIZE + DATASET_TAG_MAX, 1 },
    [CHUNK_FRAME_PROOF] = { READER_PROOF_SIZE, READER_PROOF_SIZE, 1 },
    [CHUNK_FRAME_CHALLENGE] = { READER_NONCE_SIZE, READER_NONCE_SIZE, 1 },
    [CHUNK_FRAME_IDENTITY] = { CHUNK_FRAME_IDENTITY_SIZE, CHUNK_FRAME_IDENTITY_SIZE,
                               1 },
    [CHUNK_FRAME_VIEW] = { CHUNK_FRAME_VIEW_SIZE + 1,
                           CHUNK_FRAME_VIEW_SIZE + VIEW_NAME_MAX, 1 },
    [CHUNK_FRAME_VIEWED] = { 0, VIEW_TEXT_MAX, 1 },
    [CHUNK_FRAME_CREDENTIAL] = { 1, CREDENTIAL_MAX, 1 },
    [CHUNK_FRAME_PUSH] = { CHUNK_FRAME_PUSH_SIZE,
                           CHUNK_FRAME_PUSH_SIZE + CHUNK_FRAME_PUSH_PART_MAX, 1 },
    [CHUNK_FRAME_PUSHED] = { 8, CHUNK_FRAME_BODY_MAX, 1 },
    [CHUNK_FRAME_PUT] = { CHUNK_FRAME_PUT_SIZE + 1,
                          CHUNK_FRAME_PUT_SIZE + CHUNK_FRAME_PLAIN_MAX, 1 },
    [CHUNK_FRAME_COMMIT] = { 0, PUSH_FACTS_MAX, 1 },
    [CHUNK_FRAME_COMMITTED] = { CHUNK_FRAME_COMMITTED_SIZE, CHUNK_FRAME_COMMITTED_SIZE,
                                1 },
    [CHUNK_FRAME_PROFILE] = { DIGEST_SIZE + 8, DIGEST_SIZE + 8, 1 },
    [CHUNK_FRAME_PROFILED] = { 0, PROFILE_TEXT_MAX, 1 },
};

static const uint8_t *octets_at(struct span body, size_t offset)
{
    return (const uint8_t *)body.data + offset;
}

/* A chunk is stored in less than its plain size, or in just as much. */
static bool is_chunk_possible(uint32_t plain, size_t stored)
{
    return plain <= CHUNK_FRAME_PLAIN_MAX && stored <= plain;
}

/* Bodies of which a size stands in the body. */
static bool is_body_possible(const struct chunk_frame *frame)
{
    struct span body = frame->body;
    if (frame->type == CHUNK_FRAME_CHUNK)
        return is_chunk_possible(chunk_frame_u32(body), body.size - 4);
    return frame->type != CHUNK_FRAME_PUT ||
           is_chunk_possible(chunk_frame_second(body),
                             body.size - CHUNK_FRAME_PUT_SIZE);
}

int chunk_frame_read(struct span in, struct chunk_frame *ret, size_t *ret_used,
                     struct err *err)
{
    if (in.size < CHUNK_FRAME_HEAD_SIZE)
        return 1;
    uint32_t size = bytes_u32(octets_at(in, 0));
    uint32_t typed = bytes_u32(octets_at(in, 4));
    struct chunk_frame frame = { .type = (uint16_t)(typed & 0xffff),
                                 .position = (uint16_t)(typed >> 16),
                                 .id = bytes_u64(octets_at(in, 8)) };
    if (frame.type == 0 || frame.type >= COUNT_OF(forms) ||
        forms[frame.type].multiple == 0)
        return err_set(err, EBADMSG, "a frame of type %u", frame.type);
    const struct frame_form *form = &forms[frame.type];
    if (size < form->min || size > form->max || size % form->multiple)
        return err_set(err, EBADMSG, "a frame of type %u with %u bytes", frame.type,
                       size);
    if (in.size - CHUNK_FRAME_HEAD_SIZE < size)
        return 1;
    frame.body = (struct span){ in.data + CHUNK_FRAME_HEAD_SIZE, size };
    if (!is_body_possible(&frame))
        return err_set(err, EBADMSG, "a chunk that is stored in more than its size");
    *ret = frame;
    *ret_used = CHUNK_FRAME_HEAD_SIZE + size;
    return 0;
}

void chunk_frame_head(uint8_t head[static CHUNK_FRAME_HEAD_SIZE],
                      const struct chunk_frame *frame, size_t body_size)
{
    bytes_put_u32(head, (uint32_t)body_size);
    bytes_put_u32(head + 4, frame->type | (uint32_t)frame->position << 16);
    bytes_put_u64(head + 8, frame->id);
}

int chunk_hello_decode(struct span body, struct chunk_hello *ret, struct err *err)
{
    if (body.size != HELLO_SIZE || memcmp(body.data, MAGIC, 8) != 0)
        return err_set(err, EBADMSG, "this is not the chunk protocol");
    struct chunk_hello hello = {
        .version = bytes_u32(octets_at(body, 8)),
        .batch_max = bytes_u32(octets_at(body, 12)),
        .requests_max = bytes_u32(octets_at(body, 16)),
    };
    if (hello.version != CHUNK_FRAME_VERSION)
        return err_set(err, EPROTO, "version %u of the chunk protocol is not known",
                       hello.version);
    if (hello.batch_max == 0 || hello.requests_max < hello.batch_max)
        return err_set(err, EBADMSG, "limits that are not possible");
    *ret = hello;
    return 0;
}

void chunk_hello_encode(const struct chunk_hello *hello,
                        uint8_t body[static CHUNK_FRAME_HELLO_SIZE])
{
    memcpy(body, MAGIC, 8);
    bytes_put_u32(body + 8, hello->version);
    bytes_put_u32(body + 12, hello->batch_max);
    bytes_put_u32(body + 16, hello->requests_max);
    bytes_put_u32(body + 20, 0);
}

struct digest chunk_frame_digest(struct span body, size_t index)
{
    struct digest digest;
    memcpy(digest.bytes, octets_at(body, index * DIGEST_SIZE), DIGEST_SIZE);
    return digest;
}

uint32_t chunk_frame_u32(struct span body)
{
    return bytes_u32(octets_at(body, 0));
}

uint64_t chunk_frame_offset(struct span body)
{
    return bytes_u64(octets_at(body, DIGEST_SIZE));
}

uint64_t chunk_frame_total(struct span body)
{
    return bytes_u64(octets_at(body, 0));
}

void chunk_push_head_decode(struct span body, struct chunk_push_head *ret)
{
    ret->name = chunk_frame_digest(body, 0);
    ret->image_bytes = bytes_u64(octets_at(body, DIGEST_SIZE));
    ret->index_bytes = bytes_u64(octets_at(body, DIGEST_SIZE + 8));
    ret->offset = bytes_u64(octets_at(body, DIGEST_SIZE + 16));
}

void chunk_push_head_encode(const struct chunk_push_head *head,
                            uint8_t body[static CHUNK_FRAME_PUSH_SIZE])
{
    memcpy(body, head->name.bytes, DIGEST_SIZE);
    bytes_put_u64(body + DIGEST_SIZE, head->image_bytes);
    bytes_put_u64(body + DIGEST_SIZE + 8, head->index_bytes);
    bytes_put_u64(body + DIGEST_SIZE + 16, head->offset);
}

uint32_t chunk_frame_second(struct span body)
{
    return bytes_u32(octets_at(body, 4));
}
