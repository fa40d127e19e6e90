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

static struct jobrow row_at(int64_t t_ms)
{
    return (struct jobrow){ .t_ms = t_ms,
                            .since_ms = T_NONE,
                            .previous_ms = T_NONE,
                            .start_ns = T_NONE,
                            .snapshot_ns = T_NONE };
}

static void a_row_reaches_as_far_back_as_it_says(void **state)
{
    (void)state;
    const int64_t t_ms = 10 * MS_PER_DAY;
    static const struct {
        const char *name;
        int64_t since, previous, start; /* ms before the row; -1: not known */
        enum jobrow_reset reset;
        int64_t want;
    } cases[] = {
        { "nothing is known before", -1, -1, -1, RESET_YES, 0 },
        { "since alone", 120000, -1, -1, RESET_NO, 120000 },
        { "previous is further back", 120000, 240000, -1, RESET_NO, 240000 },
        { "since is further back", 240000, 120000, -1, RESET_NO, 240000 },
        { "it began long ago", 120000, 120000, 900000, RESET_NO, 900000 },
        { "its base is zero since a known time", 120000, -1, 900000, RESET_YES,
          120000 },
        { "the flat form says nothing", -1, -1, -1, RESET_UNKNOWN, FLAT_SPAN_MS },
        { "the flat form began before that", -1, -1, 2 * FLAT_SPAN_MS, RESET_UNKNOWN,
          2 * FLAT_SPAN_MS },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct jobrow row = row_at(t_ms);
        row.reset = cases[i].reset;
        if (cases[i].since >= 0)
            row.since_ms = t_ms - cases[i].since;
        if (cases[i].previous >= 0)
            row.previous_ms = t_ms - cases[i].previous;
        if (cases[i].start >= 0)
            row.start_ns = (t_ms - cases[i].start) * NS_PER_MS;
        if (day_row_span_ms(&row) != cases[i].want)
            fail_msg("%s: %lld", cases[i].name, (long long)day_row_span_ms(&row));
    }
}

static void rows_are_grouped_by_day_with_the_largest_span(void **state)
{
    (void)state;
    struct jobrow rows[] = { row_at(5), row_at(MS_PER_DAY - 1), row_at(MS_PER_DAY),
                             row_at(3 * MS_PER_DAY + 7) };
    struct keyed_row keyed[COUNT_OF(rows)];
    struct day_span days[4];
    rows[0].since_ms = 2;
    rows[1].since_ms = MS_PER_DAY - 101;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        rows[i].reset = RESET_YES;
        keyed[i] = (struct keyed_row){ .row = &rows[i] };
    }
    assert_int_equal(day_spans(keyed, COUNT_OF(rows), days, COUNT_OF(days)), 3);
    assert_int_equal(days[0].day, 19700101);
    assert_int_equal(days[0].span_ms, 100);
    assert_int_equal(days[1].day, 19700102);
    assert_int_equal(days[1].span_ms, 0);
    assert_int_equal(days[2].day, 19700104);
    assert_int_equal(day_spans(keyed, COUNT_OF(rows), days, 1), 1);
    assert_int_equal(day_spans(keyed, 0, days, COUNT_OF(days)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(days_are_those_of_the_calendar),
        cmocka_unit_test(a_row_reaches_as_far_back_as_it_says),
        cmocka_unit_test(rows_are_grouped_by_day_with_the_largest_span),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
