/* SPDX-License-Identifier: Apache-2.0 */
/* number - numbers <-> text. */
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int number_parse_u64(struct span s, uint64_t *ret)
{
    if (s.size == 0)
        return -EINVAL;
    uint64_t value = 0;
    for (size_t i = 0; i < s.size; i++) {
        unsigned digit = (unsigned)(unsigned char)s.data[i] - '0';
        if (digit > 9)
            return -EINVAL;
        if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value))
            return -ERANGE;
    }
    *ret = value;
    return 0;
}

int number_parse_i64(struct span s, int64_t *ret)
{
    bool negative = s.size && s.data[0] == '-';
    uint64_t value;
    int rc = number_parse_u64(span_skip(s, negative ? 1 : 0), &value);
    if (rc < 0)
        return rc;
    if (value > (uint64_t)INT64_MAX + (negative ? 1 : 0))
        return -ERANGE;
    *ret = negative ? (int64_t)(0 - value) : (int64_t)value;
    return 0;
}

int number_parse_double(struct span s, double *ret)
{
    char text[64];
    if (s.size == 0 || s.size >= sizeof text)
        return -EINVAL;
    for (size_t i = 0; i < s.size; i++) {
        char c = s.data[i];
        if (!((c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' ||
              c == 'E'))
            return -EINVAL;
        text[i] = c;
    }
    text[s.size] = '\0';
    char *end = NULL;
    double value = strtod(text, &end);
    if (end != text + s.size)
        return -EINVAL;
    if (!isfinite(value))
        return -ERANGE;
    *ret = value;
    return 0;
}

int number_parse_seconds(struct span s, int64_t *ret_ns)
{
    bool negative = s.size && s.data[0] == '-';
    struct span rest = span_skip(s, negative ? 1 : 0);
    struct span whole;
    bool has_point = span_cut(&rest, '.', &whole);
    uint64_t seconds;
    int rc = number_parse_u64(whole, &seconds);
    if (rc < 0)
        return rc;
    if (has_point && rest.size == 0)
        return -EINVAL;
    int64_t fraction_ns = 0;
    int64_t scale = NS_PER_S / 10;
    for (size_t i = 0; i < rest.size; i++) {
        unsigned digit = (unsigned)(unsigned char)rest.data[i] - '0';
        if (digit > 9)
            return -EINVAL;
        fraction_ns += scale * (int64_t)digit;
        scale /= 10;
    }
    if (seconds >= (uint64_t)(INT64_MAX / NS_PER_S))
        return -ERANGE;
    int64_t ns = (int64_t)seconds * NS_PER_S + fraction_ns;
    *ret_ns = negative ? -ns : ns;
    return 0;
}

struct unit {
    const char *name;
    uint64_t factor;
};

static int parse_with_unit(struct span s, const struct unit *units, size_t count,
                           uint64_t *ret)
{
    size_t digits = 0;
    while (digits < s.size && s.data[digits] >= '0' && s.data[digits] <= '9')
        digits++;
    uint64_t value;
    int rc = number_parse_u64((struct span){ s.data, digits }, &value);
    if (rc < 0)
        return rc;
    struct span name = span_trim(span_skip(s, digits));
    for (size_t i = 0; i < count; i++) {
        if (!span_is(name, units[i].name))
            continue;
        if (__builtin_mul_overflow(value, units[i].factor, &value) || value > INT64_MAX)
            return -ERANGE;
        *ret = value;
        return 0;
    }
    return -EINVAL;
}

int number_parse_duration(struct span s, int64_t *ret_ns)
{
    static const struct unit units[] = {
        { "ns", 1 },
        { "us", 1000 },
        { "ms", NS_PER_MS },
        { "s", NS_PER_S },
        { "m", 60 * NS_PER_S },
        { "min", 60 * NS_PER_S },
        { "h", 3600 * NS_PER_S },
        { "d", 86400 * NS_PER_S },
    };
    uint64_t value;
    int rc = parse_with_unit(s, units, sizeof units / sizeof units[0], &value);
    if (rc == 0)
        *ret_ns = (int64_t)value;
    return rc;
}

int number_parse_size(struct span s, uint64_t *ret_bytes)
{
    static const struct unit units[] = {
        { "B", 1 },
        { "KiB", UINT64_C(1) << 10 },
        { "MiB", UINT64_C(1) << 20 },
        { "GiB", UINT64_C(1) << 30 },
        { "TiB", UINT64_C(1) << 40 },
        { "kB", 1000 },
        { "MB", 1000000 },
        { "GB", 1000000000 },
        { "TB", UINT64_C(1000000000000) },
    };
    return parse_with_unit(s, units, sizeof units / sizeof units[0], ret_bytes);
}

size_t number_print_u64(char out[static NUMBER_DIGITS_MAX], uint64_t value)
{
    char reversed[NUMBER_DIGITS_MAX];
    size_t count = 0;
    do {
        reversed[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    for (size_t i = 0; i < count; i++)
        out[i] = reversed[count - 1 - i];
    return count;
}

void number_print_duration(char *out, size_t size, int64_t ns)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {
        { "d", 86400 * NS_PER_S },
        { "h", 3600 * NS_PER_S },
        { "m", 60 * NS_PER_S },
        { "s", NS_PER_S },
        { "ms", NS_PER_MS },
        { "us", 1000 },
        { "ns", 1 },
    };
    size_t at = 0;
    while (at + 1 < sizeof units / sizeof units[0] &&
           (ns < units[at].ns || ns % units[at].ns != 0))
        at++;
    (void)snprintf(out, size, "%" PRId64 "%s", ns / units[at].ns, units[at].name);
}
