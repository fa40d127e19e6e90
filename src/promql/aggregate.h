/* SPDX-License-Identifier: Apache-2.0 */
/* aggregate - rows grouped by labels, one value of each group at each step. */
#ifndef PROMQL_AGGREGATE_H
#define PROMQL_AGGREGATE_H

#include "promql/row_set.h"
#include "promql/syntax/syntax.h"

/* Into ret, which is empty.  parameters: one value a step for those that have a scalar
 * parameter; label: of count_values.  Errors: -EDOM (the parameter), -E2BIG. */
int aggregate_rows(const struct expr_aggregate *aggregate, const struct row_set *set,
                   const double *parameters, struct span label, struct row_set *ret);

#endif
