/* SPDX-License-Identifier: Apache-2.0 */
/* labelled - the two kinds of reductions with texts in them: top and states. */
#include "session/reduce/labelled.h"

#include "base/span.h"

#include <errno.h>

static struct span label_span(const struct reduce_label *label)
{
    return (struct span){ label->text, label->size };
}

/* Errors: -EINVAL (empty, too long, or with control bytes in it). */
static int label_set(struct reduce_label *label, struct span text)
{
    if (text.size == 0 || text.size > REDUCE_LABEL_MAX)
        return -EINVAL;
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.data[i] < 0x20 || text.data[i] == 0x7f)
            return -EINVAL;
    label->size = (uint8_t)text.size;
    memcpy(label->text, text.data, text.size);
    return 0;
}

static int label_compare(const struct reduce_label *a, const struct reduce_label *b)
{
    int order = memcmp(a->text, b->text, a->size < b->size ? a->size : b->size);
    return order ? order : (int)a->size - (int)b->size;
}

/* ---- top ---- */

int top_init(struct reduction *r, const struct reduce_input *input)
{
    if (input->limit == 0 || input->limit > REDUCE_TOP_MAX)
        return -EINVAL;
    r->top.limit = input->limit;
    r->top.entries = calloc(1, sizeof *r->top.entries);
    if (!r->top.entries)
        return -ENOMEM;
    r->top.count = 1;
    r->top.entries[0].value = input->value;
    r->top.entries[0].rank = input->rank;
    return label_set(&r->top.entries[0].label, input->text);
}

/* Below 0: a stands before b. */
static int top_order(const struct reduce_top_entry *a, const struct reduce_top_entry *b)
{
    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return label_compare(&a->label, &b->label);
}

int top_merge(struct reduction *r, const struct reduction *other)
{
    size_t limit = r->top.limit > other->top.limit ? r->top.limit : other->top.limit;
    size_t count = r->top.count + other->top.count, a = 0, b = 0;
    if (count > limit)
        count = limit;
    struct reduce_top_entry *merged = calloc(count, sizeof *merged);
    if (!merged)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        bool is_a = b == other->top.count ||
                    (a < r->top.count &&
                     top_order(&r->top.entries[a], &other->top.entries[b]) <= 0);
        merged[i] = is_a ? r->top.entries[a++] : other->top.entries[b++];
    }
    free(r->top.entries);
    r->top.entries = merged;
    r->top.count = count;
    r->top.limit = limit;
    return 0;
}

void top_encode(const struct reduction *r, struct strbuf *out)
{
    octets_add_varint(out, r->top.limit);
    octets_add_varint(out, r->top.count);
    for (size_t i = 0; i < r->top.count; i++) {
        octets_add_double(out, r->top.entries[i].value);
        octets_add_varint(out, r->top.entries[i].rank);
        octets_add_text(out, label_span(&r->top.entries[i].label));
    }
}

int top_decode(struct octets *in, uint32_t ranks, struct reduction *r)
{
    r->top.limit = octets_limited(in, REDUCE_TOP_MAX);
    size_t count = octets_limited(in, r->top.limit);
    if (in->is_bad || count == 0)
        return -EBADMSG;
    r->top.entries = calloc(count, sizeof *r->top.entries);
    if (!r->top.entries)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        struct reduce_top_entry *entry = &r->top.entries[i];
        entry->value = octets_double(in);
        entry->rank = (uint32_t)octets_limited(in, ranks - 1);
        if (label_set(&entry->label, octets_text(in, REDUCE_LABEL_MAX)) < 0 ||
            in->is_bad || (i && top_order(entry - 1, entry) > 0))
            return -EBADMSG;
        r->top.count++;
    }
    return 0;
}

/* ---- states ---- */

int states_init(struct reduction *r, const struct reduce_input *input)
{
    r->states.states = calloc(1, sizeof *r->states.states);
    if (!r->states.states)
        return -ENOMEM;
    r->states.count = 1;
    int rc = label_set(&r->states.states[0].name, input->text);
    return rc < 0 ? rc
                  : rank_set_add(&r->states.states[0].ranks, input->rank, input->rank);
}

void states_done(struct reduction *r)
{
    for (size_t i = 0; i < r->states.count; i++)
        rank_set_done(&r->states.states[i].ranks);
    free(r->states.states);
}

/* Where the state stands, an empty one where it was not there. */
static int state_find(struct reduction *r, const struct reduce_label *name,
                      struct reduce_state **ret)
{
    size_t at = 0;
    int order = 1;
    while (at < r->states.count &&
           (order = label_compare(&r->states.states[at].name, name)) < 0)
        at++;
    if (at == r->states.count || order != 0) {
        if (r->states.count == REDUCE_STATES_MAX)
            return -E2BIG;
        struct reduce_state *grown =
            realloc(r->states.states, (r->states.count + 1) * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        r->states.states = grown;
        memmove(grown + at + 1, grown + at, (r->states.count - at) * sizeof *grown);
        grown[at] = (struct reduce_state){ .name = *name };
        r->states.count++;
    }
    *ret = &r->states.states[at];
    return 0;
}

static bool has_state(const struct reduction *r, const struct reduce_label *name)
{
    for (size_t i = 0; i < r->states.count; i++)
        if (label_compare(&r->states.states[i].name, name) == 0)
            return true;
    return false;
}

/* All of it or nothing: half of it would name ranks that are not counted. */
int states_merge(struct reduction *r, const struct reduction *other)
{
    int rc = 0;
    size_t fresh = 0;
    for (size_t i = 0; i < other->states.count; i++)
        fresh += !has_state(r, &other->states.states[i].name);
    if (r->states.count + fresh > REDUCE_STATES_MAX)
        return -E2BIG;
    for (size_t i = 0; rc == 0 && i < other->states.count; i++) {
        struct reduce_state *state = NULL;
        rc = state_find(r, &other->states.states[i].name, &state);
        if (rc == 0)
            rc = rank_set_unite(&state->ranks, &other->states.states[i].ranks);
    }
    return rc;
}

void states_encode(const struct reduction *r, struct strbuf *out)
{
    octets_add_varint(out, r->states.count);
    for (size_t i = 0; i < r->states.count; i++) {
        octets_add_text(out, label_span(&r->states.states[i].name));
        rank_set_encode(&r->states.states[i].ranks, out);
    }
}

int states_decode(struct octets *in, uint32_t ranks, struct reduction *r)
{
    size_t count = octets_limited(in, REDUCE_STATES_MAX);
    int rc = in->is_bad || count == 0 ? -EBADMSG : 0;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        struct reduce_label name = { 0 };
        struct reduce_state *state = NULL;
        if (label_set(&name, octets_text(in, REDUCE_LABEL_MAX)) < 0 || in->is_bad)
            return -EBADMSG;
        rc = state_find(r, &name, &state);
        if (rc == 0)
            rc = rank_set_decode(in, ranks, &state->ranks);
    }
    return rc;
}
