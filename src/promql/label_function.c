/* SPDX-License-Identifier: Apache-2.0 */
/* label_function - label_replace() and label_join(), and the labels of absent(). */
#include "promql/label_function.h"

#include "base/span.h"

static int refuse_name(struct row_set *set, const char *what, struct span name)
{
    return err_set(set->ev->err, EDOM, "%s '%.*s' is not the name of a label", what,
                   (int)(name.size < 80 ? name.size : 80), name.data);
}

static bool is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_';
}

/* The text of a group by number or name; nothing where there is none. */
static void add_group(struct strbuf *out, const struct regex *regex,
                      const struct regex_groups *groups, struct span name)
{
    int number = 0;
    for (size_t i = 0; i < name.size && number >= 0; i++) {
        bool is_digit = name.data[i] >= '0' && name.data[i] <= '9';
        number = is_digit && number < REGEX_GROUPS_MAX
                     ? number * 10 + (name.data[i] - '0')
                     : -1;
    }
    if (name.size > 1 && name.data[0] == '0')
        number = -1;
    if (number < 0)
        number = regex_group_named(regex, name);
    if (number >= 0 && number < REGEX_GROUPS_MAX && groups->groups[number].data)
        strbuf_add_span(out, groups->groups[number]);
}

/* $1, ${1}, $name, ${name}; $$ is $. */
static void expand(struct strbuf *out, struct span text, const struct regex *regex,
                   const struct regex_groups *groups)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] != '$' || i + 1 >= text.size) {
            strbuf_addc(out, text.data[i]);
            continue;
        }
        if (text.data[i + 1] == '$') {
            strbuf_addc(out, '$');
            i++;
            continue;
        }
        bool is_braced = text.data[i + 1] == '{';
        size_t begin = i + 1 + is_braced, end = begin;
        while (end < text.size && is_word_char(text.data[end]))
            end++;
        bool is_closed = !is_braced || (end < text.size && text.data[end] == '}');
        if (end == begin || !is_closed) {
            strbuf_addc(out, '$');
            continue;
        }
        add_group(out, regex, groups, (struct span){ text.data + begin, end - begin });
        i = end - 1 + is_braced;
    }
}

static int set_label(struct row_set *set, struct row *row, struct span name,
                     const struct strbuf *text)
{
    const char *copy = arena_dup(&set->ev->arena, strbuf_span(text));
    if (!copy || strbuf_error(text))
        return evaluation_no_memory(set->ev);
    struct label pair = { name, { copy, text->size } };
    if (labels_set(&set->ev->arena, &row->labels, pair, &row->labels) < 0)
        return evaluation_no_memory(set->ev);
    return 0;
}

int label_replace_rows(struct row_set *set, const struct span texts[4])
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct regex *regex = NULL;
    struct err reason = { "" };
    int rc = regex_parse(texts[3], &set->ev->arena, &regex, &reason);
    if (rc == -EINVAL)
        return err_set(set->ev->err, EDOM, "label_replace(): %s", reason.text);
    if (rc < 0)
        return evaluation_no_memory(set->ev);
    if (!label_name_is_valid(texts[0]))
        return refuse_name(set, "label_replace(): destination", texts[0]);
    for (size_t r = 0; r < set->count; r++) {
        struct regex_groups groups;
        if (!regex_match_groups(regex, labels_get(&set->rows[r].labels, texts[2]),
                                &groups))
            continue;
        strbuf_clear(&out);
        expand(&out, texts[1], regex, &groups);
        rc = set_label(set, &set->rows[r], texts[0], &out);
        if (rc < 0)
            return rc;
    }
    return row_set_merge(set, ROWS_BY_STEP);
}

int label_join_rows(struct row_set *set, const struct span *texts, size_t count)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    for (size_t i = 2; i < count; i++)
        if (!label_name_is_valid(texts[i]))
            return refuse_name(set, "label_join(): source", texts[i]);
    if (!label_name_is_valid(texts[0]))
        return refuse_name(set, "label_join(): destination", texts[0]);
    for (size_t r = 0; r < set->count; r++) {
        strbuf_clear(&out);
        for (size_t i = 2; i < count; i++) {
            if (i > 2)
                strbuf_add_span(&out, texts[1]);
            strbuf_add_span(&out, labels_get(&set->rows[r].labels, texts[i]));
        }
        int rc = set_label(set, &set->rows[r], texts[0], &out);
        if (rc < 0)
            return rc;
    }
    return row_set_merge(set, ROWS_BY_STEP);
}

int absent_labels(struct evaluation *ev, const struct expr *argument,
                  struct labels *ret)
{
    struct labels labels = { 0, NULL };
    const struct expr *e = expr_unwrap(argument);
    size_t count = e->kind == EXPR_SELECTOR ? e->selector.matcher_count : 0;
    for (size_t i = 0; i < count; i++) {
        const struct matcher *m = &e->selector.matchers[i];
        if (span_is(m->name, LABEL_METRIC_NAME))
            continue;
        /* A label that a matcher before this one names is left out. */
        bool is_second = m->kind != MATCHER_EQ;
        for (size_t n = 0; n < i; n++)
            is_second = is_second || (span_eq(e->selector.matchers[n].name, m->name) &&
                                      e->selector.matchers[n].kind == MATCHER_EQ);
        struct label pair = { m->name, is_second ? (struct span){ "", 0 } : m->value };
        if (labels_set(&ev->arena, &labels, pair, &labels) < 0)
            return -ENOMEM;
    }
    *ret = labels;
    return 0;
}
