/* SPDX-License-Identifier: Apache-2.0 */
/* frame - the outer form of our files: a header, and records that prove themselves. */
#include "spool/frame.h"

#include <endian.h>
#include <xxhash.h>

#define RECORD_MARK UINT32_C(0x7265c0b1)

static void put_u32(uint8_t *out, uint32_t value)
{
    value = htole32(value);
    memcpy(out, &value, sizeof value);
}

static void put_u64(uint8_t *out, uint64_t value)
{
    value = htole64(value);
    memcpy(out, &value, sizeof value);
}

static uint32_t get_u32(const uint8_t *in)
{
    uint32_t value;
    memcpy(&value, in, sizeof value);
    return le32toh(value);
}

static uint64_t get_u64(const uint8_t *in)
{
    uint64_t value;
    memcpy(&value, in, sizeof value);
    return le64toh(value);
}

void frame_write_header(const struct frame_header *header,
                        uint8_t out[static FRAME_HEADER_BYTES])
{
    memcpy(out, "baro", 4);
    memcpy(out + 4, header->kind, 4);
    put_u32(out + 8, header->version);
    put_u32(out + 12, FRAME_HEADER_BYTES);
    put_u64(out + 16, header->flags);
    put_u64(out + 24, header->first);
    put_u64(out + 32, XXH3_64bits(out, 32));
}

int frame_read_header(struct span data, const char *kind, uint32_t version,
                      const char *name, struct frame_header *ret, struct err *err)
{
    const uint8_t *in = (const uint8_t *)data.data;
    if (data.size < FRAME_HEADER_BYTES)
        return err_set(err, EBADMSG, "'%s' is too short for its header", name);
    if (memcmp(in, "baro", 4) != 0 || memcmp(in + 4, kind, 4) != 0)
        return err_set(err, EBADMSG, "'%s' is not a file of kind '%s'", name, kind);
    if (get_u64(in + 32) != XXH3_64bits(in, 32))
        return err_set(err, EBADMSG, "'%s': its header is damaged", name);
    if (get_u32(in + 8) != version || get_u32(in + 12) != FRAME_HEADER_BYTES)
        return err_set(err, EPROTONOSUPPORT,
                       "'%s' has version %u; this program reads version %u", name,
                       get_u32(in + 8), version);
    if (get_u64(in + 24) > FRAME_SEQUENCE_MAX)
        return err_set(err, EBADMSG, "'%s' begins with an impossible number", name);
    *ret = (struct frame_header){
        .version = version,
        .flags = get_u64(in + 16),
        .first = get_u64(in + 24),
    };
    memcpy(ret->kind, kind, 4);
    return 0;
}

void frame_write_record(struct frame_record *record, struct span payload,
                        uint8_t out[static FRAME_RECORD_BYTES])
{
    record->length = (uint32_t)payload.size;
    record->hash = XXH3_64bits(payload.data, payload.size);
    put_u32(out, RECORD_MARK);
    put_u32(out + 4, record->length);
    put_u64(out + 8, record->sequence);
    put_u32(out + 16, record->count);
    put_u32(out + 20, record->mark);
    put_u64(out + 24, record->hash);
    put_u64(out + 32, XXH3_64bits(out, 32));
}

int frame_read_record(const uint8_t head[static FRAME_RECORD_BYTES],
                      struct frame_record *ret)
{
    if (get_u32(head) != RECORD_MARK || get_u64(head + 32) != XXH3_64bits(head, 32) ||
        get_u64(head + 8) > FRAME_SEQUENCE_MAX)
        return -EBADMSG;
    *ret = (struct frame_record){
        .length = get_u32(head + 4),
        .sequence = get_u64(head + 8),
        .count = get_u32(head + 16),
        .hash = get_u64(head + 24),
        .mark = get_u32(head + 20),
    };
    return 0;
}

int frame_check_payload(const struct frame_record *record, struct span payload)
{
    return payload.size == record->length &&
                   XXH3_64bits(payload.data, payload.size) == record->hash
               ? 0
               : -EBADMSG;
}
