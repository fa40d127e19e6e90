/* SPDX-License-Identifier: Apache-2.0 */
/* test_time_form - times as tables write them, and the clocks of places. */
#include "analysis/table/table.h"
#include "base/span.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_times_of_their_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
