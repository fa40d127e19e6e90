/* SPDX-License-Identifier: Apache-2.0 */
/* test_row_range - one run far away does not make a line of all others. */
#include "draw/row_range.h"

#include "base/test/testing.h"

#include <math.h>

#define COUNT 9

static struct row_range range_of(const double *history)
{
    /* Of 10 to 17: what the others of a row have. */
    const struct umami_row row = {
        .history = history, .other_count = COUNT - 1, .q25 = 12, .q75 = 15, .value = NAN
    };
    return row_range_of(&row, COUNT);
}

static void a_run_far_away_is_outside(void **state)
{
    (void)state;
    static const double history[COUNT] = { 10, 11, 9000, 13, 14, 15, 16, -50, 12 };
    const struct row_range range = range_of(history);
    assert_true(range.low == 10 && range.high == 16);
    assert_int_equal(range.below, 1);
    assert_int_equal(range.above, 1);
    assert_true(row_range_limit(&range, 9000) == 16);
    assert_true(row_range_limit(&range, -50) == 10);
    assert_true(row_range_limit(&range, 12.5) == 12.5);
    assert_int_equal(row_range_side(&range, 9000), 1);
    assert_int_equal(row_range_side(&range, -50), -1);
    assert_int_equal(row_range_side(&range, NAN), 0);
}

static void the_run_itself_is_always_inside(void **state)
{
    (void)state;
    static const double history[] = { 10, 11, 9000, 13, 14, 15, 16, -50, 400 };
    const struct umami_row row = {
        .history = history, .other_count = 8, .q25 = 12, .q75 = 15, .value = 400
    };
    const struct row_range range = row_range_of(&row, 9);
    assert_true(range.low == 10 && range.high == 400);
    assert_int_equal(range.below, 1);
    assert_int_equal(range.above, 1);
}

static void values_that_do_not_press_the_others_together_are_inside(void **state)
{
    (void)state;
    static const double history[COUNT] = { 10, 11, 12, 13, 14, 15, 16, 22, NAN };
    const struct row_range range = range_of(history);
    assert_true(range.low == 10 && range.high == 22);
    assert_int_equal(range.below + range.above, 0);
}

static void a_row_whose_middle_half_is_one_value_has_all(void **state)
{
    (void)state;
    static const double history[] = { 5, 5, 5, 5, 800 };
    const struct umami_row row = {
        .history = history, .other_count = 4, .q25 = 5, .q75 = 5
    };
    const struct row_range range = row_range_of(&row, 5);
    assert_true(range.low == 5 && range.high == 800);
}

static void a_row_without_numbers_has_no_range(void **state)
{
    (void)state;
    static const double history[] = { NAN, NAN };
    const struct umami_row row = { .history = history, .q25 = NAN, .q75 = NAN };
    const struct row_range range = row_range_of(&row, 2);
    assert_true(range.low > range.high);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_far_away_is_outside),
        cmocka_unit_test(the_run_itself_is_always_inside),
        cmocka_unit_test(values_that_do_not_press_the_others_together_are_inside),
        cmocka_unit_test(a_row_whose_middle_half_is_one_value_has_all),
        cmocka_unit_test(a_row_without_numbers_has_no_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
