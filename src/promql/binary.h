/* SPDX-License-Identifier: Apache-2.0 */
/* binary - operators on instant vectors: with a scalar, matched with each other, and
 * as sets.
 */
#ifndef PROMQL_BINARY_H
#define PROMQL_BINARY_H

#include "promql/row_set.h"
#include "promql/syntax/syntax.h"

enum scalar_side { SCALAR_LEFT, SCALAR_RIGHT };

/* Change set in place; scalars has one value a step.
 * Errors: -EDOM (two rows of equal labels), -E2BIG. */
int binary_with_scalar(const struct expr_binary *binary, struct row_set *set,
                       const double *scalars, enum scalar_side side);

/* Into ret, which is empty.
 * Errors: -EDOM (several rows match; err names them), -E2BIG. */
int binary_matched(const struct expr_binary *binary, const struct row_set *left,
                   const struct row_set *right, struct row_set *ret);

/* and, or, unless: left becomes the result; values of right change. Errors: likewise.
 */
int binary_set(const struct expr_binary *binary, struct row_set *left,
               struct row_set *right);

#endif
