/* SPDX-License-Identifier: Apache-2.0 */
/* test_correlations - which measures go with the fraction of peak, in each class. */
#include "analysis/climate/correlations.h"
#include "analysis/climate/test/runs_of.h"

#include <errno.h>
#include <math.h>

static const char map[] = "[study]\n"
                          "time = when\n"
                          "performance = speed\n"
                          "class = app\n"
                          "[measure load]\n"
                          "value = load\n"
                          "[measure level]\n"
                          "value = level\n"
                          "[measure cube]\n"
                          "value = speed * speed * speed\n";
/* a: load falls as speed rises, on a line; level never changes.  b: no relation. */
static const char csv[] = "app,when,speed,load,level\n"
                          "a,1500000000,1,9,5\n"
                          "a,1500000060,2,8,5\n"
                          "a,1500000120,3,7,5\n"
                          "a,1500000180,4,6,5\n"
                          "a,1500000240,10,0,5\n"
                          "b,1500000000,1,3,\n"
                          "b,1500000060,2,3,\n";

/* Items: a load, a cube, b cube: load and level of b and level of a do not change. */
static void measures_that_change_have_an_item(void **state)
{
    (void)state;
    AUTO(runs_of_done) struct runs_of of = { 0 };
    AUTO(correlations_done) struct correlations all = { 0 };
    struct run_selection selection = { .pool = RUN_POOL_CLASS };
    runs_make(map, csv, &of);
    assert_int_equal(correlations_make(&of.mapping, &of.runs, &selection, &all, NULL),
                     0);
    assert_int_equal(all.count, 2);
    const struct class_correlation *load = &all.items[0];
    const struct class_correlation *cube = &all.items[1];
    assert_string_equal(load->class_name, "a");
    assert_string_equal(load->measure, "load");
    assert_int_equal(load->linear.count, 5);
    assert_true(fabs(load->linear.r + 1) < 1e-12);
    assert_true(fabs(load->ranks.r + 1) < 1e-12);
    assert_string_equal(cube->measure, "cube");
    /* Ranks are the same, values not: rho is 1, r is not.  Speeds 1, 2, 3, 4, 10 and
     * cubes 1, 8, 27, 64, 1000: means 4 and 220; sums of products of deviations
     * 5954, of squares 50 and 762890: r = 0.964035. */
    assert_true(fabs(cube->ranks.r - 1) < 1e-12);
    assert_true(fabs(cube->linear.r - 5954 / sqrt(50.0 * 762890)) < 1e-9);
    /* Two tests. */
    for (size_t i = 0; i < all.count; i++) {
        assert_true(all.items[i].p_many == fmin(1, 2 * all.items[i].linear.p));
        assert_true(all.items[i].p_ranks_many == fmin(1, 2 * all.items[i].ranks.p));
    }
}

static void a_pattern_that_fits_nothing_is_an_error(void **state)
{
    (void)state;
    AUTO(runs_of_done) struct runs_of of = { 0 };
    struct correlations all = { .count = 7 };
    struct err err = { 0 };
    struct run_selection selection = { .pool = RUN_POOL_CLASS, .pattern = "x*" };
    runs_make(map, csv, &of);
    assert_int_equal(correlations_make(&of.mapping, &of.runs, &selection, &all, &err),
                     -ENOENT);
    assert_int_equal(all.count, 7);
    assert_string_equal(err.text, "of 2 classes none is called 'x*'");
}

static void all_are_one_selection(void **state)
{
    (void)state;
    AUTO(runs_of_done) struct runs_of of = { 0 };
    AUTO(correlations_done) struct correlations all = { 0 };
    struct run_selection selection = { .pool = RUN_POOL_ALL };
    runs_make(map, csv, &of);
    assert_int_equal(correlations_make(&of.mapping, &of.runs, &selection, &all, NULL),
                     0);
    assert_true(all.count > 0);
    for (size_t i = 0; i < all.count; i++)
        assert_string_equal(all.items[i].class_name, "all");
    assert_int_equal(all.items[0].linear.count, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_that_change_have_an_item),
        cmocka_unit_test(a_pattern_that_fits_nothing_is_an_error),
        cmocka_unit_test(all_are_one_selection),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
