/* SPDX-License-Identifier: Apache-2.0 */
/* check - types of a node and its operands, as the language wants them. */
#ifndef PROMQL_CHECK_H
#define PROMQL_CHECK_H

#include "base/err.h"
#include "promql/syntax/expr.h"

/* Fill type, depth and is_step_invariant of a node whose operands have theirs.
 * Errors: -EINVAL (err: the place at of the text, what is wrong, what to write). */
int expr_check(struct expr *e, struct span text, size_t at, struct err *err);

#endif
