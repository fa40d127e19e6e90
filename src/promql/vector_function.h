/* SPDX-License-Identifier: Apache-2.0 */
/* vector_function - functions of values: abs(), clamp(), sort(), vector(), time(), ...
 */
#ifndef PROMQL_VECTOR_FUNCTION_H
#define PROMQL_VECTOR_FUNCTION_H

#include "promql/syntax/syntax.h"
#include "promql/value.h"

/* The result of a function whose arguments have been evaluated; those may be changed or
 * become the result.  Errors: -EDOM, -E2BIG. */
int vector_function(struct evaluation *ev, const struct expr_call *call,
                    const struct step_grid *grid, struct value *arguments,
                    struct value *ret);

/* Rows that are absent exactly where set is not: absent() and absent_over_time().
 * Errors: -E2BIG. */
int vector_absent(struct evaluation *ev, const struct expr *argument,
                  const struct row_set *set, struct value *ret);

#endif
