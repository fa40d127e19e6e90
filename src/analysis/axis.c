/* SPDX-License-Identifier: Apache-2.0 */
/* axis - round ticks for pictures: of values with a unit, and of times. */
#include "analysis/axis.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/timetext.h"

#include <math.h>
#include <string.h>

#define DAY_S 86400

static double unit_of_bytes(double greatest, const char **ret_prefix)
{
    static const char *const prefixes[] = { "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei" };
    double unit = 1;
    size_t i = 0;
    while (i + 1 < COUNT_OF(prefixes) && greatest >= unit * 1024) {
        unit *= 1024;
        i++;
    }
    *ret_prefix = prefixes[i];
    return unit;
}

/* The least of 1, 2, 5 times a power of ten that is not below value. */
static double round_up(double value)
{
    static const double steps[] = { 1, 2, 5, 10 };
    double power = pow(10, floor(log10(value)));
    for (size_t i = 0; i < COUNT_OF(steps); i++)
        if (steps[i] * power >= value * (1 - 1e-12))
            return steps[i] * power;
    return 10 * power;
}

void axis_of_values(double greatest, const char *unit, size_t ticks, struct axis *ret)
{
    const char *prefix = "";
    double scale = 1;
    const char *word = unit;
    if (!(greatest > 0) || !isfinite(greatest))
        greatest = 1;
    if (strncmp(unit, "bytes", 5) == 0) {
        scale = unit_of_bytes(greatest, &prefix);
        word = strcmp(unit, "bytes/s") == 0 ? "B/s" : "B";
    }
    double step = round_up(greatest / scale / (double)ticks);
    ret->count = 0;
    for (size_t i = 0; i <= ticks && ret->count < AXIS_TICKS_MAX; i++) {
        double value = step * (double)i;
        ret->places[ret->count] = value * scale;
        (void)snprintf(ret->labels[ret->count++], AXIS_LABEL_SIZE, "%.6g%s%s%s", value,
                       *word ? " " : "", prefix, word);
        if (value * scale >= greatest * (1 - 1e-12))
            break;
    }
    ret->top = ret->places[ret->count - 1];
}

static int64_t step_of(int64_t span_s, size_t ticks)
{
    static const int64_t steps[] = { 1,          2,         5,     10,        15,
                                     30,         60,        120,   300,       600,
                                     900,        1800,      3600,  7200,      10800,
                                     21600,      43200,     DAY_S, 2 * DAY_S, 7 * DAY_S,
                                     14 * DAY_S, 28 * DAY_S };
    for (size_t i = 0; i < COUNT_OF(steps); i++)
        if (span_s / steps[i] < (int64_t)ticks)
            return steps[i];
    int64_t days = span_s / DAY_S / (int64_t)ticks + 1;
    return days * DAY_S;
}

void axis_of_times(int64_t from_s, int64_t to_s, size_t ticks, struct axis *ret)
{
    int64_t step = step_of(to_s - from_s, ticks);
    int64_t first = from_s - from_s % step;
    ret->count = 0;
    ret->top = NAN;
    for (int64_t t = first < from_s ? first + step : first;
         t <= to_s && ret->count < AXIS_TICKS_MAX; t += step) {
        char text[TIMETEXT_SIZE]; /* 2017-03-20T14:30:00Z */
        (void)timetext_print(text, t * NS_PER_S);
        const char *part = t % DAY_S == 0 ? text : text + 11;
        int size = t % DAY_S == 0 ? 10 : step < 60 ? 8 : 5;
        ret->places[ret->count] = (double)t;
        (void)snprintf(ret->labels[ret->count++], AXIS_LABEL_SIZE, "%.*s", size, part);
    }
}
