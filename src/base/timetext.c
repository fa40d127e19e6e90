/* SPDX-License-Identifier: Apache-2.0 */
/* timetext - points in time <-> text. */
#include "base/timetext.h"

#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* Days since 1970-01-01 of a date of the proleptic Gregorian calendar: years are
 * counted from March, so that the leap day is the last of its year; 400 years repeat
 * exactly. */
static int64_t days_from_civil(int64_t year, unsigned month, unsigned day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    int64_t day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

/* 1970 up to the last year that whole fits into 64 bits of nanoseconds: what is
 * accepted can be printed and read again. */
static int in_range(int64_t t_ns, int64_t *ret_ns)
{
    if (t_ns < 0 || t_ns >= days_from_civil(2262, 1, 1) * 86400 * NS_PER_S)
        return -ERANGE;
    *ret_ns = t_ns;
    return 0;
}

struct civil {
    int64_t year;
    unsigned month, day, hour, minute, second;
    int64_t ns;
};

static struct civil civil_from_ns(int64_t t_ns)
{
    int64_t seconds = t_ns / NS_PER_S;
    int64_t ns = t_ns % NS_PER_S;
    if (ns < 0) {
        ns += NS_PER_S;
        seconds--;
    }
    int64_t days = seconds / 86400;
    int64_t rest = seconds % 86400;
    if (rest < 0) {
        rest += 86400;
        days--;
    }
    int64_t z = days + 719468;
    int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    int64_t day_of_era = z - era * 146097;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) /
        365;
    int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month_from_march = (5 * day_of_year + 2) / 153;
    unsigned month =
        (unsigned)(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
    return (struct civil){
        .year = year_of_era + era * 400 + (month <= 2),
        .month = month,
        .day = (unsigned)(day_of_year - (153 * month_from_march + 2) / 5 + 1),
        .hour = (unsigned)(rest / 3600),
        .minute = (unsigned)(rest / 60 % 60),
        .second = (unsigned)(rest % 60),
        .ns = ns,
    };
}

/* Take exactly count digits off the front. */
static int take_digits(struct span *s, size_t count, unsigned *ret)
{
    if (s->size < count)
        return -EINVAL;
    uint64_t value;
    int rc = number_parse_u64((struct span){ s->data, count }, &value);
    if (rc < 0)
        return rc;
    *ret = (unsigned)value;
    *s = span_skip(*s, count);
    return 0;
}

static int take_char(struct span *s, char c)
{
    if (s->size == 0 || s->data[0] != c)
        return -EINVAL;
    *s = span_skip(*s, 1);
    return 0;
}

static unsigned days_in_month(unsigned year, unsigned month)
{
    static const unsigned char days[] = {
        31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31
    };
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && is_leap ? 29 : days[month - 1];
}

static int take_date(struct span *s, int64_t *ret_days)
{
    unsigned year, month, day;
    if (take_digits(s, 4, &year) < 0 || take_char(s, '-') < 0 ||
        take_digits(s, 2, &month) < 0 || take_char(s, '-') < 0 ||
        take_digits(s, 2, &day) < 0)
        return -EINVAL;
    if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month))
        return -EINVAL;
    if (year < 1970 || year > 2261)
        return -ERANGE;
    *ret_days = days_from_civil(year, month, day);
    return 0;
}

/* ":30:15.5" after the hour; all of it may be missing but the hour. */
static int take_clock(struct span *s, int64_t *ret_ns)
{
    unsigned hour, minute = 0, second = 0;
    int64_t ns = 0;
    if (take_digits(s, 2, &hour) < 0)
        return -EINVAL;
    if (take_char(s, ':') == 0) {
        if (take_digits(s, 2, &minute) < 0)
            return -EINVAL;
        if (take_char(s, ':') == 0 && take_digits(s, 2, &second) < 0)
            return -EINVAL;
    }
    if (s->size && (s->data[0] == '.' || s->data[0] == ',')) {
        *s = span_skip(*s, 1);
        int64_t scale = NS_PER_S / 10;
        size_t count = 0;
        for (; s->size && s->data[0] >= '0' && s->data[0] <= '9'; count++) {
            ns += scale * (s->data[0] - '0');
            scale /= 10;
            *s = span_skip(*s, 1);
        }
        if (count == 0)
            return -EINVAL;
    }
    /* 60 is a leap second; it is counted as the first of the next minute. */
    if (hour > 23 || minute > 59 || second > 60)
        return -EINVAL;
    *ret_ns = ((int64_t)hour * 3600 + minute * 60 + second) * NS_PER_S + ns;
    return 0;
}

