/* SPDX-License-Identifier: Apache-2.0 */
/* node_list - the nodes of a scheduler, as Slurm's sinfo lists them.
 *
 *     sinfo --noheader --Node --format=%N|%T|%E
 *     a0903|drained*|baro: down: ping: no response
 *
 * A node of several partitions has as many lines.
 */
#ifndef ACT_NODE_LIST_H
#define ACT_NODE_LIST_H

#include "base/arena.h"
#include "base/err.h"
#include "base/hashmap.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

#define NODE_LIST_OPTION "--format=%N|%T|%E"
#define NODE_LIST_MAX ((size_t)200000)

struct scheduler_node {
    const char *name;
    const char *reason; /* ""; of a drained one: why */
    bool is_drained;    /* or draining: no job will start there */
    bool is_busy;       /* jobs run there */
};

struct node_list {
    struct arena arena;
    struct scheduler_node *nodes;
    size_t count, capacity;
    struct hashmap by_name; /* index + 1 */
};

void node_list_init(struct node_list *list);
void node_list_done(struct node_list *list);
DEFINE_AUTO_DONE(struct node_list, node_list_done);

/* Errors: -EBADMSG (a line has another form; err has its number), -EMSGSIZE (over
 * NODE_LIST_MAX), -ENOMEM. */
int node_list_read(struct span text, struct node_list *ret, struct err *err);
/* NULL: no node has that name. */
const struct scheduler_node *node_list_find(const struct node_list *list,
                                            struct span name);

#endif
