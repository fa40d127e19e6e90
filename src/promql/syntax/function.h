/* SPDX-License-Identifier: Apache-2.0 */
/* function - the functions of the language: names, arguments and results.
 *
 * What they compute stands where it is evaluated; this is what a parser has to know.
 */
#ifndef PROMQL_FUNCTION_H
#define PROMQL_FUNCTION_H

#include "base/span_type.h"

enum value_type { TYPE_SCALAR, TYPE_VECTOR, TYPE_MATRIX, TYPE_STRING };

enum function_id {
    FUNCTION_ABS,
    FUNCTION_ABSENT,
    FUNCTION_ABSENT_OVER_TIME,
    FUNCTION_ACOS,
    FUNCTION_ACOSH,
    FUNCTION_ASIN,
    FUNCTION_ASINH,
    FUNCTION_ATAN,
    FUNCTION_ATANH,
    FUNCTION_AVG_OVER_TIME,
    FUNCTION_CEIL,
    FUNCTION_CHANGES,
    FUNCTION_CLAMP,
    FUNCTION_CLAMP_MAX,
    FUNCTION_CLAMP_MIN,
    FUNCTION_COS,
    FUNCTION_COSH,
    FUNCTION_COUNT_OVER_TIME,
    FUNCTION_DAY_OF_MONTH,
    FUNCTION_DAY_OF_WEEK,
    FUNCTION_DAY_OF_YEAR,
    FUNCTION_DAYS_IN_MONTH,
    FUNCTION_DEG,
    FUNCTION_DELTA,
    FUNCTION_DERIV,
    FUNCTION_EXP,
    FUNCTION_FLOOR,
    FUNCTION_HISTOGRAM_QUANTILE,
    FUNCTION_HOLT_WINTERS,
    FUNCTION_HOUR,
    FUNCTION_IDELTA,
    FUNCTION_INCREASE,
    FUNCTION_IRATE,
    FUNCTION_LABEL_JOIN,
    FUNCTION_LABEL_REPLACE,
    FUNCTION_LAST_OVER_TIME,
    FUNCTION_LN,
    FUNCTION_LOG10,
    FUNCTION_LOG2,
    FUNCTION_MAX_OVER_TIME,
    FUNCTION_MIN_OVER_TIME,
    FUNCTION_MINUTE,
    FUNCTION_MONTH,
    FUNCTION_PI,
    FUNCTION_PREDICT_LINEAR,
    FUNCTION_PRESENT_OVER_TIME,
    FUNCTION_QUANTILE_OVER_TIME,
    FUNCTION_RAD,
    FUNCTION_RATE,
    FUNCTION_RESETS,
    FUNCTION_ROUND,
    FUNCTION_SCALAR,
    FUNCTION_SGN,
    FUNCTION_SIN,
    FUNCTION_SINH,
    FUNCTION_SORT,
    FUNCTION_SORT_DESC,
    FUNCTION_SQRT,
    FUNCTION_STDDEV_OVER_TIME,
    FUNCTION_STDVAR_OVER_TIME,
    FUNCTION_SUM_OVER_TIME,
    FUNCTION_TAN,
    FUNCTION_TANH,
    FUNCTION_TIME,
    FUNCTION_TIMESTAMP,
    FUNCTION_VECTOR,
    FUNCTION_YEAR,
    _FUNCTION_COUNT,
};

#define FUNCTION_ARGUMENTS_MAX 5
#define FUNCTION_ANY_COUNT 255 /* the last type may repeat */

struct function {
    const char *name;
    enum function_id id;
    enum value_type result;
    unsigned char arguments_min, arguments_max;
    enum value_type arguments[FUNCTION_ARGUMENTS_MAX];
};

/* NULL: there is no function of this name; names are lower case. */
const struct function *function_find(struct span name);

/* Functions of histograms as one sample that Prometheus has and that are not here. */
bool function_is_of_native_histograms(struct span name);

/* Whether the result changes from step to step even where the arguments do not. */
bool function_depends_on_time(enum function_id id);

/* Type of argument number index (from 0). */
enum value_type function_argument_type(const struct function *function, size_t index);

/* "scalar", "instant vector", "range vector", "string". */
const char *value_type_text(enum value_type type);

#endif
