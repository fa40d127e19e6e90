/* SPDX-License-Identifier: Apache-2.0 */
/* regex_match - a compiled expression over a text: all threads walk the text together.
 */
#include "promql/regex/regex.h"

#include "base/span.h"
#include "promql/regex/regex_program.h"

#include <stdlib.h>

#define SLOTS_MAX (2 * REGEX_GROUPS_MAX)

struct thread {
    uint32_t at;
    const char *slots[SLOTS_MAX];
};

/* Threads of one position, first the weightiest; each instruction once. */
struct thread_list {
    uint32_t count;
    struct thread threads[];
};

/* What is still to be followed: an instruction, or a slot that a branch has set and
 * that is restored behind it. */
struct pending {
    uint32_t at;
    uint32_t slot; /* where is_restore */
    const char *saved;
    bool is_restore;
};

struct regex_walk {
    const struct regex *regex;
    struct span text;
    uint32_t slot_count; /* 0: only whether it matches */
    uint32_t *stamps;    /* position at which an instruction was last added, + 1 */
    struct pending *stack;
};

/* One character of UTF-8; a byte that is none is U+FFFD, as Go reads it. */
static uint32_t next_character(const char *text, const char *end, size_t *ret_size)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t left = (size_t)(end - text);
    size_t size = s[0] < 0x80   ? 1
                  : s[0] < 0xC2 ? 0
                  : s[0] < 0xE0 ? 2
                  : s[0] < 0xF0 ? 3
                  : s[0] < 0xF5 ? 4
                                : 0;
    static const unsigned char masks[] = { 0, 0x7F, 0x1F, 0x0F, 0x07 };
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    *ret_size = 1;
    if (size == 0 || size > left)
        return 0xFFFD;
    uint32_t c = s[0] & masks[size];
    for (size_t i = 1; i < size; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return 0xFFFD;
        c = c << 6 | (s[i] & 0x3F);
    }
    if (c < least[size] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
        return 0xFFFD;
    *ret_size = size;
    return c;
}

static bool set_has(const struct regex_walk *run, const struct regex_instruction *i,
                    uint32_t c)
{
    const struct regex_range *ranges = run->regex->ranges;
    for (uint32_t n = i->argument; n < i->other; n++)
        if (c >= ranges[n].low && c <= ranges[n].high)
            return true;
    return false;
}

