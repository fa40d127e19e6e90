/* SPDX-License-Identifier: Apache-2.0 */
/* test_weather - the same hours of other days, over changes to summer time and back. */
#include "analysis/weather/weather.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "base/timetext.h"

#define DAYS_MAX 400

static int64_t seconds_of(const char *text)
{
    int64_t t_ns;
    assert_int_equal(timetext_parse(span_of(text), &t_ns), 0);
    return t_ns / NS_PER_S;
}

static void the_same_hours_are_those_of_the_place(void **state)
{
    (void)state;
    AUTO(zone_done) struct zone zone = { 0 };
    assert_int_equal(zone_load("Europe/Berlin", &zone, NULL), 0);
    static const struct {
        const char *name, *from;
        int64_t days;
        const char *want;
    } cases[] = {
        { "over spring", "2017-03-25T08:40:00Z", 1, "2017-03-26T07:40:00Z" },
        { "back over spring", "2017-03-27T07:40:00Z", -2, "2017-03-25T08:40:00Z" },
        { "within winter", "2017-03-25T08:40:00Z", -7, "2017-03-18T08:40:00Z" },
        { "over autumn", "2017-10-28T07:40:00Z", 1, "2017-10-29T08:40:00Z" },
        { "back over autumn", "2017-10-30T08:40:00Z", -3, "2017-10-27T07:40:00Z" },
        { "over both", "2017-03-01T08:40:00Z", 300, "2017-12-26T08:40:00Z" },
        { "midnight is another day in UTC", "2017-03-25T23:30:00Z", 1,
          "2017-03-26T22:30:00Z" },
        { "into the hour that spring leaves out", "2017-03-25T01:30:00Z", 1,
          "2017-03-26T01:30:00Z" },
        { "into the hour that comes twice", "2017-10-28T00:30:00Z", 1,
          "2017-10-29T00:30:00Z" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int64_t from_s = seconds_of(cases[i].from);
        int64_t got = from_s + weather_shift_s(&zone, from_s, cases[i].days);
        char text[TIMETEXT_SIZE];
        (void)timetext_print(text, got * NS_PER_S);
        if (got != seconds_of(cases[i].want))
            fail_msg("%s: %s, want %s", cases[i].name, text, cases[i].want);
    }
}

static void no_day_is_more_than_an_hour_off(void **state)
{
    (void)state;
    AUTO(zone_done) struct zone zone = { 0 };
    assert_int_equal(zone_load("Europe/Berlin", &zone, NULL), 0);
    const int64_t from_s = seconds_of("2017-02-14T00:30:00Z");
    int64_t before_s = INT64_MIN;
    for (int64_t day = -DAYS_MAX; day <= DAYS_MAX; day++) {
        int64_t shift_s = weather_shift_s(&zone, from_s, day);
        int64_t off_s = shift_s - day * 86400;
        if (off_s < -3600 || off_s > 3600 || shift_s <= before_s)
            fail_msg("day %lld: %lld s", (long long)day, (long long)off_s);
        before_s = shift_s;
    }
}

static void without_a_zone_days_are_those_of_utc(void **state)
{
    (void)state;
    for (int64_t day = -DAYS_MAX; day <= DAYS_MAX; day++)
        assert_int_equal(weather_shift_s(NULL, 1490000000, day), day * 86400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_hours_are_those_of_the_place),
        cmocka_unit_test(no_day_is_more_than_an_hour_off),
        cmocka_unit_test(without_a_zone_days_are_those_of_utc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
