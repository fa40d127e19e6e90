/* SPDX-License-Identifier: Apache-2.0 */
/* test_correlations - which measures go with the fraction of peak, in each class. */
#include "analysis/climate/correlations.h"
#include "analysis/climate/normal.h"
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

static const struct table_cell *cell(const struct table *t, size_t row,
                                     const char *name)
{
    int column = table_find_column(t, name);
    if (column < 0)
        fail_msg("there is no column %s", name);
    return table_at(t, row, (size_t)column);
}

/* Rows: a load, a cube, b cube: load and level of b and level of a do not change. */
static void measures_that_change_have_a_row(void **state)
{
    (void)state;
    AUTO(runs_of_done) struct runs_of of = { 0 };
    AUTO(table_done) struct table t = { 0 };
    struct run_selection selection = { .pool = RUN_POOL_CLASS };
    runs_make(map, csv, &of);
    assert_int_equal(correlations_make(&of.mapping, &of.runs, &selection, &t, NULL), 0);
    assert_int_equal(cell(&t, 0, "n")->u64, 5);
    assert_string_equal(cell(&t, 0, "measure")->text, "load");
    assert_true(fabs(cell(&t, 0, "r")->dbl + 1) < 1e-12);
    assert_true(fabs(cell(&t, 0, "rho")->dbl + 1) < 1e-12);
    assert_string_equal(cell(&t, 1, "measure")->text, "cube");
    /* Ranks are the same, values not: rho is 1, r is not.  Speeds 1, 2, 3, 4, 10 and
     * cubes 1, 8, 27, 64, 1000: means 4 and 220; sums of products of deviations
     * 5954, of squares 50 and 762890: r = 0.964035. */
    assert_true(fabs(cell(&t, 1, "rho")->dbl - 1) < 1e-12);
    assert_true(fabs(cell(&t, 1, "r")->dbl - 5954 / sqrt(50.0 * 762890)) < 1e-9);
    for (size_t row = 0; row < t.row_count; row++) {
        double p = cell(&t, row, "p_rho")->dbl;
        double many = cell(&t, row, "p_rho_many")->dbl;
        if (isnan(p))
            continue;
        assert_true(many >= p && many <= 1);
    }
}

static void a_pattern_that_fits_nothing_is_an_error(void **state)
{
    (void)state;
    AUTO(runs_of_done) struct runs_of of = { 0 };
    struct table t;
    struct err err = { 0 };
    struct run_selection selection = { .pool = RUN_POOL_CLASS, .pattern = "x*" };
    runs_make(map, csv, &of);
    assert_int_equal(correlations_make(&of.mapping, &of.runs, &selection, &t, &err),
                     -ENOENT);
    assert_string_equal(err.text, "of 2 classes none is called 'x*'");
}

static void all_are_one_selection(void **state)
{
    (void)state;
    AUTO(runs_of_done) struct runs_of of = { 0 };
    AUTO(table_done) struct table t = { 0 };
    struct run_selection selection = { .pool = RUN_POOL_ALL };
    runs_make(map, csv, &of);
    assert_int_equal(correlations_make(&of.mapping, &of.runs, &selection, &t, NULL), 0);
    for (size_t row = 0; row < t.row_count; row++)
        assert_string_equal(cell(&t, row, "class")->text, "all");
    assert_int_equal(cell(&t, 0, "n")->u64, 7);
}

/* ---- normal ---- */

static void quantiles_of_a_class_are_those_of_its_values(void **state)
{
    (void)state;
    AUTO(runs_of_done) struct runs_of of = { 0 };
    AUTO(normal_done) struct normal normal = { 0 };
    const struct normal_opts opts = { .set = "a", .last_count = 2, .window_runs = 100 };
    runs_make(map, csv, &of);
    assert_int_equal(normal_make(&of.mapping, &of.runs, &opts, &normal, NULL), 0);
    const struct table *t = &normal.classes;
    assert_string_equal(cell(t, 0, "measure")->text, "performance");
    assert_int_equal(cell(t, 0, "runs")->u64, 5);
    assert_true(cell(t, 0, "q50")->dbl == 3); /* of 1, 2, 3, 4, 10 */
    assert_true(cell(t, 0, "q25")->dbl == 2);
    assert_true(cell(t, 0, "q75")->dbl == 4);
    assert_int_equal(cell(t, 0, "missing")->u64, 0);
}

/* The last run of a is faster than the four before it; the last but one than three. */
static void the_last_runs_are_among_those_before_them(void **state)
{
    (void)state;
    AUTO(runs_of_done) struct runs_of of = { 0 };
    AUTO(normal_done) struct normal normal = { 0 };
    const struct normal_opts opts = { .set = "a", .last_count = 2, .window_runs = 100 };
    runs_make(map, csv, &of);
    assert_int_equal(normal_make(&of.mapping, &of.runs, &opts, &normal, NULL), 0);
    const struct table *t = &normal.last;
    assert_int_equal(t->row_count, 2);
    uint64_t others = cell(t, 0, "others")->u64 + cell(t, 1, "others")->u64;
    assert_int_equal(others, 3 + 4);
    assert_true(cell(t, 0, "slower_share")->dbl == 1);
    assert_true(cell(t, 1, "slower_share")->dbl == 1);
}

static void limits_of_a_window_are_checked(void **state)
{
    (void)state;
    AUTO(runs_of_done) struct runs_of of = { 0 };
    struct normal normal = { 0 };
    const struct normal_opts none = { .set = "x", .last_count = 1, .window_runs = 100 };
    const struct normal_opts empty = { .last_count = 1, .window_runs = 0 };
    runs_make(map, csv, &of);
    assert_int_equal(normal_make(&of.mapping, &of.runs, &none, &normal, NULL), -ENOENT);
    assert_int_equal(normal_make(&of.mapping, &of.runs, &empty, &normal, NULL),
                     -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_that_change_have_a_row),
        cmocka_unit_test(a_pattern_that_fits_nothing_is_an_error),
        cmocka_unit_test(all_are_one_selection),
        cmocka_unit_test(quantiles_of_a_class_are_those_of_its_values),
        cmocka_unit_test(the_last_runs_are_among_those_before_them),
        cmocka_unit_test(limits_of_a_window_are_checked),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
