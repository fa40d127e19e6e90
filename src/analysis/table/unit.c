/* SPDX-License-Identifier: Apache-2.0 */
/* unit - what a number is measured in. */
#include "analysis/table/unit.h"

#include "base/figure.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <math.h>

#define EXPONENT_MAX 4
#define TIME_S_MAX 9e9 /* later ones are no times in nanoseconds */

static const struct {
    const char *name;
    struct unit unit;
    double factor;
} names[] = {
    { "", { .scale = UNIT_RATIO }, 1 },
    { "%", { .scale = UNIT_SHARE }, 0.01 },
    { "time", { .seconds = 1, .is_time = true }, 1 },
    { "bytes", { .bytes = 1 }, 1 },
    { "B", { .bytes = 1 }, 1 },
    { "kB", { .bytes = 1 }, 1e3 },
    { "MB", { .bytes = 1 }, 1e6 },
    { "GB", { .bytes = 1 }, 1e9 },
    { "TB", { .bytes = 1 }, 1e12 },
    { "PB", { .bytes = 1 }, 1e15 },
    { "KiB", { .bytes = 1 }, 0x1p10 },
    { "MiB", { .bytes = 1 }, 0x1p20 },
    { "GiB", { .bytes = 1 }, 0x1p30 },
    { "TiB", { .bytes = 1 }, 0x1p40 },
    { "PiB", { .bytes = 1 }, 0x1p50 },
    { "ns", { .seconds = 1 }, 1e-9 },
    { "us", { .seconds = 1 }, 1e-6 },
    { "ms", { .seconds = 1 }, 1e-3 },
    { "s", { .seconds = 1 }, 1 },
    { "min", { .seconds = 1 }, 60 },
    { "m", { .seconds = 1 }, 60 },
    { "h", { .seconds = 1 }, 3600 },
    { "d", { .seconds = 1 }, 86400 },
    { "w", { .seconds = 1 }, 604800 },
    { "J", { .joules = 1 }, 1 },
    { "kJ", { .joules = 1 }, 1e3 },
    { "MJ", { .joules = 1 }, 1e6 },
    { "GJ", { .joules = 1 }, 1e9 },
    { "Wh", { .joules = 1 }, 3.6e3 },
    { "kWh", { .joules = 1 }, 3.6e6 },
    { "MWh", { .joules = 1 }, 3.6e9 },
    { "W", { .joules = 1, .seconds = -1 }, 1 },
    { "kW", { .joules = 1, .seconds = -1 }, 1e3 },
    { "MW", { .joules = 1, .seconds = -1 }, 1e6 },
};

bool unit_is_none(const struct unit *unit)
{
    return unit->bytes == 0 && unit->seconds == 0 && unit->joules == 0;
}

bool unit_of_name(struct span name, struct unit *ret, double *ret_factor)
{
    bool is_rate = name.size > 2 && span_ends(name, "/s");
    if (span_is(name, "/s") || span_is(name, "1/s")) {
        *ret = (struct unit){ .seconds = -1 };
        *ret_factor = 1;
        return true;
    }
    if (is_rate)
        name.size -= 2;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (!span_is(name, names[i].name))
            continue;
        if (is_rate && (names[i].unit.is_time || unit_is_none(&names[i].unit)))
            return false;
        *ret = names[i].unit;
        *ret_factor = names[i].factor;
        if (is_rate)
            ret->seconds = (signed char)(ret->seconds - 1);
        return true;
    }
    return false;
}

bool unit_is_like(const struct unit *a, const struct unit *b)
{
    if (a->bytes != b->bytes || a->seconds != b->seconds || a->joules != b->joules)
        return false;
    if (unit_is_none(a))
        return a->scale == b->scale || a->scale == UNIT_RATIO || b->scale == UNIT_RATIO;
    return a->is_time == b->is_time;
}

static bool exponent_add(signed char a, int sign, signed char b, signed char *ret)
{
    int sum = a + sign * b;
    *ret = (signed char)sum;
    return sum >= -EXPONENT_MAX && sum <= EXPONENT_MAX;
}

