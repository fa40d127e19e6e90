/* SPDX-License-Identifier: Apache-2.0 */
/* test_points - values one at a time become steps: by what each is, and where gaps are.
 */
#include "base/span.h"
#include "base/test/testing.h"
#include "source/lmt/lmt.h"

#include <errno.h>
#include <math.h>

#define T0_S INT64_C(1500000000)
#define STEPS 6

struct value {
    int64_t t_s; /* after T0_S */
    double value;
};

static void values_add(struct lmt_points *points, enum lmt_measure measure,
                       enum lmt_point_kind kind, const char *name,
                       const struct value *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(lmt_points_add(points, measure, kind, span_of(name),
                                        T0_S + values[i].t_s, values[i].value, NULL),
                         0);
}

static struct lmt_series *series_of(struct lmt_points *points)
{
    struct lmt_series *series = NULL;
    assert_int_equal(lmt_series_of_points(points, "a table", &series, NULL), 0);
    return series;
}

static struct lmt_points *points_new(void)
{
    struct lmt_points *points = NULL;
    assert_int_equal(lmt_points_new(&points), 0);
    return points;
}

/* The first column of [T0_S + from_s, + STEPS steps of 10 s), NaN as -1. */
static void column_is(struct lmt_series *series, enum lmt_measure measure,
                      int64_t from_s, const char *name, const double *want)
{
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    lmt_grid_init(&grid, T0_S + from_s, T0_S + from_s + STEPS * 10);
    assert_int_equal(lmt_series_read(series, measure, &grid, NULL), 0);
    assert_int_equal(grid.step_s, 10);
    assert_int_equal(grid.row_count, STEPS);
    for (size_t i = 0; i < STEPS; i++) {
        double got = *lmt_grid_at(&grid, i, 0);
        if (isnan(got) ? want[i] != -1 : got != want[i])
            fail_msg("%s: step %zu: %g, want %g", name, i, got, want[i]);
    }
}

/* ---- kinds ---- */

static void a_kind_is_where_a_value_belongs(void **state)
{
    static const struct {
        const char *name;
        enum lmt_measure measure;
        enum lmt_point_kind kind;
        double want[STEPS];
        int64_t from_s, to_s; /* of all times */
    } cases[] = {
        { "gauge", LMT_OSS_CPU, LMT_POINT_GAUGE, { 5, 6, -1, 9, -1, -1 }, 0, 40 },
        { "gauge of the step that ended",
          LMT_OSS_CPU,
          LMT_POINT_GAUGE_END,
          { 6, -1, 9, -1, -1, -1 },
          -10,
          30 },
        { "count", LMT_OPENS, LMT_POINT_COUNT, { 5, 6, -1, 9, -1, -1 }, 0, 40 },
        { "count of the step that ended",
          LMT_OPENS,
          LMT_POINT_COUNT_END,
          { 6, -1, 9, -1, -1, -1 },
          -10,
          30 },
        { "rate", LMT_OPENS, LMT_POINT_RATE, { 50, 60, -1, 90, -1, -1 }, 0, 40 },
        { "rate of the step that ended",
          LMT_OPENS,
          LMT_POINT_RATE_END,
          { 60, -1, 90, -1, -1, -1 },
          -10,
          30 },
        /* What came in while it was not read stands in the step that ended. */
        { "counter", LMT_OPENS, LMT_POINT_COUNTER, { 1, -1, 3, -1, -1, -1 }, 0, 30 },
    };
    static const struct value values[] = { { 0, 5 }, { 10, 6 }, { 30, 9 } };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct lmt_points *points = points_new();
        int64_t from_s = 0, to_s = 0;
        values_add(points, cases[i].measure, cases[i].kind, "a", values,
                   COUNT_OF(values));
        assert_int_equal(lmt_points_count(points), 3);
        AUTO(lmt_series_close) struct lmt_series *series = series_of(points);
        assert_int_equal(lmt_series_step(series, cases[i].measure), 10);
        column_is(series, cases[i].measure, 0, cases[i].name, cases[i].want);
        assert_int_equal(
            lmt_series_times(series, cases[i].measure, &from_s, &to_s, NULL), 0);
        if (from_s != T0_S + cases[i].from_s || to_s != T0_S + cases[i].to_s)
            fail_msg("%s: %lld .. %lld", cases[i].name, (long long)(from_s - T0_S),
                     (long long)(to_s - T0_S));
        assert_string_equal(lmt_series_format(series), "a table");
    }
}

