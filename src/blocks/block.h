/* SPDX-License-Identifier: Apache-2.0 */
/* block - up to 256 samples of one series that change no more.
 *
 * On a grid slot n lies at start_ns + n * step_ns; without a step (step_ns 0) each
 * sample has its own time and start_ns is that of the first.  What is known of the
 * whole (count, min, max, sum) can be had without decoding.
 *
 * Threads  immutable once published: any number of readers.
 */
#ifndef BLOCKS_BLOCK_H
#define BLOCKS_BLOCK_H

#include "blocks/codec.h"

#include <stdalign.h>
#include <stdbool.h>

struct block {
    int64_t start_ns;
    int64_t end_ns;  /* of its last slot */
    int64_t step_ns; /* 0: times are stored */
    double min, max; /* of the numbers; NaN when there is none */
    double sum;      /* of the numbers, in order of time */
    uint16_t slots;
    uint16_t count; /* of slots that hold a number */
    uint16_t time_bytes : 15;
    uint16_t is_filed : 1; /* lies in a file (blocks/block_file.h), not in memory */
    uint16_t value_bytes;
    uint8_t data[]; /* times, then values */
};

/* What stands before a block in a file. */
struct block_prefix {
    uint32_t checksum;
    uint32_t number; /* of its series */
};

/* Samples in order of time, decoded. */
struct samples {
    size_t count;
    int64_t times[2 * CODEC_VALUES_MAX];
    double values[2 * CODEC_VALUES_MAX];
};

/* Room for the longest block. */
struct block_buffer {
    alignas(
        struct block) uint8_t bytes[sizeof(struct block) + (size_t)2 * CODEC_BYTES_MAX];
};

/* Code count samples (1 .. CODEC_VALUES_MAX), in order of time, into buffer.  Returns
 * the block, which lies in buffer and takes block_size() bytes of it. */
struct block *block_encode(struct block_buffer *buffer, int64_t step_ns,
                           const int64_t *times, const double *values, size_t count);
/* In bytes, its head included. */
size_t block_size(const struct block *block);

/* Of a block as it lies in a file. */
uint32_t block_checksum(const struct block *block, uint32_t number);

/* Whether what lies in a file, its prefix before it, is a block of that series with the
 * bytes it was written with, and all that its head states is possible. */
bool block_is_filed(const struct block *block, uint32_t number);

/* Errors: -EBADMSG (the bytes are damaged). */
int block_decode(const struct block *block, struct samples *ret);

#endif
