/* SPDX-License-Identifier: Apache-2.0 */
/* test_bits - numbers packed and unpacked; readers that are asked for more than there
 * is.
 */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "blocks/bits.h"

static void varints_come_back_in_the_bytes_they_need(void **state)
{
    (void)state;
    static const struct {
        uint64_t value;
        size_t size;
    } cases[] = {
        { 0, 1 },          { 1, 1 },
        { 0x7F, 1 },       { 0x80, 2 },
        { 0x3FFF, 2 },     { 0x4000, 3 },
        { UINT32_MAX, 5 }, { UINT64_C(1) << 56, 9 },
        { INT64_MAX, 9 },  { UINT64_MAX, 10 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint8_t bytes[16];
        struct bits_writer w = { bytes, 0 };
        bits_put_varint(&w, cases[i].value);
        assert_int_equal(w.size, cases[i].size);
        assert_int_equal(bits_varint_size(cases[i].value), cases[i].size);
        struct bits_reader r = { .data = bytes, .size = w.size };
        assert_true(bits_read_varint(&r) == cases[i].value);
        assert_false(r.is_bad);
        assert_int_equal(r.at, w.size);
    }
}

static void zigzag_keeps_small_numbers_small(void **state)
{
    (void)state;
    static const struct {
        int64_t value;
        uint64_t coded;
    } cases[] = {
        { 0, 0 },
        { -1, 1 },
        { 1, 2 },
        { -2, 3 },
        { INT64_MAX, UINT64_MAX - 1 },
        { INT64_MIN, UINT64_MAX },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_true(zigzag(cases[i].value) == cases[i].coded);
        assert_true(unzigzag(cases[i].coded) == cases[i].value);
    }
}

static void values_of_every_width_come_back(void **state)
{
    (void)state;
    enum { COUNT = 37 }; /* no multiple of eight */
    for (unsigned width = 0; width <= 64; width++) {
        uint64_t values[COUNT], back[COUNT];
        uint8_t bytes[COUNT * 8 + 8];
        uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
        for (uint64_t i = 0; i < COUNT; i++)
            values[i] = (i * UINT64_C(0x9E3779B97F4A7C15) ^ UINT64_MAX) & mask;
        struct bits_writer w = { bytes, 0 };
        bits_pack(&w, values, COUNT, width);
        assert_int_equal(w.size, bits_packed_size(COUNT, width));
        struct bits_reader r = { .data = bytes, .size = w.size };
        bits_unpack(&r, back, COUNT, width);
        assert_false(r.is_bad);
        assert_int_equal(r.at, r.size);
        assert_memory_equal(values, back, sizeof values);
    }
}

static void bytes_and_words_stand_one_after_the_other(void **state)
{
    (void)state;
    uint8_t bytes[32];
    struct bits_writer w = { bytes, 0 };
    bits_put_u8(&w, 0xAB);
    bits_put_u64(&w, UINT64_C(0x0123456789ABCDEF));
    bits_put(&w, "end", 3);
    struct bits_reader r = { .data = bytes, .size = w.size };
    assert_int_equal(bits_read_u8(&r), 0xAB);
    assert_true(bits_read_u64(&r) == UINT64_C(0x0123456789ABCDEF));
    const uint8_t *end = bits_read(&r, 3);
    assert_non_null(end);
    assert_memory_equal(end, "end", 3);
    assert_false(r.is_bad);
}

static void a_reader_of_too_few_bytes_is_bad(void **state)
{
    (void)state;
    static const uint8_t endless[] = { 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                       0xFF, 0xFF, 0xFF, 0xFF, 0xFF };
    struct bits_reader cut = { .data = endless, .size = 3 };
    struct bits_reader too_long = { .data = endless, .size = sizeof endless };
    struct bits_reader empty = { .data = endless, .size = 0 };
    uint64_t values[4] = { 1, 2, 3, 4 };
    (void)bits_read_varint(&cut);
    assert_true(cut.is_bad);
    assert_true(bits_read_varint(&too_long) == 0);
    assert_true(too_long.is_bad);
    assert_int_equal(bits_read_u8(&empty), 0);
    assert_true(empty.is_bad);
    empty.is_bad = false;
    assert_true(bits_read_u64(&empty) == 0);
    assert_true(empty.is_bad);
    empty.is_bad = false;
    assert_null(bits_read(&empty, SIZE_MAX));
    assert_true(empty.is_bad);
    empty.is_bad = false;
    bits_unpack(&empty, values, COUNT_OF(values), 64);
    assert_true(empty.is_bad);
    for (size_t i = 0; i < COUNT_OF(values); i++)
        assert_true(values[i] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(varints_come_back_in_the_bytes_they_need),
        cmocka_unit_test(zigzag_keeps_small_numbers_small),
        cmocka_unit_test(values_of_every_width_come_back),
        cmocka_unit_test(bytes_and_words_stand_one_after_the_other),
        cmocka_unit_test(a_reader_of_too_few_bytes_is_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
