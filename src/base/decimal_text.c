/* SPDX-License-Identifier: Apache-2.0 */
/* decimal_text - doubles as text. */
#include "base/decimal_text.h"

#include "base/strbuf.h"

#include <math.h>
#include <stdbool.h>
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

/* ---- the same in integers ---- */

typedef unsigned __int128 wide_t;

/* A double is m * 2^e; four times that, so that the halves between it and the doubles
 * beside it are whole numbers too, scaled by a power of ten to 17 digits before the
 * point:
 *
 *     4m * 5^tens / 2^shift        of which 5^27 is the last power within 64 bits
 *
 * Nothing is rounded on the way: 55 bits and 63 make less than 128. */
struct scaled {
    wide_t value, low, high; /* times 2^shift; what is between low and high is it */
    unsigned shift;
    int tens;
    bool is_even; /* low and high themselves are read as it as well */
};

#define DIGITS_MAX 17
#define DIGITS_LEAST UINT64_C(10000000000000000) /* 10^16 */
#define TENS_MAX 27

static uint64_t power_of_5(int exponent)
{
    uint64_t power = 1;
    for (; exponent >= 3; exponent -= 3)
        power *= 125;
    for (; exponent > 0; exponent--)
        power *= 5;
    return power;
}

/* False: it is too large or too small for this, or a power of two: the
 * doubles on its two sides are not equally far. */
static bool scale(double size, struct scaled *ret)
{
    uint64_t bits, fraction;
    memcpy(&bits, &size, sizeof bits);
    fraction = bits & ((UINT64_C(1) << 52) - 1);
    int exponent = (int)(bits >> 52) - 1075;
    if (size < 1e-10 || size >= 1e16 || fraction == 0)
        return false;
    /* The logarithm of 2 is 0.30103: of two that come into question the greater. */
    int tens = DIGITS_MAX - 1 - (int)floor((exponent + 52) * 0.30103);
    wide_t m = (wide_t)(fraction | UINT64_C(1) << 52) << 2;
    for (;; tens--) {
        if (tens > TENS_MAX || tens < 1)
            return false;
        uint64_t power = power_of_5(tens);
        *ret = (struct scaled){ .value = m * power,
                                .low = (m - 2) * power,
                                .high = (m + 2) * power,
                                .shift = (unsigned)(2 - exponent - tens),
                                .tens = tens,
                                .is_even = !(fraction & 1) };
        if (ret->value >> ret->shift < 10 * DIGITS_LEAST)
            return ret->value >> ret->shift >= DIGITS_LEAST;
    }
}

/* The nearest multiple of unit, of two the one whose last digit is even, as printf has
 * it; false: it is read as another double. */
static bool nearest(const struct scaled *s, uint64_t unit, uint64_t *ret)
{
    wide_t step = (wide_t)unit << s->shift;
    uint64_t count = (uint64_t)(s->value >> s->shift) / unit;
    wide_t rest = s->value - count * step;
    if (2 * rest > step || (2 * rest == step && (count & 1)))
        count++;
    wide_t text = count * step;
    *ret = count * unit;
    return s->is_even ? text >= s->low && text <= s->high
                      : text > s->low && text < s->high;
}

/* number / 10^decimals as "%.*g" prints it with so many digits, which is without zeros
 * at its end. */
static size_t print_general(char *out, uint64_t number, int decimals, int digits)
{
    int exponent = (int)digit_count(number) - 1 - decimals;
    for (; number % 10 == 0; number /= 10)
        decimals--;
    int size = (int)digit_count(number);
    char text[24];
    print_digits(text + size, number);
    if (exponent < -4 || exponent >= digits) {
        int at = snprintf(out, DECIMAL_TEXT_MAX, "%c%s%.*se%+03d", text[0],
                          size > 1 ? "." : "", size - 1, text + 1, exponent);
        return (size_t)at;
    }
    int whole =
        size - decimals; /* digits before the point; 0 and less: zeros after it */
    char *to = out;
    if (whole <= 0) {
        memcpy(to, "0.000000", 8);
        to += 2 - whole;
        memcpy(to, text, (size_t)size);
        return (size_t)(to + size - out);
    }
    int copied = whole < size ? whole : size;
    memcpy(to, text, (size_t)copied);
    to += copied;
    for (int i = size; i < whole; i++)
        *to++ = '0';
    if (copied == size)
        return (size_t)(to - out);
    *to++ = '.';
    memcpy(to, text + copied, (size_t)(size - copied));
    return (size_t)(to + size - copied - out);
}

/* What print_searched() finds, without printing and reading; 0: not of this value. */
static size_t print_exact(char *out, double size)
{
    struct scaled s;
    uint64_t number = 0, unit = 100;
    if (!scale(size, &s))
        return 0;
    for (int digits = DIGITS_MAX - 2; digits <= DIGITS_MAX; digits++, unit /= 10)
        if (nearest(&s, unit, &number))
            return print_general(out, number, s.tens, digits);
    return 0;
}

size_t decimal_print_shortest(char out[static DECIMAL_TEXT_MAX], double value)
{
    if (!isfinite(value))
        return print_null(out);
    size_t sign = signbit(value) != 0;
    out[0] = '-';
    size_t size = print_short_decimal(out + sign, fabs(value));
    if (size == 0)
        size = print_exact(out + sign, fabs(value));
    if (size > 0)
        return sign + size;
    return print_searched(out, value);
}

void decimal_add_shortest(struct strbuf *out, double value)
{
    char text[DECIMAL_TEXT_MAX];
    strbuf_add(out, text, decimal_print_shortest(text, value));
}
