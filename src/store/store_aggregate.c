/* SPDX-License-Identifier: Apache-2.0 */
/* store_aggregate - one metric over a part of the tree, out of all shards. */
#include "store/metric_store.h"

static int read_series(void *arg, const struct level_series *series, int64_t from_ns,
                       int64_t to_ns, series_samples_fn *fn, void *fn_arg)
{
    struct metric_range range = { from_ns, to_ns, fn, fn_arg };
    struct metric_read read;
    return metric_store_read(arg, series, &range, &read);
}

/* A level that several shards may have: what it has itself stands in one of them. */
static int aggregate_level(struct metric_store *store, struct span path,
                           uint32_t metric, struct aggregate *aggregate)
{
    size_t own = metric_store_shard(store, path);
    const struct level_tree *tree = metric_store_tree(store, own);
    const struct level *level = level_find(tree, path);
    if (level && level_series_find(tree, level, metric))
        return aggregate_add(tree, level, metric, read_series, store, aggregate);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < store->shard_count; i++) {
        tree = metric_store_tree(store, i);
        level = level_find(tree, path);
        if (level)
            rc = aggregate_add(tree, level, metric, read_series, store, aggregate);
    }
    return rc;
}

/* Whether an earlier shard has a level of this path as well. */
static bool is_seen(const struct metric_store *store, size_t shard, struct span path)
{
    for (size_t i = 0; i < shard; i++) {
        if (level_find(metric_store_tree(store, i), path))
            return true;
    }
    return false;
}

static int aggregate_root(struct metric_store *store, uint32_t metric,
                          struct aggregate *aggregate)
{
    int rc = 0;
    for (size_t i = 0; i < store->shard_count; i++) {
        const struct level *cluster = atomic_load_explicit(
            &metric_store_tree(store, i)->root->child, memory_order_acquire);
        for (; rc == 0 && cluster; cluster = cluster->next) {
            struct span path = { cluster->path, cluster->path_size };
            if (!is_seen(store, i, path))
                rc = aggregate_level(store, path, metric, aggregate);
        }
    }
    return rc;
}

int metric_store_aggregate(struct metric_store *store, struct span path,
                           const struct metric *metric, struct aggregate *aggregate)
{
    aggregate_begin(aggregate);
    bool is_root = path.size == 0 && !metric_store_find(store, path, metric);
    int rc = is_root ? aggregate_root(store, metric->id, aggregate)
                     : aggregate_level(store, path, metric->id, aggregate);
    return rc < 0 ? rc : aggregate_end(metric->aggregation, aggregate);
}
