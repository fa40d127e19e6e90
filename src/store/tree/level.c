/* SPDX-License-Identifier: Apache-2.0 */
/* level - the tree: cluster, host, component, subcomponent, and the series at each. */
#include "store/tree/level.h"

#include "base/hashmap.h"
#include "base/span.h"

#include <errno.h>
#include <xxhash.h>

#define TABLE_MIN 64

/* Open addressing; at most half full; entries are never removed.  A table that was
 * outgrown stays until the end, because readers may be in it: all of them together
 * are no larger than the last. */
struct index_table {
    struct index_table *outgrown;
    size_t capacity; /* a power of two */
    size_t count;    /* the writer's alone */
    _Atomic(uint64_t *) slots[];
};

static uint64_t hash_path(struct span path)
{
    return XXH3_64bits_withSeed(path.data, path.size, hashmap_seed());
}

/* The multiplication spreads neighbouring metrics of one level. */
static uint64_t hash_series(const struct level *level, uint32_t metric)
{
    uint64_t h = (level->hash ^ metric) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}

static struct index_table *table_new(size_t capacity)
{
    struct index_table *table =
        calloc(1, sizeof *table + capacity * sizeof table->slots[0]);
    if (table)
        table->capacity = capacity;
    return table;
}

static void table_add(struct index_table *table, uint64_t *entry)
{
    size_t mask = table->capacity - 1;
    size_t at = *entry & mask;
    while (atomic_load_explicit(&table->slots[at], memory_order_relaxed))
        at = (at + 1) & mask;
    atomic_store_explicit(&table->slots[at], entry, memory_order_release);
    table->count++;
}

/* Room for one more. */
static int index_reserve(struct level_index *index)
{
    struct index_table *old = atomic_load_explicit(&index->table, memory_order_relaxed);
    if (2 * (old->count + 1) <= old->capacity)
        return 0;
    struct index_table *table = table_new(2 * old->capacity);
    if (!table)
        return -ENOMEM;
    for (size_t i = 0; i < old->capacity; i++) {
        uint64_t *entry = atomic_load_explicit(&old->slots[i], memory_order_relaxed);
        if (entry)
            table_add(table, entry);
    }
    table->outgrown = old;
    atomic_store(&index->table, table);
    return 0;
}

static int index_init(struct level_index *index)
{
    struct index_table *table = table_new(TABLE_MIN);
    atomic_init(&index->table, table);
    return table ? 0 : -ENOMEM;
}

static void index_done(struct level_index *index)
{
    struct index_table *table =
        atomic_load_explicit(&index->table, memory_order_relaxed);
    while (table) {
        struct index_table *older = table->outgrown;
        free(table);
        table = older;
    }
}

int level_tree_init(struct level_tree *tree, struct memory *memory, uint16_t shard)
{
    *tree = (struct level_tree){ .memory = memory, .shard = shard };
    int rc = index_init(&tree->levels);
    if (rc == 0)
        rc = index_init(&tree->series);
    if (rc == 0)
        rc = level_make(tree, SPAN(""), &tree->root);
    if (rc < 0)
        level_tree_done(tree);
    return rc;
}

void level_tree_done(struct level_tree *tree)
{
    struct index_table *all =
        atomic_load_explicit(&tree->series.table, memory_order_relaxed);
    for (size_t i = 0; all && i < all->capacity; i++) {
        uint64_t *entry = atomic_load_explicit(&all->slots[i], memory_order_relaxed);
        if (entry)
            series_done(&((struct level_series *)(void *)entry)->series, tree->memory);
    }
    index_done(&tree->levels);
    index_done(&tree->series);
    *tree = (struct level_tree){ 0 };
}

struct level *level_next(struct level *level, const struct level *top)
{
    struct level *child = atomic_load_explicit(&level->child, memory_order_acquire);
    if (child)
        return child;
    while (level && level != top && !level->next)
        level = level->parent;
    return level && level != top ? level->next : NULL;
}

struct span level_name(const struct level *level)
{
    size_t skip =
        level->parent && level->parent->path_size ? level->parent->path_size + 1U : 0;
    return (struct span){ level->path + skip, level->path_size - skip };
}

const struct level *level_child(const struct level *level, struct span name)
{
    const struct level *child =
        atomic_load_explicit(&level->child, memory_order_acquire);
    while (child && !span_eq(level_name(child), name))
        child = child->next;
    return child;
}

bool level_is_of_job(const struct level *level)
{
    return span_starts(level_name(level), "job:");
}

