/* SPDX-License-Identifier: Apache-2.0 */
/* test_block - samples coded into a block and back; what is known without decoding; a
 * block in a file whose bytes have changed. */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "blocks/block.h"

#include <errno.h>
#include <math.h>

#define STEP INT64_C(10000000000)
#define BEGIN INT64_C(1700000000000000000)

static int64_t times[CODEC_VALUES_MAX];
static double values[CODEC_VALUES_MAX];

static void fill(int64_t step_ns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        times[i] = BEGIN + (int64_t)i * step_ns + (step_ns ? 0 : (int64_t)(i * i));
        values[i] = (double)(i % 7) / 4;
    }
}

static void samples_come_back_bit_by_bit(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t step_ns;
        size_t count;
    } cases[] = {
        { "one sample on a grid", STEP, 1 },
        { "a full block on a grid", STEP, CODEC_VALUES_MAX },
        { "one sample with its time", 0, 1 },
        { "a full block with times", 0, CODEC_VALUES_MAX },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        static struct block_buffer buffer;
        static struct samples back;
        size_t count = cases[i].count;
        fill(cases[i].step_ns, count);
        const struct block *block =
            block_encode(&buffer, cases[i].step_ns, times, values, count);
        int rc = block_decode(block, &back);
        if (rc != 0 || back.count != count ||
            memcmp(back.times, times, count * sizeof times[0]) != 0 ||
            memcmp(back.values, values, count * sizeof values[0]) != 0)
            fail_msg("%s: rc %d, %zu samples", cases[i].name, rc, back.count);
        assert_true(block->start_ns == times[0] && block->end_ns == times[count - 1]);
        assert_true(block_size(block) <= sizeof buffer.bytes);
        assert_true((block->time_bytes == 0) == (cases[i].step_ns != 0));
    }
}

static void statistics_are_of_the_numbers_only(void **state)
{
    (void)state;
    static struct block_buffer buffer;
    static const double mixed[] = { 3, NAN, -2, 5.5, NAN };
    for (size_t i = 0; i < COUNT_OF(mixed); i++) {
        times[i] = BEGIN + (int64_t)i * STEP;
        values[i] = isnan(mixed[i]) ? bits_double(MISSING_BITS) : mixed[i];
    }
    const struct block *block =
        block_encode(&buffer, STEP, times, values, COUNT_OF(mixed));
    assert_int_equal(block->slots, 5);
    assert_int_equal(block->count, 3);
    assert_true(block->min == -2 && block->max == 5.5 && block->sum == 6.5);
    values[0] = bits_double(MISSING_BITS);
    block = block_encode(&buffer, STEP, times, values, 1);
    assert_int_equal(block->count, 0);
    assert_true(isnan(block->min) && isnan(block->max) && block->sum == 0);
}

/* A block as it lies in a file, its prefix before it. */
struct filed {
    struct block_prefix prefix;
    struct block_buffer buffer;
};

static struct block *file_block(struct filed *filed, uint32_t number)
{
    fill(STEP, 100);
    struct block *block = block_encode(&filed->buffer, STEP, times, values, 100);
    block->is_filed = 1;
    filed->prefix = (struct block_prefix){ block_checksum(block, number), number };
    return block;
}

static void a_block_in_a_file_is_that_of_its_series(void **state)
{
    (void)state;
    static struct filed filed;
    const struct block *block = file_block(&filed, 7);
    assert_true(block_is_filed(block, 7));
    assert_false(block_is_filed(block, 8));
}

static void every_changed_byte_is_found(void **state)
{
    (void)state;
    static struct filed filed;
    static struct samples back;
    struct block *block = file_block(&filed, 7);
    uint8_t *bytes = (uint8_t *)block;
    size_t size = block_size(block);
    for (size_t i = offsetof(struct block, data); i < size; i++) {
        bytes[i] ^= 0x10;
        assert_false(block_is_filed(block, 7));
        assert_int_equal(block_decode(block, &back), -EBADMSG);
        bytes[i] ^= 0x10;
    }
    assert_int_equal(block_decode(block, &back), 0);
}

/* By a writer that means it: its checksum is right. */
static void a_block_that_cannot_be_is_refused_in_spite_of_its_checksum(void **state)
{
    (void)state;
    static struct filed filed;
    struct block good = *file_block(&filed, 7), bad[8];
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        bad[i] = good;
    bad[0].slots = 0;
    bad[1].slots = CODEC_VALUES_MAX + 1;
    bad[2].count = (uint16_t)(good.slots + 1);
    bad[3].start_ns = -1;
    bad[4].end_ns = good.start_ns - 1;
    bad[5].end_ns = INT64_MAX;
    bad[6].step_ns = -STEP;
    bad[7].step_ns = 2 * STEP; /* fewer slots than it says */
    struct block *block = (void *)filed.buffer.bytes;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        *block = bad[i];
        filed.prefix.checksum = block_checksum(block, 7);
        if (block_is_filed(block, 7))
            fail_msg("bad block %zu passes", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_come_back_bit_by_bit),
        cmocka_unit_test(statistics_are_of_the_numbers_only),
        cmocka_unit_test(a_block_in_a_file_is_that_of_its_series),
        cmocka_unit_test(every_changed_byte_is_found),
        cmocka_unit_test(a_block_that_cannot_be_is_refused_in_spite_of_its_checksum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
