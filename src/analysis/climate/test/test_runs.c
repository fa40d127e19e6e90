/* SPDX-License-Identifier: Apache-2.0 */
/* test_runs - rows become runs of classes; what does not is counted under its reason.
 */
#include "analysis/climate/test/runs_of.h"

#include "base/number.h"

#include <errno.h>
#include <math.h>

static const char map[] = "[study]\n"
                          "time = when\n"
                          "performance = speed\n"
                          "class = app\n"
                          "class = mode\n"
                          "id = job\n"
                          "from = 2017-07-14T00:00Z\n"
                          "to = 2017-07-15T00:00Z\n"
                          "[drop failed]\n"
                          "when = state = \"bad\"\n"
                          "[measure load]\n"
                          "value = load\n";
static const char csv[] =
    "job,app,mode,when,speed,state,load\n"
    "1,ior,write,1500000600,4,ok,10\n" /* 2017-07-14T02:50 */
    "2,ior,write,1500000000,8,ok,x\n"  /* earlier, in a later row */
    "3,ior,read,1500000000,5,ok,\n"
    "4,ior,write,1500000060,9,bad,1\n"
    "5,ior,write,1400000000,16,ok,1\n" /* before from */
    "6,ior,write,,1,ok,1\n"
    "7,ior,write,1500001200,2,ok,30\n";

static void classes_are_sets_in_the_order_of_time(void **state)
{
    (void)state;
    AUTO(runs_of_done) struct runs_of of = { 0 };
    runs_make(map, csv, &of);
    assert_int_equal(of.runs.set_count, 2);
    assert_int_equal(of.runs.count, 4);
    const struct run_set *read = &of.runs.sets[0];
    const struct run_set *write = &of.runs.sets[1];
    assert_string_equal(read->name, "ior read");
    assert_string_equal(write->name, "ior write");
    assert_string_equal(write->group, "ior");
    assert_int_equal(write->count, 3);
    const struct run *runs = &of.runs.runs[write->first];
    static const char *const ids[] = { "2", "1", "7" };
    for (size_t i = 0; i < COUNT_OF(ids); i++)
        assert_string_equal(runs[i].id, ids[i]);
    assert_int_equal(runs[0].t_ns, 1500000000 * NS_PER_S);
}

/* The best of the class is 16: from and to choose among runs that have their fraction.
 */
static void fractions_are_of_the_best_of_the_class(void **state)
{
    (void)state;
    AUTO(runs_of_done) struct runs_of of = { 0 };
    runs_make(map, csv, &of);
    const struct run *runs = &of.runs.runs[of.runs.sets[1].first];
    assert_true(of.runs.sets[1].best == 16);
    assert_true(runs[0].fraction == 0.5);
    assert_true(runs[1].fraction == 0.25);
    assert_true(runs[2].fraction == 0.125);
    assert_true(runs[1].raw == 4);
}

static void every_other_row_is_counted_by_its_reason(void **state)
{
    (void)state;
    AUTO(runs_of_done) struct runs_of of = { 0 };
    runs_make(map, csv, &of);
    assert_int_equal(of.runs.rows, 7);
    assert_int_equal(of.runs.dropped[0], 1);
    assert_int_equal(of.runs.outside_rows, 1);
    assert_int_equal(of.runs.bad_rows + of.runs.missing_rows, 1); /* without a time */
}

static void a_measure_that_is_no_number_is_missing(void **state)
{
    (void)state;
    AUTO(runs_of_done) struct runs_of of = { 0 };
    runs_make(map, csv, &of);
    const struct run *runs = &of.runs.runs[of.runs.sets[1].first];
    assert_true(isnan(runs[0].measures[0]));
    assert_true(runs[1].measures[0] == 10);
    assert_int_equal(of.runs.measures[0].texts, 1);
    assert_string_equal(of.runs.measures[0].text, "x");
    assert_int_equal(of.runs.measures[0].numbers, 3); /* the run outside, too */
}

static void a_formula_or_column_that_is_wrong_is_an_error(void **state)
{
    (void)state;
    static const struct {
        const char *map, *reason;
    } cases[] = {
        { "[study]\ntime = when\nperformance = nothing\nclass = app\n", "nothing" },
        { "[study]\ntime = when\nperformance = (\nclass = app\n", "performance" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(runs_of_done) struct runs_of of = { 0 };
        struct err err = { 0 };
        int rc = runs_of_texts(cases[i].map, csv, &of, &err);
        if (rc != -EINVAL || !strstr(err.text, cases[i].reason))
            fail_msg("%zu: %d: %s", i, rc, err.text);
    }
}

static void an_empty_table_has_no_runs(void **state)
{
    (void)state;
    AUTO(runs_of_done) struct runs_of of = { 0 };
    runs_make(map, "job,app,mode,when,speed,state,load\n", &of);
    assert_int_equal(of.runs.count, 0);
    assert_int_equal(of.runs.rows, 0);
    assert_int_equal(of.runs.set_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_sets_in_the_order_of_time),
        cmocka_unit_test(fractions_are_of_the_best_of_the_class),
        cmocka_unit_test(every_other_row_is_counted_by_its_reason),
        cmocka_unit_test(a_measure_that_is_no_number_is_missing),
        cmocka_unit_test(a_formula_or_column_that_is_wrong_is_an_error),
        cmocka_unit_test(an_empty_table_has_no_runs),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
