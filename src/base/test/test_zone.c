/* SPDX-License-Identifier: Apache-2.0 */
/* test_zone - times of a place's clocks, in summer and winter. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "base/timetext.h"
#include "base/zone.h"

#include <errno.h>
#include <string.h>

/* Middle Europe in 2021 and 2022, as a file of the zone database has it. */
static const char tzif[] = "TZif2"
                           "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                           "\0\0\0\0"
                           "\0\0\0\0"
                           "\0\0\0\0"
                           "\0\0\0\0"
                           "\0\0\0\1"
                           "\0\0\0\1"
                           "\0\0\0\0\0\0"
                           "\0"
                           "TZif2"
                           "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                           "\0\0\0\0"
                           "\0\0\0\0"
                           "\0\0\0\0"
                           "\0\0\0\2"
                           "\0\0\0\2"
                           "\0\0\0\4"
                           "\0\0\0\0\x60\x5F\xD5\x10"
                           "\0\0\0\0\x61\x7D\xEA\x90"
                           "\1\0"
                           "\0\0\x0E\x10\0\0"
                           "\0\0\x1C\x20\1\0"
                           "CET\0";

static void places_have_summer_times(void **state)
{
    (void)state;
    static const struct {
        const char *local, *utc, *second; /* second: NULL: as utc */
    } cases[] = {
        { "2021-03-01T12:00Z", "2021-03-01T11:00:00Z", NULL },
        { "2021-07-01T12:00Z", "2021-07-01T10:00:00Z", NULL },
        { "2021-12-01T12:00Z", "2021-12-01T11:00:00Z", NULL },
        { "2021-03-28T01:59Z", "2021-03-28T00:59:00Z", NULL },
        { "2021-03-28T02:30Z", "2021-03-28T01:30:00Z", NULL }, /* there was none */
        { "2021-03-28T03:00Z", "2021-03-28T01:00:00Z", NULL },
        { "2021-10-31T02:30Z", "2021-10-31T00:30:00Z",
          "2021-10-31T01:30:00Z" }, /* it comes twice */
        { "2021-10-31T02:00Z", "2021-10-31T00:00:00Z", "2021-10-31T01:00:00Z" },
        { "2021-10-31T01:59Z", "2021-10-30T23:59:00Z", NULL },
        { "2021-10-31T03:00Z", "2021-10-31T02:00:00Z", NULL },
    };
    AUTO(zone_done) struct zone zone = { 0 };
    assert_int_equal(zone_parse((struct span){ tzif, sizeof tzif - 1 }, &zone), 0);
    assert_int_equal(zone.change_count, 2);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[TIMETEXT_SIZE];
        int64_t local_ns = 0;
        assert_int_equal(timetext_parse(span_of(cases[i].local), &local_ns), 0);
        (void)timetext_print(text, zone_utc_ns(&zone, local_ns));
        assert_string_equal(text, cases[i].utc);
        (void)timetext_print(text, zone_utc_second_ns(&zone, local_ns));
        assert_string_equal(text, cases[i].second ? cases[i].second : cases[i].utc);
    }
}

static void what_is_no_zone_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {
        "Tuesday", "",    "../passwd", "/etc/passwd",
        "Europe/", "25h", "+1:0",      "Europe//Berlin"
    };
    struct zone zone = { 0 };
    struct err err = { 0 };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        assert_int_equal(zone_load(names[i], &zone, &err), -EINVAL);
    for (size_t size = 0; size < sizeof tzif - 1; size++)
        assert_int_equal(zone_parse((struct span){ tzif, size }, &zone), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_have_summer_times),
        cmocka_unit_test(what_is_no_zone_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
