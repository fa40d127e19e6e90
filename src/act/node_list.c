/* SPDX-License-Identifier: Apache-2.0 */
/* node_list - the nodes of a scheduler, as Slurm's sinfo lists them. */
#include "act/node_list.h"

#include "base/span.h"

#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#define REASON_BYTES_MAX 4096

void node_list_init(struct node_list *list)
{
    *list = (struct node_list){ 0 };
    arena_init(&list->arena, 0);
}

void node_list_done(struct node_list *list)
{
    arena_done(&list->arena);
    hashmap_done(&list->by_name);
    free(list->nodes);
}

bool node_name_is_valid(struct span name)
{
    for (size_t i = 0; i < name.size; i++) {
        unsigned char c = (unsigned char)name.data[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_letter && !(c >= '0' && c <= '9') && c != '.' && c != '-' && c != '_')
            return false;
    }
    return name.size > 0 && name.size <= NODE_NAME_BYTES_MAX && name.data[0] != '-' &&
           !(name.size == 3 && strncasecmp(name.data, "all", 3) == 0);
}

/* ---- states ---- */

enum node_flag { IN_USE, BUSY, DRAIN, DRAIN_BUSY, DOWN };

/* By every other word no job starts there, or soon none will, or we do not know. */
static const struct {
    const char *word;
    enum node_flag flag;
} node_flags[] = {
    { "idle", IN_USE },
    { "reserved", IN_USE },
    { "planned", IN_USE },
    { "allocated", BUSY },
    { "mixed", BUSY },
    { "completing", BUSY },
    { "drained", DRAIN },
    { "drain", DRAIN },
    { "draining", DRAIN_BUSY },
    { "down", DOWN },
    { "not_responding", IN_USE },
    { "cloud", IN_USE },
    { "dynamic_norm", IN_USE },
    { "dynamic_future", IN_USE },
};

/* Marks behind the words of %T: rebooting, about to, powered down, and so on. */
#define MARKS_UNAVAILABLE "^@~#!%$"

/* sinfo and scontrol differ in case. */
static bool is_node_flag(struct span text, const char *word)
{
    return text.size == strlen(word) && strncasecmp(text.data, word, text.size) == 0;
}

static void flag_set(struct scheduler_node *node, struct span word)
{
    for (size_t i = 0; i < COUNT_OF(node_flags); i++) {
        if (!is_node_flag(word, node_flags[i].word))
            continue;
        node->is_busy |= node_flags[i].flag == BUSY || node_flags[i].flag == DRAIN_BUSY;
        node->is_drained |=
            node_flags[i].flag == DRAIN || node_flags[i].flag == DRAIN_BUSY;
        node->is_down |= node_flags[i].flag == DOWN;
        return;
    }
    node->is_unavailable = true;
    node->is_busy |= is_node_flag(word, "powering_up");
}

/* "mixed+drain", "drained*" */
static void node_state_read(struct scheduler_node *node, struct span state)
{
    node->is_unavailable = state.size == 0;
    for (struct span word; state.size > 0;) {
        (void)span_cut(&state, '+', &word);
        for (;
             word.size > 0 && strchr(MARKS_UNAVAILABLE "*-", word.data[word.size - 1]);
             word.size--)
            node->is_unavailable |=
                word.data[word.size - 1] != '*' && word.data[word.size - 1] != '-';
        flag_set(node, word);
    }
}

/* ---- nodes ---- */

static int node_grow(struct node_list *list)
{
    size_t capacity = list->capacity ? 2 * list->capacity : 256;
    if (list->count < list->capacity)
        return 0;
    struct scheduler_node *grown = reallocarray(list->nodes, capacity, sizeof *grown);
    if (!grown)
        return -ENOMEM;
    list->nodes = grown;
    list->capacity = capacity;
    return 0;
}

static int node_add(struct node_list *list, struct span name, struct span state,
                    struct span reason, size_t *ret)
{
    bool is_new;
    struct scheduler_node node = { .reason = arena_dup(&list->arena, reason) };
    if (!node.reason || node_grow(list) < 0)
        return -ENOMEM;
    uintptr_t *index = hashmap_put(&list->by_name, name, &is_new);
    if (!index)
        return -ENOMEM;
    node_state_read(&node, state);
    if (!is_new) { /* of another partition */
        struct scheduler_node *had = &list->nodes[*index - 1];
        had->is_doubtful |= had->is_drained != node.is_drained ||
                            had->is_down != node.is_down ||
                            had->is_unavailable != node.is_unavailable ||
                            strncmp(had->reason, node.reason, strlen(node.reason)) != 0;
        *ret = *index - 1;
        return 0;
    }
    *ret = list->count++;
    *index = list->count;
    node.name = arena_dup(&list->arena, name);
    list->nodes[*ret] = node;
    return node.name ? 0 : -ENOMEM;
}

/* No reason that we gave, and none that we could compare. */
static int reason_make_odd(struct node_list *list, struct scheduler_node *node)
{
    static const char mark[] = " [and more]";
    size_t size = strlen(node->reason);
    if (size >= sizeof mark - 1 &&
        strcmp(node->reason + size - (sizeof mark - 1), mark) == 0)
        return 0;
    char *longer = arena_alloc(&list->arena, size + sizeof mark);
    if (!longer)
        return -ENOMEM;
    memcpy(longer, node->reason, size);
    memcpy(longer + size, mark, sizeof mark);
    node->reason = longer;
    return 0;
}

static bool line_cut(struct span line, struct span *name, struct span *state,
                     struct span *reason)
{
    *reason = line;
    bool has_bars = memchr(line.data, '|', line.size) != NULL;
    (void)span_cut(reason, '|', name);
    has_bars = has_bars && reason->size > 0 && memchr(reason->data, '|', reason->size);
    (void)span_cut(reason, '|', state);
    *name = span_trim(*name);
    *state = span_trim(*state);
    *reason = span_trim(*reason);
    if (span_is(*reason, "none"))
        *reason = SPAN("");
    return has_bars && node_name_is_valid(*name);
}

static int node_line_read(struct node_list *list, struct span line, size_t *last,
                          struct err *err)
{
    struct span name, state, reason;
    if (line_cut(line, &name, &state, &reason)) {
        bool is_long = reason.size > REASON_BYTES_MAX;
        reason.size = is_long ? REASON_BYTES_MAX : reason.size;
        if (list->count == NODE_LIST_MAX)
            return err_set(err, EMSGSIZE, "more than %zu nodes", NODE_LIST_MAX);
        int rc = node_add(list, name, state, reason, last);
        return rc == 0 && is_long ? reason_make_odd(list, &list->nodes[*last]) : rc;
    }
    if (list->count == 0)
        return err_set(err, EBADMSG, "line 1 is not NODE|STATE|REASON");
    list->odd_lines++;
    return reason_make_odd(list, &list->nodes[*last]);
}

int node_list_read(struct span text, struct node_list *ret, struct err *err)
{
    int rc = 0;
    size_t last = 0;
    while (text.size > 0 && rc == 0) {
        struct span line;
        (void)span_cut(&text, '\n', &line);
        if (span_trim(line).size > 0)
            rc = node_line_read(ret, line, &last, err);
    }
    return rc;
}

const struct scheduler_node *node_list_find(const struct node_list *list,
                                            struct span name)
{
    const uintptr_t *index = hashmap_get(&list->by_name, name);
    return index ? &list->nodes[*index - 1] : NULL;
}
