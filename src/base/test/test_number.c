/* SPDX-License-Identifier: Apache-2.0 */
/* test_number - numbers <-> text. */
#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <errno.h>

static void u64_takes_digits_and_nothing_else(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int rc;
        uint64_t value;
    } cases[] = {
        { "0", 0, 0 },
        { "18446744073709551615", 0, UINT64_MAX },
        { "18446744073709551616", -ERANGE, 0 },
        { "", -EINVAL, 0 },
        { "-1", -EINVAL, 0 },
        { "1 ", -EINVAL, 0 },
        { "0x1", -EINVAL, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint64_t value = 0;
        int rc = number_parse_u64(span_of(cases[i].text), &value);
        if (rc != cases[i].rc || value != cases[i].value)
            fail_msg("'%s': got %d", cases[i].text, rc);
    }
}

static void i64_reaches_both_ends(void **state)
{
    (void)state;
    int64_t value = 0;
    assert_int_equal(number_parse_i64(SPAN("-9223372036854775808"), &value), 0);
    assert_true(value == INT64_MIN);
    assert_int_equal(number_parse_i64(SPAN("9223372036854775808"), &value), -ERANGE);
}

static void seconds_keep_nanoseconds(void **state)
{
    (void)state;
    int64_t ns = 0;
    assert_int_equal(number_parse_seconds(SPAN("1723114647.887515895"), &ns), 0);
    assert_true(ns == INT64_C(1723114647887515895));
    assert_int_equal(number_parse_seconds(SPAN("1723114647"), &ns), 0);
    assert_true(ns == INT64_C(1723114647) * NS_PER_S);
    assert_int_equal(number_parse_seconds(SPAN("1."), &ns), -EINVAL);
    assert_int_equal(number_parse_seconds(SPAN("99999999999"), &ns), -ERANGE);
}

static void durations_and_sizes_need_a_unit(void **state)
{
    (void)state;
    int64_t ns = 0;
    uint64_t bytes = 0;
    assert_int_equal(number_parse_duration(SPAN("2m"), &ns), 0);
    assert_true(ns == 120 * NS_PER_S);
    assert_int_equal(number_parse_duration(SPAN("2"), &ns), -EINVAL);
    assert_int_equal(number_parse_size(SPAN("64MiB"), &bytes), 0);
    assert_true(bytes == UINT64_C(64) << 20);
    assert_int_equal(number_parse_size(SPAN("64"), &bytes), -EINVAL);
    assert_int_equal(number_parse_size(SPAN("99999999TiB"), &bytes), -ERANGE);
}

static void a_printed_duration_is_read_as_the_same(void **state)
{
    static const struct {
        int64_t ns;
        const char *want;
    } cases[] = {
        { 120 * NS_PER_S, "2m" },       { 90 * NS_PER_S, "90s" },
        { 86400 * NS_PER_S, "1d" },     { 25 * 3600 * NS_PER_S, "25h" },
        { 1500 * NS_PER_MS, "1500ms" }, { 1234567, "1234567ns" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char out[32];
        int64_t back = -1;
        number_print_duration(out, sizeof out, cases[i].ns);
        assert_string_equal(out, cases[i].want);
        assert_int_equal(number_parse_duration(span_of(out), &back), 0);
        assert_true(back == cases[i].ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(u64_takes_digits_and_nothing_else),
        cmocka_unit_test(i64_reaches_both_ends),
        cmocka_unit_test(seconds_keep_nanoseconds),
        cmocka_unit_test(durations_and_sizes_need_a_unit),
        cmocka_unit_test(a_printed_duration_is_read_as_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
