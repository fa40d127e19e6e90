/* SPDX-License-Identifier: Apache-2.0 */
/* decimal - text -> double, correctly rounded. */
#include "wire/decimal.h"

#include "base/cleanup.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define DIGITS_MAX 19       /* that surely fit 64 bits */
#define EXPONENT_MAX 100000 /* further digits of an exponent change nothing */
#define TEXT_MAX 128        /* beyond it strtod's copy comes from the heap */

struct decimal {
    uint64_t mantissa;
    int32_t exponent; /* of ten */
    bool is_negative;
    bool is_cut; /* more digits than the mantissa holds */
};

/* 10^0 .. 10^22 are exact doubles; up to 10^27 they are exact in 64 bits of mantissa.
 */
static const long double powers[] = {
    1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
    1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
    1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L,
};
static const double powers_double[] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

static inline unsigned digit_of(char c)
{
    return (unsigned)(unsigned char)c - '0';
}

/* Digits from p on into d; those that no longer fit are counted in *ret_dropped. */
static const char *read_digits(const char *p, const char *end, struct decimal *d,
                               size_t *ret_dropped)
{
    size_t dropped = 0;
    for (unsigned digit; p < end && (digit = digit_of(*p)) <= 9; p++) {
        if (d->mantissa < UINT64_C(1000000000000000000)) {
            d->mantissa = d->mantissa * 10 + digit;
        } else {
            d->is_cut |= digit != 0;
            dropped++;
        }
    }
    *ret_dropped = dropped;
    return p;
}

static const char *read_exponent(const char *p, const char *end, int32_t *ret)
{
    bool is_negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p == end || digit_of(*p) > 9)
        return NULL;
    int32_t value = 0;
    for (; p < end && digit_of(*p) <= 9; p++) {
        if (value < EXPONENT_MAX)
            value = value * 10 + (int32_t)digit_of(*p);
    }
    *ret = is_negative ? -value : value;
    return p;
}

static int decimal_read(struct span s, struct decimal *d)
{
    const char *p = s.data, *end = s.data + s.size;
    if (p < end && (*p == '-' || *p == '+'))
        d->is_negative = *p++ == '-';
    size_t dropped;
    const char *begin = p;
    p = read_digits(p, end, d, &dropped);
    size_t digits = (size_t)(p - begin);
    int64_t shift = (int64_t)dropped;
    if (p < end && *p == '.') {
        begin = ++p;
        p = read_digits(p, end, d, &dropped);
        digits += (size_t)(p - begin);
        shift -= (int64_t)((size_t)(p - begin) - dropped);
    }
    if (digits == 0)
        return -EINVAL;
    int32_t exponent = 0;
    if (p < end && (*p == 'e' || *p == 'E'))
        p = read_exponent(p + 1, end, &exponent);
    if (p != end)
        return -EINVAL;
    shift += exponent;
    if (shift > 2 * EXPONENT_MAX || shift < -2 * EXPONENT_MAX)
        d->is_cut = true; /* strtod knows what to do */
    else
        d->exponent = (int32_t)shift;
    return 0;
}

#if LDBL_MANT_DIG == 64
/* One operation in 64 bits of mantissa errs by half of its last bit; cutting it to 53
 * bits is right unless the eleven bits cut off lie within one of exactly half. */
static bool round_twice(const struct decimal *d, double *ret)
{
    if (d->exponent < -27 || d->exponent > 27)
        return false;
    long double wide = (long double)d->mantissa;
    wide = d->exponent < 0 ? wide / powers[-d->exponent] : wide * powers[d->exponent];
    uint64_t bits;
    memcpy(&bits, &wide, sizeof bits);
    unsigned low = bits & 0x7FF;
    if (low >= 0x3FF && low <= 0x401)
        return false;
    *ret = (double)wide;
    return true;
}
#else
static bool round_twice(const struct decimal *d, double *ret)
{
    (void)d;
    (void)ret;
    (void)powers;
    return false;
}
#endif

static int slow_parse(struct span s, double *ret)
{
    char small[TEXT_MAX];
    AUTO_FREE char *large = NULL;
    char *text = small;
    if (s.size >= sizeof small) {
        text = large = malloc(s.size + 1);
        if (!large)
            return -ENOMEM;
    }
    memcpy(text, s.data, s.size);
    text[s.size] = '\0';
    double value = strtod(text, NULL); /* the syntax has been checked */
    if (!isfinite(value))
        return -ERANGE;
    *ret = value;
    return 0;
}

int decimal_parse(struct span s, double *ret)
{
    struct decimal d = { 0 };
    int rc = decimal_read(s, &d);
    if (rc < 0)
        return rc;
    double value;
    if (d.is_cut)
        return slow_parse(s, ret);
    if (d.mantissa == 0)
        value = 0;
    else if (d.mantissa <= UINT64_C(1) << 53 && d.exponent >= -22 && d.exponent <= 22)
        value = d.exponent < 0 ? (double)d.mantissa / powers_double[-d.exponent]
                               : (double)d.mantissa * powers_double[d.exponent];
    else if (!round_twice(&d, &value))
        return slow_parse(s, ret);
    *ret = d.is_negative ? -value : value;
    return 0;
}
