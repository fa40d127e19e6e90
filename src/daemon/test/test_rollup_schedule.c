/* SPDX-License-Identifier: Apache-2.0 */
/* test_rollup_schedule - which hours of rows are added up next. */
#include "daemon/rollup/rollup_schedule.h"

#include "base/cleanup.h"
#include "base/test/testing.h"
#include "query/query.h"

#define H ROLLUP_HOUR_MS
#define NOW (100 * H + H / 2) /* half past hour 100 */
#define YEAR (24 * 365 * H)

static void hours_are_those_that_are_over_have_rows_and_are_retained(void **state)
{
    static const struct {
        const char *name;
        int64_t first_ms, last_ms, rollup_first_ms, now_ms, retention_ms;
        bool want;
        int64_t from, to; /* hours */
    } cases[] = {
        { "all of a day", 80 * H + 5, NOW, T_NONE, NOW, YEAR, true, 80, 100 },
        { "the last hour is waited for", 80 * H + 1, 100 * H, T_NONE,
          100 * H + ROLLUP_DELAY_MS, YEAR, true, 80, 99 },
        { "and comes when its rows have had time", 80 * H + 1, 100 * H, T_NONE,
          100 * H + ROLLUP_DELAY_MS + 1, YEAR, true, 80, 100 },
        { "hours that no row reached are left", 80 * H + 1, 90 * H + 1, T_NONE, NOW,
          YEAR, true, 80, 91 },
        { "also by a clock that is a year ahead", 80 * H + 1, 90 * H + 1, T_NONE,
          NOW + YEAR, 10 * YEAR, true, 80, 91 },
        { "older ones than the retention are left", 80 * H + 1, NOW, T_NONE, NOW,
          10 * H, true, 91, 100 },
        { "nothing is over yet", 100 * H + 1, NOW, T_NONE, NOW, YEAR, false, 0, 0 },
        { "nothing is retained", 10 * H, 20 * H, T_NONE, NOW, H, false, 0, 0 },
        { "rows from before were dropped: the first have no predecessor", 20 * H + 1,
          NOW, 10 * H, NOW, YEAR, true, 22 + RECORDS_LOOKBACK_MS / H, 100 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct records_extent extent = {
            .first_ms = cases[i].first_ms,
            .last_ms = cases[i].last_ms,
            .rollup_first_ms = cases[i].rollup_first_ms,
        };
        int64_t from_ms = 0, to_ms = 0;
        bool got = rollup_schedule_range(&extent, cases[i].now_ms,
                                         cases[i].retention_ms, &from_ms, &to_ms);
        if (got != cases[i].want || from_ms != cases[i].from * H ||
            to_ms != cases[i].to * H)
            fail_msg("%s: %d, %lld to %lld", cases[i].name, got,
                     (long long)(from_ms / H), (long long)(to_ms / H));
    }
}

/* '.' is clean, 'x' is to be made. */
static void runs_go_back_in_time_six_at_once(void **state)
{
    static const struct {
        const char *hours;
        size_t runs[4][2];
        size_t count;
    } cases[] = {
        { "", { { 0 } }, 0 },
        { "....", { { 0 } }, 0 },
        { "x", { { 0, 1 } }, 1 },
        { "xx..x.", { { 4, 5 }, { 0, 2 } }, 2 },
        { "xxxxxx", { { 0, 6 } }, 1 },
        { "xxxxxxx.", { { 1, 7 }, { 0, 1 } }, 2 },
        { "xxxxxxxxxxxxx", { { 7, 13 }, { 1, 7 }, { 0, 1 } }, 3 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        bool clean[16];
        size_t count = strlen(cases[i].hours), found = 0;
        for (size_t k = 0; k < count; k++)
            clean[k] = cases[i].hours[k] == '.';
        struct rollup_run run = { .begin = count };
        while (rollup_schedule_next(clean, &run)) {
            if (found == cases[i].count || run.begin != cases[i].runs[found][0] ||
                run.end != cases[i].runs[found][1])
                fail_msg("'%s': run %zu is %zu to %zu", cases[i].hours, found,
                         run.begin, run.end);
            found++;
        }
        assert_int_equal(found, cases[i].count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hours_are_those_that_are_over_have_rows_and_are_retained),
        cmocka_unit_test(runs_go_back_in_time_six_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
