/* SPDX-License-Identifier: Apache-2.0 */
/* test_time_form - times as tables write them, and the clocks of places. */
#include "analysis/table/table.h"
#include "base/test/testing.h"
#include "base/timetext.h"
#include "base/zone.h"

static void texts_are_times_of_their_form(void **state)
{
    (void)state;
    static const struct {
        const char *format, *zone, *text;
        const char *utc; /* NULL: no time */
    } cases[] = {
        { NULL, NULL, "1614580200", "2021-03-01T06:30:00Z" },
        { NULL, NULL, "1614580200.25", "2021-03-01T06:30:00.250Z" },
        { NULL, NULL, "2021-03-01 06:30:00+02", "2021-03-01T04:30:00Z" },
        { NULL, NULL, "2021-03-01T06:30", NULL },
        { NULL, "UTC", "2021-03-01T06:30", "2021-03-01T06:30:00Z" },
        { NULL, "-8h", "2021-03-01", "2021-03-01T08:00:00Z" },
        { NULL, "+05:30", "2021-03-01T05:30:00", "2021-03-01T00:00:00Z" },
        { NULL, "UTC", "2021-02-30", NULL },
        { NULL, NULL, "-5", NULL },
        { NULL, NULL, "1614580200000", NULL },
        { "ms", NULL, "1614580200250", "2021-03-01T06:30:00.250Z" },
        { "us", NULL, "1614580200000001", "2021-03-01T06:30:00.000001Z" },
        { "ns", NULL, "1614580200000000001", "2021-03-01T06:30:00.000000001Z" },
        { "ns", NULL, "x", NULL },
        { "%d.%m.%Y %H:%M", NULL, "01.03.2021 06:30", "2021-03-01T06:30:00Z" },
        { "%d.%m.%Y %H:%M", NULL, "31.02.2021 06:30", NULL },
        { "%m/%d/%Y %I:%M %p", NULL, "3/1/2021 06:30 PM", "2021-03-01T18:30:00Z" },
        { "%H:%M:%S.%f %d %b %Y", NULL, "06:30:00.125 01 Mar 2021",
          "2021-03-01T06:30:00.125Z" },
        { "%Y-%m-%d %H:%M %z", "-8h", "2021-03-01 06:30 +0100",
          "2021-03-01T05:30:00Z" },
        { "%Y", NULL, "1960", NULL },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct time_form form = { .format = cases[i].format };
        struct err err = { 0 };
        int64_t is_ns = 0;
        int64_t want_ns = 0;
        if (cases[i].zone) {
            form.has_zone = true;
            assert_int_equal(zone_load(cases[i].zone, &form.zone, &err), 0);
        }
        int rc = time_form_parse(&form, span_of(cases[i].text), &is_ns, &err);
        if (cases[i].utc)
            assert_int_equal(timetext_parse(span_of(cases[i].utc), &want_ns), 0);
        if ((rc == 0) != (cases[i].utc != NULL) || is_ns != want_ns)
            fail_msg("'%s': %d %lld %s", cases[i].text, rc, (long long)is_ns, err.text);
        zone_done(&form.zone);
    }
}

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
        const char *local, *utc;
    } cases[] = {
        { "2021-03-01T12:00Z", "2021-03-01T11:00:00Z" },
        { "2021-07-01T12:00Z", "2021-07-01T10:00:00Z" },
        { "2021-12-01T12:00Z", "2021-12-01T11:00:00Z" },
        { "2021-03-28T01:59Z", "2021-03-28T00:59:00Z" },
        { "2021-03-28T02:30Z", "2021-03-28T01:30:00Z" }, /* there was none */
        { "2021-03-28T03:00Z", "2021-03-28T01:00:00Z" },
        { "2021-10-31T02:30Z", "2021-10-31T00:30:00Z" }, /* the first of two */
        { "2021-10-31T03:00Z", "2021-10-31T02:00:00Z" },
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
        cmocka_unit_test(texts_are_times_of_their_form),
        cmocka_unit_test(places_have_summer_times),
        cmocka_unit_test(what_is_no_zone_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