static void a_counter_that_begins_anew_is_not_known(void **state)
{
    static const struct value values[] = { { 0, 1000 },  { 10, 1100 }, { 20, 70 },
                                           { 30, 90 },   { 40, 0 },    { 50, 120 },
                                           { 50, 9999 }, { 60, 125 } };
    /* 0 is a reading that failed: the next one has what came in meanwhile. */
    static const double want[STEPS] = { 100, -1, 20, -1, 30, 5 };
    struct lmt_points *points = points_new();
    (void)state;
    values_add(points, LMT_OPENS, LMT_POINT_COUNTER, "a", values, COUNT_OF(values));
    AUTO(lmt_series_close) struct lmt_series *series = series_of(points);
    column_is(series, LMT_OPENS, 0, "counter", want);
}

static void what_is_no_value_is_passed_over(void **state)
{
    static const struct {
        enum lmt_point_kind kind;
        int64_t t_s;
        double value;
        size_t count;
    } cases[] = {
        { LMT_POINT_COUNT, T0_S, NAN, 0 },     { LMT_POINT_COUNT, T0_S, INFINITY, 0 },
        { LMT_POINT_COUNT, T0_S, -1, 0 },      { LMT_POINT_COUNTER, T0_S, -1, 0 },
        { LMT_POINT_RATE_END, T0_S, -0.5, 0 }, { LMT_POINT_GAUGE, T0_S, -1, 1 },
        { LMT_POINT_GAUGE_END, T0_S, -1, 1 },  { LMT_POINT_COUNT, INT64_MAX / 2, 1, 0 },
        { LMT_POINT_COUNT, INT64_MIN, 1, 0 },  { LMT_POINT_COUNT, -T0_S, 0, 1 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(lmt_points_free) struct lmt_points *points = points_new();
        assert_int_equal(lmt_points_add(points, LMT_OPENS, cases[i].kind, SPAN("a"),
                                        cases[i].t_s, cases[i].value, NULL),
                         0);
        if (lmt_points_count(points) != cases[i].count)
            fail_msg("case %zu: %zu", i, lmt_points_count(points));
    }
    lmt_points_free(NULL);
}

/* ---- times ---- */

static void times_go_to_the_nearest_step_in_any_order(void **state)
{
    static const struct value values[] = {
        { 41, 5 }, { 0, 1 },  { 21, 30 }, { 9, 2 },
        { 19, 3 }, { 30, 4 }, { 30, 44 }, { 52, 6 }
    };
    /* 19 and 21 are nearest to 20: the later one holds, as of the two at 30. */
    static const double want[STEPS] = { 1, 2, 30, 44, 5, 6 };
    struct lmt_points *points = points_new();
    (void)state;
    values_add(points, LMT_OPENS, LMT_POINT_COUNT, "a", values, COUNT_OF(values));
    /* Most neighbours of all components are 10 s apart. */
    static const struct value other[] = { { 3, 1 },  { 13, 1 }, { 23, 1 }, { 33, 1 },
                                          { 43, 1 }, { 53, 1 }, { 63, 1 } };
    values_add(points, LMT_OPENS, LMT_POINT_COUNT, "b", other, COUNT_OF(other));
    AUTO(lmt_series_close) struct lmt_series *series = series_of(points);
    column_is(series, LMT_OPENS, 0, "a", want);
}

static void each_measure_has_its_own_step_and_columns(void **state)
{
    static const struct value slow[] = { { 0, 1 }, { 60, 2 }, { 120, 3 } };
    static const struct value fast[] = { { 0, 1 }, { 10, 2 }, { 20, 3 } };
    struct lmt_points *points = points_new();
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    int64_t from_s, to_s;
    (void)state;
    values_add(points, LMT_OPENS, LMT_POINT_COUNT, "b", slow, 3);
    values_add(points, LMT_CLOSES, LMT_POINT_COUNT, "b", fast, 3);
    values_add(points, LMT_OPENS, LMT_POINT_COUNT, "a", slow, 2);
    values_add(points, LMT_RENAMES, LMT_POINT_COUNT, "a", slow, 1);
    AUTO(lmt_series_close) struct lmt_series *series = series_of(points);
    assert_int_equal(lmt_series_step(series, LMT_OPENS), 60);
    assert_int_equal(lmt_series_step(series, LMT_CLOSES), 10);
    assert_int_equal(lmt_series_step(series, LMT_RENAMES), 0); /* one time has none */
    assert_int_equal(lmt_series_times(series, LMT_RENAMES, &from_s, &to_s, NULL),
                     -ENOENT);
    lmt_grid_init(&grid, T0_S, T0_S + 180);
    assert_int_equal(lmt_series_read(series, LMT_OPENS, &grid, NULL), 0);
    assert_int_equal(grid.column_count, 2); /* as they came, not those of closes */
    assert_string_equal(grid.columns[0], "b");
    assert_string_equal(grid.columns[1], "a");
    assert_true(*lmt_grid_at(&grid, 2, 0) == 3);
    assert_true(isnan(*lmt_grid_at(&grid, 2, 1)));
    assert_int_equal(lmt_series_read(series, LMT_LINKS, &grid, NULL), -ENOENT);
}

static void a_window_beside_the_times_has_nothing(void **state)
{
    static const struct value values[] = { { 0, 1 }, { 10, 2 }, { 20, 3 } };
    static const struct {
        int64_t from_s, to_s;
        int rc;
    } cases[] = {
        { -50, 0, -ENOENT }, { -50, 1, 0 }, { 29, 60, 0 }, { 30, 60, -ENOENT }
    };
    struct lmt_points *points = points_new();
    (void)state;
    values_add(points, LMT_OPENS, LMT_POINT_COUNT, "a", values, COUNT_OF(values));
    AUTO(lmt_series_close) struct lmt_series *series = series_of(points);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
        lmt_grid_init(&grid, T0_S + cases[i].from_s, T0_S + cases[i].to_s);
        assert_int_equal(lmt_series_read(series, LMT_OPENS, &grid, NULL), cases[i].rc);
    }
}

