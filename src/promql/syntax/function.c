/* SPDX-License-Identifier: Apache-2.0 */
/* function - the functions of the language: names, arguments and results. */
#include "promql/syntax/function.h"

#include "base/cleanup.h"
#include "base/span.h"

#define S TYPE_SCALAR
#define V TYPE_VECTOR
#define M TYPE_MATRIX
#define T TYPE_STRING

static const struct function functions[] = {
    { "abs", FUNCTION_ABS, V, 1, 1, { V } },
    { "absent", FUNCTION_ABSENT, V, 1, 1, { V } },
    { "absent_over_time", FUNCTION_ABSENT_OVER_TIME, V, 1, 1, { M } },
    { "acos", FUNCTION_ACOS, V, 1, 1, { V } },
    { "acosh", FUNCTION_ACOSH, V, 1, 1, { V } },
    { "asin", FUNCTION_ASIN, V, 1, 1, { V } },
    { "asinh", FUNCTION_ASINH, V, 1, 1, { V } },
    { "atan", FUNCTION_ATAN, V, 1, 1, { V } },
    { "atanh", FUNCTION_ATANH, V, 1, 1, { V } },
    { "avg_over_time", FUNCTION_AVG_OVER_TIME, V, 1, 1, { M } },
    { "ceil", FUNCTION_CEIL, V, 1, 1, { V } },
    { "changes", FUNCTION_CHANGES, V, 1, 1, { M } },
    { "clamp", FUNCTION_CLAMP, V, 3, 3, { V, S, S } },
    { "clamp_max", FUNCTION_CLAMP_MAX, V, 2, 2, { V, S } },
    { "clamp_min", FUNCTION_CLAMP_MIN, V, 2, 2, { V, S } },
    { "cos", FUNCTION_COS, V, 1, 1, { V } },
    { "cosh", FUNCTION_COSH, V, 1, 1, { V } },
    { "count_over_time", FUNCTION_COUNT_OVER_TIME, V, 1, 1, { M } },
    { "day_of_month", FUNCTION_DAY_OF_MONTH, V, 0, 1, { V } },
    { "day_of_week", FUNCTION_DAY_OF_WEEK, V, 0, 1, { V } },
    { "day_of_year", FUNCTION_DAY_OF_YEAR, V, 0, 1, { V } },
    { "days_in_month", FUNCTION_DAYS_IN_MONTH, V, 0, 1, { V } },
    { "deg", FUNCTION_DEG, V, 1, 1, { V } },
    { "delta", FUNCTION_DELTA, V, 1, 1, { M } },
    { "deriv", FUNCTION_DERIV, V, 1, 1, { M } },
    { "exp", FUNCTION_EXP, V, 1, 1, { V } },
    { "floor", FUNCTION_FLOOR, V, 1, 1, { V } },
    { "histogram_quantile", FUNCTION_HISTOGRAM_QUANTILE, V, 2, 2, { S, V } },
    { "holt_winters", FUNCTION_HOLT_WINTERS, V, 3, 3, { M, S, S } },
    { "hour", FUNCTION_HOUR, V, 0, 1, { V } },
    { "idelta", FUNCTION_IDELTA, V, 1, 1, { M } },
    { "increase", FUNCTION_INCREASE, V, 1, 1, { M } },
    { "irate", FUNCTION_IRATE, V, 1, 1, { M } },
    { "label_join", FUNCTION_LABEL_JOIN, V, 3, FUNCTION_ANY_COUNT, { V, T, T, T } },
    { "label_replace", FUNCTION_LABEL_REPLACE, V, 5, 5, { V, T, T, T, T } },
    { "last_over_time", FUNCTION_LAST_OVER_TIME, V, 1, 1, { M } },
    { "ln", FUNCTION_LN, V, 1, 1, { V } },
    { "log10", FUNCTION_LOG10, V, 1, 1, { V } },
    { "log2", FUNCTION_LOG2, V, 1, 1, { V } },
    { "max_over_time", FUNCTION_MAX_OVER_TIME, V, 1, 1, { M } },
    { "min_over_time", FUNCTION_MIN_OVER_TIME, V, 1, 1, { M } },
    { "minute", FUNCTION_MINUTE, V, 0, 1, { V } },
    { "month", FUNCTION_MONTH, V, 0, 1, { V } },
    { "pi", FUNCTION_PI, S, 0, 0, { S } },
    { "predict_linear", FUNCTION_PREDICT_LINEAR, V, 2, 2, { M, S } },
    { "present_over_time", FUNCTION_PRESENT_OVER_TIME, V, 1, 1, { M } },
    { "quantile_over_time", FUNCTION_QUANTILE_OVER_TIME, V, 2, 2, { S, M } },
    { "rad", FUNCTION_RAD, V, 1, 1, { V } },
    { "rate", FUNCTION_RATE, V, 1, 1, { M } },
    { "resets", FUNCTION_RESETS, V, 1, 1, { M } },
    { "round", FUNCTION_ROUND, V, 1, 2, { V, S } },
    { "scalar", FUNCTION_SCALAR, S, 1, 1, { V } },
    { "sgn", FUNCTION_SGN, V, 1, 1, { V } },
    { "sin", FUNCTION_SIN, V, 1, 1, { V } },
    { "sinh", FUNCTION_SINH, V, 1, 1, { V } },
    { "sort", FUNCTION_SORT, V, 1, 1, { V } },
    { "sort_desc", FUNCTION_SORT_DESC, V, 1, 1, { V } },
    { "sqrt", FUNCTION_SQRT, V, 1, 1, { V } },
    { "stddev_over_time", FUNCTION_STDDEV_OVER_TIME, V, 1, 1, { M } },
    { "stdvar_over_time", FUNCTION_STDVAR_OVER_TIME, V, 1, 1, { M } },
    { "sum_over_time", FUNCTION_SUM_OVER_TIME, V, 1, 1, { M } },
    { "tan", FUNCTION_TAN, V, 1, 1, { V } },
    { "tanh", FUNCTION_TANH, V, 1, 1, { V } },
    { "time", FUNCTION_TIME, S, 0, 0, { S } },
    { "timestamp", FUNCTION_TIMESTAMP, V, 1, 1, { V } },
    { "vector", FUNCTION_VECTOR, V, 1, 1, { S } },
    { "year", FUNCTION_YEAR, V, 0, 1, { V } },
};

