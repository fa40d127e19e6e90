/* SPDX-License-Identifier: Apache-2.0 */
/* table_private - the inside of the table: components, what is stated, what changed. */
#ifndef RESOURCE_TABLE_PRIVATE_H
#define RESOURCE_TABLE_PRIVATE_H

#include "base/hashmap.h"
#include "resource/resource.h"

#include <pthread.h>
#include <stdatomic.h>

#define NO_NODE UINT32_MAX

/* What one source states: s and its texts, in one piece of memory. */
struct stated {
    struct resource_statement s;
    char texts[];
};

/* What is so, since when barod knows it, and because of what. */
struct effect {
    enum resource_health health;
    int64_t since_ns;
    uint32_t cause;          /* the component whose statement decides */
    const struct stated *by; /* NULL: nothing is stated */
};

struct node {
    char *path;
    uint32_t path_size;
    uint32_t whole; /* of a part: what it is a part of; NO_NODE: a host */
    uint32_t first_part, next_part;
    uint32_t part_count;       /* of its own parts */
    uint32_t below_count;      /* of a host: of parts of parts, too */
    uint32_t enclosure;        /* NO_NODE: in none */
    uint32_t enclosure_rule;   /* index of the rules, of an enclosure; NO_NODE */
    uint32_t next_of_name;     /* a host of the same name in another cluster */
    enum resource_health down; /* of a part: what it makes of its whole when down */
    struct stated **stated;
    uint32_t stated_count;
    struct effect effect;
};

struct change {
    struct resource_change c; /* its id is that of its position */
    char texts[];
};

struct changes {
    struct change *ring[RESOURCE_CHANGES_MAX]; /* sequence % MAX */
    uint64_t run, last;                        /* sequence of the newest; 0: none */
    uint64_t lost; /* up to which they are not there any more */
};

struct resource_table {
    const struct resource_rules *rules;
    pthread_rwlock_t lock;
    struct node *nodes;
    size_t node_count, node_capacity;
    struct hashmap by_path; /* index + 1 */
    struct hashmap by_name; /* of hosts: index + 1 of the first */
    size_t statement_count;
    bool is_loaded, is_loading;
    bool is_fresh; /* effects are made of what is stored alone: there is no before */
    _Atomic uint64_t refused;
    struct changes changes;
};

/* The caller has the lock. */
uint32_t node_find(const struct resource_table *table, struct span path);
static inline struct span node_path(const struct node *node)
{
    return (struct span){ node->path, node->path_size };
}
void node_view(const struct resource_table *table, const struct node *node,
               struct resource_view *ret);

/* NULL: it states nothing. */
struct stated **stated_find(const struct node *node, struct span source);

/* Make the effect of a component anew, of what it is a part of and of what is in it.
 */
void node_update(struct resource_table *table, uint32_t at, int64_t now_ns);
/* Of a host and all of its parts: it was heard, or is silent. */
void host_update(struct resource_table *table, uint32_t at, int64_t now_ns);
/* Of all, after a load. */
void all_update(struct resource_table *table, int64_t now_ns);
void node_host_path(const struct resource_hosts *hosts, size_t index,
                    struct strbuf *path);
/* The component of a host of a rule, where there is one. */
uint32_t node_of_host(const struct resource_table *table,
                      const struct resource_hosts *hosts, size_t index);

void changes_begin(struct changes *changes, int64_t now_ns);
void changes_done(struct changes *changes);
/* Memory that is out makes it one of those that are lost. */
void changes_add(struct changes *changes, const struct resource_change *change);

#endif
