/* SPDX-License-Identifier: Apache-2.0 */
/* token_stream - the token that a parser stands at, and the nodes that it has made. */
#ifndef PROMQL_TOKEN_STREAM_H
#define PROMQL_TOKEN_STREAM_H

#include "promql/syntax/expr.h"
#include "promql/syntax/lexer.h"

struct token_stream {
    struct lexer lexer;
    struct lexer_token token;
    size_t previous_end; /* where the token before it ended */
    unsigned depth;
    size_t node_count;
};

/* To the next token. Errors: of lexer_next(). */
int token_next(struct token_stream *s, struct err *err);

bool token_is_symbol(const struct token_stream *s, const char *symbol);
/* Keywords have no case. */
bool token_is_word(const struct token_stream *s, const char *word);
bool token_word_is(const struct lexer_token *token, const char *word);

/* Past this symbol. Errors: -EINVAL (another token stands there). */
int token_expect(struct token_stream *s, const char *symbol, struct err *err);

/* An error at this token: what stands there, then the message. */
int token_error(const struct token_stream *s, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A node that begins at a byte and ends before this token.
 * Errors: -EINVAL (too many nodes), -ENOMEM. */
int expr_new(struct token_stream *s, enum expr_kind kind, size_t begin,
             struct expr **ret, struct err *err);

/* (a, b, c), a comma may stand at the end. */
int label_names_parse(struct token_stream *s, struct label_names *ret, struct err *err);

#endif
