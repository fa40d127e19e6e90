/* SPDX-License-Identifier: Apache-2.0 */
/* decimal_text - doubles as text. */
#include "base/decimal_text.h"

#include "base/strbuf.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Below this a double keeps at least the half of its unit: see print_scaled(). */
#define SCALED_MAX 2251799813685248.0 /* 2^51 */
#define DECIMALS_TRIED 6

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                            "25262728293031323334353637383940414243444546474849"
                            "50515253545556575859606162636465666768697071727374"
                            "75767778798081828384858687888990919293949596979899";

static size_t digit_count(uint64_t n)
{
    size_t count = 1;
    for (; n >= 10000; n /= 10000)
        count += 4;
    return count + (n >= 10) + (n >= 100) + (n >= 1000);
}

/* The digits of n so that the last stands before end. */
static void print_digits(char *end, uint64_t n)
{
    for (; n >= 100; n /= 100) {
        end -= 2;
        memcpy(end, pairs + 2 * (n % 100), 2);
    }
    if (n >= 10)
        memcpy(end - 2, pairs + 2 * n, 2);
    else
        end[-1] = (char)('0' + n);
}

static size_t print_null(char *out)
{
    memcpy(out, "null", 4);
    return 4;
}

/* n / scale, scale being 10 to the decimals. */
static size_t print_decimals(char *out, uint64_t n, uint64_t scale, size_t decimals)
{
    uint64_t whole = n / scale, rest = n % scale;
    size_t size = digit_count(whole);
    print_digits(out + size, whole);
    out[size] = '.';
    for (size_t i = decimals; i > 0; i--, rest /= 10)
        out[size + i] = (char)('0' + rest % 10);
    return size + 1 + decimals;
}

/* The product is rounded once; whatever it is off by is less than its distance to any
 * half that it does not lie on.  Where it does, the exact remainder decides. */
static uint64_t round_product(double value, double scale)
{
    double product = value * scale;
    uint64_t n = (uint64_t)product;
    double rest = product - (double)n;
    if (rest < 0.5)
        return n;
    if (rest > 0.5)
        return n + 1;
    double off = fma(value, scale, -product);
    if (off == 0)
        return n + (n & 1);
    return off > 0 ? n + 1 : n;
}

static inline size_t print_scaled(char *out, double value, uint64_t scale,
                                  size_t decimals)
{
    double size = fabs(value);
    if (size * (double)scale < SCALED_MAX) {
        size_t sign = signbit(value) != 0;
        out[0] = '-';
        return sign + print_decimals(out + sign, round_product(size, (double)scale),
                                     scale, decimals);
    }
    if (!isfinite(value))
        return print_null(out);
    return (size_t)snprintf(out, DECIMAL_TEXT_MAX, "%.*f", (int)decimals, value);
}

size_t decimal_print_2(char out[static DECIMAL_TEXT_MAX], double value)
{
    return print_scaled(out, value, 100, 2);
}

size_t decimal_print_3(char out[static DECIMAL_TEXT_MAX], double value)
{
    return print_scaled(out, value, 1000, 3);
}

/* An integer below 2^53 over a power of ten is rounded once when it is divided, as when
 * it is read: where the quotient is the value, these digits read back as the value, and
 * with fewer decimals none do. */
static size_t print_short_decimal(char *out, double size)
{
    uint64_t scale = 1;
    for (size_t decimals = 0; decimals <= DECIMALS_TRIED; decimals++, scale *= 10) {
        double product = size * (double)scale;
        if (product >= SCALED_MAX)
            return 0;
        uint64_t n = (uint64_t)(product + 0.5);
        if ((double)n / (double)scale != size)
            continue;
        if (decimals > 0)
            return print_decimals(out, n, scale, decimals);
        size_t digits = digit_count(n);
        print_digits(out + digits, n);
        return digits;
    }
    return 0;
}

/* At a power of two the neighbour below is nearer than the one above: the nearest text
 * of so many digits may read back as it, and the next one up as the value. */
static size_t print_next_up(char *out, double value, int digits)
{
    char text[40];
    (void)snprintf(text, sizeof text, "%.*e", digits - 1, fabs(value));
    char *last = strchr(text, 'e') - 1;
    if (*last == '9')
        return 0; /* it would end in a zero: fewer digits have been tried */
    ++*last;
    if (strtod(text, NULL) != fabs(value))
        return 0;
    return (size_t)snprintf(out, DECIMAL_TEXT_MAX, "%s%s", value < 0 ? "-" : "", text);
}

/* Below the least normal number a double has fewer digits than 15. */
static size_t print_searched(char *out, double value)
{
    size_t size = 0;
    for (int digits = isnormal(value) ? 15 : 1; digits <= 17; digits++) {
        size = (size_t)snprintf(out, DECIMAL_TEXT_MAX, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
        size_t next = digits < 17 ? print_next_up(out, value, digits) : 0;
        if (next)
            return next;
    }
    return size;
}

size_t decimal_print_shortest(char out[static DECIMAL_TEXT_MAX], double value)
{
    if (!isfinite(value))
        return print_null(out);
    size_t sign = signbit(value) != 0;
    out[0] = '-';
    size_t size = print_short_decimal(out + sign, fabs(value));
    if (size > 0)
        return sign + size;
    return print_searched(out, value);
}

void decimal_add_shortest(struct strbuf *out, double value)
{
    char text[DECIMAL_TEXT_MAX];
    strbuf_add(out, text, decimal_print_shortest(text, value));
}
