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

static void years_beyond_the_last_change_go_by_the_rule(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        const char *local, *utc;
    } cases[] = {
        { "\nCET-1CEST,M3.5.0,M10.5.0/3\n", "2050-07-01T12:00Z",
          "2050-07-01T10:00:00Z" },
        { "\nCET-1CEST,M3.5.0,M10.5.0/3\n", "2050-12-01T12:00Z",
          "2050-12-01T11:00:00Z" },
        { "\nCET-1CEST,M3.5.0,M10.5.0/3\n", "2050-03-27T01:59Z",
          "2050-03-27T00:59:00Z" },
        { "\nCET-1CEST,M3.5.0,M10.5.0/3\n", "2050-03-27T03:00Z",
          "2050-03-27T01:00:00Z" },
        { "\nCET-1CEST,M3.5.0,M10.5.0/3\n", "2050-10-30T02:30Z",
          "2050-10-30T00:30:00Z" },
        { "\nCET-1CEST,M3.5.0,M10.5.0/3\n", "2021-07-01T12:00Z",
          "2021-07-01T10:00:00Z" },
        /* by half an hour, south of the equator */
        { "\n<+1030>-10:30<+11>-11,M10.1.0,M4.1.0\n", "2031-01-10T12:00Z",
          "2031-01-10T01:00:00Z" },
        { "\n<+1030>-10:30<+11>-11,M10.1.0,M4.1.0\n", "2031-07-10T12:00Z",
          "2031-07-10T01:30:00Z" },
        /* winter time is the one that is set back */
        { "\nIST-1GMT0,M10.5.0,M3.5.0/1\n", "2031-01-10T12:00Z",
          "2031-01-10T12:00:00Z" },
        { "\nIST-1GMT0,M10.5.0,M3.5.0/1\n", "2031-07-10T12:00Z",
          "2031-07-10T11:00:00Z" },
        /* days of the year, with and without the 29th of February */
        { "\nAAA0BBB,J60/0,J300\n", "2032-03-01T12:00Z", "2032-03-01T11:00:00Z" },
        { "\nAAA0BBB,60/0,300\n", "2031-03-01T12:00Z", "2031-03-01T12:00:00Z" },
        { "\nAAA0BBB,60/0,300\n", "2032-03-01T12:00Z", "2032-03-01T11:00:00Z" },
        /* nothing, or nothing that is a rule: the last change holds */
        { "\n\n", "2050-07-01T12:00Z", "2050-07-01T11:00:00Z" },
        { "\nCET-1\n", "2050-07-01T12:00Z", "2050-07-01T11:00:00Z" },
        { "\nCET-1CEST,M13.5.0,M10.5.0\n", "2050-07-01T12:00Z",
          "2050-07-01T11:00:00Z" },
        { "\nCET-1CEST,M3.5.0\n", "2050-07-01T12:00Z", "2050-07-01T11:00:00Z" },
        { "\nCET-1CEST,M3.5.0,M10.5.0/3x\n", "2050-07-01T12:00Z",
          "2050-07-01T11:00:00Z" },
        { "CET-1CEST,M3.5.0,M10.5.0/3", "2050-07-01T12:00Z", "2050-07-01T11:00:00Z" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char bytes[sizeof tzif + 64], text[TIMETEXT_SIZE];
        AUTO(zone_done) struct zone zone = { 0 };
        int64_t local_ns = 0;
        size_t rule_size = strlen(cases[i].rule);
        memcpy(bytes, tzif, sizeof tzif - 1);
        memcpy(bytes + sizeof tzif - 1, cases[i].rule, rule_size);
        assert_int_equal(
            zone_parse((struct span){ bytes, sizeof tzif - 1 + rule_size }, &zone), 0);
        assert_int_equal(timetext_parse(span_of(cases[i].local), &local_ns), 0);
        (void)timetext_print(text, zone_utc_ns(&zone, local_ns));
        if (strcmp(text, cases[i].utc) != 0)
            fail_msg("case %zu: %s", i, text);
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

static void clocks_show_a_time_without_its_zone(void **state)
{
    struct zone_change changes[] = { { INT64_C(7200000000000),
                                       INT64_C(3600000000000) } };
    const struct zone zone = { 0, changes, 1 };
    char text[TIMETEXT_SIZE];
    (void)state;
    assert_int_equal(zone_print(text, &zone, INT64_C(7199000000000)), 19);
    assert_string_equal(text, "1970-01-01 01:59:59");
    (void)zone_print(text, &zone, INT64_C(7200500000000));
    assert_string_equal(text, "1970-01-01 03:00:00.500");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_show_a_time_without_its_zone),
        cmocka_unit_test(places_have_summer_times),
        cmocka_unit_test(what_is_no_zone_is_refused),
        cmocka_unit_test(years_beyond_the_last_change_go_by_the_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
