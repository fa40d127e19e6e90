/* SPDX-License-Identifier: Apache-2.0 */
/* arithmetic - one operator on two numbers, one function of one number. */
#include "promql/arithmetic.h"

#include <math.h>

#define SECONDS_A_DAY 86400
/* Go counts days from the year -292277022399 on, without a sign. */
#define SECONDS_BEFORE_1970 UINT64_C(9223372028715321600)

static bool comparison_holds(enum operation operation, double left, double right)
{
    switch (operation) {
    case OPERATION_EQ:
        return left == right;
    case OPERATION_NE:
        return left != right;
    case OPERATION_GT:
        return left > right;
    case OPERATION_LT:
        return left < right;
    case OPERATION_GE:
        return left >= right;
    default:
        return left <= right;
    }
}

bool operation_apply(enum operation operation, double left, double right, double *ret)
{
    *ret = left;
    switch (operation) {
    case OPERATION_ADD:
        *ret = left + right;
        return true;
    case OPERATION_SUB:
        *ret = left - right;
        return true;
    case OPERATION_MUL:
        *ret = left * right;
        return true;
    case OPERATION_DIV:
        *ret = left / right;
        return true;
    case OPERATION_MOD:
        *ret = fmod(left, right);
        return true;
    case OPERATION_POW:
        *ret = pow(left, right);
        return true;
    case OPERATION_ATAN2:
        *ret = atan2(left, right);
        return true;
    default:
        return comparison_holds(operation, left, right);
    }
}

double operation_of_scalars(enum operation operation, double left, double right)
{
    double value = 0;
    bool holds = operation_apply(operation, left, right, &value);
    return operation_is_comparison(operation) ? holds : value;
}

static double sign_of(double value)
{
    return value < 0 ? -1 : value > 0 ? 1 : value;
}

static double degrees_of(double value)
{
    return value * 180 / M_PI;
}

static double radians_of(double value)
{
    return value * M_PI / 180;
}

number_fn *number_function(enum function_id id)
{
    static number_fn *const functions[_FUNCTION_COUNT] = {
        [FUNCTION_ABS] = fabs,       [FUNCTION_ACOS] = acos,
        [FUNCTION_ACOSH] = acosh,    [FUNCTION_ASIN] = asin,
        [FUNCTION_ASINH] = asinh,    [FUNCTION_ATAN] = atan,
        [FUNCTION_ATANH] = atanh,    [FUNCTION_CEIL] = ceil,
        [FUNCTION_COS] = cos,        [FUNCTION_COSH] = cosh,
        [FUNCTION_EXP] = exp,        [FUNCTION_FLOOR] = floor,
        [FUNCTION_LN] = log,         [FUNCTION_LOG10] = log10,
        [FUNCTION_LOG2] = log2,      [FUNCTION_SIN] = sin,
        [FUNCTION_SINH] = sinh,      [FUNCTION_SQRT] = sqrt,
        [FUNCTION_TAN] = tan,        [FUNCTION_TANH] = tanh,
        [FUNCTION_SGN] = sign_of,    [FUNCTION_DEG] = degrees_of,
        [FUNCTION_RAD] = radians_of,
    };
    return functions[id];
}

/* A day of the proleptic Gregorian calendar. */
struct date {
    int64_t year;
    int month; /* 1 .. 12 */
    int day;   /* 1 .. 31 */
    int day_of_year;
};

/* Seconds as an integer; what does not fit is the least integer, as on amd64. */
static int64_t whole_seconds(double value)
{
    if (!(value >= -9223372036854775808.0 && value < 9223372036854775808.0))
        return INT64_MIN;
    return (int64_t)value;
}

static uint64_t absolute_seconds(double value)
{
    return (uint64_t)whole_seconds(value) + SECONDS_BEFORE_1970;
}

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Days since 1970. */
static int64_t day_number(double value)
{
    return (int64_t)(absolute_seconds(value) / SECONDS_A_DAY) -
           (int64_t)(SECONDS_BEFORE_1970 / SECONDS_A_DAY);
}

static bool is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int month_days(int64_t year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    return days[month - 1] + (month == 2 && is_leap(year));
}

/* Years begin in March here, so that a leap day is the last of one. */
static struct date date_of(double seconds)
{
    int64_t days = day_number(seconds) + 719468;
    int64_t era = floor_divide(days, 146097);
    int64_t day_of_era = days - era * 146097;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) /
        365;
    int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month = (5 * day_of_year + 2) / 153;
    struct date date = { .day = (int)(day_of_year - (153 * month + 2) / 5 + 1),
                         .month = (int)(month < 10 ? month + 3 : month - 9) };
    date.year = year_of_era + era * 400 + (date.month <= 2);
    date.day_of_year = date.day;
    for (int m = 1; m < date.month; m++)
        date.day_of_year += month_days(date.year, m);
    return date;
}

static double year_of(double seconds)
{
    return (double)date_of(seconds).year;
}

static double month_of(double seconds)
{
    return date_of(seconds).month;
}

static double day_of(double seconds)
{
    return date_of(seconds).day;
}

static double day_of_year_of(double seconds)
{
    return date_of(seconds).day_of_year;
}

static double days_in_month_of(double seconds)
{
    struct date date = date_of(seconds);
    return month_days(date.year, date.month);
}

static double day_of_week_of(double seconds)
{
    int64_t days = day_number(seconds) + 4;
    return (double)(days - 7 * floor_divide(days, 7));
}

static int64_t second_of_day(double seconds)
{
    return (int64_t)(absolute_seconds(seconds) % SECONDS_A_DAY);
}

static double hour_of(double seconds)
{
    return (double)(second_of_day(seconds) / 3600);
}

static double minute_of(double seconds)
{
    return (double)(second_of_day(seconds) / 60 % 60);
}

number_fn *calendar_function(enum function_id id)
{
    static number_fn *const functions[_FUNCTION_COUNT] = {
        [FUNCTION_DAY_OF_MONTH] = day_of,
        [FUNCTION_DAY_OF_WEEK] = day_of_week_of,
        [FUNCTION_DAY_OF_YEAR] = day_of_year_of,
        [FUNCTION_DAYS_IN_MONTH] = days_in_month_of,
        [FUNCTION_HOUR] = hour_of,
        [FUNCTION_MINUTE] = minute_of,
        [FUNCTION_MONTH] = month_of,
        [FUNCTION_YEAR] = year_of,
    };
    return functions[id];
}
