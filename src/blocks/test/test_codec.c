/* SPDX-License-Identifier: Apache-2.0 */
/* test_codec - what goes in comes out, bit by bit; what is hostile is refused. */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "blocks/bits.h"
#include "blocks/codec.h"

#include <errno.h>
#include <math.h>

static uint64_t seed;

static uint64_t draw(void)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return seed >> 20 ^ seed << 33;
}

static double draw_walk(size_t i)
{
    static double at;
    at = i == 0 ? 50 : at + (double)((int)(draw() % 21) - 10) / 100;
    return round(at * 100) / 100;
}

static double draw_noise(size_t i)
{
    (void)i;
    return (double)(draw() % 10000) / 10;
}

static double draw_integer(size_t i)
{
    return (double)(draw() % 1000 + i);
}

static double draw_burst(size_t i)
{
    (void)i;
    return draw() % 20 ? 0 : (double)(draw() % 1000000);
}

static double draw_real(size_t i)
{
    return 100 + sin((double)i) + (double)draw() / 0x1p64;
}

static double draw_bits(size_t i)
{
    (void)i;
    return bits_double(draw());
}

/* Every kind of value that is apt to be lost, between ordinary ones. */
static double draw_odd(size_t i)
{
    static const uint64_t odd[] = {
        MISSING_BITS,
        UINT64_C(0x7FF8000000000001),
        UINT64_C(0xFFF8000000000000),
        0x7FF0000000000001,
        UINT64_C(0x8000000000000000),
        0x7FF0000000000000,
        0xFFF0000000000000,
        1,
        0x000FFFFFFFFFFFFF,
        0x0010000000000000,
        0x7FEFFFFFFFFFFFFF,
        0x4340000000000000,
        0x4340000000000001,
        0x3FF0000000000000,
        0,
    };
    return draw() % 4 ? draw_walk(i) : bits_double(odd[draw() % COUNT_OF(odd)]);
}

static double draw_constant(size_t i)
{
    (void)i;
    return 42.5;
}

static double draw_missing(size_t i)
{
    (void)i;
    return bits_double(MISSING_BITS);
}

static double draw_gaps(size_t i)
{
    return draw() % 3 ? draw_noise(i) : draw_missing(i);
}

static const struct {
    const char *name;
    double (*draw)(size_t i);
    double bytes_max; /* a full block, for each value */
} kinds[] = {
    { "constant", draw_constant, 0.04 }, { "missing", draw_missing, 0.01 },
    { "walk", draw_walk, 0.75 },         { "noise of one decimal", draw_noise, 1.85 },
    { "integers", draw_integer, 1.5 },   { "bursts", draw_burst, 0.6 },
    { "gaps", draw_gaps, 1.6 },          { "real doubles", draw_real, 7.1 },
    { "any bits", draw_bits, 8.2 },      { "odd values", draw_odd, 4.0 },
};

static void check_round(const char *name, const double *values, size_t count,
                        size_t *ret_size)
{
    uint8_t coded[CODEC_BYTES_MAX];
    double back[CODEC_VALUES_MAX];
    size_t size = codec_encode(values, count, coded);
    assert_true(size > 0 && size <= sizeof coded);
    int rc = codec_decode(coded, size, back, count);
    if (rc < 0 || memcmp(values, back, count * sizeof *back) != 0)
        fail_msg("%s: %zu values do not come back (%d)", name, count, rc);
    *ret_size = size;
}

static void every_bit_comes_back(void **state)
{
    (void)state;
    seed = 1;
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        for (size_t round = 0; round < 400; round++) {
            double values[CODEC_VALUES_MAX];
            size_t count = round < 256 ? round + 1 : 1 + draw() % CODEC_VALUES_MAX;
            size_t size;
            for (size_t i = 0; i < count; i++)
                values[i] = kinds[k].draw(i);
            check_round(kinds[k].name, values, count, &size);
        }
    }
}

