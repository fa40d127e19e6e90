/* SPDX-License-Identifier: Apache-2.0 */
/* test_space_trend - how fast something fills, and when it is full. */
#include "analysis/space/space.h"
#include "base/test/testing.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define S_NS ((int64_t)1000000000)
#define HOUR_NS (3600 * S_NS)
#define DAY_NS (24 * HOUR_NS)
#define NOW_NS (20000 * DAY_NS)
#define HOURS 240
#define CAPACITY 10000.0

/* Deterministic errors in -1 .. 1. */
static double error_at(unsigned i)
{
    unsigned x = (i + 1) * 2654435761u;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return (double)(x % 2001) / 1000 - 1;
}

/* 1000 and so much more each hour. */
static void used_fill(double *used, size_t count, double an_hour, double error)
{
    for (size_t i = 0; i < count; i++)
        used[i] = 1000 + an_hour * (double)i + error * error_at((unsigned)i);
}

static struct space_trend_opts opts_of(const double *used, size_t count)
{
    return (struct space_trend_opts){ .used = used,
                                      .count = count,
                                      .step_ns = HOUR_NS,
                                      .capacity = CAPACITY,
                                      .available = 1000,
                                      .now_ns = NOW_NS,
                                      .history_ns_min = DAY_NS };
}

static struct space_trend trend_of(const double *used, size_t count)
{
    struct space_trend t;
    const struct space_trend_opts opts = opts_of(used, count);
    assert_int_equal(space_trend_of(&opts, &t), 0);
    return t;
}

/* Values a second, so that slopes are those of the publication. */
static struct space_trend trend_a_second(const double *used, size_t count)
{
    struct space_trend t;
    struct space_trend_opts opts = opts_of(used, count);
    opts.step_ns = S_NS;
    opts.history_ns_min = 0;
    assert_int_equal(space_trend_of(&opts, &t), 0);
    return t;
}

