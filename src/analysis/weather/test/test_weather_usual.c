/* SPDX-License-Identifier: Apache-2.0 */
/* test_weather_usual - whether a window was as usual. */
#include "analysis/weather/weather.h"
#include "base/test/testing.h"

#include <math.h>

static const double month[] = { 80,  85,  90,  90,  95,  95,  100, 100, 100, 100,
                                100, 105, 105, 110, 110, 115, 120, 125, 130, 300 };
static const double equal[] = { 7, 7, 7, 7, 7, 7 };
static const double zeros[] = { 0, 0, 0, 0, 0, 0 };

static struct weather_line line_of(const double *days, size_t count, double mean)
{
    return (struct weather_line){
        .is_known = true, .mean = mean, .days = days, .day_count = count
    };
}

static void each_window_is_judged_by_the_other_days(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const double *days;
        size_t count;
        double mean;
        enum weather_verdict verdict;
    } cases[] = {
        { "in the middle", month, 20, 101, WEATHER_AS_USUAL },
        { "one busy night hides no other", month, 20, 250, WEATHER_MORE },
        { "the busiest, and not by far", month + 5, 14, 131, WEATHER_AS_USUAL },
        { "much less", month, 20, 20, WEATHER_LESS },
        { "nothing", month, 20, 0, WEATHER_LESS },
        { "all days are the same, this one nearly", equal, 6, 7.5, WEATHER_AS_USUAL },
        { "all days are the same, this one not", equal, 6, 8, WEATHER_MORE },
        { "on other days nothing", zeros, 6, 5, WEATHER_MORE },
        { "now as ever nothing", zeros, 6, 0, WEATHER_AS_USUAL },
        { "too few days", month, 4, 1000, WEATHER_NOT_COMPARED },
        { "no days", NULL, 0, 1000, WEATHER_NOT_COMPARED },
        { "not measured", month, 20, NAN, WEATHER_NOT_COMPARED },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct weather_line line =
            line_of(cases[i].days, cases[i].count, cases[i].mean);
        struct weather_usual u = weather_line_usual(&line);
        if (u.verdict != cases[i].verdict)
            fail_msg("%s: %d, %g deviations", cases[i].name, (int)u.verdict,
                     u.deviations);
    }
}

static void what_is_usual_has_its_spread(void **state)
{
    (void)state;
    struct weather_line line = line_of(month, 20, 200);
    struct weather_usual u = weather_line_usual(&line);
    assert_float_equal(u.median, 100, 0);
    assert_float_equal(u.low, 95, 0);
    assert_float_equal(u.high, 111.25, 0);
    assert_float_equal(u.ratio, 2, 0);
    assert_true(fabs(u.deviations - 100 / (11.25 / 0.6744897501960817)) < 1e-9);
    assert_int_equal(u.among.below, 19);
    line.is_known = false;
    u = weather_line_usual(&line);
    assert_int_equal(u.verdict, WEATHER_NOT_COMPARED);
    assert_true(isnan(u.ratio) && isnan(u.deviations));
    assert_int_equal(u.among.count, 0);
    line = line_of(zeros, 6, 5);
    u = weather_line_usual(&line);
    assert_true(isnan(u.ratio) && isinf(u.deviations));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_window_is_judged_by_the_other_days),
        cmocka_unit_test(what_is_usual_has_its_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
