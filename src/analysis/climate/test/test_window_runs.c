/* SPDX-License-Identifier: Apache-2.0 */
/* test_window_runs - the runs of a window among the others of their class. */
#include "analysis/climate/window_runs.h"
#include "base/test/testing.h"

#include <math.h>

/* Set a: nine runs at 0..8 with fractions 0.1 .. 0.9; set b: two runs at 3 and 100. */
static struct run all[11];
static struct run_set sets[] = { { "a", "a", 1, 0, 9 }, { "b", "b", 1, 9, 2 } };

static struct runs runs_make(void)
{
    for (int i = 0; i < 9; i++)
        all[i] = (struct run){ .t_ns = i, .fraction = 0.1 * (i + 1), .id = "x" };
    all[9] = (struct run){ .t_ns = 3, .fraction = 0.5, .set = 1, .id = "y" };
    all[10] = (struct run){ .t_ns = 100, .fraction = 1, .set = 1, .id = "z" };
    return (struct runs){ .runs = all, .count = 11, .sets = sets, .set_count = 2 };
}

static void a_window_has_its_runs_and_the_others_of_their_class(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t from_ns, to_ns;
        size_t count, judged, slow, fast;
    } cases[] = {
        /* The run at 0 is below all of the eight others of a; b has none. */
        { "the slowest", 0, 1, 1, 1, 1, 0 },
        { "the fastest", 8, 9, 1, 1, 0, 1 },
        /* 0.5 has four below and four above: share 0.5; b's has one other: not enough.
         */
        { "the middle", 4, 5, 1, 1, 0, 0 },
        { "two classes", 3, 4, 2, 1, 0, 0 },
        { "the end is outside", 9, 100, 0, 0, 0, 0 },
        { "its other alone", 100, 101, 1, 0, 0, 0 },
        { "before all", -10, 0, 0, 0, 0, 0 },
        /* Five runs of a leave four others: fewer than PERCENTILE_OTHERS_MIN. */
        { "too few others", 0, 5, 6, 0, 0, 0 },
        /* Four leave five: 0.1 .. 0.4 are below all of them. */
        { "just enough others", 0, 4, 5, 4, 4, 0 },
        { "all", 0, 101, 11, 0, 0, 0 },
    };
    const struct runs runs = runs_make();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(window_runs_done) struct window_runs w = { 0 };
        assert_int_equal(window_runs_make(&runs, cases[i].from_ns, cases[i].to_ns, &w),
                         0);
        if (w.count != cases[i].count || w.judged != cases[i].judged ||
            w.slow != cases[i].slow || w.fast != cases[i].fast)
            fail_msg("%s: %zu runs, %zu judged, %zu slow, %zu fast", cases[i].name,
                     w.count, w.judged, w.slow, w.fast);
    }
}

static void each_has_its_place_among_them(void **state)
{
    (void)state;
    AUTO(window_runs_done) struct window_runs w = { 0 };
    const struct runs runs = runs_make();
    assert_int_equal(window_runs_make(&runs, 2, 4, &w), 0);
    assert_int_equal(w.count, 3); /* a's at 2 and 3, b's at 3 */
    assert_string_equal(w.runs[0].set_name, "a");
    assert_ptr_equal(w.runs[0].run, &all[2]);
    assert_int_equal(w.runs[0].among.count, 7);
    assert_int_equal(w.runs[0].among.below, 2); /* 0.1 and 0.2 */
    assert_int_equal(w.runs[1].among.below, 2); /* 0.3 is in the window itself */
    assert_string_equal(w.runs[2].set_name, "b");
    assert_int_equal(w.runs[2].among.count, 1);
    assert_int_equal(w.runs[2].among.below, 0);
}

static void a_missing_fraction_is_no_other(void **state)
{
    (void)state;
    AUTO(window_runs_done) struct window_runs w = { 0 };
    const struct runs runs = runs_make();
    all[0].fraction = all[1].fraction = NAN;
    assert_int_equal(window_runs_make(&runs, 8, 9, &w), 0);
    assert_int_equal(w.runs[0].among.count, 6);
}

static void no_runs_are_no_error(void **state)
{
    (void)state;
    AUTO(window_runs_done) struct window_runs w = { 0 };
    const struct runs runs = { 0 };
    assert_int_equal(window_runs_make(&runs, 0, 100, &w), 0);
    assert_int_equal(w.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_has_its_runs_and_the_others_of_their_class),
        cmocka_unit_test(each_has_its_place_among_them),
        cmocka_unit_test(a_missing_fraction_is_no_other),
        cmocka_unit_test(no_runs_are_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
