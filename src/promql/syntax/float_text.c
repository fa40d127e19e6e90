/* SPDX-License-Identifier: Apache-2.0 */
/* float_text - numbers as Prometheus prints them. */
#include "promql/syntax/float_text.h"

#include "base/decimal_text.h"

#include <math.h>
#include <stdlib.h>

/* Shortest digits d1 d2 ... dn of d1.d2...dn x 10^exponent. */
struct digits {
    char text[40];
    int count;
    int exponent;
};

static void add_digit(struct digits *d, char c)
{
    if ((d->count > 0 || c != '0') && d->count < (int)sizeof d->text)
        d->text[d->count++] = c;
}

static struct digits digits_of(double value)
{
    char text[DECIMAL_TEXT_MAX + 1];
    struct digits d = { .exponent = -1 };
    size_t size = decimal_print_shortest(text, fabs(value));
    text[size] = '\0';
    bool has_point = false;
    size_t i = 0;
    for (; i < size && text[i] != 'e'; i++) {
        if (text[i] == '.') {
            has_point = true;
            continue;
        }
        bool is_leading_zero = d.count == 0 && text[i] == '0';
        add_digit(&d, text[i]);
        d.exponent += has_point ? (is_leading_zero ? -1 : 0) : !is_leading_zero;
    }
    int sign = i + 1 < size && text[i + 1] == '-' ? -1 : 1, exponent = 0;
    for (i++; i < size; i++)
        if (text[i] >= '0' && text[i] <= '9')
            exponent = exponent * 10 + (text[i] - '0');
    d.exponent += sign * exponent;
    while (d.count > 1 && d.text[d.count - 1] == '0')
        d.count--;
    if (d.count == 0)
        d = (struct digits){ .text = "0", .count = 1 };
    return d;
}

static bool add_special(struct strbuf *out, double value)
{
    if (isfinite(value))
        return false;
    strbuf_adds(out, isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
    return true;
}

void float_text_add_plain(struct strbuf *out, double value)
{
    if (add_special(out, value))
        return;
    struct digits d = digits_of(value);
    strbuf_adds(out, signbit(value) ? "-" : "");
    if (d.exponent < 0)
        strbuf_adds(out, "0.");
    for (int i = d.exponent + 1; i < 0; i++)
        strbuf_addc(out, '0');
    for (int i = 0; i < d.count; i++) {
        if (i > 0 && i == d.exponent + 1)
            strbuf_addc(out, '.');
        strbuf_addc(out, d.text[i]);
    }
    for (int i = d.count; i <= d.exponent; i++)
        strbuf_addc(out, '0');
}

static void add_between(struct strbuf *out, double value, double least, double limit)
{
    double size = fabs(value);
    if (!isfinite(value) || size == 0 || (size >= least && size < limit)) {
        float_text_add_plain(out, value);
        return;
    }
    struct digits d = digits_of(value);
    strbuf_addf(out, "%s%c", signbit(value) ? "-" : "", d.text[0]);
    if (d.count > 1)
        strbuf_addc(out, '.');
    strbuf_add(out, d.text + 1, (size_t)d.count - 1);
    strbuf_addf(out, "e%c%02d", d.exponent < 0 ? '-' : '+', abs(d.exponent));
}

void float_text_add(struct strbuf *out, double value)
{
    add_between(out, value, 1e-6, 1e21);
}

void float_text_add_short(struct strbuf *out, double value)
{
    add_between(out, value, 1e-4, 1e6);
}
