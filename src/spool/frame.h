/* SPDX-License-Identifier: Apache-2.0 */
/* frame - the outer form of our files: a header, and records that prove themselves.
 *
 *     header   "baro" kind | version | header size | flags | first | XXH3
 *     record   mark | length | sequence | count | 0 | XXH3 payload | XXH3 head |
 * payload
 *
 * Little endian.  A header of another version is refused by name.  The head of a record
 * has a hash of its own, so that a flipped bit in a payload costs that record only.
 */
#ifndef SPOOL_FRAME_H
#define SPOOL_FRAME_H

#include "base/err.h"
#include "base/span_type.h"

#include <stdint.h>

#define FRAME_HEADER_BYTES 40
#define FRAME_RECORD_BYTES 40
/* No spool counts so far; beyond it a number is damage, whatever its hash says, so that
 * those after it cannot wrap. */
#define FRAME_SEQUENCE_MAX (UINT64_MAX / 2)

struct frame_header {
    char kind[5]; /* four letters: "spol" */
    uint32_t version;
    uint64_t flags;
    uint64_t first; /* the kind's own: a sequence number */
};

void frame_write_header(const struct frame_header *header,
                        uint8_t out[static FRAME_HEADER_BYTES]);
/* name stands for the file in err.  Errors: -EBADMSG (cut, damaged, of another kind, a
 * first over FRAME_SEQUENCE_MAX), -EPROTONOSUPPORT (of another version). */
int frame_read_header(struct span data, const char *kind, uint32_t version,
                      const char *name, struct frame_header *ret, struct err *err);

struct frame_record {
    uint32_t length;
    uint32_t count;
    uint64_t sequence;
    uint64_t hash; /* of the payload */
    uint32_t
        mark; /* how many entries were appended before it, see below; 0: not recorded */
};

/* A mark counts entries around: 1 .. 2^32 - 1, and then 1 again.  The difference of two
 * shows how many entries lay between, be they there or lost. */
#define FRAME_MARK_FIRST UINT32_C(1)
static inline uint32_t frame_mark_add(uint32_t mark, uint64_t entries)
{
    return mark ? (uint32_t)((mark - 1 + entries) % UINT32_MAX) + 1 : 0;
}
/* 0 where one of them was not recorded. */
static inline uint64_t frame_mark_between(uint32_t from, uint32_t to)
{
    return from && to ? ((uint64_t)to + UINT32_MAX - from) % UINT32_MAX : 0;
}

void frame_write_record(struct frame_record *record, struct span payload,
                        uint8_t out[static FRAME_RECORD_BYTES]);
/* Only the head.  Errors: -EBADMSG. */
int frame_read_record(const uint8_t head[static FRAME_RECORD_BYTES],
                      struct frame_record *ret);
/* Errors: -EBADMSG. */
int frame_check_payload(const struct frame_record *record, struct span payload);

#endif
