/* SPDX-License-Identifier: Apache-2.0 */
/* figure - numbers as people read them: three significant digits, a prefix, the unit.
 */
#include "base/figure.h"

#include "base/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define WHOLE_BELOW 999.5 /* what rounds to a fourth digit */
#define HUGE_NUMBER 1e15

/* As many decimals as make three digits. */
static void digits_print(char *out, size_t size, double value)
{
    double magnitude = fabs(value);
    /* %g finds the digits of small ones, and an exponent where it needs one. */
    bool is_for_g = magnitude < 0.9995 || magnitude >= HUGE_NUMBER;
    if (isnan(value))
        (void)snprintf(out, size, "-");
    else if (value == 0)
        (void)snprintf(out, size, "0"); /* and no sign */
    else if (is_for_g)
        (void)snprintf(out, size, "%.3g", value);
    else if (magnitude >= WHOLE_BELOW)
        (void)snprintf(out, size, "%.0f", value);
    else
        (void)snprintf(out, size, "%.*f",
                       magnitude < 9.995   ? 2
                       : magnitude < 99.95 ? 1
                                           : 0,
                       value);
}

static void scaled_print(char *out, size_t size, double value, double step,
                         const char *const *prefixes, const char *unit)
{
    char digits[FIGURE_SIZE];
    size_t at = 0;
    bool is_whole = value == floor(value) && fabs(value) < step;
    while (!is_whole && isfinite(value) && fabs(value) >= WHOLE_BELOW &&
           prefixes[at + 1]) {
        value /= step;
        at++;
    }
    if (is_whole)
        (void)snprintf(digits, sizeof digits, "%.0f", value == 0 ? 0 : value);
    else
        digits_print(digits, sizeof digits, value);
    const char *gap = prefixes[at][0] || unit[0] ? " " : "";
    if (isnan(value))
        (void)snprintf(out, size, "-");
    else
        (void)snprintf(out, size, "%s%s%s%s", digits, gap, prefixes[at], unit);
}

void figure_print_bytes(char *out, size_t size, double bytes)
{
    static const char *const prefixes[] = {
        "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", NULL
    };
    scaled_print(out, size, bytes, 1024, prefixes, "B");
}

void figure_print_count(char *out, size_t size, double count)
{
    static const char *const prefixes[] = { "", "k", "M", "G", "T", "P", "E", NULL };
    scaled_print(out, size, count, 1000, prefixes, "");
}

void figure_print_number(char *out, size_t size, double value)
{
    double magnitude = fabs(value), unit = 1;
    if (!(magnitude >= WHOLE_BELOW) || magnitude >= HUGE_NUMBER) {
        if (isnan(value) || value == 0)
            digits_print(out, size, value);
        else
            (void)snprintf(out, size, "%.3g", value);
        return;
    }
    while (magnitude / unit >= WHOLE_BELOW) /* rounded to the third digit */
        unit *= 10;
    (void)snprintf(out, size, "%.0f", round(value / unit) * unit);
}

void figure_print_unit(char *out, size_t size, double value, const char *unit)
{
    static const char *const prefixes[] = { "", "k", "M", "G", "T", "P", "E", NULL };
    static const char *const prefixed[] = { "flops", "flops/s", "F/s", "Hz",
                                            "W",     "J",       "V" };
    char text[FIGURE_SIZE];
    if (strcmp(unit, "B") == 0 || strcmp(unit, "B/s") == 0) {
        figure_print_bytes(text, sizeof text, value);
        (void)snprintf(out, size, "%s%s", text, unit + 1);
        return;
    }
    for (size_t i = 0; i < sizeof prefixed / sizeof *prefixed; i++)
        if (strcmp(unit, prefixed[i]) == 0 && fabs(value) >= WHOLE_BELOW) {
            scaled_print(out, size, value, 1000, prefixes, unit);
            return;
        }
    figure_print_number(text, sizeof text, value);
    (void)snprintf(out, size, "%s%s%s", text, unit[0] ? " " : "", unit);
}

void figure_print_duration(char *out, size_t size, int64_t ns)
{
    static const struct {
        const char *name;
        double ns, below; /* of the next unit this becomes */
    } units[] = {
        { "us", 1e3, 999.5 },   { "ms", 1e6, 999.5 },   { "s", 1e9, 119.5 },
        { "min", 60e9, 119.5 }, { "h", 3600e9, 47.95 }, { "d", 86400e9, INFINITY },
    };
    char digits[FIGURE_SIZE];
    size_t at = 0;
    if (ns == 0) {
        (void)snprintf(out, size, "0 s");
        return;
    }
    double length = fabs((double)ns);
    while (length / units[at].ns >= units[at].below)
        at++;
    double value = (double)ns / units[at].ns;
    if (value == floor(value) && fabs(value) < 1000)
        (void)snprintf(digits, sizeof digits, "%.0f", value);
    else
        digits_print(digits, sizeof digits, value);
    (void)snprintf(out, size, "%s %s", digits, units[at].name);
}