#define ABOUT(value, wanted)                                           \
    do {                                                               \
        if (!(fabs((value) - (wanted)) < 1e-9))                        \
            fail_msg("%s is %.12g, not %.12g", #value, value, wanted); \
    } while (0)

/* Sen's example (1968, section 6), with its last point twice more: t 1 2 3 4 10 12 18
 * 19 20, x 9 15 19 20 45 55 78 82 86.  36 slopes; by hand: s^2 = 9 * 8 * 23 / 18 = 92,
 * half the width 1.95996 * 9.59166 = 18.7993, ranks 8.6 -> 8 and 27.4 + 1 -> 29. */
static void sens_example_has_his_slope_and_ranks(void **state)
{
    (void)state;
    static const int at[] = { 1, 2, 3, 4, 10, 12, 18, 19, 20 };
    static const double x[] = { 9, 15, 19, 20, 45, 55, 78, 82, 86 };
    double used[20], slopes[36] = { 0 };
    size_t count = 0;
    for (size_t i = 0; i < 20; i++)
        used[i] = NAN;
    for (size_t i = 0; i < 9; i++)
        used[at[i] - 1] = x[i];
    for (size_t i = 0; i < 9; i++)
        for (size_t j = i + 1; j < 9; j++) {
            double slope = (x[j] - x[i]) / (at[j] - at[i]);
            size_t k = count++;
            for (; k > 0 && slopes[k - 1] > slope; k--)
                slopes[k] = slopes[k - 1];
            slopes[k] = slope;
        }
    struct space_trend t = trend_a_second(used, 20);
    assert_int_equal(t.values, 9);
    ABOUT(t.growth, 4.0);
    ABOUT(t.growth_low, slopes[8 - 1]);
    ABOUT(t.growth_high, slopes[29 - 1]);
    assert_true(t.growth_low < 4 && t.growth_high > 4);
}

/* 1 2 2 2 5 6 7 8: one group of three equal values reduces by 3 * 2 * 11
 * 8 * 7 * 21, so that s^2 is (1176 - 66) / 18 = 61.67 and not 65.33; half the width is
 * 15.39, the ranks are 6.3 -> 6 and 21.7 + 1 -> 23.  (Without the correction, 15.84:
 * 6.08 and 21.92; the same ranks.  A correction that adds, 16.28: 5.86 -> 5.) */
static void equal_values_make_the_interval_narrower(void **state)
{
    (void)state;
    static const double used[] = { 1, 2, 2, 2, 5, 6, 7, 8 };
    /* The slopes in order: 0 0 0 1/2 3/4 1/1 ... ; the ends are the 6th and the 23rd.
     */
    double slopes[28] = { 0 };
    size_t count = 0;
    for (size_t i = 0; i < 8; i++)
        for (size_t j = i + 1; j < 8; j++) {
            double slope = (used[j] - used[i]) / (double)(j - i);
            size_t k = count++;
            for (; k > 0 && slopes[k - 1] > slope; k--)
                slopes[k] = slopes[k - 1];
            slopes[k] = slope;
        }
    struct space_trend t = trend_a_second(used, 8);
    ABOUT(t.growth_low, slopes[6 - 1]);
    ABOUT(t.growth_high, slopes[23 - 1]);
    assert_true(slopes[5] > slopes[4] + 1e-9); /* the neighbouring rank differs */
}

static void a_planted_growth_is_inside_the_interval(void **state)
{
    (void)state;
    double used[HOURS];
    used_fill(used, HOURS, 10, 20);
    struct space_trend t = trend_of(used, HOURS);
    assert_int_equal(t.outlook, SPACE_GROWS);
    assert_true(t.growth_low <= 10 / 3600.0 && 10 / 3600.0 <= t.growth_high);
    assert_true(fabs(t.growth * 3600 - 10) < 0.1);
    assert_true(t.growth_high - t.growth_low < 0.2 / 3600.0);
    assert_true(t.growth_high > t.growth_low);
    assert_true(t.full_first_ns <= t.full_ns && t.full_ns <= t.full_last_ns);
    assert_true(llabs(t.full_ns - NOW_NS - 100 * HOUR_NS) < 2 * HOUR_NS);
}

static void a_line_without_errors_is_exact(void **state)
{
    (void)state;
    double used[100];
    used_fill(used, 100, 9, 0);
    struct space_trend t = trend_of(used, 100);
    assert_int_equal(t.outlook, SPACE_GROWS);
    assert_int_equal(t.values, 100);
    assert_int_equal(t.history_ns, 99 * HOUR_NS);
    ABOUT(t.growth * 3600, 9.0);
    assert_true(llabs(t.full_ns - NOW_NS - 1000 * HOUR_NS / 9) < S_NS);
    assert_true(t.full_first_ns == t.full_ns && t.full_last_ns == t.full_ns);
}

static void growth_is_that_between_clean_ups(void **state)
{
    (void)state;
    double used[HOURS];
    used_fill(used, HOURS, 10, 5);
    for (size_t i = 80; i < HOURS; i++)
        used[i] -= i < 160 ? 700 : 1400;
    struct space_trend t = trend_of(used, HOURS);
    assert_int_equal(t.cleanups.count, 2);
    assert_true(fabs(t.cleanups.removed - 1380) < 40);
    assert_int_equal(t.outlook, SPACE_GROWS);
    assert_true(fabs(t.growth * 3600 - 10) < 0.2);
    assert_true(t.growth_low * 3600 > 9 && t.growth_high * 3600 < 11);
}

static void an_outlier_and_gaps_do_not_move_the_growth(void **state)
{
    (void)state;
    double used[HOURS];
    used_fill(used, HOURS, 10, 5);
    for (size_t i = 0; i + 1 < HOURS; i += 20) {
        used[i] = 9000;
        used[i + 1] = NAN;
    }
    struct space_trend t = trend_of(used, HOURS);
    assert_int_equal(t.outlook, SPACE_GROWS);
    assert_int_equal(t.values, HOURS - 12);
    assert_true(fabs(t.growth * 3600 - 10) < 1);
}

static void what_does_not_clearly_grow_has_no_date(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double an_hour, error;
        size_t hours;
        enum space_outlook outlook;
    } cases[] = {
        { "constant", 0, 0, HOURS, SPACE_UNCLEAR },
        { "errors only", 0, 20, HOURS, SPACE_UNCLEAR },
        /* The median of the slopes is above 0, the interval contains it. */
        { "rising, but not clearly", 1, 60, 40, SPACE_UNCLEAR },
        { "falling slowly", -3, 5, HOURS, SPACE_SHRINKS },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double used[HOURS];
        used_fill(used, cases[i].hours, cases[i].an_hour, cases[i].error);
        struct space_trend t = trend_of(used, cases[i].hours);
        if (t.outlook != cases[i].outlook)
            fail_msg("%s: %s", cases[i].name, space_outlook_name(t.outlook));
        if (cases[i].an_hour > 0)
            assert_true(t.growth > 0 && t.growth_low < 0);
        assert_true(t.full_ns == SPACE_FULL_NEVER);
        assert_true(t.full_first_ns == SPACE_FULL_NEVER);
        assert_true(t.full_last_ns == SPACE_FULL_NEVER);
    }
}

