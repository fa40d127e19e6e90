/* SPDX-License-Identifier: Apache-2.0 */
/* test_rank_set - against a plain array of flags. */
#include "base/span.h"
#include "session/reduce/reduce.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define RANKS 40

static void check_against(const struct rank_set *set, const bool flags[RANKS])
{
    uint32_t size = 0;
    for (uint32_t r = 0; r < RANKS; r++) {
        if (rank_set_has(set, r) != flags[r])
            fail_msg("rank %u: %d, want %d", r, rank_set_has(set, r), flags[r]);
        size += flags[r];
    }
    assert_int_equal(rank_set_size(set), size);
    for (size_t i = 1; i < set->count; i++)
        assert_true(set->ranges[i].first > set->ranges[i - 1].last + 1);
}

static void ranges_are_added_and_subtracted(void **state)
{
    (void)state;
    uint32_t random = 12345;
    AUTO(rank_set_done) struct rank_set set = { 0 };
    bool flags[RANKS] = { false };
    for (int i = 0; i < 20000; i++) {
        random = random * 1103515245 + 12345;
        uint32_t first = (random >> 8) % RANKS, last = first + (random >> 16) % 6;
        if (last >= RANKS)
            last = RANKS - 1;
        bool is_added = random >> 30 & 1;
        struct rank_range range = { first, last };
        struct rank_set other = { .ranges = &range, .count = 1 };
        for (uint32_t r = first; r <= last; r++)
            flags[r] = is_added;
        assert_int_equal(is_added ? rank_set_unite(&set, &other)
                                  : rank_set_subtract(&set, &other),
                         0);
        check_against(&set, flags);
    }
}

static void a_set_is_read_as_it_was_written(void **state)
{
    (void)state;
    AUTO(rank_set_done) struct rank_set set = { 0 };
    AUTO(rank_set_done) struct rank_set copy = { 0 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    assert_int_equal(rank_set_add(&set, 0, 3), 0);
    assert_int_equal(rank_set_add(&set, 7, 7), 0);
    assert_int_equal(rank_set_add(&set, 30, 39), 0);
    rank_set_encode(&set, &out);
    struct octets in = { .rest = strbuf_span(&out) };
    assert_int_equal(rank_set_decode(&in, RANKS, &copy), 0);
    assert_int_equal(octets_done(&in), 0);
    assert_true(rank_set_equal(&set, &copy));
    in = (struct octets){ .rest = strbuf_span(&out) };
    assert_int_equal(rank_set_decode(&in, RANKS - 1, &copy), -EBADMSG);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_added_and_subtracted),
        cmocka_unit_test(a_set_is_read_as_it_was_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
