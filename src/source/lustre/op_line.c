/* SPDX-License-Identifier: Apache-2.0 */
/* op_line - what stands between the braces of one operation. */
#include "source/lustre/op_line.h"

#include "base/cleanup.h"
#include "base/span.h"

#include <errno.h>

/* Numbers of so few digits fit in 64 bits whatever they are. */
#define DIGITS_SAFE 19

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline bool is_digit(char c)
{
    return (unsigned)(c - '0') < 10;
}

static inline bool ends_value(char c)
{
    return c == ',' || c == '}' || is_blank(c);
}

/* Most of a line is padding, so it is passed over in words. */
static inline void skip_blanks(struct span *s)
{
    static const char blanks[8] = "        ";
    while (s->size >= sizeof blanks && memcmp(s->data, blanks, sizeof blanks) == 0)
        *s = (struct span){ s->data + sizeof blanks, s->size - sizeof blanks };
    while (s->size > 0 && is_blank(*s->data))
        *s = (struct span){ s->data + 1, s->size - 1 };
}

/* Here and below: the value is taken off s. */
static int take_u64(struct span *s, uint64_t *ret)
{
    uint64_t value = 0;
    size_t n = 0;
    for (; n < s->size && is_digit(s->data[n]); n++) {
        uint64_t digit = (uint64_t)(s->data[n] - '0');
        if (n >= DIGITS_SAFE && value > (UINT64_MAX - digit) / 10)
            return -EINVAL;
        value = value * 10 + digit;
    }
    if (n == s->size)
        return -EAGAIN;
    if (n == 0 || !ends_value(s->data[n]))
        return -EINVAL;
    *ret = value;
    *s = span_skip(*s, n);
    return 0;
}

static int take_word(struct span *s, struct span *ret)
{
    size_t n = 0;
    while (n < s->size && !ends_value(s->data[n]))
        n++;
    if (n == s->size)
        return -EAGAIN;
    if (n == 0)
        return -EINVAL;
    *ret = (struct span){ s->data, n };
    *s = span_skip(*s, n);
    return 0;
}

/* "{ 32K: 1, 1M: 5 }"; texts taken out of templates double their braces. */
static int take_braces(struct span *s, struct span *ret)
{
    size_t depth = 0;
    for (; s->size > 0 && *s->data == '{'; depth++)
        *s = span_skip(*s, 1);
    const char *close = s->size > 0 ? memchr(s->data, '}', s->size) : NULL;
    if (!close)
        return -EAGAIN;
    size_t n = (size_t)(close - s->data);
    struct span inside = { s->data, n };
    if (memchr(inside.data, '{', n))
        return -EINVAL;
    *ret = span_trim(inside);
    *s = span_skip(*s, n);
    for (; depth > 0 && s->size > 0 && *s->data == '}'; depth--)
        *s = span_skip(*s, 1);
    return depth == 0 ? 0 : s->size == 0 ? -EAGAIN : -EINVAL;
}

static int take_number(struct span *s, unsigned bit, struct op_stat *stat,
                       uint64_t *where)
{
    if (stat->has & bit)
        return -EINVAL;
    stat->has |= bit;
    return take_u64(s, where);
}

static int take_hist(struct span *s, struct op_stat *stat)
{
    if (stat->has & OP_HAS_HIST)
        return -EINVAL;
    stat->has |= OP_HAS_HIST;
    return take_braces(s, &stat->hist);
}

static int take_unknown(struct span *s)
{
    struct span value;
    return *s->data == '{' ? take_braces(s, &value) : take_word(s, &value);
}

static int take_unit(struct span *s, struct op_stat *stat)
{
    static const struct {
        char text[5];
        unsigned char size;
        enum op_unit unit;
    } usual[] = {
        { "reqs", 4, OP_UNIT_REQS },
        { "usecs", 5, OP_UNIT_USECS },
        { "bytes", 5, OP_UNIT_BYTES },
    };
    for (size_t i = 0; i < COUNT_OF(usual); i++) {
        size_t size = usual[i].size;
        if (s->size <= size || memcmp(s->data, usual[i].text, 4) != 0 ||
            s->data[size - 1] != usual[i].text[size - 1] || !ends_value(s->data[size]))
            continue;
        stat->unit = usual[i].unit;
        stat->unit_text = (struct span){ s->data, size };
        *s = span_skip(*s, size);
        return 0;
    }
    int rc = take_word(s, &stat->unit_text);
    if (rc == 0)
        stat->unit = op_unit_parse(stat->unit_text);
    return rc;
}

