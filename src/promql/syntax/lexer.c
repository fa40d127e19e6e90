/* SPDX-License-Identifier: Apache-2.0 */
/* lexer - an expression's text as tokens. */
#include "promql/syntax/lexer.h"

#include "base/cleanup.h"
#include "base/span.h"

#include <ctype.h>
#include <math.h>
#include <strings.h>

#define NUMBER_TEXT_MAX 400

void lexer_init(struct lexer *lexer, struct span text, struct arena *arena)
{
    *lexer = (struct lexer){ .text = text, .arena = arena };
}

int lexer_error(struct span text, size_t position, struct err *err, const char *fmt,
                ...)
{
    size_t line = 1, column = 1;
    for (size_t i = 0; i < position && i < text.size; i++) {
        column = text.data[i] == '\n' ? 1 : column + 1;
        line += text.data[i] == '\n';
    }
    struct err reason = { "" };
    va_list ap;
    va_start(ap, fmt);
    (void)err_vset(&reason, EINVAL, fmt, ap);
    va_end(ap);
    return err_set(err, EINVAL, "%zu:%zu: parse error: %.400s", line, column,
                   reason.text);
}

static char char_at(const struct lexer *lexer, size_t position)
{
    return position < lexer->text.size ? lexer->text.data[position] : '\0';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_blanks(struct lexer *lexer)
{
    while (lexer->position < lexer->text.size) {
        char c = char_at(lexer, lexer->position);
        if (c == '#') {
            while (lexer->position < lexer->text.size &&
                   char_at(lexer, lexer->position) != '\n')
                lexer->position++;
        } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            lexer->position++;
        } else {
            return;
        }
    }
}

/* Units from the longest to the shortest, each at most once. */
int lexer_parse_duration(struct span text, int64_t *ret_ms)
{
    static const struct {
        const char *unit;
        int64_t ms;
    } units[] = {
        { "y", 31536000000 }, { "w", 604800000 }, { "d", 86400000 }, { "h", 3600000 },
        { "m", 60000 },       { "s", 1000 },      { "ms", 1 },
    };
    int64_t total = 0;
    size_t next_unit = 0;
    if (text.size == 0)
        return -EINVAL;
    while (text.size > 0) {
        int64_t count = 0;
        size_t digits = 0;
        for (; digits < text.size && is_digit(text.data[digits]); digits++)
            if (__builtin_mul_overflow(count, 10, &count) ||
                __builtin_add_overflow(count, text.data[digits] - '0', &count))
                return -ERANGE;
        size_t size = 1 + (text.size > digits + 1 && text.data[digits] == 'm' &&
                           text.data[digits + 1] == 's');
        if (digits == 0 || digits + size > text.size)
            return -EINVAL;
        struct span unit = { text.data + digits, size };
        while (next_unit < COUNT_OF(units) && !span_is(unit, units[next_unit].unit))
            next_unit++;
        if (next_unit == COUNT_OF(units))
            return -EINVAL;
        if (__builtin_mul_overflow(count, units[next_unit++].ms, &count) ||
            __builtin_add_overflow(total, count, &total) || total > INT64_MAX / 1000000)
            return -ERANGE;
        text = span_skip(text, digits + size);
    }
    *ret_ms = total;
    return 0;
}

/* A leading zero means octal where all digits are, as Go reads integers. */
static int parse_octal(struct span text, double *ret)
{
    if (text.size < 2 || text.data[0] != '0')
        return -EINVAL;
    double value = 0;
    for (size_t i = 1; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '7')
            return -EINVAL;
        value = value * 8 + (text.data[i] - '0');
    }
    *ret = value;
    return 0;
}

int lexer_parse_number(struct span text, double *ret)
{
    char copy[NUMBER_TEXT_MAX];
    if (text.size == 0 || text.size >= sizeof copy ||
        isspace((unsigned char)*text.data))
        return -EINVAL;
    if (parse_octal(text, ret) == 0)
        return 0;
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    if (strpbrk(copy, "pP()"))
        return -EINVAL;
    char *end = copy;
    double value = strtod(copy, &end);
    if (end != copy + text.size)
        return -EINVAL;
    bool is_word = strcasestr(copy, "inf") != NULL;
    if (isinf(value) && !is_word)
        return -EINVAL;
    *ret = value;
    return 0;
}

