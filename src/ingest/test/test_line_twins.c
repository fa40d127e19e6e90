/* SPDX-License-Identifier: Apache-2.0 */
/* test_line_twins - lines that differ only in tags that are not looked at. */
#include "base/test/testing.h"
#include "ingest/line_twins.h"

static const struct memo_key one = { 1, 0 }, other = { 2, 0 };

static const struct level_series *series(uintptr_t n)
{
    return (const struct level_series *)(n * 64);
}

static void another_line_with_series_and_time_is_a_twin(void **state)
{
    struct line_twins twins = { 0 };
    (void)state;
    assert_false(line_twins_add(&twins, series(1), 5, one));
    assert_false(line_twins_add(&twins, series(1), 5, one)); /* sent again */
    assert_false(line_twins_add(&twins, series(1), 6, other));
    assert_false(line_twins_add(&twins, series(2), 5, other));
    assert_true(line_twins_add(&twins, series(1), 5, other));
    assert_int_equal(twins.count, 3);
    line_twins_done(&twins);
    assert_int_equal(line_twins_bytes(&twins), 0);
}

/* Distances of times that a product or a sum leaves in the same slots. */
static void no_distance_of_times_makes_them_meet(void **state)
{
    enum { LINES = 8192 };
    (void)state;
    for (unsigned shift = 0; shift <= 50; shift++) {
        struct line_twins twins = { 0 };
        for (int64_t i = 0; i < LINES; i++)
            assert_false(line_twins_add(&twins, series(1), i << shift, one));
        assert_int_equal(twins.count, LINES);
        if (twins.probes > 10 * LINES)
            fail_msg("2^%u ns apart: %llu slots looked at", shift,
                     (unsigned long long)twins.probes);
        line_twins_done(&twins);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_line_with_series_and_time_is_a_twin),
        cmocka_unit_test(no_distance_of_times_makes_them_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
