/* SPDX-License-Identifier: Apache-2.0 */
/* test_day - days of the calendar, and how far back the rows of one reach. */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "records/tables/day.h"

static void days_are_those_of_the_calendar(void **state)
{
    (void)state;
    static const struct {
        int64_t t_ms;
        int32_t day;
    } cases[] = {
        { 0, 19700101 },
        { 86399999, 19700101 },
        { 86400000, 19700102 },
        { 951782400000, 20000229 },
        { 951868800000, 20000301 },
        { 1709164800000, 20240229 },
        { 1795219200000, 20261121 },
        { 4107542400000, 21000301 }, /* 2100 has no 29 February */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int64_t start_ms = cases[i].t_ms - cases[i].t_ms % MS_PER_DAY;
        if (day_of(cases[i].t_ms) != cases[i].day ||
            day_start_ms(cases[i].day) != start_ms)
            fail_msg("%lld: got %d, which begins at %lld", (long long)cases[i].t_ms,
                     day_of(cases[i].t_ms), (long long)day_start_ms(cases[i].day));
    }
    for (int64_t day = 0; day < 60000; day++)
        assert_true(day_start_ms(day_of(day * MS_PER_DAY)) == day * MS_PER_DAY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(days_are_those_of_the_calendar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