static int lex_word(struct lexer *lexer, struct lexer_token *token)
{
    size_t begin = lexer->position, end = begin;
    while (is_letter(char_at(lexer, end)) || is_digit(char_at(lexer, end)) ||
           (char_at(lexer, end) == ':' && !lexer->in_braces))
        end++;
    lexer->position = end;
    token->kind = TOKEN_WORD;
    token->text = (struct span){ lexer->text.data + begin, end - begin };
    if (!lexer->in_braces && token->text.size == 3 &&
        (strncasecmp(token->text.data, "inf", 3) == 0 ||
         strncasecmp(token->text.data, "nan", 3) == 0)) {
        token->kind = TOKEN_NUMBER;
        token->number =
            tolower((unsigned char)token->text.data[0]) == 'i' ? INFINITY : (double)NAN;
    }
    return 0;
}

/* Where a number ends that begins here: digits, a point, an exponent. */
static size_t number_end(const struct lexer *lexer, size_t at)
{
    if (char_at(lexer, at) == '0' && (char_at(lexer, at + 1) | 0x20) == 'x') {
        at += 2;
        while (isxdigit((unsigned char)char_at(lexer, at)))
            at++;
        return at;
    }
    while (is_digit(char_at(lexer, at)))
        at++;
    if (char_at(lexer, at) == '.')
        at++;
    while (is_digit(char_at(lexer, at)))
        at++;
    if ((char_at(lexer, at) | 0x20) == 'e') {
        size_t digits = at + 1;
        digits += char_at(lexer, digits) == '+' || char_at(lexer, digits) == '-';
        if (!is_digit(char_at(lexer, digits)))
            return at;
        while (is_digit(char_at(lexer, digits)))
            digits++;
        at = digits;
    }
    return at;
}

static int lex_number(struct lexer *lexer, struct lexer_token *token, struct err *err)
{
    size_t begin = lexer->position, end = number_end(lexer, begin);
    bool is_number = !is_letter(char_at(lexer, end)) && !is_digit(char_at(lexer, end));
    while (is_letter(char_at(lexer, end)) || is_digit(char_at(lexer, end)))
        end++;
    lexer->position = end;
    token->text = (struct span){ lexer->text.data + begin, end - begin };
    if (is_number && lexer->in_brackets)
        return lexer_error(lexer->text, begin, err,
                           "'" SPAN_FMT "' has no unit: write a length of time "
                           "such as 5m",
                           SPAN_ARG(token->text));
    if (is_number) {
        token->kind = TOKEN_NUMBER;
        if (lexer_parse_number(token->text, &token->number) == 0)
            return 0;
    } else {
        token->kind = TOKEN_DURATION;
        int rc = lexer_parse_duration(token->text, &token->duration_ms);
        if (rc == 0 && token->duration_ms > 0)
            return 0;
        if (rc == 0)
            return lexer_error(lexer->text, begin, err,
                               "a length of time must be greater than 0");
        if (rc == -ERANGE)
            return lexer_error(lexer->text, begin, err, "'" SPAN_FMT "' is too long",
                               SPAN_ARG(token->text));
    }
    return lexer_error(lexer->text, begin, err,
                       "bad number or length of time '" SPAN_FMT
                       "': write 1.5, 0x1F, 1e3 or 1h30m",
                       SPAN_ARG(token->text));
}

