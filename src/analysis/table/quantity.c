/* SPDX-License-Identifier: Apache-2.0 */
/* quantity - numbers as people write them in the cells of a table. */
#include "analysis/table/quantity.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <math.h>

#define DIGITS_MAX 64

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* ---- a cell of a known form ---- */

/* Bytes of the separator of groups that text begins with; 0: none. */
static size_t thousands_size(struct span text, char thousands)
{
    if (thousands == '\0' || text.size == 0)
        return 0;
    if (text.data[0] == thousands)
        return 1;
    if (thousands != ' ')
        return 0;
    return span_starts(text, "\xC2\xA0")       ? 2
           : span_starts(text, "\xE2\x80\xAF") ? 3
                                               : 0;
}

static size_t digits_size(struct span text)
{
    size_t size = 0;
    while (size < text.size && is_digit(text.data[size]))
        size++;
    return size;
}

/* The digits before the decimal sign into out, without what divides their groups. */
static int whole_take(struct span *text, char thousands, char *out, size_t *used)
{
    bool is_grouped = false;
    for (;;) {
        size_t size = digits_size(*text);
        if (size + *used >= DIGITS_MAX || (is_grouped && size != 3))
            return -EINVAL;
        memcpy(out + *used, text->data, size);
        *used += size;
        struct span rest = span_skip(*text, size);
        size_t between = thousands_size(rest, thousands);
        *text = rest;
        if (between == 0)
            return 0;
        if (!is_grouped && (size == 0 || size > 3))
            return -EINVAL;
        is_grouped = true;
        *text = span_skip(rest, between);
    }
}

int quantity_cell(struct span text, const struct number_form *form, double *ret)
{
    char digits[2 * DIGITS_MAX];
    size_t used = 0;
    if (form->decimal == '.' && form->thousands == '\0')
        return number_parse_double(text, ret);
    if (text.size > 0 && (text.data[0] == '-' || text.data[0] == '+')) {
        digits[used++] = text.data[0];
        text = span_skip(text, 1);
    }
    int rc = whole_take(&text, form->thousands, digits, &used);
    bool is_foreign =
        form->decimal != '.' && text.size > 0 && memchr(text.data, '.', text.size);
    if (rc < 0 || is_foreign || text.size >= DIGITS_MAX)
        return -EINVAL;
    if (text.size > 0 && text.data[0] == form->decimal) {
        digits[used++] = '.';
        text = span_skip(text, 1);
    }
    memcpy(digits + used, text.data, text.size);
    return number_parse_double((struct span){ digits, used + text.size }, ret);
}

/* ---- numbers with words ---- */

/* The number that *text begins with, blanks before it; it is cut off. */
static int number_take(struct span *text, double *ret)
{
    struct span s = *text;
    while (s.size > 0 && *s.data == ' ')
        s = span_skip(s, 1);
    size_t size = s.size > 0 && (*s.data == '-' || *s.data == '+');
    size += digits_size(span_skip(s, size));
    if (size < s.size && s.data[size] == '.')
        size += 1 + digits_size(span_skip(s, size + 1));
    if (size + 1 < s.size && (s.data[size] == 'e' || s.data[size] == 'E')) {
        size_t sign = s.data[size + 1] == '-' || s.data[size + 1] == '+';
        size_t power = digits_size(span_skip(s, size + 1 + sign));
        size += power > 0 ? 1 + sign + power : 0;
    }
    int rc = number_parse_double((struct span){ s.data, size }, ret);
    if (rc == 0)
        *text = span_skip(s, size);
    return rc;
}

double quantity_number(struct span text)
{
    double number;
    while (text.size > 0) {
        char c = *text.data;
        bool is_begin = is_digit(c) || c == '-' || c == '+' || c == '.';
        if (is_begin && number_take(&text, &number) == 0)
            return number;
        text = span_skip(text, 1);
    }
    return NAN;
}

/* "GiB", "kB", "M", "Gbit": what one of them is; NaN: no such unit. */
static double bytes_unit(struct span unit)
{
    static const char powers[] = "KMGTPE";
    double factor = 1;
    double base = 1024;
    int power = 0;
    char first = unit.size > 0 ? *unit.data : '\0';
    if (first == 'k')
        first = 'K';
    const char *at = first ? strchr(powers, first) : NULL;
    if (at) {
        power = (int)(at - powers) + 1;
        unit = span_skip(unit, 1);
        if (unit.size > 0 && *unit.data == 'i')
            unit = span_skip(unit, 1);
        else if (unit.size > 0)
            base = 1000;
    }
    if (span_is(unit, "bit") || span_is(unit, "bits"))
        factor = 0.125;
    else if (unit.size > 0 && !span_is(unit, "B") && !span_is(unit, "byte") &&
             !span_is(unit, "bytes") && !span_is(unit, "Byte") &&
             !span_is(unit, "Bytes"))
        return NAN;
    return factor * pow(base, power);
}

double quantity_bytes(struct span text)
{
    static const char *const ends[] = { "/sec", "/s", "ps" };
    double number;
    if (number_take(&text, &number) < 0)
        return NAN;
    text = span_trim(text);
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        if (span_ends(text, ends[i])) {
            text.size -= strlen(ends[i]);
            break;
        }
    return number * bytes_unit(span_trim(text));
}

static double seconds_unit(struct span unit)
{
    static const struct {
        const char *name;
        double s;
    } units[] = {
        { "", 1 },
        { "ns", 1e-9 },
        { "us", 1e-6 },
        { "\xC2\xB5s", 1e-6 },
        { "ms", 1e-3 },
        { "s", 1 },
        { "sec", 1 },
        { "secs", 1 },
        { "second", 1 },
        { "seconds", 1 },
        { "m", 60 },
        { "min", 60 },
        { "mins", 60 },
        { "minute", 60 },
        { "minutes", 60 },
        { "h", 3600 },
        { "hr", 3600 },
        { "hour", 3600 },
        { "hours", 3600 },
        { "d", 86400 },
        { "day", 86400 },
        { "days", 86400 },
        { "w", 7 * 86400.0 },
    };
    for (size_t i = 0; i < COUNT_OF(units); i++)
        if (span_is(unit, units[i].name))
            return units[i].s;
    return NAN;
}

/* hours:minutes:seconds, or minutes:seconds. */
static double clock_seconds(struct span text)
{
    double total = 0;
    struct span part;
    bool is_more = true;
    for (int i = 0; is_more; i++) {
        double number;
        is_more = span_cut(&text, ':', &part);
        if (i == 3 || part.size == 0 || !is_digit(*part.data) ||
            number_parse_double(part, &number) < 0)
            return NAN;
        total = total * 60 + number;
    }
    return total;
}

double quantity_seconds(struct span text)
{
    double days = 0;
    double total = 0;
    text = span_trim(text);
    if (text.size > 0 && memchr(text.data, ':', text.size)) {
        struct span rest = text;
        struct span head;
        if (span_cut(&rest, '-', &head) && number_parse_double(head, &days) < 0)
            return NAN;
        return days * 86400 + clock_seconds(rest.size > 0 ? rest : text);
    }
    if (text.size == 0)
        return NAN;
    while (text.size > 0) {
        double number;
        size_t size = 0;
        if (number_take(&text, &number) < 0)
            return NAN;
        while (text.size > 0 && *text.data == ' ')
            text = span_skip(text, 1);
        while (size < text.size &&
               (is_letter(text.data[size]) || (unsigned char)text.data[size] >= 0x80))
            size++;
        total += number * seconds_unit((struct span){ text.data, size });
        text = span_trim(span_skip(text, size));
    }
    return total;
}
