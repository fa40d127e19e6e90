/* SPDX-License-Identifier: Apache-2.0 */
/* test_figure - numbers as people read them, at the borders of digits and prefixes. */
#include "base/figure.h"

#include "base/cleanup.h"
#include "base/test/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct row {
    double value;
    const char *want;
};

static void rows_check(void (*print)(char *, size_t, double), const struct row *rows,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[FIGURE_SIZE];
        print(text, sizeof text, rows[i].value);
        if (strcmp(text, rows[i].want) != 0)
            fail_msg("%.17g: '%s', want '%s'", rows[i].value, text, rows[i].want);
    }
}

static void bytes_have_three_digits_and_a_binary_prefix(void **state)
{
    static const struct row rows[] = {
        { 0, "0 B" },
        { -0.0, "0 B" },
        { 1, "1 B" },
        { 1023, "1023 B" },
        { 1024, "1.00 KiB" },
        { 1536, "1.50 KiB" },
        { 10235, "10.0 KiB" },
        { 102349, "100 KiB" },
        { 102400, "100 KiB" },
        { 999.4 * 1024, "999 KiB" },
        { 1000.0 * 1024, "0.977 MiB" },
        { 1023.96 * 1024, "1.00 MiB" },
        { 1048575, "1.00 MiB" },
        { -1048576, "-1.00 MiB" },
        { 0.5, "0.5 B" },
        { 1.5e300, "1.3e+282 EiB" },
    };
    (void)state;
    rows_check(figure_print_bytes, rows, COUNT_OF(rows));
}

static void counts_have_three_digits_and_a_decimal_prefix(void **state)
{
    const struct row rows[] = {
        { 0, "0" },
        { 7, "7" },
        { 999, "999" },
        { 999.4, "999" },
        { 999.5, "1.00 k" },
        { 1000, "1.00 k" },
        { 1234, "1.23 k" },
        { 9994, "9.99 k" },
        { 9995, "10.0 k" },
        { 9996, "10.0 k" },
        { 99960, "100 k" },
        { 999499, "999 k" },
        { 999500, "1.00 M" },
        { 1e18, "1.00 E" },
        { 1e21, "1000 E" },
        { 12.25, "12.2" },
        { -12345, "-12.3 k" },
        { 0.0123456, "0.0123" },
        { 1.2e-5, "1.2e-05" },
        { NAN, "-" },
        { INFINITY, "inf" },
    };
    (void)state;
    rows_check(figure_print_count, rows, COUNT_OF(rows));
}

static void numbers_without_prefix_have_three_digits(void **state)
{
    const struct row rows[] = {
        { 0, "0" },           { 46.42, "46.4" },
        { 999.5, "1000" },    { 1234567, "1230000" },
        { -1234.5, "-1230" }, { 0.5, "0.5" },
        { 0.99951, "1" },     { NAN, "-" },
        { 1e15, "1e+15" },    { 100, "100" },
        { 2, "2" },
    };
    (void)state;
    rows_check(figure_print_number, rows, COUNT_OF(rows));
}

static void units_with_prefixes_get_them(void **state)
{
    static const struct {
        double value;
        const char *unit, *want;
    } rows[] = {
        { 345041666667, "flops/s", "345 Gflops/s" },
        { 12.3456, "flops/s", "12.3 flops/s" },
        { 78041666667, "B", "72.7 GiB" },
        { 1536, "B/s", "1.50 KiB/s" },
        { 2399.6, "MHz", "2400 MHz" }, /* has one already */
        { 2.4e9, "Hz", "2.40 GHz" },
        { 31.25, "", "31.2" },
        { 0.25, "%", "0.25 %" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[FIGURE_SIZE];
        figure_print_unit(text, sizeof text, rows[i].value, rows[i].unit);
        assert_string_equal(text, rows[i].want);
    }
}

static void durations_are_in_the_unit_that_people_use(void **state)
{
    static const struct {
        int64_t ns;
        const char *want;
    } rows[] = {
        { 0, "0 s" },
        { 1, "0.001 us" },
        { 1234, "1.23 us" },
        { 999499, "999 us" },
        { 999500, "1.00 ms" },
        { 1234567, "1.23 ms" },
        { 250000000, "250 ms" },
        { 1500000000, "1.50 s" },
        { 90 * INT64_C(1000000000), "90 s" },
        { 119 * INT64_C(1000000000), "119 s" },
        { 120 * INT64_C(1000000000), "2 min" },
        { 5400 * INT64_C(1000000000), "90 min" },
        { 9000 * INT64_C(1000000000), "2.50 h" },
        { 86400 * INT64_C(3000000000), "3 d" },
        { -1500000000, "-1.50 s" },
        { INT64_MIN, "-106752 d" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[FIGURE_SIZE];
        figure_print_duration(text, sizeof text, rows[i].ns);
        if (strcmp(text, rows[i].want) != 0)
            fail_msg("%lld: '%s', want '%s'", (long long)rows[i].ns, text,
                     rows[i].want);
    }
}

static void a_small_buffer_is_cut_and_ends(void **state)
{
    char text[4];
    (void)state;
    figure_print_bytes(text, sizeof text, 1e6);
    assert_string_equal(text, "977");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_have_three_digits_and_a_binary_prefix),
        cmocka_unit_test(counts_have_three_digits_and_a_decimal_prefix),
        cmocka_unit_test(numbers_without_prefix_have_three_digits),
        cmocka_unit_test(units_with_prefixes_get_them),
        cmocka_unit_test(durations_are_in_the_unit_that_people_use),
        cmocka_unit_test(a_small_buffer_is_cut_and_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
