/* SPDX-License-Identifier: Apache-2.0 */
/* test_weather_read - series of a window become totals, peaks, targets, and a rank
 * among other days. */
#include "analysis/weather/weather.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <errno.h>
#include <math.h>

#define DAY_S INT64_C(86400)
#define T0_S INT64_C(1500000000)
#define STEP_S 300
#define STEPS 4
#define SERIES_MAX 4

/* What a source has: series of points, and the windows that were read. */
struct stored_series {
    struct lmt_series *all[SERIES_MAX];
    size_t count;
    int rc;           /* of every call */
    int64_t fails_at; /* first second of the window of which reading fails; 0: none */
    int64_t windows[64];
    size_t window_count;
};

static int series_take(void *arg, int64_t from_s, int64_t to_s,
                       struct lmt_series ***ret, size_t *ret_count, struct err *err)
{
    struct stored_series *s = arg;
    if (s->window_count < COUNT_OF(s->windows))
        s->windows[s->window_count++] = from_s;
    assert_int_equal(to_s - from_s, STEPS * STEP_S);
    if (s->fails_at != 0 && from_s == s->fails_at)
        return err_set(err, EIO, "cannot be read");
    *ret = s->all;
    *ret_count = s->count;
    return s->rc;
}

/* count values of one component from t_s on, every step; NaN: none. */
static void values_add(struct lmt_points *points, enum lmt_measure measure,
                       enum lmt_point_kind kind, const char *name, int64_t t_s,
                       const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            assert_int_equal(lmt_points_add(points, measure, kind, span_of(name),
                                            t_s + STEP_S * (int64_t)i, values[i], NULL),
                             0);
}

static void stored_add(struct stored_series *s, struct lmt_points *points)
{
    assert_int_equal(lmt_series_of_points(points, "points", &s->all[s->count++], NULL),
                     0);
}

static void stored_done(struct stored_series *s)
{
    for (size_t i = 0; i < s->count; i++)
        lmt_series_close(s->all[i]);
}

static struct weather_source source_of(struct stored_series *s, int64_t first_s,
                                       int64_t end_s)
{
    return (struct weather_source){
        .get = series_take, .arg = s, .first_s = first_s, .end_s = end_s
    };
}

static int window_read(struct stored_series *s, int64_t first_s, int64_t end_s,
                       struct weather *ret, struct err *err)
{
    const struct weather_source source = source_of(s, first_s, end_s);
    return weather_read(&source, T0_S, T0_S + STEPS * STEP_S, ret, err);
}

/* ---- one window ---- */

static void counts_are_summed_over_targets_and_steps(void **state)
{
    static const double read[2][STEPS] = { { 300, 0, 600, 0 }, { 0, 0, 1500, NAN } };
    static const double written[STEPS] = { 0, 0, 0, 3000 };
    struct stored_series s = { 0 };
    struct lmt_points *points;
    AUTO(weather_done) struct weather w = { 0 };
    (void)state;
    assert_int_equal(lmt_points_new(&points), 0);
    values_add(points, LMT_READ_BYTES, LMT_POINT_COUNT, "ost0", T0_S, read[0], STEPS);
    values_add(points, LMT_READ_BYTES, LMT_POINT_COUNT, "ost1", T0_S, read[1], STEPS);
    values_add(points, LMT_WRITE_BYTES, LMT_POINT_COUNT, "ost1", T0_S, written, STEPS);
    values_add(points, LMT_WRITE_BYTES, LMT_POINT_COUNT, "ost2", T0_S,
               (const double[STEPS]){ 0, 0, 0, 0 }, STEPS);
    stored_add(&s, points);
    assert_int_equal(window_read(&s, T0_S, T0_S + STEPS * STEP_S, &w, NULL), 0);
    const struct weather_line *line = &w.lines[LMT_READ_BYTES];
    assert_int_equal(w.step_s, STEP_S);
    assert_true(line->is_known);
    assert_true(line->total == 2400);
    assert_true(line->mean == 2.0); /* 2400 in four steps of 300 s */
    assert_true(line->peak == 7.0); /* 2100 in one */
    assert_int_equal(line->peak_s, T0_S + 2 * STEP_S);
    assert_null(line->peak_component);
    assert_int_equal(line->cells, 7);
    assert_true(fabs(line->quiet - 4.0 / 7) < 1e-12);
    assert_true(fabs(line->missing - 1.0 / 8) < 1e-12);
    assert_int_equal(line->day_count, 0);
    assert_false(w.lines[LMT_OPENS].is_known);
    /* The busiest first; one of three moved nothing. */
    assert_int_equal(w.target_count, 3);
    assert_string_equal(w.targets[0].name, "ost1");
    assert_true(w.targets[0].read == 1500 && w.targets[0].written == 3000);
    assert_int_equal(w.targets[0].cells, 8);
    assert_int_equal(w.targets[0].measured, 7);
    assert_string_equal(w.targets[1].name, "ost0");
    assert_true(w.targets[1].read == 900 && w.targets[1].written == 0);
    assert_true(fabs(w.idle - 1.0 / 3) < 1e-12);
    assert_true(weather_bytes(&w) == 5400);
    stored_done(&s);
}