static void a_block_is_as_small_as_it_should_be(void **state)
{
    (void)state;
    seed = 7;
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        double values[CODEC_VALUES_MAX];
        size_t size = 0, total = 0;
        for (size_t round = 0; round < 20; round++) {
            for (size_t i = 0; i < CODEC_VALUES_MAX; i++)
                values[i] = kinds[k].draw(i);
            check_round(kinds[k].name, values, CODEC_VALUES_MAX, &size);
            total += size;
        }
        double bytes = (double)total / 20 / CODEC_VALUES_MAX;
        print_message("# %s: %.3f bytes a value\n", kinds[k].name, bytes);
        if (bytes > kinds[k].bytes_max)
            fail_msg("%s: %.3f bytes a value", kinds[k].name, bytes);
    }
}

static void damage_is_refused_or_harmless(void **state)
{
    (void)state;
    seed = 3;
    for (size_t round = 0; round < 20000; round++) {
        double values[CODEC_VALUES_MAX], back[CODEC_VALUES_MAX];
        uint8_t coded[CODEC_BYTES_MAX];
        size_t k = draw() % COUNT_OF(kinds), count = 1 + draw() % CODEC_VALUES_MAX;
        for (size_t i = 0; i < count; i++)
            values[i] = kinds[k].draw(i);
        size_t size = codec_encode(values, count, coded);
        size_t cut = draw() % (size + 1);
        assert_true(cut == size || codec_decode(coded, cut, back, count) < 0);
        coded[draw() % size] ^= (uint8_t)(1u << draw() % 8);
        coded[draw() % (size < 8 ? size : 8)] = (uint8_t)draw();
        int rc = codec_decode(coded, size, back, count);
        assert_true(rc == 0 || rc == -EBADMSG);
    }
}

static void times_come_back(void **state)
{
    (void)state;
    seed = 5;
    for (size_t round = 0; round < 2000; round++) {
        static const int64_t units[] = { 1000000000, 1000000, 1, 77 };
        int64_t times[CODEC_VALUES_MAX], back[CODEC_VALUES_MAX];
        uint8_t coded[CODEC_BYTES_MAX];
        size_t count = 1 + draw() % CODEC_VALUES_MAX;
        int64_t unit = units[round % 4], at = (int64_t)(draw() % 1000000000) * unit;
        for (size_t i = 0; i < count; i++) {
            times[i] = round % 50 == 0 ? (int64_t)(draw() ^ draw() << 8) : at;
            at += (int64_t)(10 + draw() % 3) * unit;
        }
        size_t size = codec_encode_times(times, count, coded);
        assert_true(size <= sizeof coded);
        assert_int_equal(codec_decode_times(coded, size, back, count), 0);
        assert_memory_equal(times, back, count * sizeof *times);
        coded[draw() % size] ^= (uint8_t)draw();
        (void)codec_decode_times(coded, size, back, count);
    }
}

static void numbers_of_any_width_are_packed(void **state)
{
    (void)state;
    seed = 9;
    for (unsigned width = 0; width <= 64; width++) {
        uint64_t values[CODEC_VALUES_MAX], back[CODEC_VALUES_MAX];
        uint8_t out[CODEC_VALUES_MAX * 8 + 8];
        uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
        for (size_t count = 1; count <= CODEC_VALUES_MAX; count += 15) {
            struct bits_writer w = { out, 0 };
            for (size_t i = 0; i < count; i++)
                values[i] = draw() & mask;
            bits_pack(&w, values, count, width);
            assert_int_equal(w.size, bits_packed_size(count, width));
            struct bits_reader r = { .data = out, .size = w.size };
            bits_unpack(&r, back, count, width);
            assert_false(r.is_bad);
            assert_memory_equal(values, back, count * sizeof *back);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_comes_back),
        cmocka_unit_test(a_block_is_as_small_as_it_should_be),
        cmocka_unit_test(damage_is_refused_or_harmless),
        cmocka_unit_test(times_come_back),
        cmocka_unit_test(numbers_of_any_width_are_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