static bool is_word_at(const struct regex_walk *run, const char *at)
{
    if (at < run->text.data || at >= run->text.data + run->text.size)
        return false;
    return (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
           (*at >= '0' && *at <= '9') || *at == '_';
}

static bool condition_holds(const struct regex_walk *run, enum regex_opcode opcode,
                            const char *at)
{
    const char *end = run->text.data + run->text.size;
    switch (opcode) {
    case REGEX_BEGIN:
        return at == run->text.data;
    case REGEX_END:
        return at == end;
    case REGEX_LINE_BEGIN:
        return at == run->text.data || at[-1] == '\n';
    case REGEX_LINE_END:
        return at == end || *at == '\n';
    case REGEX_WORD_EDGE:
        return is_word_at(run, at - 1) != is_word_at(run, at);
    case REGEX_NO_WORD_EDGE:
        return is_word_at(run, at - 1) == is_word_at(run, at);
    default:
        return false;
    }
}

/* A thread at an instruction, followed to those that read a character. */
static void add_thread(const struct regex_walk *run, struct thread_list *list,
                       uint32_t first, const char *at, const char **slots)
{
    struct pending *stack = run->stack;
    size_t depth = 0;
    uint32_t stamp = (uint32_t)(at - run->text.data) + 1;
    stack[depth++] = (struct pending){ .at = first };
    while (depth > 0) {
        struct pending p = stack[--depth];
        if (p.is_restore) {
            slots[p.slot] = p.saved;
            continue;
        }
        if (run->stamps[p.at] == stamp)
            continue;
        run->stamps[p.at] = stamp;
        const struct regex_instruction *i = &run->regex->program[p.at];
        switch (i->opcode) {
        case REGEX_SPLIT:
            stack[depth++] = (struct pending){ .at = i->other };
            stack[depth++] = (struct pending){ .at = i->next };
            break;
        case REGEX_JUMP:
            stack[depth++] = (struct pending){ .at = i->next };
            break;
        case REGEX_SAVE:
            if (i->argument < run->slot_count) {
                stack[depth++] = (struct pending){ .slot = i->argument,
                                                   .saved = slots[i->argument],
                                                   .is_restore = true };
                slots[i->argument] = at;
            }
            stack[depth++] = (struct pending){ .at = i->next };
            break;
        case REGEX_SET:
        case REGEX_MATCH: {
            struct thread *t = &list->threads[list->count++];
            t->at = p.at;
            memcpy(t->slots, slots, run->slot_count * sizeof slots[0]);
            break;
        }
        case REGEX_FAIL:
            break;
        default:
            if (condition_holds(run, i->opcode, at))
                stack[depth++] = (struct pending){ .at = i->next };
        }
    }
}

/* All threads one character on. */
static void step_threads(const struct regex_walk *run, struct thread_list *from,
                         struct thread_list *to, uint32_t c, const char *next)
{
    to->count = 0;
    for (uint32_t n = 0; n < from->count; n++) {
        struct thread *t = &from->threads[n];
        const struct regex_instruction *i = &run->regex->program[t->at];
        if (i->opcode == REGEX_SET && set_has(run, i, c))
            add_thread(run, to, i->next, next, t->slots);
    }
}

/* The text must end where a thread matches; the first such thread wins. */
static bool run_threads(const struct regex_walk *run, struct thread_list *now,
                        struct thread_list *next, const char **slots)
{
    const char *at = run->text.data, *end = at + run->text.size;
    add_thread(run, now, 0, at, slots);
    while (at < end && now->count > 0) {
        size_t size = 1;
        uint32_t c = next_character(at, end, &size);
        at += size;
        step_threads(run, now, next, c, at);
        struct thread_list *other = now;
        now = next;
        next = other;
    }
    for (uint32_t n = 0; at == end && n < now->count; n++) {
        if (run->regex->program[now->threads[n].at].opcode != REGEX_MATCH)
            continue;
        memcpy(slots, now->threads[n].slots, run->slot_count * sizeof slots[0]);
        return true;
    }
    return false;
}

static bool regex_run(const struct regex *regex, struct span text, const char **slots,
                      uint32_t slot_count)
{
    struct regex_walk run = { regex, text, slot_count, NULL, NULL };
    size_t list_bytes =
        sizeof(struct thread_list) + regex->count * sizeof(struct thread);
    AUTO_FREE char *memory = calloc(1, 2 * list_bytes);
    AUTO_FREE uint32_t *stamps = calloc(regex->count, sizeof *stamps);
    AUTO_FREE struct pending *stack = calloc(2 * regex->count + 2, sizeof *stack);
    if (!memory || !stamps || !stack)
        return false;
    run.stamps = stamps;
    run.stack = stack;
    return run_threads(&run, (struct thread_list *)(void *)memory,
                       (struct thread_list *)(void *)(memory + list_bytes), slots);
}

bool regex_matches(const struct regex *regex, struct span text)
{
    const char *slots[SLOTS_MAX] = { NULL };
    if (regex->is_literal)
        return span_eq(text, regex->literal);
    return regex_run(regex, text.data ? text : SPAN(""), slots, 0);
}

bool regex_match_groups(const struct regex *regex, struct span text,
                        struct regex_groups *ret)
{
    const char *slots[SLOTS_MAX] = { NULL };
    if (!text.data)
        text = SPAN("");
    if (!regex_run(regex, text, slots, 2 * regex->group_count))
        return false;
    *ret = (struct regex_groups){ .groups = { text } };
    for (uint32_t g = 1; g < regex->group_count; g++)
        if (slots[2 * g] && slots[2 * g + 1])
            ret->groups[g] = (struct span){ slots[2 * g],
                                            (size_t)(slots[2 * g + 1] - slots[2 * g]) };
    return true;
}

int regex_group_named(const struct regex *regex, struct span name)
{
    for (uint32_t g = 1; g < regex->group_count; g++)
        if (regex->names[g].size > 0 && span_eq(regex->names[g], name))
            return (int)g;
    return -1;
}