static void a_gauge_has_a_mean_and_the_component_of_its_peak(void **state)
{
    static const double loads[2][STEPS] = { { 10, 20, 30, 0 }, { 5, 95, NAN, 40 } };
    struct stored_series s = { 0 };
    struct lmt_points *points;
    AUTO(weather_done) struct weather w = { 0 };
    (void)state;
    assert_int_equal(lmt_points_new(&points), 0);
    values_add(points, LMT_OSS_CPU, LMT_POINT_GAUGE, "oss1", T0_S, loads[0], STEPS);
    values_add(points, LMT_OSS_CPU, LMT_POINT_GAUGE, "oss2", T0_S, loads[1], STEPS);
    stored_add(&s, points);
    assert_int_equal(window_read(&s, T0_S, T0_S + STEPS * STEP_S, &w, NULL), 0);
    const struct weather_line *line = &w.lines[LMT_OSS_CPU];
    assert_true(isnan(line->total));
    assert_true(fabs(line->mean - 200.0 / 7) < 1e-12);
    assert_true(line->peak == 95);
    assert_int_equal(line->peak_s, T0_S + STEP_S);
    assert_string_equal(line->peak_component, "oss2");
    assert_true(fabs(line->quiet - 1.0 / 7) < 1e-12);
    assert_int_equal(w.target_count, 0); /* loads are of no target */
    assert_true(isnan(w.idle));
    assert_true(weather_bytes(&w) == 0);
    stored_done(&s);
}

/* Counters go on while they are not read them: the step behind a hole has all of it. */
static void a_hole_is_no_peak(void **state)
{
    static const double read[STEPS] = { 300, NAN, 1200, 900 };
    struct stored_series s = { 0 };
    struct lmt_points *points;
    AUTO(weather_done) struct weather w = { 0 };
    (void)state;
    assert_int_equal(lmt_points_new(&points), 0);
    values_add(points, LMT_READ_BYTES, LMT_POINT_COUNT, "ost0", T0_S, read, STEPS);
    stored_add(&s, points);
    assert_int_equal(window_read(&s, T0_S, T0_S + STEPS * STEP_S, &w, NULL), 0);
    assert_true(w.lines[LMT_READ_BYTES].total == 2400);
    assert_true(w.lines[LMT_READ_BYTES].peak == 3.0);
    assert_int_equal(w.lines[LMT_READ_BYTES].peak_s, T0_S + 2 * STEP_S);
    stored_done(&s);
}

static void more_targets_than_at_first_are_held(void **state)
{
    enum { TARGETS = 150 };
    struct stored_series s = { 0 };
    struct lmt_points *points;
    AUTO(weather_done) struct weather w = { 0 };
    (void)state;
    assert_int_equal(lmt_points_new(&points), 0);
    for (size_t i = 0; i < TARGETS; i++) {
        const double values[STEPS] = { 0, (double)(i % 75), 0, 0 };
        char name[16];
        (void)snprintf(name, sizeof name, "ost%03zu", i);
        values_add(points, LMT_READ_BYTES, LMT_POINT_COUNT, name, T0_S, values, STEPS);
    }
    stored_add(&s, points);
    assert_int_equal(window_read(&s, T0_S, T0_S + STEPS * STEP_S, &w, NULL), 0);
    assert_int_equal(w.target_count, TARGETS);
    /* As much: by name. */
    assert_string_equal(w.targets[0].name, "ost074");
    assert_string_equal(w.targets[1].name, "ost149");
    assert_string_equal(w.targets[TARGETS - 2].name, "ost000");
    assert_string_equal(w.targets[TARGETS - 1].name, "ost075");
    stored_done(&s);
}

/* ---- other days ---- */