/* ---- several as one ---- */

static void joined_series_fill_each_others_gaps(void **state)
{
    static const struct value first[] = { { 0, 1 }, { 10, 2 }, { 20, 3 } };
    static const struct value second[] = { { 20, 30 }, { 30, 40 }, { 50, 60 } };
    static const double want[STEPS] = { 1, 2, 30, 40, -1, 60 };
    struct lmt_points *a = points_new(), *b = points_new();
    struct lmt_series *none = NULL;
    int64_t from_s = 0, to_s = 0;
    (void)state;
    values_add(a, LMT_OPENS, LMT_POINT_COUNT, "x", first, COUNT_OF(first));
    values_add(b, LMT_OPENS, LMT_POINT_COUNT, "x", second, COUNT_OF(second));
    AUTO(lmt_series_close) struct lmt_series *one = series_of(a);
    AUTO(lmt_series_close) struct lmt_series *two = series_of(b);
    struct lmt_series *const both[] = { one, two };
    AUTO(lmt_series_close) struct lmt_series *joined = NULL;
    assert_int_equal(lmt_series_join(both, 2, &joined, NULL), 0);
    column_is(joined, LMT_OPENS, 0, "joined", want);
    assert_int_equal(lmt_series_times(joined, LMT_OPENS, &from_s, &to_s, NULL), 0);
    assert_int_equal(from_s, T0_S);
    assert_int_equal(to_s, T0_S + 60);
    assert_int_equal(lmt_series_step(joined, LMT_OPENS), 10);
    assert_int_equal(lmt_series_times(joined, LMT_CLOSES, &from_s, &to_s, NULL),
                     -ENOENT);
    assert_int_equal(lmt_series_join(both, 0, &none, NULL), -EINVAL);
    assert_null(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kind_is_where_a_value_belongs),
        cmocka_unit_test(a_counter_that_begins_anew_is_not_known),
        cmocka_unit_test(what_is_no_value_is_passed_over),
        cmocka_unit_test(times_go_to_the_nearest_step_in_any_order),
        cmocka_unit_test(each_measure_has_its_own_step_and_columns),
        cmocka_unit_test(a_window_beside_the_times_has_nothing),
        cmocka_unit_test(joined_series_fill_each_others_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
