/* SPDX-License-Identifier: Apache-2.0 */
/* token_stream - the token that a parser stands at, and the nodes that it has made. */
#include "promql/syntax/token_stream.h"

#include "base/span.h"

#include <stdarg.h>
#include <strings.h>

#define NAMES_MAX 256

int token_next(struct token_stream *s, struct err *err)
{
    s->previous_end = s->token.end;
    return lexer_next(&s->lexer, &s->token, err);
}

bool token_is_symbol(const struct token_stream *s, const char *symbol)
{
    return s->token.kind == TOKEN_SYMBOL && span_is(s->token.text, symbol);
}

bool token_word_is(const struct lexer_token *token, const char *word)
{
    return token->kind == TOKEN_WORD && token->text.size == strlen(word) &&
           strncasecmp(token->text.data, word, token->text.size) == 0;
}

bool token_is_word(const struct token_stream *s, const char *word)
{
    return token_word_is(&s->token, word);
}

int token_error(const struct token_stream *s, struct err *err, const char *fmt, ...)
{
    struct err reason = { "" };
    va_list ap;
    va_start(ap, fmt);
    (void)err_vset(&reason, EINVAL, fmt, ap);
    va_end(ap);
    if (s->token.kind == TOKEN_END)
        return lexer_error(s->lexer.text, s->token.begin, err,
                           "unexpected end of the expression: %s", reason.text);
    struct span text = { s->lexer.text.data + s->token.begin,
                         s->token.end - s->token.begin };
    if (text.size > 60)
        text.size = 60;
    return lexer_error(s->lexer.text, s->token.begin, err,
                       "unexpected '" SPAN_FMT "': %s", SPAN_ARG(text), reason.text);
}

int token_expect(struct token_stream *s, const char *symbol, struct err *err)
{
    if (!token_is_symbol(s, symbol))
        return token_error(s, err, "'%s' was expected here", symbol);
    return token_next(s, err);
}

int expr_new(struct token_stream *s, enum expr_kind kind, size_t begin,
             struct expr **ret, struct err *err)
{
    if (++s->node_count > EXPR_NODES_MAX)
        return token_error(s, err, "more than %d parts", EXPR_NODES_MAX);
    struct expr *e = arena_alloc(s->lexer.arena, sizeof *e);
    if (!e)
        return -ENOMEM;
    e->kind = kind;
    e->begin = begin;
    e->end = s->previous_end;
    *ret = e;
    return 0;
}

int label_names_parse(struct token_stream *s, struct label_names *ret, struct err *err)
{
    struct span names[NAMES_MAX];
    size_t count = 0;
    int rc = token_expect(s, "(", err);
    while (rc == 0 && !token_is_symbol(s, ")")) {
        if (s->token.kind != TOKEN_WORD || !label_name_is_valid(s->token.text))
            return token_error(s, err, "the name of a label was expected here");
        if (count == NAMES_MAX)
            return token_error(s, err, "more than %d labels", NAMES_MAX);
        names[count++] = s->token.text;
        rc = token_next(s, err);
        if (rc < 0 || token_is_symbol(s, ")"))
            break;
        rc = token_expect(s, ",", err);
    }
    if (rc == 0)
        rc = token_expect(s, ")", err);
    if (rc < 0)
        return rc;
    struct span *copy = arena_alloc(s->lexer.arena, sizeof names[0] * (count + 1));
    if (!copy)
        return -ENOMEM;
    memcpy(copy, names, sizeof names[0] * count);
    *ret = (struct label_names){ count, copy };
    return 0;
}
