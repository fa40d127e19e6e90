/* SPDX-License-Identifier: Apache-2.0 */
/* parser - the text of an expression to its tree, types checked.
 *
 * Limits  EXPR_TEXT_MAX bytes, EXPR_NODES_MAX nodes, EXPR_DEPTH_MAX levels.
 * Threads none inside.
 */
#ifndef PROMQL_PARSER_H
#define PROMQL_PARSER_H

#include "promql/syntax/expr.h"

/* The tree stands in arena; its names point into text, which must live as long.
 * Errors: -EINVAL (err: line:column, what is wrong and what to write), -ENOMEM. */
int promql_parse(struct span text, struct arena *arena, const struct expr **ret,
                 struct err *err);

#endif
