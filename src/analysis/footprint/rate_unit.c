/* SPDX-License-Identifier: Apache-2.0 */
/* rate_unit - what rates of floating point operations and of bytes are worth. */
#include "analysis/footprint/rate_unit.h"

#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    enum rate_unit of;
    bool is_exact; /* upper case is no lower case: "Mb" are bits */
    bool is_rate;  /* in itself: the S of FLOPS */
} unit_names[] = {
    { "F", RATE_FLOPS, true, false },     { "Flop", RATE_FLOPS, false, false },
    { "Flops", RATE_FLOPS, false, true }, { "B", RATE_BYTES, true, false },
    { "Byte", RATE_BYTES, false, false }, { "Bytes", RATE_BYTES, false, false },
};

/* "/s" at the end is cut off. */
static bool per_second_cut(struct span *unit)
{
    size_t n = unit->size;
    if (n < 2 || memcmp(unit->data + n - 2, "/s", 2) != 0)
        return false;
    unit->size -= 2;
    return true;
}

static double prefix_scale(struct span *unit)
{
    static const char prefixes[] = "kMGTPE";
    char first = unit->size > 1 ? unit->data[0] : 0;
    const char *prefix = first ? strchr(prefixes, first == 'K' ? 'k' : first) : NULL;
    if (!prefix)
        return 1;
    bool is_binary = unit->size > 2 && unit->data[1] == 'i';
    size_t skip = is_binary ? 2 : 1;
    *unit = (struct span){ unit->data + skip, unit->size - skip };
    return pow(is_binary ? 1024 : 1000, (double)(prefix - prefixes + 1));
}

static int unit_scale(enum rate_unit of, struct span unit, bool is_counter, double *ret)
{
    bool is_rate = per_second_cut(&unit) || is_counter;
    double scale = prefix_scale(&unit);
    for (size_t i = 0; i < sizeof unit_names / sizeof unit_names[0]; i++) {
        const char *name = unit_names[i].name;
        bool is_it =
            unit_names[i].of == of && strlen(name) == unit.size &&
            (unit_names[i].is_exact ? memcmp(name, unit.data, unit.size) == 0
                                    : strncasecmp(name, unit.data, unit.size) == 0);
        if (!is_it || (!is_rate && !unit_names[i].is_rate))
            continue;
        *ret = scale;
        return 0;
    }
    return -EINVAL;
}

int rate_unit_scale(enum rate_unit of, const char *unit, bool is_counter, double *ret)
{
    return unit_scale(of, span_of(unit), is_counter, ret);
}

int rate_parse(enum rate_unit of, struct span text, double *ret)
{
    double value = 0, scale = 0;
    size_t digits = 0;
    text = span_trim(text);
    while (digits < text.size &&
           memchr("0123456789.", text.data[digits], sizeof "0123456789." - 1))
        digits++;
    struct span unit = { text.data + digits, text.size - digits };
    if (number_parse_double((struct span){ text.data, digits }, &value) < 0 ||
        unit_scale(of, span_trim(unit), false, &scale) < 0)
        return -EINVAL;
    value *= scale;
    if (!isfinite(value) || value <= 0)
        return -EINVAL;
    *ret = value;
    return 0;
}
