/* SPDX-License-Identifier: Apache-2.0 */
/* zone_rule - the summer times of the years that a zone's file does not list. */
#include "base/zone_rule.h"

#include "base/number.h"
#include "base/span.h"
#include "base/zone.h"

#include <errno.h>

#define DAY_S INT64_C(86400)
#define HOUR_S INT64_C(3600)

/* A day of each year, and a time of that day, in seconds. */
struct rule_day {
    enum { DAY_OF_WEEK, DAY_JULIAN, DAY_FROM_ZERO } kind;
    int64_t month, week, day;
    int64_t time_s;
};

static int digits_parse(struct span *text, int64_t most, int64_t *ret)
{
    int64_t value = 0;
    size_t n = 0;
    for (; n < text->size && n < 4 && text->data[n] >= '0' && text->data[n] <= '9'; n++)
        value = value * 10 + (text->data[n] - '0');
    if (n == 0 || value > most)
        return -EINVAL;
    *text = span_skip(*text, n);
    *ret = value;
    return 0;
}

static bool accept_char(struct span *text, char c)
{
    bool is_there = text->size > 0 && text->data[0] == c;
    if (is_there)
        *text = span_skip(*text, 1);
    return is_there;
}

/* "CET" or "<+0330>". */
static int name_skip(struct span *text)
{
    size_t n = 0;
    if (accept_char(text, '<')) {
        struct span name;
        return span_cut(text, '>', &name) && name.size >= 3 ? 0 : -EINVAL;
    }
    while (n < text->size &&
           ((text->data[n] | 32) >= 'a' && (text->data[n] | 32) <= 'z'))
        n++;
    *text = span_skip(*text, n);
    return n >= 3 ? 0 : -EINVAL;
}

/* "[+-]h[:m[:s]]" in seconds. */
static int time_parse(struct span *text, int64_t *ret_s)
{
    static const int64_t units[] = { HOUR_S, 60, 1 };
    bool is_negative = accept_char(text, '-');
    int64_t total = 0, part;
    if (!is_negative)
        (void)accept_char(text, '+');
    for (size_t i = 0; i < 3; i++) {
        if (i > 0 && !accept_char(text, ':'))
            break;
        if (digits_parse(text, i == 0 ? 167 : 59, &part) < 0)
            return -EINVAL;
        total += part * units[i];
    }
    *ret_s = is_negative ? -total : total;
    return 0;
}

/* ",M3.5.0/2", ",J60", ",59". */
static int day_parse(struct span *text, struct rule_day *ret)
{
    struct rule_day day = { .kind = DAY_FROM_ZERO, .time_s = 2 * HOUR_S };
    int rc;
    if (!accept_char(text, ','))
        return -EINVAL;
    if (accept_char(text, 'M')) {
        day.kind = DAY_OF_WEEK;
        rc = digits_parse(text, 12, &day.month);
        if (rc < 0 || day.month < 1 || !accept_char(text, '.') ||
            digits_parse(text, 5, &day.week) < 0 || day.week < 1 ||
            !accept_char(text, '.'))
            return -EINVAL;
        rc = digits_parse(text, 6, &day.day);
    } else {
        day.kind = accept_char(text, 'J') ? DAY_JULIAN : DAY_FROM_ZERO;
        rc = digits_parse(text, 365, &day.day);
        if (day.kind == DAY_JULIAN && day.day < 1)
            return -EINVAL;
    }
    if (rc == 0 && accept_char(text, '/'))
        rc = time_parse(text, &day.time_s);
    *ret = day;
    return rc;
}

/* ---- days ---- */

static bool is_leap(int64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Days since 1970 of the first of January. */
static int64_t year_days(int64_t year)
{
    int64_t y = year - 1;
    return 365 * (year - 1970) + (y / 4 - y / 100 + y / 400) -
           (1969 / 4 - 1969 / 100 + 1969 / 400);
}

static int64_t month_days(int64_t year, int64_t month)
{
    static const int64_t before[] = { 0,   31,  59,  90,  120, 151, 181,
                                      212, 243, 273, 304, 334, 365 };
    return before[month] + (month >= 2 && is_leap(year));
}

/* Days since 1970 of the rule's day in year. */
static int64_t rule_days(const struct rule_day *rule, int64_t year)
{
    int64_t first = year_days(year);
    if (rule->kind == DAY_FROM_ZERO)
        return first + rule->day;
    if (rule->kind == DAY_JULIAN) /* the 29th of February is never counted */
        return first + rule->day - 1 + (is_leap(year) && rule->day >= 60);
    int64_t month = first + month_days(year, rule->month - 1);
    int64_t next = first + month_days(year, rule->month);
    int64_t weekday = (month + 4) % 7; /* 1970 began on a Thursday */
    int64_t day = month + (rule->day - weekday + 7) % 7 + 7 * (rule->week - 1);
    return day >= next ? day - 7 : day;
}

static struct zone_change change_of(const struct rule_day *rule, int64_t year,
                                    int64_t before_s, int64_t then_s)
{
    int64_t t_s = rule_days(rule, year) * DAY_S + rule->time_s - before_s;
    return (struct zone_change){ .t_ns = t_s * NS_PER_S,
                                 .offset_ns = then_s * NS_PER_S };
}

int zone_rule_changes(struct span rule, int64_t after_ns, struct zone_change *ret,
                      size_t *ret_count)
{
    struct rule_day to_summer, to_winter;
    int64_t winter_s, summer_s;
    size_t count = 0;
    /* Offsets of POSIX are west of Greenwich. */
    if (name_skip(&rule) < 0 || time_parse(&rule, &winter_s) < 0)
        return -EINVAL;
    winter_s = -winter_s;
    summer_s = winter_s + HOUR_S;
    *ret_count = 0;
    if (rule.size == 0)
        return 0;
    if (name_skip(&rule) < 0)
        return -EINVAL;
    if (rule.size > 0 && rule.data[0] != ',') {
        if (time_parse(&rule, &summer_s) < 0)
            return -EINVAL;
        summer_s = -summer_s;
    }
    if (day_parse(&rule, &to_summer) < 0 || day_parse(&rule, &to_winter) < 0 ||
        rule.size > 0)
        return -EINVAL;
    for (int64_t year = 1970; year <= ZONE_RULE_YEAR_LAST; year++) {
        struct zone_change pair[] = { change_of(&to_summer, year, winter_s, summer_s),
                                      change_of(&to_winter, year, summer_s, winter_s) };
        bool is_south = pair[1].t_ns < pair[0].t_ns;
        for (size_t i = 0; i < 2; i++) {
            const struct zone_change *change = &pair[is_south ? 1 - i : i];
            if (change->t_ns > after_ns)
                ret[count++] = *change;
        }
    }
    *ret_count = count;
    return 0;
}
