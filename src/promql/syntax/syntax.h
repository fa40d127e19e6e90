/* SPDX-License-Identifier: Apache-2.0 */
/* syntax - the text of an expression to its tree; the door of the room inside promql.
 *
 *     text ──▶ lexer ──▶ token_stream ──▶ parser, selector_parser ──▶ check ──▶ expr
 */
#ifndef PROMQL_SYNTAX_SYNTAX_H
#define PROMQL_SYNTAX_SYNTAX_H

#include "promql/syntax/expr.h"
#include "promql/syntax/float_text.h"
#include "promql/syntax/format.h"
#include "promql/syntax/function.h"
#include "promql/syntax/labels.h"
#include "promql/syntax/lexer.h"
#include "promql/syntax/matcher.h"
#include "promql/syntax/parser.h"

#endif