const struct function *function_find(struct span name)
{
    for (size_t i = 0; i < COUNT_OF(functions); i++)
        if (span_is(name, functions[i].name))
            return &functions[i];
    return NULL;
}

bool function_is_of_native_histograms(struct span name)
{
    return span_is(name, "histogram_count") || span_is(name, "histogram_sum") ||
           span_is(name, "histogram_fraction");
}

bool function_depends_on_time(enum function_id id)
{
    switch (id) {
    case FUNCTION_DAY_OF_MONTH:
    case FUNCTION_DAY_OF_WEEK:
    case FUNCTION_DAY_OF_YEAR:
    case FUNCTION_DAYS_IN_MONTH:
    case FUNCTION_HOUR:
    case FUNCTION_MINUTE:
    case FUNCTION_MONTH:
    case FUNCTION_YEAR:
    case FUNCTION_PREDICT_LINEAR:
    case FUNCTION_TIME:
    case FUNCTION_TIMESTAMP:
        return true;
    default:
        return false;
    }
}

enum value_type function_argument_type(const struct function *function, size_t index)
{
    size_t last = FUNCTION_ARGUMENTS_MAX - 1;
    if (function->arguments_max == FUNCTION_ANY_COUNT)
        last = function->arguments_min;
    return function->arguments[index < last ? index : last];
}

const char *value_type_text(enum value_type type)
{
    static const char *const texts[] = { "scalar", "instant vector", "range vector",
                                         "string" };
    return texts[type];
}