static void other_days_have_the_same_hours(void **state)
{
    /* By day from -3 to 2: what each step has; half of it is enough, less is not. */
    static const double days[][STEPS] = {
        { 300, 300, 300, 300 }, { 900, 900, NAN, NAN },     { 9000, NAN, NAN, NAN },
        { 600, 600, 600, 600 }, { 1200, 1200, 1200, 1200 }, { 600, 600, 600, 600 },
    };
    struct stored_series s = { 0 };
    struct lmt_points *points;
    AUTO(weather_done) struct weather w = { 0 };
    (void)state;
    assert_int_equal(lmt_points_new(&points), 0);
    for (size_t i = 0; i < COUNT_OF(days); i++)
        values_add(points, LMT_READ_BYTES, LMT_POINT_COUNT, "ost0",
                   T0_S + ((int64_t)i - 3) * DAY_S, days[i], STEPS);
    stored_add(&s, points);
    assert_int_equal(
        window_read(&s, T0_S - 3 * DAY_S, T0_S + 2 * DAY_S + STEPS * STEP_S, &w, NULL),
        0);
    const struct weather_line *line = &w.lines[LMT_READ_BYTES];
    assert_int_equal(line->day_count, 4);
    static const double means[] = { 1, 2, 3, 4 }; /* sorted */
    for (size_t i = 0; i < COUNT_OF(means); i++)
        assert_true(fabs(line->days[i] - means[i]) < 1e-12);
    struct percentile among = weather_line_percentile(line);
    assert_int_equal(among.count, 4);
    assert_int_equal(among.below, 1);
    assert_int_equal(among.equal, 1);
    /* The window first, then day by day, itself left out, to one beyond both ends. */
    assert_int_equal(s.windows[0], T0_S);
    for (size_t i = 1; i < s.window_count; i++)
        assert_true(s.windows[i] != T0_S && (s.windows[i] - T0_S) % DAY_S == 0);
    assert_int_equal(s.windows[1], T0_S - 4 * DAY_S);
    assert_int_equal(s.windows[s.window_count - 1], T0_S + 3 * DAY_S);
    stored_done(&s);
}

static void days_are_looked_for_only_where_there_is_something(void **state)
{
    static const double values[STEPS] = { 1, 2, 3, 4 };
    static const struct {
        const char *name;
        int64_t first_s, end_s;
        size_t windows;
    } cases[] = {
        { "the window alone", T0_S, T0_S + STEPS * STEP_S, 1 },
        { "an hour before it", T0_S - 3600, T0_S + STEPS * STEP_S, 2 },
        { "a day and more before it", T0_S - DAY_S, T0_S + STEPS * STEP_S, 3 },
        { "an hour after it", T0_S, T0_S + STEPS * STEP_S + 3600, 2 },
        { "nothing within", T0_S + 10, T0_S + 20, 1 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct stored_series s = { 0 };
        struct lmt_points *points;
        AUTO(weather_done) struct weather w = { 0 };
        assert_int_equal(lmt_points_new(&points), 0);
        values_add(points, LMT_OPENS, LMT_POINT_COUNT, "mdt0", T0_S, values, STEPS);
        stored_add(&s, points);
        assert_int_equal(window_read(&s, cases[i].first_s, cases[i].end_s, &w, NULL),
                         0);
        if (s.window_count != cases[i].windows)
            fail_msg("%s: %zu windows", cases[i].name, s.window_count);
        stored_done(&s);
    }
}

/* ---- errors ---- */

static void nothing_of_the_window_is_no_error(void **state)
{
    struct stored_series s = { 0 };
    AUTO(weather_done) struct weather w = { 0 };
    (void)state;
    assert_int_equal(window_read(&s, T0_S - 9 * DAY_S, T0_S, &w, NULL), 0);
    assert_int_equal(w.step_s, 0);
    assert_int_equal(w.target_count, 0);
    assert_true(isnan(w.idle));
    assert_int_equal(s.window_count, 1); /* no other day is read for nothing */
}

static void what_cannot_be_read_is_an_error(void **state)
{
    static const double values[STEPS] = { 1, 2, 3, 4 };
    struct stored_series s = { .rc = -EIO };
    struct weather w = { .step_s = 77 };
    struct err err = { 0 };
    struct lmt_points *points;
    (void)state;
    const struct weather_source source = source_of(&s, 0, 1);
    assert_int_equal(weather_read(&source, 5, 5, &w, &err), -EINVAL);
    assert_string_equal(err.text, "a window ends after it begins");
    assert_int_equal(window_read(&s, 0, T0_S, &w, &err), -EIO);
    s.rc = 0;
    assert_int_equal(lmt_points_new(&points), 0);
    values_add(points, LMT_OPENS, LMT_POINT_COUNT, "mdt0", T0_S, values, STEPS);
    stored_add(&s, points);
    s.fails_at = T0_S - DAY_S;
    assert_int_equal(window_read(&s, T0_S - DAY_S, T0_S, &w, &err), -EIO);
    assert_string_equal(err.text, "cannot be read");
    assert_int_equal(w.step_s, 77); /* untouched */
    stored_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_summed_over_targets_and_steps),
        cmocka_unit_test(a_gauge_has_a_mean_and_the_component_of_its_peak),
        cmocka_unit_test(a_hole_is_no_peak),
        cmocka_unit_test(more_targets_than_at_first_are_held),
        cmocka_unit_test(other_days_have_the_same_hours),
        cmocka_unit_test(days_are_looked_for_only_where_there_is_something),
        cmocka_unit_test(nothing_of_the_window_is_no_error),
        cmocka_unit_test(what_cannot_be_read_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
