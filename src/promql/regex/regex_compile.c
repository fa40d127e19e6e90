/* SPDX-License-Identifier: Apache-2.0 */
/* regex_compile - the tree of a regular expression as a program. */
#include "promql/regex/regex_syntax.h"

#include "base/span.h"

#define WORK_MAX (16 * REGEX_PROGRAM_MAX)

struct compiler {
    struct arena *arena;
    uint32_t work; /* nodes visited: empty ones make no instruction */
    struct regex_instruction *program;
    uint32_t count;
    bool is_full;
};

static uint32_t emit(struct compiler *c, enum regex_opcode opcode)
{
    if (c->count == REGEX_PROGRAM_MAX) {
        c->is_full = true;
        return c->count - 1;
    }
    c->program[c->count] =
        (struct regex_instruction){ .opcode = opcode, .next = c->count + 1 };
    return c->count++;
}

static void emit_node(struct compiler *c, const struct regex_node *node);

/* A sequence or an alternative is a chain to the left, as long as the text: its links
 * from the last to the second; *node becomes the first.  NULL: it is too long. */
static const struct regex_node **chain_of(struct compiler *c, enum regex_node_kind kind,
                                          const struct regex_node **node, size_t *ret)
{
    size_t count = 0;
    for (const struct regex_node *n = *node; n->kind == kind; n = n->first)
        count++;
    const struct regex_node **chain =
        count < WORK_MAX ? arena_alloc(c->arena, count * sizeof *chain) : NULL;
    c->is_full = c->is_full || !chain;
    for (size_t i = 0; i < count && chain; i++, *node = (*node)->first)
        chain[i] = (*node)->second;
    *ret = count;
    return chain;
}

static void emit_sequence(struct compiler *c, const struct regex_node *node)
{
    size_t count = 0;
    const struct regex_node **chain = chain_of(c, REGEX_NODE_CAT, &node, &count);
    if (!chain)
        return;
    emit_node(c, node);
    while (count > 0)
        emit_node(c, chain[--count]);
}

static void emit_alternatives(struct compiler *c, const struct regex_node *node)
{
    size_t count = 0, jump_count = 0;
    const struct regex_node **chain = chain_of(c, REGEX_NODE_ALTERNATE, &node, &count);
    uint32_t *jumps = arena_alloc(c->arena, (count + 1) * sizeof *jumps);
    c->is_full = c->is_full || !jumps;
    for (; !c->is_full; node = chain[--count]) {
        uint32_t split = count > 0 ? emit(c, REGEX_SPLIT) : 0;
        emit_node(c, node);
        if (count == 0)
            break;
        jumps[jump_count++] = emit(c, REGEX_JUMP);
        c->program[split].other = c->count;
    }
    while (jump_count > 0)
        c->program[jumps[--jump_count]].next = c->count;
}

static void set_branches(struct compiler *c, uint32_t split, bool is_lazy,
                         uint32_t inside, uint32_t behind)
{
    c->program[split].next = is_lazy ? behind : inside;
    c->program[split].other = is_lazy ? inside : behind;
}

static void emit_repeat(struct compiler *c, const struct regex_node *node)
{
    uint32_t *splits = arena_alloc(c->arena, (REGEX_REPEAT_MAX + 1) * sizeof *splits);
    uint32_t split_count = 0;
    c->is_full = c->is_full || !splits;
    uint32_t last_begin = c->count;
    for (uint32_t i = 0; i < node->least && !c->is_full; i++) {
        last_begin = c->count;
        emit_node(c, node->first);
    }
    if (node->most == UINT32_MAX) {
        uint32_t split = emit(c, REGEX_SPLIT);
        if (node->least > 0) {
            set_branches(c, split, node->is_lazy, last_begin, c->count);
            return;
        }
        emit_node(c, node->first);
        uint32_t jump = emit(c, REGEX_JUMP);
        c->program[jump].next = split;
        set_branches(c, split, node->is_lazy, split + 1, c->count);
        return;
    }
    for (uint32_t i = node->least; i < node->most && !c->is_full; i++) {
        splits[split_count++] = emit(c, REGEX_SPLIT);
        emit_node(c, node->first);
    }
    while (split_count > 0) {
        uint32_t split = splits[--split_count];
        set_branches(c, split, node->is_lazy, split + 1, c->count);
    }
}

static void emit_group(struct compiler *c, const struct regex_node *node)
{
    uint32_t save = emit(c, REGEX_SAVE);
    c->program[save].argument = 2 * node->group;
    emit_node(c, node->first);
    save = emit(c, REGEX_SAVE);
    c->program[save].argument = 2 * node->group + 1;
}

static void emit_node(struct compiler *c, const struct regex_node *node)
{
    c->is_full = c->is_full || ++c->work > WORK_MAX;
    if (c->is_full)
        return;
    uint32_t at;
    switch (node->kind) {
    case REGEX_NODE_EMPTY:
        return;
    case REGEX_NODE_SET:
        at = emit(c, REGEX_SET);
        c->program[at].argument = node->range_begin;
        c->program[at].other = node->range_end;
        return;
    case REGEX_NODE_ASSERT:
        (void)emit(c, node->opcode);
        return;
    case REGEX_NODE_CAT:
        emit_sequence(c, node);
        return;
    case REGEX_NODE_ALTERNATE:
        emit_alternatives(c, node);
        return;
    case REGEX_NODE_REPEAT:
        emit_repeat(c, node);
        return;
    case REGEX_NODE_GROUP:
        emit_group(c, node);
    }
}

/* Text that stands for itself. */
static bool is_literal_text(struct span text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] == '\0' || strchr("\\.+*?()|[]{}^$", text.data[i]))
            return false;
    return true;
}

static int compile_tree(struct regex_syntax *s, const struct regex_node *node,
                        struct regex *regex)
{
    struct compiler c = { .arena = s->arena };
    AUTO_FREE struct regex_instruction *program =
        calloc(REGEX_PROGRAM_MAX, sizeof *program); /* most need a hundredth of it */
    if (!program)
        return -ENOMEM;
    c.program = program;
    emit_node(&c, node);
    (void)emit(&c, REGEX_MATCH);
    if (c.is_full)
        return regex_refuse(s, 0, "it is too large");
    struct regex_instruction *copy = arena_alloc(s->arena, c.count * sizeof *copy);
    if (!copy)
        return -ENOMEM;
    memcpy(copy, program, c.count * sizeof *copy);
    regex->program = copy;
    regex->count = c.count;
    regex->ranges = s->ranges;
    regex->group_count = s->group_count;
    memcpy(regex->names, s->names, sizeof regex->names);
    return 0;
}

int regex_parse(struct span text, struct arena *arena, const struct regex **ret,
                struct err *err)
{
    struct regex_syntax s = { .arena = arena, .err = err, .text = text };
    struct regex_node *node = NULL;
    struct regex *regex = arena_alloc(arena, sizeof *regex);
    if (!regex)
        return -ENOMEM;
    regex->is_literal = is_literal_text(text);
    regex->literal = text;
    int rc = regex_syntax_parse(&s, &node);
    if (rc == 0)
        rc = compile_tree(&s, node, regex);
    if (rc == 0)
        *ret = regex;
    return rc;
}
