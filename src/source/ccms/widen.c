/* SPDX-License-Identifier: Apache-2.0 */
/* widen - from 32 bits to 64; and from a level's name to type and id. */
#include "base/span.h"
#include "source/ccms/ccms.h"

#include <math.h>
#include <stddef.h>

/* Above it a float has no decimals to speak of. */
#define SHORT_MAX 1e7

double ccms_widen(float value)
{
    static const double powers[] = { 1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 };
    double exact = (double)value;
    if (!isfinite(value) || value == 0 || fabs(exact) >= SHORT_MAX)
        return exact;
    for (size_t i = 0; i < sizeof powers / sizeof powers[0]; i++) {
        double near = nearbyint(exact * powers[i]) / powers[i];
        if ((float)near == value)
            return near;
    }
    return exact;
}

void ccms_level_parse(struct span name, struct span *ret_type, struct span *ret_id)
{
    static const char *const types[] = { "node", "socket", "die",      "memoryDomain",
                                         "llc",  "core",   "hwthread", "accelerator" };
    size_t cut = 0;
    while (cut < name.size && (name.data[cut] < '0' || name.data[cut] > '9'))
        cut++;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (span_starts(name, types[i]))
            cut = strlen(types[i]);
    }
    *ret_type = (struct span){ name.data, cut };
    *ret_id = span_skip(name, cut);
}
