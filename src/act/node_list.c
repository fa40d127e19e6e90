/* SPDX-License-Identifier: Apache-2.0 */
/* node_list - the nodes of a scheduler, as Slurm's sinfo lists them. */
#include "act/node_list.h"

#include "base/span.h"

#include <errno.h>
#include <stdlib.h>

#define NAME_BYTES_MAX 255
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

/* "mixed+drain", "drained*": its states, without the marks behind them. */
static bool has_state(struct span state, const char *word)
{
    for (struct span one; state.size > 0;) {
        (void)span_cut(&state, '+', &one);
        while (one.size > 0 &&
               !(one.data[one.size - 1] >= 'a' && one.data[one.size - 1] <= 'z'))
            one.size--;
        if (span_is(one, word))
            return true;
    }
    return false;
}

static bool has_any_state(struct span state, const char *const *states)
{
    for (; *states; states++)
        if (has_state(state, *states))
            return true;
    return false;
}

static int node_add(struct node_list *list, struct span name, struct span state,
                    struct span reason)
{
    static const char *const drained[] = { "drained", "draining", "drain", NULL };
    static const char *const busy[] = { "allocated", "mixed",       "completing",
                                        "draining",  "powering_up", NULL };
    bool is_new;
    uintptr_t *index = hashmap_put(&list->by_name, name, &is_new);
    if (!index)
        return -ENOMEM;
    if (!is_new)
        return 0; /* of another partition */
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 256;
        struct scheduler_node *grown =
            reallocarray(list->nodes, capacity, sizeof *grown);
        if (!grown)
            return -ENOMEM;
        list->nodes = grown;
        list->capacity = capacity;
    }
    struct scheduler_node *node = &list->nodes[list->count++];
    *index = list->count;
    *node = (struct scheduler_node){
        .name = arena_dup(&list->arena, name),
        .reason = arena_dup(&list->arena, span_is(reason, "none") ? SPAN("") : reason),
        .is_drained = has_any_state(state, drained),
        .is_busy = has_any_state(state, busy),
    };
    return node->name && node->reason ? 0 : -ENOMEM;
}

int node_list_read(struct span text, struct node_list *ret, struct err *err)
{
    int rc = 0;
    for (unsigned long number = 1; text.size > 0 && rc == 0; number++) {
        struct span line, name, state;
        (void)span_cut(&text, '\n', &line);
        if (span_trim(line).size == 0)
            continue;
        bool has_bars = memchr(line.data, '|', line.size) != NULL;
        (void)span_cut(&line, '|', &name);
        has_bars = has_bars && line.size > 0 && memchr(line.data, '|', line.size);
        (void)span_cut(&line, '|', &state);
        name = span_trim(name);
        if (!has_bars || name.size == 0 || name.size > NAME_BYTES_MAX ||
            line.size > REASON_BYTES_MAX)
            return err_set(err, EBADMSG, "line %lu is not NODE|STATE|REASON", number);
        if (ret->count == NODE_LIST_MAX)
            return err_set(err, EMSGSIZE, "more than %zu nodes", NODE_LIST_MAX);
        rc = node_add(ret, name, span_trim(state), span_trim(line));
    }
    return rc;
}

const struct scheduler_node *node_list_find(const struct node_list *list,
                                            struct span name)
{
    const uintptr_t *index = hashmap_get(&list->by_name, name);
    return index ? &list->nodes[*index - 1] : NULL;
}
