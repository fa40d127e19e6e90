/* SPDX-License-Identifier: Apache-2.0 */
/* lexer - an expression's text as tokens.
 *
 * Within { } every word is a label's name; within [ ] numbers are lengths of time.
 */
#ifndef PROMQL_LEXER_H
#define PROMQL_LEXER_H

#include "base/arena.h"
#include "base/err.h"
#include "base/span_type.h"

#include <stdint.h>

enum token_kind {
    TOKEN_END,
    TOKEN_WORD, /* a name or keyword; may hold colons */
    TOKEN_NUMBER,
    TOKEN_DURATION,
    TOKEN_STRING,
    TOKEN_SYMBOL, /* one of ( ) { } [ ] , : @ and the operators */
};

struct lexer_token {
    enum token_kind kind;
    size_t begin, end; /* bytes of the text */
    struct span text;  /* as written; of a string what it stands for */
    double number;
    int64_t duration_ms;
};

struct lexer {
    struct span text;
    struct arena *arena; /* texts with escapes */
    size_t position;
    bool in_braces;
    bool in_brackets;
};

void lexer_init(struct lexer *lexer, struct span text, struct arena *arena);

/* Errors: -EINVAL (err: line:column and what stands there), -ENOMEM. */
int lexer_next(struct lexer *lexer, struct lexer_token *ret, struct err *err);

/* Fill *err with line:column of a byte of text, and the message; returns -EINVAL. */
int lexer_error(struct span text, size_t position, struct err *err, const char *fmt,
                ...) __attribute__((format(printf, 4, 5)));

/* A length of time as it is written: 1h30m. Errors: -EINVAL, -ERANGE (too long). */
int lexer_parse_duration(struct span text, int64_t *ret_ms);

/* A number as it is written: 1, .5, 1e3, 0x1F, Inf, NaN.  Errors: -EINVAL. */
int lexer_parse_number(struct span text, double *ret);

#endif
