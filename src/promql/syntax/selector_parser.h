/* SPDX-License-Identifier: Apache-2.0 */
/* selector_parser - names, matchers, ranges, offset and @ of an expression. */
#ifndef PROMQL_SELECTOR_PARSER_H
#define PROMQL_SELECTOR_PARSER_H

#include "promql/syntax/token_stream.h"

/* metric{a="b"}: name is the word before this token, NULL: none.
 * Errors: -EINVAL, -ENOMEM. */
int selector_parse(struct token_stream *s, const struct lexer_token *name,
                   const struct expr **ret, struct err *err);

/* What may follow an operand: [5m], [1h:1m], offset 5m, @ 1600000000.  *expr becomes
 * the whole.  Errors: -EINVAL, -ENOMEM. */
int selector_parse_suffixes(struct token_stream *s, const struct expr **expr,
                            struct err *err);

#endif
