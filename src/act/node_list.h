/* SPDX-License-Identifier: Apache-2.0 */
/* node_list - the nodes of a scheduler, as Slurm's sinfo lists them.
 *
 *     sinfo --noheader --Node --Format=NodeList:0|,StateComplete:0|,Reason:0
 *     a0903|idle+drain+not_responding|baro: down: ping: no response
 *
 * A node of several partitions has as many lines.  StateComplete has every flag of a
 * node (Slurm 20.11); "drained*" and the other words and marks of %T are read, too:
 * they hide a drain behind a reboot and maintenance.
 *
 * A reason may have several lines, or be longer than any: a line of another form
 * belongs to the reason before it, and that node's reason is none that we gave.  So
 * does one whose name no node can have: to Slurm's programs "n[1-9]" and "ALL" are
 * many.
 */
#ifndef ACT_NODE_LIST_H
#define ACT_NODE_LIST_H

#include "base/arena.h"
#include "base/err.h"
#include "base/hashmap.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

#define NODE_LIST_OPTION "--Format=NodeList:0|,StateComplete:0|,Reason:0"
#define NODE_LIST_MAX ((size_t)200000)
#define NODE_NAME_BYTES_MAX ((size_t)255)

/* May a node have that name?  Letters, digits, '.', '-' and '_'; "ALL" is none. */
bool node_name_is_valid(struct span name);

struct scheduler_node {
    const char *name;
    const char *reason; /* ""; of a drained one: why */
    bool is_drained;    /* or draining: no job will start there */
    bool is_busy;       /* jobs run there */
    bool is_down;
    /* Failing, in maintenance, rebooting, powered down or on its way, or a state that
     * we do not know: no job starts there, or soon none will. */
    bool is_unavailable;
    /* Listed with two states, as by a reason that has a line like a node's: nothing is
     * known of it. */
    bool is_doubtful;
};

struct node_list {
    struct arena arena;
    struct scheduler_node *nodes;
    size_t count, capacity;
    struct hashmap by_name; /* index + 1 */
    size_t odd_lines;       /* that belong to the reason before them */
};

void node_list_init(struct node_list *list);
void node_list_done(struct node_list *list);
DEFINE_AUTO_DONE(struct node_list, node_list_done);

/* Errors: -EBADMSG (the first line has another form), -EMSGSIZE (over NODE_LIST_MAX),
 * -ENOMEM. */
int node_list_read(struct span text, struct node_list *ret, struct err *err);
/* NULL: no node has that name. */
const struct scheduler_node *node_list_find(const struct node_list *list,
                                            struct span name);

#endif