static void little_history_gives_no_growth(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t hours, missing;
        bool is_enough;
    } cases[] = {
        { "a day", 25, 0, true },         { "an hour less", 24, 0, false },
        { "eight values", 25, 17, true }, { "seven values", 25, 18, false },
        { "one", 1, 0, false },           { "none", 1, 1, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double used[HOURS];
        used_fill(used, cases[i].hours, 10, 0);
        for (size_t k = 0; k < cases[i].missing; k++)
            used[cases[i].hours - 1 - (cases[i].hours > 1) - k] = NAN;
        struct space_trend t = trend_of(used, cases[i].hours);
        if ((t.outlook == SPACE_GROWS) != cases[i].is_enough)
            fail_msg("%s: %s", cases[i].name, space_outlook_name(t.outlook));
        if (isnan(t.growth) == cases[i].is_enough)
            fail_msg("%s: growth %g", cases[i].name, t.growth);
    }
}

static void what_is_full_is_full_with_any_history(void **state)
{
    (void)state;
    double used[HOURS];
    struct space_trend t;
    used_fill(used, HOURS, 10, 0);
    struct space_trend_opts opts = opts_of(used, 1);
    opts.available = 0;
    assert_int_equal(space_trend_of(&opts, &t), 0);
    assert_int_equal(t.outlook, SPACE_FULL);
    assert_true(isnan(t.growth));
    opts.count = HOURS;
    assert_int_equal(space_trend_of(&opts, &t), 0);
    assert_int_equal(t.outlook, SPACE_FULL);
    ABOUT(t.growth * 3600, 10.0);
    assert_true(t.full_ns == SPACE_FULL_NEVER);
}

static void a_date_beyond_the_horizon_is_none(void **state)
{
    (void)state;
    double used[HOURS];
    struct space_trend t;
    used_fill(used, HOURS, 1, 0);
    struct space_trend_opts opts = opts_of(used, HOURS);
    opts.available = SPACE_HORIZON_DAYS * 24.0 - 1;
    assert_int_equal(space_trend_of(&opts, &t), 0);
    assert_true(t.full_ns != SPACE_FULL_NEVER);
    opts.available += 2;
    assert_int_equal(space_trend_of(&opts, &t), 0);
    assert_int_equal(t.outlook, SPACE_GROWS);
    assert_true(t.full_ns == SPACE_FULL_NEVER);
}

static void options_out_of_their_limits_are_refused(void **state)
{
    (void)state;
    static double used[SPACE_VALUES_MAX + 1];
    struct space_trend_opts cases[] = {
        opts_of(used, 0),     opts_of(used, SPACE_VALUES_MAX + 1),
        opts_of(used, HOURS), opts_of(used, HOURS),
        opts_of(used, HOURS), opts_of(used, HOURS),
        opts_of(used, HOURS), opts_of(used, HOURS),
        opts_of(used, HOURS),
    };
    cases[2].step_ns = 0;
    cases[3].step_ns = INT64_MAX / 100;
    cases[4].capacity = 0;
    cases[5].capacity = INFINITY;
    cases[6].available = NAN;
    cases[7].now_ns = -1;
    cases[8].now_ns = INT64_MAX;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct space_trend t = { .values = 77 };
        if (space_trend_of(&cases[i], &t) != -EINVAL || t.values != 77)
            fail_msg("case %zu is not refused", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sens_example_has_his_slope_and_ranks),
        cmocka_unit_test(equal_values_make_the_interval_narrower),
        cmocka_unit_test(a_planted_growth_is_inside_the_interval),
        cmocka_unit_test(a_line_without_errors_is_exact),
        cmocka_unit_test(growth_is_that_between_clean_ups),
        cmocka_unit_test(an_outlier_and_gaps_do_not_move_the_growth),
        cmocka_unit_test(what_does_not_clearly_grow_has_no_date),
        cmocka_unit_test(little_history_gives_no_growth),
        cmocka_unit_test(what_is_full_is_full_with_any_history),
        cmocka_unit_test(a_date_beyond_the_horizon_is_none),
        cmocka_unit_test(options_out_of_their_limits_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
