/* SPDX-License-Identifier: Apache-2.0 */
/* test_line_value - names without escapes, fields as doubles, the unit of a time. */
#include "wire/line_value.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <errno.h>
#include <string.h>

static void escapes_are_undone_where_they_are_any(void **state)
{
    static const struct {
        const char *text, *token, *measurement, *string;
    } cases[] = {
        { "", "", "", "" },
        { "plain", "plain", "plain", "plain" },
        { "a\\,b\\ c\\=d", "a,b c=d", "a,b c\\=d", "a\\,b\\ c\\=d" },
        { "a\\\"b", "a\\\"b", "a\\\"b", "a\"b" },
        { "a\\\\b", "a\\\\b", "a\\\\b", "a\\b" },
        { "a\\nb\\rc\\t", "a\\nb\\rc\\t", "a\\nb\\rc\\t", "a\nb\rc\t" },
        { "end\\", "end\\", "end\\", "end\\" },
        { "\\,", ",", ",", "\\," },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char out[64];
        struct span text = span_of(cases[i].text);
        struct span token = { out, token_unescape(text, out) };
        if (!span_is(token, cases[i].token))
            fail_msg("token '%s'", cases[i].text);
        struct span measurement = { out, measurement_unescape(text, out) };
        if (!span_is(measurement, cases[i].measurement))
            fail_msg("measurement '%s'", cases[i].text);
        struct span string = { out, string_unescape(text, out) };
        if (!span_is(string, cases[i].string))
            fail_msg("string '%s'", cases[i].text);
    }
}

/* A backslash before a NUL stands for itself: no text ends there. */
static void a_nul_is_a_byte_as_any(void **state)
{
    char out[8];
    const struct span text = { "a\\\0b", 4 };
    (void)state;
    assert_int_equal(token_unescape(text, out), 4);
    assert_memory_equal(out, "a\\\0b", 4);
    assert_int_equal(string_unescape(text, out), 4);
    assert_memory_equal(out, "a\\\0b", 4);
}

static void a_field_is_a_double_where_one_can_hold_it(void **state)
{
    static const struct {
        struct line_field field;
        int rc;
        double want;
    } cases[] = {
        { { .type = LINE_FLOAT, .number = 1.5 }, 0, 1.5 },
        { { .type = LINE_BOOL, .boolean = true }, 0, 1 },
        { { .type = LINE_BOOL, .boolean = false }, 0, 0 },
        { { .type = LINE_INT, .integer = -7 }, 0, -7 },
        { { .type = LINE_INT, .integer = INT64_MIN }, 0, -0x1p63 },
        { { .type = LINE_INT, .integer = INT64_C(1) << 53 }, 0, 0x1p53 },
        { { .type = LINE_INT, .integer = (INT64_C(1) << 53) + 1 }, -ERANGE, 0 },
        { { .type = LINE_INT, .integer = INT64_MAX }, -ERANGE, 0 },
        { { .type = LINE_UINT, .uinteger = UINT64_C(1) << 63 }, 0, 0x1p63 },
        { { .type = LINE_UINT, .uinteger = UINT64_MAX }, -ERANGE, 0 },
        { { .type = LINE_STRING, .string = { "1", 1 } }, -EDOM, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double value = 4711;
        int rc = line_field_double(&cases[i].field, &value);
        double want = rc < 0 ? 4711 : cases[i].want;
        if (rc != cases[i].rc || value < want || value > want)
            fail_msg("%zu: %d, %g", i, rc, value);
    }
}

static void a_time_says_its_unit_by_its_size(void **state)
{
    static const struct {
        int64_t value, unit_ns;
    } cases[] = {
        { 0, NS_PER_S },
        { INT64_C(1700000000), NS_PER_S },
        { INT64_C(99999999999), NS_PER_S },
        { INT64_C(100000000000), NS_PER_MS },
        { INT64_C(1700000000000), NS_PER_MS },
        { INT64_C(99999999999999), NS_PER_MS },
        { INT64_C(100000000000000), 1000 },
        { INT64_C(99999999999999999), 1000 },
        { INT64_C(100000000000000000), 1 },
        { INT64_MAX, 1 },
        { -INT64_C(99999999999), NS_PER_S },
        { -INT64_C(100000000000), NS_PER_MS },
        { INT64_MIN, 1 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (line_time_unit(cases[i].value) != cases[i].unit_ns)
            fail_msg("%lld", (long long)cases[i].value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes_are_undone_where_they_are_any),
        cmocka_unit_test(a_nul_is_a_byte_as_any),
        cmocka_unit_test(a_field_is_a_double_where_one_can_hold_it),
        cmocka_unit_test(a_time_says_its_unit_by_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