static int take_zone(struct span *s, int64_t *ret_offset_ns)
{
    *ret_offset_ns = 0;
    if (take_char(s, 'Z') == 0 || take_char(s, 'z') == 0)
        return 0;
    int sign = take_char(s, '+') == 0 ? 1 : take_char(s, '-') == 0 ? -1 : 0;
    unsigned hour;
    unsigned minute = 0; /* "+02": PostgreSQL leaves them out */
    if (!sign || take_digits(s, 2, &hour) < 0)
        return -EINVAL;
    bool has_minute = take_char(s, ':') == 0 || s->size > 0;
    if ((has_minute && take_digits(s, 2, &minute) < 0) || hour > 23 || minute > 59)
        return -EINVAL;
    *ret_offset_ns = sign * ((int64_t)hour * 3600 + minute * 60) * NS_PER_S;
    return 0;
}

int timetext_parse(struct span s, int64_t *ret_ns)
{
    int64_t days, ns, offset_ns;
    int rc = take_date(&s, &days);
    if (rc < 0)
        return rc;
    if (take_char(&s, 'T') < 0 && take_char(&s, 't') < 0 && take_char(&s, ' ') < 0)
        return -EINVAL;
    if (take_clock(&s, &ns) < 0 || take_zone(&s, &offset_ns) < 0 || s.size)
        return -EINVAL;
    return in_range(days * 86400 * NS_PER_S + ns - offset_ns, ret_ns);
}

int timetext_parse_user(struct span s, int64_t now_ns, int64_t *ret_ns)
{
    if (span_is(s, "now")) {
        *ret_ns = now_ns;
        return 0;
    }
    if (span_starts(s, "@")) {
        int64_t t_ns;
        int rc = number_parse_seconds(span_skip(s, 1), &t_ns);
        return rc < 0 ? rc : in_range(t_ns, ret_ns);
    }
    if (span_starts(s, "-") || span_starts(s, "+")) {
        int64_t length_ns, t_ns;
        int rc = number_parse_duration(span_skip(s, 1), &length_ns);
        if (rc < 0)
            return rc;
        if (__builtin_add_overflow(now_ns, s.data[0] == '+' ? length_ns : -length_ns,
                                   &t_ns))
            return -ERANGE;
        return in_range(t_ns, ret_ns);
    }
    int64_t days;
    struct span rest = s;
    if (s.size == 10 && take_date(&rest, &days) == 0) {
        *ret_ns = days * 86400 * NS_PER_S;
        return 0;
    }
    return timetext_parse(s, ret_ns);
}

static size_t print_with(char out[static TIMETEXT_SIZE], int64_t t_ns, int decimals)
{
    struct civil c = civil_from_ns(t_ns);
    int n = snprintf(out, TIMETEXT_SIZE, "%04" PRId64 "-%02u-%02uT%02u:%02u:%02u",
                     c.year, c.month, c.day, c.hour, c.minute, c.second);
    int64_t fraction = c.ns;
    for (int i = decimals; i < 9; i++)
        fraction /= 10;
    if (decimals)
        n += snprintf(out + n, TIMETEXT_SIZE - (size_t)n, ".%0*" PRId64, decimals,
                      fraction);
    n += snprintf(out + n, TIMETEXT_SIZE - (size_t)n, "Z");
    return (size_t)n;
}

size_t timetext_print(char out[static TIMETEXT_SIZE], int64_t t_ns)
{
    int64_t ns = t_ns % NS_PER_S;
    int decimals = ns == 0 ? 0 : ns % NS_PER_MS == 0 ? 3 : ns % 1000 == 0 ? 6 : 9;
    return print_with(out, t_ns, decimals);
}

size_t timetext_print_ms(char out[static TIMETEXT_SIZE], int64_t t_ms)
{
    return print_with(out, t_ms * NS_PER_MS, 3);
}

size_t timetext_print_seconds(char out[static TIMETEXT_SIZE], int64_t t_ns)
{
    const char *sign = t_ns < 0 ? "-" : "";
    uint64_t abs_ns = t_ns < 0 ? 0 - (uint64_t)t_ns : (uint64_t)t_ns;
    uint64_t seconds = abs_ns / (uint64_t)NS_PER_S;
    uint64_t ns = abs_ns % (uint64_t)NS_PER_S;
    int n =
        ns ? snprintf(out, TIMETEXT_SIZE, "%s%" PRIu64 ".%09" PRIu64, sign, seconds, ns)
           : snprintf(out, TIMETEXT_SIZE, "%s%" PRIu64, sign, seconds);
    return (size_t)n;
}
