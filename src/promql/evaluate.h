/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate - the value of an expression at every step of a grid.
 *
 * Each node is evaluated once for all steps: a scalar is an array, a vector a set of
 * rows that its operator changes in place.  A node that reads one time alone (@) is
 * evaluated for one step and repeated.
 */
#ifndef PROMQL_EVALUATE_H
#define PROMQL_EVALUATE_H

#include "promql/syntax/syntax.h"
#include "promql/value.h"

/* Type scalar, instant vector or string.  Errors: -EDOM (what cannot be computed),
 * -E2BIG (a limit), -ECANCELED, -ETIMEDOUT, those of the source. */
int evaluate(struct evaluation *ev, const struct expr *e, const struct step_grid *grid,
             struct value *ret);

/* The vector inside a subquery, at the steps that any window of grid reads.
 * Errors: likewise. */
int evaluate_subquery(struct evaluation *ev, const struct expr *e,
                      const struct step_grid *grid, struct step_grid *ret_grid,
                      struct value *ret);

#endif
