/* SPDX-License-Identifier: Apache-2.0 */
/* test_timetext - points in time <-> text. */
#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "base/timetext.h"

#include <errno.h>

static void rfc3339_is_read_exactly(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int rc;
        int64_t ns;
    } cases[] = {
        { "1970-01-01T00:00:00Z", 0, 0 },
        { "2022-11-21T06:02:00.000+00:00", 0, INT64_C(1669010520000000000) },
        { "2022-11-21T08:02:00+02:00", 0, INT64_C(1669010520000000000) },
        { "2022-11-21T06:02Z", 0, INT64_C(1669010520000000000) },
        { "2022-11-21 06:02:00.123456789Z", 0, INT64_C(1669010520123456789) },
        { "2024-02-29T00:00:00Z", 0, INT64_C(1709164800000000000) },
        { "2023-02-29T00:00:00Z", -EINVAL, 0 },
        { "2022-13-01T00:00:00Z", -EINVAL, 0 },
        { "2022-11-21T06:02:00", -EINVAL, 0 }, /* whose time? */
        { "2022-11-21T24:00:00Z", -EINVAL, 0 },
        { "2022-11-21T06:02:00.Z", -EINVAL, 0 },
        { "2022-11-21T06:02:00Zx", -EINVAL, 0 },
        { "1969-12-31T23:59:59Z", -ERANGE, 0 },
        { "2262-01-01T00:00:00Z", -ERANGE, 0 },
        { "1970-01-01T00:00:00+00:01", -ERANGE, 0 },
        { "2261-12-31T23:59:00-00:01", -ERANGE, 0 },
        { "2261-12-31T23:59:60Z", -ERANGE, 0 },
        { "", -EINVAL, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int64_t ns = 0;
        int rc = timetext_parse(span_of(cases[i].text), &ns);
        if (rc != cases[i].rc || ns != cases[i].ns)
            fail_msg("'%s': got %d, %lld", cases[i].text, rc, (long long)ns);
    }
}

static void what_is_printed_reads_back(void **state)
{
    (void)state;
    static const int64_t times[] = { 0,
                                     1,
                                     999,
                                     1000000,
                                     INT64_C(1669010520123000000),
                                     INT64_C(951782399999999999),
                                     INT64_C(9214646399999999999) };
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        char text[TIMETEXT_SIZE];
        int64_t back = -1;
        size_t size = timetext_print(text, times[i]);
        assert_int_equal(timetext_parse((struct span){ text, size }, &back), 0);
        assert_true(back == times[i]);
        size = timetext_print_seconds(text, times[i]);
        assert_int_equal(number_parse_seconds((struct span){ text, size }, &back), 0);
        assert_true(back == times[i]);
    }
}

static void people_may_write_relative_times(void **state)
{
    (void)state;
    int64_t now = INT64_C(1669010520) * NS_PER_S;
    int64_t t = 0;
    assert_int_equal(timetext_parse_user(SPAN("now"), now, &t), 0);
    assert_true(t == now);
    assert_int_equal(timetext_parse_user(SPAN("-2h"), now, &t), 0);
    assert_true(t == now - 7200 * NS_PER_S);
    assert_int_equal(timetext_parse_user(SPAN("@1669010520"), now, &t), 0);
    assert_true(t == now);
    assert_int_equal(timetext_parse_user(SPAN("2022-11-21"), now, &t), 0);
    assert_true(t == INT64_C(1668988800) * NS_PER_S);
    assert_int_equal(timetext_parse_user(SPAN("+90m"), now, &t), 0);
    assert_int_equal(t, now + 5400 * NS_PER_S);
    assert_int_equal(timetext_parse_user(SPAN("+90"), now, &t), -EINVAL);
    assert_int_equal(timetext_parse_user(SPAN("+1000000000h"), now, &t), -ERANGE);
    assert_int_equal(timetext_parse_user(SPAN("yesterday"), now, &t), -EINVAL);
    assert_int_equal(timetext_parse_user(SPAN("-2"), now, &t), -EINVAL);
    assert_int_equal(timetext_parse_user(SPAN("@-1"), now, &t), -ERANGE);
    assert_int_equal(timetext_parse_user(SPAN("-1000000h"), now, &t), -ERANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rfc3339_is_read_exactly),
        cmocka_unit_test(what_is_printed_reads_back),
        cmocka_unit_test(people_may_write_relative_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
