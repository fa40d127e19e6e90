/* SPDX-License-Identifier: Apache-2.0 */
/* sample_record - samples as one record of a queue on disk.
 *
 *     [version 1][list, 8 bytes] then for each sample
 *         varint series   zigzag varint t_ms less that of the one before   value, 8
 * bytes
 *
 * Numbers of series are those of a list of names (series_names.h).  Little endian.
 */
#ifndef FORWARD_SAMPLE_RECORD_H
#define FORWARD_SAMPLE_RECORD_H

#include "base/octets.h"

struct queued_sample {
    uint32_t series; /* in its list, from 1 */
    uint32_t order;  /* of arrival, in a message */
    int64_t t_ms;
    uint64_t bits;
};

struct sample_record_writer {
    struct strbuf *out;
    int64_t t_ms;
};

/* Append the head; list is that of the samples. */
void sample_record_begin(struct sample_record_writer *writer, struct strbuf *out,
                         uint64_t list);
void sample_record_add(struct sample_record_writer *writer,
                       const struct queued_sample *sample);

struct sample_record_reader {
    struct octets in;
    int64_t t_ms;
    uint64_t list;
};

/* Errors: -EBADMSG (another version, or no such record). */
int sample_record_open(struct sample_record_reader *reader, struct span record);
/* 1: a sample; 0: the end.  Errors: -EBADMSG. */
int sample_record_next(struct sample_record_reader *reader, struct queued_sample *ret);

#endif