static inline bool key_is(struct span key, const char *text, size_t size)
{
    return memcmp(key.data, text, size) == 0;
}

static int take_value(struct span *s, struct span key, struct op_stat *stat)
{
    switch (key.size) {
    case 3:
        if (key_is(key, "min", 3))
            return take_number(s, OP_HAS_MIN, stat, &stat->min);
        if (key_is(key, "max", 3))
            return take_number(s, OP_HAS_MAX, stat, &stat->max);
        if (key_is(key, "sum", 3))
            return take_number(s, OP_HAS_SUM, stat, &stat->sum);
        break;
    case 4:
        if (key_is(key, "unit", 4))
            return take_unit(s, stat);
        if (key_is(key, "hist", 4) && *s->data == '{')
            return take_hist(s, stat);
        break;
    case 5:
        if (key_is(key, "sumsq", 5))
            return take_number(s, OP_HAS_SUMSQ, stat, &stat->sumsq);
        break;
    case 7:
        if (key_is(key, "samples", 7))
            return take_number(s, OP_HAS_SAMPLES, stat, &stat->samples);
        break;
    default:
        break;
    }
    return take_unknown(s);
}

static int take_key(struct span *s, struct span *ret)
{
    static const struct {
        char text[8];
        unsigned char size;
    } usual[] = {
        { "samples:", 7 }, { "unit:", 4 }, { "min:", 3 },
        { "max:", 3 },     { "sum:", 3 },  { "sumsq:", 5 },
    };
    if (s->size > sizeof usual[0].text) {
        for (size_t i = 0; i < COUNT_OF(usual); i++) {
            size_t size = usual[i].size;
            if (memcmp(s->data, usual[i].text, 4) != 0 ||
                (size > 3 && memcmp(s->data, usual[i].text, size + 1u) != 0))
                continue;
            *ret = (struct span){ s->data, size };
            *s = span_skip(*s, size + 1);
            return 0;
        }
    }
    size_t n = 0;
    while (n < s->size && ((s->data[n] >= 'a' && s->data[n] <= 'z') ||
                           s->data[n] == '_' || is_digit(s->data[n])))
        n++;
    if (n == s->size)
        return -EAGAIN;
    if (n == 0 || s->data[n] != ':')
        return -EINVAL;
    *ret = (struct span){ s->data, n };
    *s = span_skip(*s, n + 1);
    return 0;
}

/* After the closing brace: only what a doubled brace left. */
static int check_rest(struct span s)
{
    for (; s.size > 0; s = span_skip(s, 1))
        if (*s.data != '}' && !is_blank(*s.data))
            return -EINVAL;
    return 0;
}

int op_line_parse(struct span text, struct op_stat *ret)
{
    struct span s = text;
    ret->has = 0;
    ret->unit = OP_UNIT_NONE;
    ret->unit_text = (struct span){ NULL, 0 };
    ret->hist = (struct span){ NULL, 0 };
    ret->samples = ret->min = ret->max = ret->sum = ret->sumsq = 0;
    while (s.size > 0 && *s.data == '{')
        s = span_skip(s, 1);
    for (;;) {
        skip_blanks(&s);
        if (s.size == 0)
            return -EAGAIN;
        if (*s.data == '}')
            break;
        struct span key;
        int rc = take_key(&s, &key);
        if (rc < 0)
            return rc;
        skip_blanks(&s);
        if (s.size == 0)
            return -EAGAIN;
        rc = take_value(&s, key, ret);
        if (rc < 0)
            return rc;
        skip_blanks(&s);
        if (s.size > 0 && *s.data == ',')
            s = span_skip(s, 1);
    }
    return ret->has ? check_rest(s) : -EINVAL;
}