/* A share of a count is a count; a quotient of equal things may be either. */
static enum unit_scale scale_of(const struct unit *a, const struct unit *b, int sign)
{
    if (!unit_is_none(a) || !unit_is_none(b) || sign < 0)
        return UNIT_RATIO;
    return a->scale == UNIT_COUNT || b->scale == UNIT_COUNT   ? UNIT_COUNT
           : a->scale == UNIT_SHARE || b->scale == UNIT_SHARE ? UNIT_SHARE
                                                              : UNIT_RATIO;
}

bool unit_multiply(const struct unit *a, const struct unit *b, int sign,
                   struct unit *ret)
{
    struct unit r = { .scale = scale_of(a, b, sign) };
    if (a->is_time || b->is_time || !exponent_add(a->bytes, sign, b->bytes, &r.bytes) ||
        !exponent_add(a->seconds, sign, b->seconds, &r.seconds) ||
        !exponent_add(a->joules, sign, b->joules, &r.joules))
        return false;
    *ret = r;
    return true;
}

/* ---- for people ---- */

static void power_print(const char *name, int exponent, bool *is_first,
                        struct strbuf *out)
{
    if (exponent == 0)
        return;
    strbuf_addf(out, "%s%s", *is_first ? "" : "*", name);
    if (exponent != 1)
        strbuf_addf(out, "^%d", exponent);
    *is_first = false;
}

static bool is_exactly(const struct unit *u, int bytes, int seconds, int joules)
{
    return u->bytes == bytes && u->seconds == seconds && u->joules == joules;
}

void unit_describe(const struct unit *unit, struct strbuf *out)
{
    bool is_first = true;
    if (unit_is_none(unit))
        strbuf_adds(out, unit->scale == UNIT_SHARE   ? "a share (%)"
                         : unit->scale == UNIT_COUNT ? "a plain number"
                                                     : "a ratio");
    else if (unit->is_time)
        strbuf_adds(out, "a time of day");
    else if (is_exactly(unit, 1, -1, 0))
        strbuf_adds(out, "bytes/s");
    else if (is_exactly(unit, 0, -1, 0))
        strbuf_adds(out, "1/s");
    else if (is_exactly(unit, 0, -1, 1))
        strbuf_adds(out, "W");
    else {
        power_print("bytes", unit->bytes, &is_first, out);
        power_print("s", unit->seconds, &is_first, out);
        power_print("J", unit->joules, &is_first, out);
    }
}

static void time_of_day_print(double seconds, struct strbuf *out)
{
    char text[TIMETEXT_SIZE];
    if (!(seconds >= 0 && seconds < TIME_S_MAX)) {
        strbuf_adds(out, "-");
        return;
    }
    (void)timetext_print(text, (int64_t)seconds * NS_PER_S);
    strbuf_adds(out, text);
}

static void duration_print(double seconds, struct strbuf *out)
{
    char text[FIGURE_SIZE];
    if (!(fabs(seconds) < TIME_S_MAX)) {
        strbuf_adds(out, "-");
        return;
    }
    figure_print_duration(text, sizeof text, (int64_t)llround(seconds * 1e9));
    strbuf_adds(out, text);
}

static void number_with_print(double value, const char *name, struct strbuf *out)
{
    char text[FIGURE_SIZE];
    figure_print_unit(text, sizeof text, value, name);
    strbuf_adds(out, text);
}

void unit_print_value(const struct unit *unit, double value, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    char text[FIGURE_SIZE];
    if (unit_is_none(unit) && unit->scale == UNIT_SHARE) {
        number_with_print(value * 100, "%", out);
    } else if (unit_is_none(unit)) {
        figure_print_number(text, sizeof text, value);
        strbuf_adds(out, text);
    } else if (unit->is_time) {
        time_of_day_print(value, out);
    } else if (is_exactly(unit, 0, 1, 0)) {
        duration_print(value, out);
    } else if (is_exactly(unit, 1, 0, 0) || is_exactly(unit, 1, -1, 0)) {
        figure_print_bytes(text, sizeof text, value);
        strbuf_addf(out, "%s%s", text, unit->seconds ? "/s" : "");
    } else if (is_exactly(unit, 0, -1, 0)) {
        figure_print_count(text, sizeof text, value);
        strbuf_addf(out, "%s/s", text);
    } else {
        unit_describe(unit, &name);
        number_with_print(value, strbuf_text(&name), out);
    }
}
