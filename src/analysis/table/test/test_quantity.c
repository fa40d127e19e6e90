/* SPDX-License-Identifier: Apache-2.0 */
/* test_quantity - numbers as people write them. */
#include "analysis/table/table.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <math.h>

static void cells_are_numbers_of_their_form(void **state)
{
    (void)state;
    static const struct {
        struct number_form form;
        const char *text;
        double value; /* NaN: no number */
    } cases[] = {
        { { '.', '\0' }, "1.5e3", 1500 },
        { { '.', '\0' }, "1,5", NAN },
        { { ',', '\0' }, "1,5", 1.5 },
        { { ',', '\0' }, "-0,25", -0.25 },
        { { ',', '\0' }, "1.5", NAN },
        { { ',', '.' }, "1.234.567,89", 1234567.89 },
        { { ',', '.' }, "1.23", NAN },
        { { ',', '.' }, "1234,5", 1234.5 },
        { { '.', ',' }, "1,234,567", 1234567 },
        { { '.', ',' }, "12,34", NAN },
        { { '.', ',' }, "1234,567", NAN },
        { { '.', ',' }, ",123", NAN },
        { { '.', ',' }, "1,234.5,6", NAN },
        { { ',', ' ' }, "1 234,5", 1234.5 },
        { { ',', ' ' },
          "1\xC2\xA0"
          "234",
          1234 },
        { { ',', ' ' },
          "1\xE2\x80\xAF"
          "234,5",
          1234.5 },
        { { '.', '\'' }, "1'234.5", 1234.5 },
        { { '.', ',' }, "", NAN },
        { { '.', ',' }, "-", NAN },
        { { '.', ',' }, "1e3", 1000 },
        /* Digits behind the point: 62, and too many. */
        { { ',', '.' },
          ",00000000000000000000000000000000000000000000000000000000000000",
          0 },
        { { ',', '.' },
          ",000000000000000000000000000000000000000000000000000000000000000",
          NAN },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double number = NAN;
        int rc = quantity_cell(span_of(cases[i].text), &cases[i].form, &number);
        if ((rc == 0) == isnan(cases[i].value) || (rc == 0 && number != cases[i].value))
            fail_msg("'%s' is %g", cases[i].text, number);
    }
}

static void texts_with_units_are_numbers(void **state)
{
    (void)state;
    static const struct {
        double (*of)(struct span);
        const char *text;
        double value;
    } cases[] = {
        { quantity_number, "85 %", 85 },
        { quantity_number, "$1.25", 1.25 },
        { quantity_number, "about -3e2 or so", -300 },
        { quantity_number, "none", NAN },
        { quantity_number, "", NAN },
        { quantity_bytes, "1.5 GiB/s", 1.5 * (1 << 30) },
        { quantity_bytes, "2kB", 2000 },
        { quantity_bytes, "512K", 512 * 1024 },
        { quantity_bytes, "3 MB/sec", 3e6 },
        { quantity_bytes, "8 Gbit/s", 1e9 },
        { quantity_bytes, "100", 100 },
        { quantity_bytes, "1 TBps", 1e12 },
        { quantity_bytes, "7 bytes", 7 },
        { quantity_bytes, "5 apples", NAN },
        { quantity_bytes, "fast", NAN },
        { quantity_seconds, "1-02:03:04", 93784 },
        { quantity_seconds, "02:03", 123 },
        { quantity_seconds, "00:00:01.5", 1.5 },
        { quantity_seconds, "1h 20m", 4800 },
        { quantity_seconds, "250ms", 0.25 },
        { quantity_seconds, "90 seconds", 90 },
        { quantity_seconds, "3.5", 3.5 },
        { quantity_seconds, "1:2:3:4", NAN },
        { quantity_seconds, "3 miles", NAN },
        { quantity_seconds, "", NAN },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double is = cases[i].of(span_of(cases[i].text));
        bool same = isnan(cases[i].value)
                        ? isnan(is)
                        : fabs(is - cases[i].value) < 1e-9 * (1 + fabs(is));
        if (!same)
            fail_msg("'%s' is %g", cases[i].text, is);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_numbers_of_their_form),
        cmocka_unit_test(texts_with_units_are_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
