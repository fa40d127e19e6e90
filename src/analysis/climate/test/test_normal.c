/* SPDX-License-Identifier: Apache-2.0 */
/* test_normal - what is normal in a class, and how its last runs were. */
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

static void quantiles_of_a_class_are_those_of_its_values(void **state)
{
    (void)state;
    AUTO(runs_of_done) struct runs_of of = { 0 };
    AUTO(normal_done) struct normal normal = { 0 };
    const struct normal_opts opts = { .set = "a", .last_count = 2, .window_runs = 3 };
    runs_make(map, csv, &of);
    assert_int_equal(normal_make(&of.mapping, &of.runs, &opts, &normal, NULL), 0);
    /* performance, fraction, load, level, cube. */
    assert_int_equal(normal.class_count, 5);
    const struct normal_class *c = &normal.classes[0];
    assert_string_equal(c->class_name, "a");
    assert_string_equal(c->measure, "performance");
    assert_int_equal(c->runs, 5);
    assert_int_equal(c->missing, 0);
    assert_true(c->q50 == 3); /* of 1, 2, 3, 4, 10 */
    assert_true(c->q25 == 2);
    assert_true(c->q75 == 4);
    assert_true(fabs(c->q05 - 1.2) < 1e-12);
    assert_true(fabs(c->q95 - 8.8) < 1e-12);
    /* Of the last three: 3, 4, 10. */
    assert_int_equal(c->late_runs, 3);
    assert_true(c->late_q25 == 3.5 && c->late_q50 == 4 && c->late_q75 == 7);
    assert_string_equal(normal.classes[1].measure, "fraction");
    assert_true(normal.classes[1].q50 == 0.3);
    assert_string_equal(normal.classes[2].measure, "load");
}

/* b never has a level: no item. */
static void a_measure_that_a_class_never_has_is_left_out(void **state)
{
    (void)state;
    AUTO(runs_of_done) struct runs_of of = { 0 };
    AUTO(normal_done) struct normal normal = { 0 };
    const struct normal_opts opts = { .set = "b", .last_count = 9, .window_runs = 9 };
    runs_make(map, csv, &of);
    assert_int_equal(normal_make(&of.mapping, &of.runs, &opts, &normal, NULL), 0);
    assert_int_equal(normal.class_count, 4);
    for (size_t i = 0; i < normal.class_count; i++)
        assert_string_not_equal(normal.classes[i].measure, "level");
    assert_int_equal(normal.last_count, 2);
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
    assert_int_equal(normal.last_count, 2);
    assert_true(normal.last[0].run->raw == 4 && normal.last[1].run->raw == 10);
    assert_int_equal(normal.last[0].rank.count, 3);
    assert_int_equal(normal.last[1].rank.count, 4);
    assert_true(percentile_share(&normal.last[0].rank) == 1);
    assert_true(percentile_share(&normal.last[1].rank) == 1);
}

/* Twenty runs with loads 0 .. 19, and one of 50: only the last is far out. */
static void what_is_far_out_is_unusual(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf rows = STRBUF_INIT;
    AUTO(runs_of_done) struct runs_of of = { 0 };
    AUTO(normal_done) struct normal normal = { 0 };
    const struct normal_opts opts = { .last_count = 2, .window_runs = 100 };
    strbuf_adds(&rows, "app,when,speed,load,level\n");
    for (int i = 0; i < 20; i++)
        strbuf_addf(&rows, "a,%d,%d,%d,%d\n", 1500000000 + i, 1 + i % 2, (i * 7) % 20,
                    i % 3);
    strbuf_adds(&rows, "a,1500000020,1.5,50,-4\n");
    runs_make(map, strbuf_text(&rows), &of);
    assert_int_equal(normal_make(&of.mapping, &of.runs, &opts, &normal, NULL), 0);
    assert_null(normal.last[0].unusual);
    const struct normal_unusual *unusual = normal.last[1].unusual;
    assert_non_null(unusual);
    assert_string_equal(unusual->label, "load");
    assert_true(unusual->value == 50);
    assert_int_equal(unusual->rank.below, 20);
    assert_string_equal(unusual->next->label, "level");
    assert_int_equal(unusual->next->rank.below, 0);
    assert_null(unusual->next->next);
}

static void limits_of_a_window_are_checked(void **state)
{
    (void)state;
    AUTO(runs_of_done) struct runs_of of = { 0 };
    struct normal normal = { .class_count = 7 };
    struct err err = { 0 };
    const struct normal_opts none = { .set = "x", .last_count = 1, .window_runs = 100 };
    const struct normal_opts empty = { .last_count = 1, .window_runs = 0 };
    runs_make(map, csv, &of);
    assert_int_equal(normal_make(&of.mapping, &of.runs, &none, &normal, &err), -ENOENT);
    assert_string_equal(err.text, "of 2 classes none is called 'x'");
    assert_int_equal(normal_make(&of.mapping, &of.runs, &empty, &normal, NULL),
                     -EINVAL);
    assert_int_equal(normal.class_count, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_of_a_class_are_those_of_its_values),
        cmocka_unit_test(a_measure_that_a_class_never_has_is_left_out),
        cmocka_unit_test(the_last_runs_are_among_those_before_them),
        cmocka_unit_test(what_is_far_out_is_unusual),
        cmocka_unit_test(limits_of_a_window_are_checked),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
