/* SPDX-License-Identifier: Apache-2.0 */
/* block - up to 256 samples of one series that change no more. */
#include "blocks/block.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <xxhash.h>

size_t block_size(const struct block *block)
{
    return sizeof *block + block->time_bytes + block->value_bytes;
}

static void note_statistics(struct block *block, const double *values)
{
    block->min = block->max = NAN;
    block->sum = 0;
    block->count = 0;
    for (size_t i = 0; i < block->slots; i++) {
        double v = values[i];
        if (isnan(v))
            continue;
        block->min = block->count == 0 || v < block->min ? v : block->min;
        block->max = block->count == 0 || v > block->max ? v : block->max;
        block->sum += v;
        block->count++;
    }
}

struct block *block_encode(struct block_buffer *buffer, int64_t step_ns,
                           const int64_t *times, const double *values, size_t count)
{
    struct block *block = (void *)buffer->bytes;
    assert(count > 0 && count <= CODEC_VALUES_MAX);
    *block = (struct block){
        .start_ns = times[0],
        .end_ns = times[count - 1],
        .step_ns = step_ns,
        .slots = (uint16_t)count,
    };
    note_statistics(block, values);
    if (step_ns == 0)
        block->time_bytes = codec_encode_times(times, count, block->data) & 0x7FFF;
    block->value_bytes =
        (uint16_t)codec_encode(values, count, block->data + block->time_bytes);
    return block;
}

uint32_t block_checksum(const struct block *block, uint32_t number)
{
    return (uint32_t)XXH3_64bits_withSeed(block, block_size(block), number);
}

/* What readers rely on, checksum or not. */
static bool is_sound(const struct block *b)
{
    if (!b->is_filed || b->slots == 0 || b->slots > CODEC_VALUES_MAX ||
        b->count > b->slots || b->start_ns < 0 || b->end_ns < b->start_ns ||
        b->end_ns > INT64_MAX / 2 || b->step_ns < 0 || b->step_ns > INT64_MAX / 4)
        return false;
    return b->step_ns == 0 || (b->end_ns - b->start_ns) / b->step_ns == b->slots - 1;
}

bool block_is_filed(const struct block *block, uint32_t number)
{
    struct block_prefix prefix;
    memcpy(&prefix, (const uint8_t *)block - sizeof prefix, sizeof prefix);
    return prefix.number == number && is_sound(block) &&
           prefix.checksum == block_checksum(block, number);
}

/* What lies in a file may have changed since it was looked at last. */
static bool is_whole(const struct block *block)
{
    struct block_prefix prefix;
    if (!block->is_filed)
        return true;
    memcpy(&prefix, (const uint8_t *)block - sizeof prefix, sizeof prefix);
    return block->slots <= CODEC_VALUES_MAX &&
           prefix.checksum == block_checksum(block, prefix.number);
}

int block_decode(const struct block *block, struct samples *ret)
{
    if (!is_whole(block))
        return -EBADMSG;
    int rc = codec_decode(block->data + block->time_bytes, block->value_bytes,
                          ret->values, block->slots);
    if (rc == 0 && block->step_ns == 0)
        rc = codec_decode_times(block->data, block->time_bytes, ret->times,
                                block->slots);
    for (size_t i = 0; block->step_ns != 0 && i < block->slots; i++)
        ret->times[i] = block->start_ns + (int64_t)i * block->step_ns;
    if (rc == 0)
        ret->count = block->slots;
    return rc;
}
