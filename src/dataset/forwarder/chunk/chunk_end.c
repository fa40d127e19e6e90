/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_end - this server's end of a connection of the chunk protocol. */
#include "dataset/forwarder/chunk/chunk_end.h"

#include "base/span.h"

void chunk_end_send(struct chunk_client_end *end, const struct chunk_frame *frame,
                    struct payload *body, uint32_t offset, uint32_t size)
{
    uint8_t head[CHUNK_FRAME_HEAD_SIZE];
    chunk_frame_head(head, frame, size);
    channel_send(&end->client.channel, head, sizeof head, body, offset, size);
}

void chunk_end_fail(struct chunk_client_end *end, uint64_t id, uint16_t position,
                    int rc)
{
    uint8_t head[CHUNK_FRAME_HEAD_SIZE + 4];
    const struct chunk_frame frame = { .type = CHUNK_FRAME_FAILED,
                                       .position = position,
                                       .id = id };
    uint32_t code = rc == -ENOENT || rc == -EINVAL ? CHUNK_FAILURE_NOT_FOUND
                    : rc == -EUCLEAN               ? CHUNK_FAILURE_DAMAGED
                    : rc == -EFBIG                 ? CHUNK_FAILURE_REFUSED
                    : rc == -EACCES                ? CHUNK_FAILURE_DENIED
                    : rc == -EBUSY                 ? CHUNK_FAILURE_BUSY
                                                   : CHUNK_FAILURE_UNAVAILABLE;
    chunk_frame_head(head, &frame, 4);
    bytes_put_u32(head + CHUNK_FRAME_HEAD_SIZE, code);
    channel_send(&end->client.channel, head, sizeof head, NULL, 0, 0);
}

void chunk_end_fail_text(struct chunk_client_end *end, uint64_t id, uint32_t code,
                         const char *text)
{
    const struct chunk_frame frame = { .type = CHUNK_FRAME_FAILED, .id = id };
    size_t size = strnlen(text, CHUNK_FRAME_TEXT_MAX);
    AUTO(payload_unref) struct payload *body = payload_new(4 + size);
    if (!body) {
        chunk_end_fail(end, id, 0, -ENOMEM);
        return;
    }
    bytes_put_u32(body->data, code);
    memcpy(body->data + 4, text, size);
    chunk_end_send(end, &frame, body, 0, body->size);
}
