/* SPDX-License-Identifier: Apache-2.0 */
/* test_line_repeats - lines that differ only in tags that are not looked at. */
#include "base/test/testing.h"
#include "ingest/line_repeats.h"

static const struct lookup_key one = { 1, 0 }, other = { 2, 0 };

static const struct level_series *series(uintptr_t n)
{
    return (const struct level_series *)(n * 64);
}

static void another_line_with_series_and_time_is_a_repeat(void **state)
{
    struct line_repeats repeats = { 0 };
    (void)state;
    assert_false(line_repeats_add(&repeats, series(1), 5, one));
    assert_false(line_repeats_add(&repeats, series(1), 5, one)); /* sent again */
    assert_false(line_repeats_add(&repeats, series(1), 6, other));
    assert_false(line_repeats_add(&repeats, series(2), 5, other));
    assert_true(line_repeats_add(&repeats, series(1), 5, other));
    assert_int_equal(repeats.count, 3);
    line_repeats_done(&repeats);
    assert_int_equal(line_repeats_bytes(&repeats), 0);
}

/* Distances of times that a product or a sum leaves in the same slots. */
static void no_distance_of_times_makes_them_meet(void **state)
{
    enum { LINES = 8192 };
    (void)state;
    for (unsigned shift = 0; shift <= 50; shift++) {
        struct line_repeats repeats = { 0 };
        for (int64_t i = 0; i < LINES; i++)
            assert_false(line_repeats_add(&repeats, series(1), i << shift, one));
        assert_int_equal(repeats.count, LINES);
        if (repeats.probes > 10 * LINES)
            fail_msg("2^%u ns apart: %llu slots looked at", shift,
                     (unsigned long long)repeats.probes);
        line_repeats_done(&repeats);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_line_with_series_and_time_is_a_repeat),
        cmocka_unit_test(no_distance_of_times_makes_them_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
