/* SPDX-License-Identifier: Apache-2.0 */
/* window - the samples of one series in a range before a step, and the functions of
 * them: rate(), sum_over_time(), ...
 */
#ifndef PROMQL_WINDOW_H
#define PROMQL_WINDOW_H

#include "promql/step.h"
#include "promql/syntax/syntax.h"

struct window {
    size_t count; /* > 0 */
    const int64_t *times_ms;
    const double *values;
    int64_t from_ms, to_ms; /* the range, both ends belong to it */
    int64_t now_ms;         /* the step */
    double parameters[2];   /* the function's other arguments */
    double *scratch;        /* capacity for count values */
};

/* 1: the value at the step; 0: none; -EDOM: a parameter is out of range. */
typedef int window_fn(const struct window *window, double *ret);

/* NULL: the function has no range. */
window_fn *window_function(enum function_id id);

#endif
