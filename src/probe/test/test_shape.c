/* SPDX-License-Identifier: Apache-2.0 */
/* shape - every byte of every file is moved once, by one process. */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "probe/pattern.h"
#include "probe/shape.h"

#include <stdlib.h>
#include <string.h>

#define RANKS 3
#define ITEMS 1000

static struct shape small(const struct shape *shape)
{
    struct shape s = *shape;
    s.transfer_bytes = 700; /* so that slabs are cut, and not evenly */
    return s;
}

static void each_byte_is_written_once(void **state)
{
    (void)state;
    for (size_t n = 0; n < shape_count; n++) {
        struct shape s = small(shapes[n]);
        uint64_t rank_bytes = shape_rank_bytes(&s, SHAPE_WRITE, ITEMS);
        uint64_t file_bytes = rank_bytes * (s.is_shared ? RANKS : 1);
        unsigned char *seen = calloc(RANKS, file_bytes);
        assert_non_null(seen);
        for (unsigned rank = 0; rank < RANKS; rank++) {
            struct shape_walk walk = {
                .shape = &s, .rank = rank, .ranks = RANKS, .items = ITEMS
            };
            unsigned char *file = s.is_shared ? seen : seen + rank * file_bytes;
            uint64_t sum = 0;
            for (struct transfer t; shape_next(&walk, &t); sum += t.size) {
                assert_true(t.size > 0 && t.size <= s.transfer_bytes);
                assert_true(t.offset + t.size <= file_bytes);
                for (uint64_t i = 0; i < t.size; i++)
                    assert_int_equal(file[t.offset + i]++, 0);
            }
            assert_int_equal(sum, rank_bytes);
        }
        for (uint64_t i = 0; i < file_bytes * (s.is_shared ? 1 : RANKS); i++)
            assert_int_equal(seen[i], 1);
        free(seen);
    }
}

static void bd_cats_reads_three_quarters_of_what_vpic_wrote(void **state)
{
    (void)state;
    const struct shape *s = shape_find("vpic");
    assert_non_null(s);
    assert_int_equal(shape_rank_bytes(s, SHAPE_READ, 8), 8 * 6 * 4);
    assert_int_equal(shape_rank_bytes(s, SHAPE_WRITE, 8), 8 * 8 * 4);
    assert_int_equal(shape_rank_bytes(s, SHAPE_WRITE, s->items), 256 << 20);
}

static void a_particle_of_hacc_has_38_bytes(void **state)
{
    (void)state;
    assert_int_equal(shape_rank_bytes(shape_find("hacc"), SHAPE_WRITE, 1), 38);
    assert_null(shape_find("hacc-io"));
}

static void sizes_are_shared_out(void **state)
{
    (void)state;
    const struct shape *s = shape_find("hacc");
    assert_int_equal(shape_items(s, 4, 38 * 4 * 100), 100);
    assert_int_equal(shape_items(s, 4, 1), 1);
}

static void a_pattern_knows_its_place(void **state)
{
    (void)state;
    unsigned char whole[100], part[100];
    uint64_t key = pattern_key(7, 1);
    pattern_fill(key, 1000, whole, sizeof whole);
    for (size_t at = 0; at < sizeof whole; at += 13) { /* cut anywhere: the same */
        pattern_fill(key, 1000 + at, part, sizeof part - at);
        assert_memory_equal(part, whole + at, sizeof part - at);
    }
    assert_true(pattern_check(key, 1000, whole, sizeof whole) == PATTERN_SAME);
    assert_int_equal(pattern_check(key, 1001, whole, sizeof whole), 0);
    assert_int_equal(pattern_check(pattern_key(7, 2), 1000, whole, sizeof whole), 0);
    assert_int_equal(pattern_check(pattern_key(8, 1), 1000, whole, sizeof whole), 0);
}

static void a_flipped_bit_is_found_where_it_is(void **state)
{
    (void)state;
    static unsigned char data[10000];
    uint64_t key = pattern_key(1, 0);
    for (size_t at = 0; at < sizeof data; at += 997) {
        pattern_fill(key, 5, data, sizeof data);
        data[at] ^= 0x10;
        assert_int_equal(pattern_check(key, 5, data, sizeof data), at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_byte_is_written_once),
        cmocka_unit_test(bd_cats_reads_three_quarters_of_what_vpic_wrote),
        cmocka_unit_test(a_particle_of_hacc_has_38_bytes),
        cmocka_unit_test(sizes_are_shared_out),
        cmocka_unit_test(a_pattern_knows_its_place),
        cmocka_unit_test(a_flipped_bit_is_found_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
