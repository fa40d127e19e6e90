/* SPDX-License-Identifier: Apache-2.0 */
/* sample_record - samples as one record of a queue on disk. */
#include "forward/sample_record.h"

#include <errno.h>

enum { VERSION = 1 };

void sample_record_begin(struct sample_record_writer *writer, struct strbuf *out,
                         uint64_t list)
{
    *writer = (struct sample_record_writer){ .out = out };
    strbuf_addc(out, VERSION);
    octets_add_u64(out, list);
}

void sample_record_add(struct sample_record_writer *writer,
                       const struct queued_sample *sample)
{
    uint64_t delta = (uint64_t)sample->t_ms - (uint64_t)writer->t_ms;
    uint64_t sign = (uint64_t)0 - (delta >> 63);
    octets_add_varint(writer->out, sample->series);
    octets_add_varint(writer->out, delta << 1 ^ sign);
    octets_add_u64(writer->out, sample->bits);
    writer->t_ms = sample->t_ms;
}

int sample_record_open(struct sample_record_reader *reader, struct span record)
{
    struct octets in = { .rest = record };
    uint8_t version = octets_u8(&in);
    uint64_t list = octets_u64(&in);
    if (in.is_bad || version != VERSION)
        return -EBADMSG;
    *reader = (struct sample_record_reader){ .in = in, .list = list };
    return 0;
}

int sample_record_next(struct sample_record_reader *reader, struct queued_sample *ret)
{
    struct octets *in = &reader->in;
    if (in->rest.size == 0 && !in->is_bad)
        return 0;
    uint32_t series = (uint32_t)octets_limited(in, UINT32_MAX);
    uint64_t zigzag = octets_varint(in), bits = octets_u64(in);
    if (in->is_bad)
        return -EBADMSG;
    reader->t_ms = (int64_t)((uint64_t)reader->t_ms +
                             (zigzag >> 1 ^ ((uint64_t)0 - (zigzag & 1))));
    *ret =
        (struct queued_sample){ .series = series, .t_ms = reader->t_ms, .bits = bits };
    return 1;
}
