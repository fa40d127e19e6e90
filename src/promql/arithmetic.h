/* SPDX-License-Identifier: Apache-2.0 */
/* arithmetic - one operator on two numbers, one function of one number. */
#ifndef PROMQL_ARITHMETIC_H
#define PROMQL_ARITHMETIC_H

#include "promql/syntax/syntax.h"

/* Of a comparison: the left number, and whether it holds; of the rest the result, and
 * true. */
bool operation_apply(enum operation operation, double left, double right, double *ret);

/* Of two scalars: a comparison is 1 or 0. */
double operation_of_scalars(enum operation operation, double left, double right);

typedef double number_fn(double value);
/* abs(), ceil(), sin(), ...; NULL: it is no function of one number. */
number_fn *number_function(enum function_id id);

/* hour(), month(), ... of seconds since 1970, UTC; NULL likewise. */
number_fn *calendar_function(enum function_id id);

#endif
