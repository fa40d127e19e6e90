/* SPDX-License-Identifier: Apache-2.0 */
/* level - the tree: cluster, host, component, subcomponent, and the series at each.
 *
 *     root ─▶ alex ─▶ alex/a0903 ─▶ alex/a0903/hwthread:7
 *               └ series ─▶ series      └ series ─▶ series
 *
 * A level is known by its path and is found by hash.  Levels and series are only added
 * while a tree lives, each in the front of its list and published last, so that readers
 * walk and look up without a lock.
 *
 * Threads  level_find(), level_series_find() and walking: any thread, between
 *          epoch_enter() and epoch_leave(); the rest under the shard's mutex.
 */
#ifndef STORE_TREE_LEVEL_H
#define STORE_TREE_LEVEL_H

#include "base/span_type.h"
#include "store/series/series.h"

#define LEVEL_DEPTH_MAX 4
#define LEVEL_PATH_MAX 1024

struct index_table;

/* Things with a hash as their first member, found by it. */
struct level_index {
    _Atomic(struct index_table *) table;
};

struct level_series {
    uint64_t hash;
    struct metric_series series;
    uint32_t metric;
    _Atomic uint32_t number; /* in the shard's log; 0: not there yet.  Given under the
                                journal's lock, read by any thread */
    struct level *level;
    struct level_series *next; /* of the same level */
};

struct level {
    uint64_t hash;
    struct level *parent; /* NULL: the root */
    struct level *next;   /* of the same parent */
    _Atomic(struct level *) child;
    _Atomic(struct level_series *) series;
    uint16_t path_size;
    uint16_t shard;
    char path[];
};

struct level_tree {
    struct memory *memory;
    struct level *root;
    struct level_index levels;
    struct level_index series;
    size_t level_count;
    size_t series_count;
    uint16_t shard; /* whose tree it is */
};

/* Errors: -ENOMEM. */
int level_tree_init(struct level_tree *tree, struct memory *memory, uint16_t shard);
/* Gives the series' memory back; the levels' goes with the memory itself. */
void level_tree_done(struct level_tree *tree);

/* The next level in a walk over all that are at or below top; NULL: there is none.  A
 * walk can be paused and resumed: levels are never removed. */
struct level *level_next(struct level *level, const struct level *top);

/* The last name of its path. */
struct span level_name(const struct level *level);
/* The child of that name; NULL: there is none. */
const struct level *level_child(const struct level *level, struct span name);
/* Is it what one job did on its host, "job:4711"?  Several jobs share a host, so that
 * what is read on behalf of one of them must leave out the others'. */
bool level_is_of_job(const struct level *level);

/* NULL: there is none.  An empty path is the root. */
struct level *level_find(const struct level_tree *tree, struct span path);
struct level_series *level_series_find(const struct level_tree *tree,
                                       const struct level *level, uint32_t metric);

/* Which series of which tree. */
struct series_wish {
    const struct level_tree *tree;
    const struct level *level;
    uint32_t metric;
};

/* Bring near what level_series_find() is going to touch for these. */
void level_series_prefetch(const struct series_wish *wishes, size_t count);

/* Find or make.  Errors: -EINVAL (an empty name, too deep or too long), -ENOMEM. */
int level_make(struct level_tree *tree, struct span path, struct level **ret);
int level_series_make(struct level_tree *tree, struct level *level, uint32_t metric,
                      int64_t step_ns, struct level_series **ret);

#endif
