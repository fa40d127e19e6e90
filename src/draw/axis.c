/* SPDX-License-Identifier: Apache-2.0 */
/* axis - round ticks for pictures: of values with a unit, and of times. */
#include "draw/axis.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/number.h"
#include "base/timetext.h"

#include <math.h>
#include <string.h>
#include <time.h>

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

/* As many decimals as the step has; large ones as people say them. */
static void number_label(char label[static AXIS_LABEL_SIZE], double value, double step)
{
    int decimals = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
    if (fabs(value) >= 100000)
        figure_print_count(label, AXIS_LABEL_SIZE, value);
    else
        (void)snprintf(label, AXIS_LABEL_SIZE, "%.*f", decimals > 9 ? 9 : decimals,
                       value);
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
        ret->positions[ret->count] = value * scale;
        (void)snprintf(ret->labels[ret->count++], AXIS_LABEL_SIZE, "%.6g%s%s%s", value,
                       *word ? " " : "", prefix, word);
        if (value * scale >= greatest * (1 - 1e-12))
            break;
    }
    ret->top = ret->positions[ret->count - 1];
}

void axis_of_range(double low, double high, size_t ticks, struct axis *ret)
{
    ret->count = 0;
    ret->top = high;
    if (!(low < high) || isinf(low) || isinf(high) || ticks == 0)
        return;
    double step = round_up((high - low) / (double)ticks);
    if (!(step > 0) || isinf(step))
        return;
    /* i has no fraction: a number that is not 0 keeps its digits, 0 has no sign. */
    for (double i = ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) {
        if (ret->count == ticks || ret->count == AXIS_TICKS_MAX)
            break;
        ret->positions[ret->count] = i == 0 ? 0 : i * step;
        number_label(ret->labels[ret->count], ret->positions[ret->count], step);
        ret->count++;
    }
}

/* Of so many seconds, or, where days would be too close, of months. */
struct time_step {
    int64_t seconds; /* 0: months */
    int64_t months;
};

static struct time_step step_of(int64_t span_s, size_t ticks)
{
    static const int64_t steps[] = { 1,         2,     5,     10,        15,
                                     30,        60,    120,   300,       600,
                                     900,       1800,  3600,  7200,      10800,
                                     21600,     43200, DAY_S, 2 * DAY_S, 7 * DAY_S,
                                     14 * DAY_S };
    static const int64_t months[] = { 1, 2, 3, 6, 12, 24, 60, 120, 240, 600 };
    for (size_t i = 0; i < COUNT_OF(steps); i++)
        if (span_s / steps[i] < (int64_t)ticks)
            return (struct time_step){ steps[i], 0 };
    for (size_t i = 0; i < COUNT_OF(months); i++)
        if (span_s / (months[i] * 28 * DAY_S) < (int64_t)ticks)
            return (struct time_step){ 0, months[i] };
    return (struct time_step){ 0, 1200 };
}

/* "14:30", "2017-03-20" where a day begins, "2017-03" of months. */
static void time_add(int64_t t, const struct time_step *step, struct axis *ret)
{
    char text[TIMETEXT_SIZE]; /* 2017-03-20T14:30:00Z */
    bool is_day = t % DAY_S == 0;
    int size = step->months >= 12   ? 4
               : step->months       ? 7
               : is_day             ? 10
               : step->seconds < 60 ? 8
                                    : 5;
    (void)timetext_print(text, t * NS_PER_S);
    ret->positions[ret->count] = (double)t;
    (void)snprintf(ret->labels[ret->count++], AXIS_LABEL_SIZE, "%.*s", size,
                   is_day ? text : text + 11);
}

/* Months are counted from the year 0. */
static void months_add(int64_t from_s, int64_t to_s, const struct time_step *step,
                       struct axis *ret)
{
    struct tm tm = { 0 };
    if (!gmtime_r(&from_s, &tm))
        return;
    int64_t month = (int64_t)(tm.tm_year + 1900) * 12 + tm.tm_mon;
    for (month -= month % step->months; ret->count < AXIS_TICKS_MAX;
         month += step->months) {
        struct tm first = { .tm_year = (int)(month / 12 - 1900),
                            .tm_mon = (int)(month % 12),
                            .tm_mday = 1 };
        int64_t t = timegm(&first);
        if (t > to_s)
            break;
        if (t >= from_s)
            time_add(t, step, ret);
    }
}

void axis_of_times(int64_t from_s, int64_t to_s, size_t ticks, struct axis *ret)
{
    const struct time_step step = step_of(to_s - from_s, ticks);
    ret->count = 0;
    ret->top = NAN;
    if (step.months) {
        months_add(from_s, to_s, &step, ret);
        return;
    }
    int64_t first = from_s - from_s % step.seconds;
    for (int64_t t = first < from_s ? first + step.seconds : first;
         t <= to_s && ret->count < AXIS_TICKS_MAX; t += step.seconds)
        time_add(t, &step, ret);
}
