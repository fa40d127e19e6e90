/* SPDX-License-Identifier: Apache-2.0 */
/* labels - what names a series. */
#include "promql/syntax/labels.h"

#include "base/span.h"

#include <errno.h>
#include <stdlib.h>

bool label_names_have(const struct label_names *names, struct span name)
{
    for (size_t i = 0; i < names->count; i++)
        if (span_eq(names->names[i], name))
            return true;
    return false;
}

struct span labels_get(const struct labels *labels, struct span name)
{
    for (size_t i = 0; i < labels->count; i++)
        if (span_eq(labels->pairs[i].name, name))
            return labels->pairs[i].value;
    return (struct span){ "", 0 };
}

int labels_compare(const struct labels *a, const struct labels *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        int order = span_compare(a->pairs[i].name, b->pairs[i].name);
        if (order == 0)
            order = span_compare(a->pairs[i].value, b->pairs[i].value);
        if (order != 0)
            return order;
    }
    return (a->count > b->count) - (a->count < b->count);
}

static bool mode_leaves(enum labels_mode mode, const struct label_names *names,
                        struct span name)
{
    if (mode == LABELS_ONLY)
        return label_names_have(names, name);
    return !label_names_have(names, name) && !span_is(name, LABEL_METRIC_NAME);
}

static void add_sized(struct strbuf *out, struct span text)
{
    uint32_t size = (uint32_t)text.size;
    strbuf_add(out, &size, sizeof size);
    strbuf_add_span(out, text);
}

void labels_add_key(struct strbuf *out, const struct labels *labels)
{
    for (size_t i = 0; i < labels->count; i++) {
        add_sized(out, labels->pairs[i].name);
        add_sized(out, labels->pairs[i].value);
    }
}

void labels_add_reduced_key(struct strbuf *out, const struct labels *labels,
                            enum labels_mode mode, const struct label_names *names)
{
    for (size_t i = 0; i < labels->count; i++) {
        if (!mode_leaves(mode, names, labels->pairs[i].name))
            continue;
        add_sized(out, labels->pairs[i].name);
        add_sized(out, labels->pairs[i].value);
    }
}

static int pair_compare(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    return span_compare(x->name, y->name);
}

int labels_copy(struct arena *arena, const struct labels *labels, struct labels *ret)
{
    if (labels->count > LABELS_MAX)
        return -EINVAL;
    struct label *pairs = arena_alloc(arena, labels->count * sizeof *pairs);
    if (!pairs)
        return -ENOMEM;
    size_t count = 0;
    for (size_t i = 0; i < labels->count; i++) {
        struct label from = labels->pairs[i];
        if (from.value.size == 0)
            continue;
        const char *name = arena_dup(arena, from.name);
        const char *value = arena_dup(arena, from.value);
        if (!name || !value)
            return -ENOMEM;
        pairs[count++] =
            (struct label){ { name, from.name.size }, { value, from.value.size } };
    }
    qsort(pairs, count, sizeof *pairs, pair_compare);
    for (size_t i = 1; i < count; i++)
        if (span_eq(pairs[i - 1].name, pairs[i].name))
            return -EINVAL;
    *ret = (struct labels){ count, pairs };
    return 0;
}

int labels_reduce(struct arena *arena, const struct labels *labels,
                  enum labels_mode mode, const struct label_names *names,
                  struct labels *ret)
{
    struct label *pairs = arena_alloc(arena, labels->count * sizeof *pairs);
    if (!pairs)
        return -ENOMEM;
    size_t count = 0;
    for (size_t i = 0; i < labels->count; i++)
        if (mode_leaves(mode, names, labels->pairs[i].name))
            pairs[count++] = labels->pairs[i];
    *ret = (struct labels){ count, pairs };
    return 0;
}

int labels_set(struct arena *arena, const struct labels *labels, struct label pair,
               struct labels *ret)
{
    struct label *pairs = arena_alloc(arena, (labels->count + 1) * sizeof *pairs);
    if (!pairs)
        return -ENOMEM;
    size_t count = 0;
    bool is_due = pair.value.size > 0;
    for (size_t i = 0; i < labels->count; i++) {
        int order = span_compare(labels->pairs[i].name, pair.name);
        if (order >= 0 && is_due) {
            pairs[count++] = pair;
            is_due = false;
        }
        if (order != 0)
            pairs[count++] = labels->pairs[i];
    }
    if (is_due)
        pairs[count++] = pair;
    *ret = (struct labels){ count, pairs };
    return 0;
}

int labels_drop_metric_name(struct arena *arena, const struct labels *labels,
                            struct labels *ret)
{
    static const struct label_names none = { 0, NULL };
    return labels_reduce(arena, labels, LABELS_EXCEPT, &none, ret);
}

static void print_quoted(struct strbuf *out, struct span text)
{
    strbuf_addc(out, '"');
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == '\n') {
            strbuf_adds(out, "\\n");
            continue;
        }
        if (c == '"' || c == '\\')
            strbuf_addc(out, '\\');
        strbuf_addc(out, c);
    }
    strbuf_addc(out, '"');
}

void labels_print(struct strbuf *out, const struct labels *labels)
{
    strbuf_addc(out, '{');
    for (size_t i = 0; i < labels->count; i++) {
        strbuf_adds(out, i ? ", " : "");
        strbuf_add_span(out, labels->pairs[i].name);
        strbuf_addc(out, '=');
        print_quoted(out, labels->pairs[i].value);
    }
    strbuf_addc(out, '}');
}

static bool is_name_char(char c, size_t position)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (position > 0 && c >= '0' && c <= '9');
}

bool label_name_is_valid(struct span name)
{
    for (size_t i = 0; i < name.size; i++)
        if (!is_name_char(name.data[i], i))
            return false;
    return name.size > 0;
}

bool metric_name_is_valid(struct span name)
{
    for (size_t i = 0; i < name.size; i++)
        if (name.data[i] != ':' && !is_name_char(name.data[i], i))
            return false;
    return name.size > 0;
}
