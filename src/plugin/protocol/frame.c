/* SPDX-License-Identifier: Apache-2.0 */
/* frame - the messages between an agent and the host process of Lua plugins. */
#include "plugin/protocol/frame.h"

#include <endian.h>
#include <string.h>

#define HEAD_BYTES 8

const char *frame_outcome_name(enum frame_outcome outcome)
{
    static const char *const names[FRAME_OUTCOME_COUNT] = {
        "ok", "error", "over its instructions", "over its memory", "over its time",
    };
    return outcome < FRAME_OUTCOME_COUNT ? names[outcome] : "unknown";
}

/* ---- writing ---- */

void frame_put_bytes(struct frame *frame, const void *data, size_t size)
{
    if (frame->is_full || size > sizeof frame->data - frame->size) {
        frame->is_full = true;
        return;
    }
    if (size)
        memcpy(frame->data + frame->size, data, size);
    frame->size += size;
}

void frame_put_u8(struct frame *frame, uint8_t value)
{
    frame_put_bytes(frame, &value, sizeof value);
}

void frame_put_u16(struct frame *frame, uint16_t value)
{
    value = htole16(value);
    frame_put_bytes(frame, &value, sizeof value);
}

void frame_put_u32(struct frame *frame, uint32_t value)
{
    value = htole32(value);
    frame_put_bytes(frame, &value, sizeof value);
}

void frame_put_u64(struct frame *frame, uint64_t value)
{
    value = htole64(value);
    frame_put_bytes(frame, &value, sizeof value);
}

void frame_put_f64(struct frame *frame, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    frame_put_u64(frame, bits);
}

void frame_put_text(struct frame *frame, struct span text)
{
    size_t size = text.size < UINT16_MAX ? text.size : UINT16_MAX;
    frame_put_u16(frame, (uint16_t)size);
    frame_put_bytes(frame, text.data, size);
}

size_t frame_begin(struct frame *frame, enum frame_type type, uint16_t plugin)
{
    size_t begin = frame->size;
    frame_put_u8(frame, (uint8_t)type);
    frame_put_u8(frame, 0);
    frame_put_u16(frame, plugin);
    frame_put_u32(frame, 0);
    return begin;
}

bool frame_end(struct frame *frame, size_t begin)
{
    if (frame->is_full) {
        frame->size = begin;
        frame->is_full = false;
        return false;
    }
    uint32_t length = htole32((uint32_t)(frame->size - begin - HEAD_BYTES));
    memcpy(frame->data + begin + 4, &length, sizeof length);
    return true;
}

/* ---- reading ---- */

static void get_bytes(struct frame_reader *reader, void *out, size_t size)
{
    memset(out, 0, size);
    if (reader->is_bad || (size_t)(reader->end - reader->at) < size) {
        reader->is_bad = true;
        return;
    }
    memcpy(out, reader->at, size);
    reader->at += size;
}

uint8_t frame_get_u8(struct frame_reader *reader)
{
    uint8_t value;
    get_bytes(reader, &value, sizeof value);
    return value;
}

uint16_t frame_get_u16(struct frame_reader *reader)
{
    uint16_t value;
    get_bytes(reader, &value, sizeof value);
    return le16toh(value);
}

uint32_t frame_get_u32(struct frame_reader *reader)
{
    uint32_t value;
    get_bytes(reader, &value, sizeof value);
    return le32toh(value);
}

uint64_t frame_get_u64(struct frame_reader *reader)
{
    uint64_t value;
    get_bytes(reader, &value, sizeof value);
    return le64toh(value);
}

double frame_get_f64(struct frame_reader *reader)
{
    uint64_t bits = frame_get_u64(reader);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

struct span frame_get_text(struct frame_reader *reader)
{
    size_t size = frame_get_u16(reader);
    if (reader->is_bad || (size_t)(reader->end - reader->at) < size) {
        reader->is_bad = true;
        return (struct span){ "", 0 };
    }
    struct span text = { (const char *)reader->at, size };
    reader->at += size;
    return text;
}

struct span frame_get_rest(struct frame_reader *reader)
{
    if (reader->is_bad)
        return (struct span){ "", 0 };
    struct span rest = { (const char *)reader->at, (size_t)(reader->end - reader->at) };
    reader->at = reader->end;
    return rest;
}

bool frame_is_done(const struct frame_reader *reader)
{
    return !reader->is_bad && reader->at == reader->end;
}

bool frame_next(struct frame_reader *reader, struct frame_item *ret)
{
    if (reader->is_bad || reader->at == reader->end)
        return false;
    uint8_t type = frame_get_u8(reader);
    uint8_t zero = frame_get_u8(reader);
    uint16_t plugin = frame_get_u16(reader);
    uint32_t length = frame_get_u32(reader);
    if (reader->is_bad || zero != 0 || length > (size_t)(reader->end - reader->at)) {
        reader->is_bad = true;
        return false;
    }
    ret->type = (enum frame_type)type;
    ret->plugin = plugin;
    ret->payload = (struct frame_reader){ reader->at, reader->at + length, false };
    reader->at += length;
    return true;
}