struct level *level_find(const struct level_tree *tree, struct span path)
{
    uint64_t hash = hash_path(path);
    const struct index_table *table = atomic_load(&tree->levels.table);
    size_t mask = table->capacity - 1;
    for (size_t at = hash & mask;; at = (at + 1) & mask) {
        struct level *level = (struct level *)(void *)atomic_load_explicit(
            &table->slots[at], memory_order_acquire);
        if (!level)
            return NULL;
        if (level->hash == hash &&
            span_eq((struct span){ level->path, level->path_size }, path))
            return level;
    }
}

struct level_series *level_series_find(const struct level_tree *tree,
                                       const struct level *level, uint32_t metric)
{
    uint64_t hash = hash_series(level, metric);
    const struct index_table *table = atomic_load(&tree->series.table);
    size_t mask = table->capacity - 1;
    for (size_t at = hash & mask;; at = (at + 1) & mask) {
        struct level_series *s = (struct level_series *)(void *)atomic_load_explicit(
            &table->slots[at], memory_order_acquire);
        if (!s)
            return NULL;
        if (s->hash == hash && s->level == level && s->metric == metric)
            return s;
    }
}

/* The slot where it is looked for first. */
static _Atomic(uint64_t *) *first_slot(const struct series_wish *wish)
{
    struct index_table *table = atomic_load(&wish->tree->series.table);
    return &table
                ->slots[hash_series(wish->level, wish->metric) & (table->capacity - 1)];
}

void level_series_prefetch(const struct series_wish *wishes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        __builtin_prefetch(first_slot(&wishes[i]));
    for (size_t i = 0; i < count; i++)
        __builtin_prefetch(
            atomic_load_explicit(first_slot(&wishes[i]), memory_order_acquire));
}

static int level_new(struct level_tree *tree, struct level *parent, struct span path,
                     struct level **ret)
{
    int rc = index_reserve(&tree->levels);
    struct level *level =
        rc == 0 ? memory_alloc(tree->memory, sizeof *level + path.size) : NULL;
    if (!level)
        return -ENOMEM;
    level->hash = hash_path(path);
    level->parent = parent;
    level->path_size = (uint16_t)path.size;
    level->shard = tree->shard;
    atomic_init(&level->child, NULL);
    atomic_init(&level->series, NULL);
    memcpy(level->path, path.data, path.size);
    level->next =
        parent ? atomic_load_explicit(&parent->child, memory_order_relaxed) : NULL;
    table_add(atomic_load_explicit(&tree->levels.table, memory_order_relaxed),
              &level->hash);
    if (parent)
        atomic_store_explicit(&parent->child, level, memory_order_release);
    tree->level_count++;
    *ret = level;
    return 0;
}

static int check_path(struct span path)
{
    size_t depth = path.size > 0, name_size = 0;
    for (size_t i = 0; i < path.size; i++) {
        if (path.data[i] != '/') {
            name_size++;
            continue;
        }
        if (name_size == 0)
            return -EINVAL;
        name_size = 0;
        depth++;
    }
    bool is_bad = path.size > LEVEL_PATH_MAX || depth > LEVEL_DEPTH_MAX ||
                  (path.size > 0 && name_size == 0);
    return is_bad ? -EINVAL : 0;
}

int level_make(struct level_tree *tree, struct span path, struct level **ret)
{
    struct level *level = level_find(tree, path);
    if (level) {
        *ret = level;
        return 0;
    }
    int rc = check_path(path);
    if (rc < 0)
        return rc;
    if (path.size == 0)
        return level_new(tree, NULL, path, ret);
    level = tree->root;
    for (size_t size = 1; size <= path.size; size++) {
        if (size < path.size && path.data[size] != '/')
            continue;
        struct span part = { path.data, size };
        struct level *next = level_find(tree, part);
        rc = next ? 0 : level_new(tree, level, part, &next);
        if (rc < 0)
            return rc;
        level = next;
    }
    *ret = level;
    return 0;
}

int level_series_make(struct level_tree *tree, struct level *level, uint32_t metric,
                      int64_t step_ns, struct level_series **ret)
{
    struct level_series *s = level_series_find(tree, level, metric);
    if (s) {
        *ret = s;
        return 0;
    }
    int rc = index_reserve(&tree->series);
    s = rc == 0 ? memory_alloc(tree->memory, sizeof *s) : NULL;
    if (!s)
        return -ENOMEM;
    s->hash = hash_series(level, metric);
    s->metric = metric;
    s->number = 0;
    s->level = level;
    series_init(&s->series, step_ns);
    s->next = atomic_load_explicit(&level->series, memory_order_relaxed);
    table_add(atomic_load_explicit(&tree->series.table, memory_order_relaxed),
              &s->hash);
    atomic_store_explicit(&level->series, s, memory_order_release);
    tree->series_count++;
    *ret = s;
    return 0;
}