static int escape_digit(char c)
{
    if (is_digit(c))
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* digits in base at s; -1: they are not there. */
static int64_t escape_number(struct span s, size_t digits, int base)
{
    int64_t value = 0;
    if (s.size < digits)
        return -1;
    for (size_t i = 0; i < digits; i++) {
        int digit = escape_digit(s.data[i]);
        if (digit < 0 || digit >= base)
            return -1;
        value = value * base + digit;
    }
    return value;
}

static size_t add_code_point(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t size = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char marks[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
    for (size_t i = size - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)(marks[size] | c);
    return size;
}

/* One escape after its backslash; how many bytes of s it has, 0: it is none. */
static size_t unescape(struct span s, char quote, char *out, size_t *out_size)
{
    static const char names[] = "abfnrtv\\", values[] = "\a\b\f\n\r\t\v\\";
    char c = s.size ? s.data[0] : '\0';
    const char *simple = c ? strchr(names, c) : NULL;
    if (simple || (c && c == quote)) {
        out[(*out_size)++] = simple ? values[simple - names] : quote;
        return 1;
    }
    if (c >= '0' && c <= '7') {
        int64_t value = escape_number(s, 3, 8);
        if (value < 0 || value > 255)
            return 0;
        out[(*out_size)++] = (char)value;
        return 3;
    }
    size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    int64_t value = digits ? escape_number(span_skip(s, 1), digits, 16) : -1;
    if (value < 0 || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
        return 0;
    if (c == 'x')
        out[(*out_size)++] = (char)value;
    else
        *out_size += add_code_point(out + *out_size, (uint32_t)value);
    return 1 + digits;
}

static int lex_string(struct lexer *lexer, struct lexer_token *token, struct err *err)
{
    size_t begin = lexer->position, at = begin + 1, size = 0;
    char quote = char_at(lexer, begin);
    char *out = arena_alloc(lexer->arena, lexer->text.size - begin);
    if (!out)
        return -ENOMEM;
    for (;; at++) {
        if (at >= lexer->text.size || (quote != '`' && char_at(lexer, at) == '\n'))
            return lexer_error(lexer->text, begin, err,
                               "unterminated string: %c is missing at its end", quote);
        char c = char_at(lexer, at);
        if (c == quote)
            break;
        if (c != '\\' || quote == '`') {
            out[size++] = c;
            continue;
        }
        size_t used = unescape(span_skip(lexer->text, at + 1), quote, out, &size);
        if (used == 0)
            return lexer_error(lexer->text, at, err,
                               "unknown escape: write \\\\ for a backslash");
        at += used;
    }
    lexer->position = at + 1;
    token->kind = TOKEN_STRING;
    token->text = (struct span){ out, size };
    return 0;
}

static int lex_symbol(struct lexer *lexer, struct lexer_token *token, struct err *err)
{
    static const char *const two[] = { "==", "!=", ">=", "<=", "=~", "!~" };
    struct span rest = span_skip(lexer->text, lexer->position);
    token->kind = TOKEN_SYMBOL;
    token->text = (struct span){ rest.data, 1 };
    for (size_t i = 0; i < COUNT_OF(two); i++)
        if (span_starts(rest, two[i]))
            token->text.size = 2;
    char c = rest.data[0];
    if (token->text.size == 1 && (c == '\0' || !strchr("(){}[],:@+-*/%^=<>", c)))
        return lexer_error(lexer->text, lexer->position, err,
                           (unsigned char)c > 32 && (unsigned char)c < 127
                               ? "unexpected character '%c'"
                               : "unexpected character (byte 0x%02x)",
                           (unsigned char)c);
    lexer->position += token->text.size;
    if (c == '{' || c == '}')
        lexer->in_braces = c == '{';
    if (c == '[' || c == ']')
        lexer->in_brackets = c == '[';
    return 0;
}

int lexer_next(struct lexer *lexer, struct lexer_token *ret, struct err *err)
{
    skip_blanks(lexer);
    struct lexer_token token = { .kind = TOKEN_END, .begin = lexer->position };
    char c = char_at(lexer, lexer->position);
    int rc = 0;
    if (lexer->position >= lexer->text.size)
        token.text = (struct span){ "", 0 };
    else if (is_letter(c) || (c == ':' && !lexer->in_brackets && !lexer->in_braces))
        rc = lex_word(lexer, &token);
    else if (!lexer->in_braces &&
             (is_digit(c) ||
              (c == '.' && is_digit(char_at(lexer, lexer->position + 1)))))
        rc = lex_number(lexer, &token, err);
    else if (c == '"' || c == '\'' || c == '`')
        rc = lex_string(lexer, &token, err);
    else
        rc = lex_symbol(lexer, &token, err);
    if (rc < 0)
        return rc;
    token.end = lexer->position;
    *ret = token;
    return 0;
}
