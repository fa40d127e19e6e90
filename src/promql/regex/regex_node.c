/* SPDX-License-Identifier: Apache-2.0 */
/* regex_node - the tree of a regular expression while it is parsed. */
#include "promql/regex/regex_node.h"

#include "base/span.h"

int regex_refuse(struct regex_syntax *s, size_t begin, const char *reason)
{
    struct span part = span_skip(s->text, begin);
    if (s->at > begin && s->at - begin < part.size)
        part.size = s->at - begin;
    if (part.size > 80)
        part.size = 80;
    return err_set(s->err, EINVAL, "bad regular expression, at '" SPAN_FMT "': %s",
                   SPAN_ARG(part), reason);
}

struct regex_node *regex_node_new(struct regex_syntax *s, enum regex_node_kind kind)
{
    struct regex_node *node = arena_alloc(s->arena, sizeof *node);
    if (node)
        node->kind = kind;
    return node;
}

uint32_t regex_character(const struct regex_syntax *s, size_t *ret_size)
{
    const unsigned char *c = (const unsigned char *)s->text.data + s->at;
    size_t left = s->text.size - s->at;
    size_t size = c[0] < 0x80 ? 1 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : 4;
    static const unsigned char masks[] = { 0, 0x7F, 0x1F, 0x0F, 0x07 };
    *ret_size = 1;
    if (size > left || (c[0] >= 0x80 && c[0] < 0xC2))
        return 0xFFFD;
    uint32_t value = c[0] & masks[size];
    for (size_t i = 1; i < size; i++) {
        if ((c[i] & 0xC0) != 0x80)
            return 0xFFFD;
        value = value << 6 | (c[i] & 0x3F);
    }
    *ret_size = size;
    return value;
}
