/* SPDX-License-Identifier: Apache-2.0 */
/* sample_record - samples as one record of a queue on disk. */
#include "forward/sample_record.h"

#include "base/span.h"

#include <endian.h>
#include <errno.h>

enum { VERSION = 1, HEAD_BYTES = 9, SAMPLE_BYTES_MAX = 5 + 10 + 8 };

static size_t put_varint(char *out, uint64_t value)
{
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        out[size++] = (char)(value | 0x80);
    out[size++] = (char)value;
    return size;
}

static bool get_varint(struct span *rest, uint64_t *ret)
{
    uint64_t value = 0;
    for (size_t i = 0; i < rest->size && i < 10; i++) {
        uint8_t byte = (uint8_t)rest->data[i];
        value |= (uint64_t)(byte & 0x7F) << (7 * i);
        if (byte < 0x80) {
            *rest = span_skip(*rest, i + 1);
            *ret = value;
            return true;
        }
    }
    return false;
}

void sample_record_begin(struct sample_record_writer *writer, struct strbuf *out,
                         uint64_t list)
{
    uint64_t le = htole64(list);
    *writer = (struct sample_record_writer){ .out = out };
    strbuf_addc(out, VERSION);
    strbuf_add(out, &le, sizeof le);
}

void sample_record_add(struct sample_record_writer *writer,
                       const struct queued_sample *sample)
{
    char bytes[SAMPLE_BYTES_MAX];
    uint64_t delta = (uint64_t)sample->t_ms - (uint64_t)writer->t_ms;
    uint64_t sign = (uint64_t)0 - (delta >> 63), bits = htole64(sample->bits);
    size_t size = put_varint(bytes, sample->series);
    size += put_varint(bytes + size, delta << 1 ^ sign);
    memcpy(bytes + size, &bits, sizeof bits);
    strbuf_add(writer->out, bytes, size + sizeof bits);
    writer->t_ms = sample->t_ms;
}

int sample_record_open(struct sample_record_reader *reader, struct span record)
{
    uint64_t list;
    if (record.size < HEAD_BYTES || record.data[0] != VERSION)
        return -EBADMSG;
    memcpy(&list, record.data + 1, sizeof list);
    *reader = (struct sample_record_reader){ .rest = span_skip(record, HEAD_BYTES),
                                             .list = le64toh(list) };
    return 0;
}

int sample_record_next(struct sample_record_reader *reader, struct queued_sample *ret)
{
    uint64_t series, zigzag, bits;
    if (reader->rest.size == 0)
        return 0;
    if (!get_varint(&reader->rest, &series) || series > UINT32_MAX ||
        !get_varint(&reader->rest, &zigzag) || reader->rest.size < sizeof bits)
        return -EBADMSG;
    memcpy(&bits, reader->rest.data, sizeof bits);
    reader->rest = span_skip(reader->rest, sizeof bits);
    reader->t_ms = (int64_t)((uint64_t)reader->t_ms +
                             (zigzag >> 1 ^ ((uint64_t)0 - (zigzag & 1))));
    *ret = (struct queued_sample){ .series = (uint32_t)series,
                                   .t_ms = reader->t_ms,
                                   .bits = le64toh(bits) };
    return 1;
}
