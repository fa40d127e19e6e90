/* SPDX-License-Identifier: Apache-2.0 */
/* session_frame - the head of every message between two nodes of a session. */
#include "wire/session_frame.h"

#include <endian.h>
#include <string.h>
#include <xxhash.h>

#define HASHED_BYTES 24

static uint64_t frame_hash(const void *head, struct span body)
{
    return XXH3_64bits_withSeed(body.size ? body.data : "", body.size,
                                XXH3_64bits(head, HASHED_BYTES));
}

static uint64_t word_at(const char *head, size_t offset)
{
    uint64_t word;
    memcpy(&word, head + offset, sizeof word);
    return le64toh(word);
}

static void word_put(char *head, size_t offset, uint64_t value)
{
    uint64_t word = htole64(value);
    memcpy(head + offset, &word, sizeof word);
}

void session_frame_print(const struct session_frame *frame,
                         enum session_frame_check check, struct strbuf *out)
{
    char head[SESSION_FRAME_HEAD];
    word_put(head, 0,
             (uint64_t)(uint32_t)frame->body.size | (uint64_t)frame->type << 32 |
                 (uint64_t)SESSION_FRAME_VERSION << 40);
    word_put(head, 8, frame->sequence);
    word_put(head, 16, frame->acknowledged);
    word_put(head, 24,
             check == SESSION_FRAME_HASHED ? frame_hash(head, frame->body) : 0);
    strbuf_add(out, head, sizeof head);
    strbuf_add_span(out, frame->body);
}

int session_frame_read(struct span in, size_t limit, enum session_frame_check check,
                       struct session_frame *ret, size_t *ret_used, struct err *err)
{
    if (in.size < SESSION_FRAME_HEAD)
        return 1;
    uint64_t first = word_at(in.data, 0);
    size_t size = (uint32_t)first;
    uint8_t version = (uint8_t)(first >> 40);
    if (version != SESSION_FRAME_VERSION || first >> 48)
        return err_set(err, EBADMSG, "not a frame of version %d",
                       SESSION_FRAME_VERSION);
    if (size > limit)
        return err_set(err, EMSGSIZE, "a frame of %zu bytes is over the limit of %zu",
                       size, limit);
    if (in.size - SESSION_FRAME_HEAD < size)
        return 1;
    struct span body = { in.data + SESSION_FRAME_HEAD, size };
    uint64_t want = check == SESSION_FRAME_HASHED ? frame_hash(in.data, body) : 0;
    if (word_at(in.data, 24) != want)
        return err_set(err, EBADMSG, "a frame's checksum is wrong");
    *ret = (struct session_frame){
        .type = (uint8_t)(first >> 32),
        .sequence = word_at(in.data, 8),
        .acknowledged = word_at(in.data, 16),
        .body = body,
    };
    *ret_used = SESSION_FRAME_HEAD + size;
    return 0;
}
