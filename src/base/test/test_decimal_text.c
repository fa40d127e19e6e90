/* SPDX-License-Identifier: Apache-2.0 */
/* test_decimal_text - doubles as text. */
#include "base/decimal_text.h"

#include "base/test/testing.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 200000

static uint64_t random_state = 88172645463325252u;

static uint64_t draw(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Numbers as collectors send them, halves of the last digit, and any bits at all. */
static double draw_double(unsigned kind)
{
    uint64_t bits = draw();
    double value;
    switch (kind % 4) {
    case 0:
        return (double)(int64_t)(bits % 20000001 - 10000000) / 1000;
    case 1:
        return (double)(int64_t)(bits % 2000001 - 1000000) / 2000;
    case 2:
        return ldexp((double)(bits >> 11), -(int)(bits % 64));
    default:
        memcpy(&value, &bits, sizeof value);
        return value;
    }
}

typedef size_t print_fn(char out[static DECIMAL_TEXT_MAX], double value);

static void check(print_fn *print, int decimals, double value)
{
    char got[DECIMAL_TEXT_MAX + 1], want[DECIMAL_TEXT_MAX + 8];
    got[print(got, value)] = '\0';
    (void)snprintf(want, sizeof want, "%.*f", decimals, value);
    if (!isfinite(value))
        memcpy(want, "null", 5);
    if (strcmp(got, want) != 0)
        fail_msg("%a: got %s, want %s", value, got, want);
}

static void fixed_decimals_are_those_of_printf(void **state)
{
    (void)state;
    static const double cases[] = {
        0.0,    -0.0,    0.0005, 0.0015,          0.0025,  1.0005,  1.23456,
        -2.5,   0.125,   0.375,  4503599627370.5, 1e15,    1e22,    -DBL_MAX,
        5e-324, DBL_MAX, 0.9995, 999.9995,        99.9995, 9.99951, 2251799813685.2485,
        NAN,    INFINITY
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check(decimal_print_2, 2, cases[i]);
        check(decimal_print_3, 3, cases[i]);
    }
    for (unsigned i = 0; i < ROUNDS; i++) {
        double value = draw_double(i);
        check(decimal_print_2, 2, value);
        check(decimal_print_3, 3, value);
    }
}

/* Without an exponent zeros may stand where no digit is needed. */
static bool is_plain(const char *text)
{
    return strchr(text, 'e') == NULL;
}

static void shortest_reads_back_and_is_no_longer_than_need_be(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *want;
    } cases[] = {
        { 0, "0" },
        { -0.0, "-0" },
        { 12.25, "12.25" },
        { 100, "100" },
        { 0.1, "0.1" },
        { 1e15, "1000000000000000" },
        { 1e300, "1e+300" },
        { NAN, "null" },
        { -0.000001, "-0.000001" },
        { 0.30000000000000004, "0.30000000000000004" },
        { 9007199254740992, "9007199254740992" },
        { 5e-324, "5e-324" },
        { 0x1p-44, "5.684341886080802e-14" }, /* not the nearest of so many digits */
        { 0.1 + 0.2 + 0.3, "0.6000000000000001" },
        { 100.0 / 3, "33.333333333333336" },
        { -200.0 / 3, "-66.66666666666667" },
        { 1e-5 / 3, "3.3333333333333337e-06" },
        { 1e16 / 3, "3333333333333333.5" },
        { 9.999999999999998, "9.999999999999998" },
        { 0.00012345678901234567, "0.00012345678901234567" },
    };
    char got[DECIMAL_TEXT_MAX + 1];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        got[decimal_print_shortest(got, cases[i].value)] = '\0';
        assert_string_equal(got, cases[i].want);
    }
    for (unsigned i = 0; i < ROUNDS; i++) {
        double value = draw_double(i);
        if (!isfinite(value))
            continue;
        got[decimal_print_shortest(got, value)] = '\0';
        double back = strtod(got, NULL);
        if (memcmp(&back, &value, sizeof value) != 0)
            fail_msg("%a became %s", value, got);
        size_t digits = 0;
        for (const char *at = got; *at && *at != 'e'; at++)
            digits += *at >= '0' && *at <= '9';
        for (int n = 1; n < (int)digits && digits <= 17; n++) {
            char fewer[DECIMAL_TEXT_MAX + 1];
            (void)snprintf(fewer, sizeof fewer, "%.*e", n - 1, value);
            if (strtod(fewer, NULL) == value && !is_plain(got))
                fail_msg("%a became %s, %s is enough", value, got, fewer);
        }
    }
}

/* The fewest digits with which printf prints what is read back. */
static void search(char *out, size_t size, double value)
{
    for (int digits = 1; digits <= 17; digits++) {
        (void)snprintf(out, size, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            return;
    }
}

/* Means of a few samples, and a double beside another one. */
static double draw_mean(unsigned kind)
{
    uint64_t bits = draw();
    switch (kind % 4) {
    case 0:
        return (double)(bits % 2000001) / 3000;
    case 1:
        return (double)(int64_t)(bits % 100001 - 50000) / 7e7;
    case 2:
        return nextafter((double)(bits % 1000) / 8, 1000);
    default:
        return ldexp((double)(bits >> 11), -(int)(bits % 90));
    }
}

static void shortest_is_what_printf_has_of_so_many_digits(void **state)
{
    (void)state;
    int exponent;
    for (unsigned i = 0; i < ROUNDS; i++) {
        double value = draw_mean(i);
        char got[DECIMAL_TEXT_MAX + 1], want[40];
        got[decimal_print_shortest(got, value)] = '\0';
        search(want, sizeof want, value);
        bool is_whole = is_plain(got) && !is_plain(want);
        bool is_power_of_2 = fabs(frexp(value, &exponent)) == 0.5;
        if (!is_whole && !is_power_of_2 && strcmp(got, want) != 0)
            fail_msg("%a became %s, printf has %s", value, got, want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_decimals_are_those_of_printf),
        cmocka_unit_test(shortest_reads_back_and_is_no_longer_than_need_be),
        cmocka_unit_test(shortest_is_what_printf_has_of_so_many_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
