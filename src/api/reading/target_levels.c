/* SPDX-License-Identifier: Apache-2.0 */
/* target_levels - where the metric store has the targets of file systems. */
#include "api/reading/target_levels.h"

#include "base/span.h"
#include "model/model.h"

#include <errno.h>

/* The last name of a path. */
static struct span last_name(const struct level *level)
{
    size_t parent = level->parent ? level->parent->path_size : 0;
    size_t skip = parent > 0 ? parent + 1 : 0;
    return (struct span){ level->path + skip, level->path_size - skip };
}

/* "ost:scratch-OST0001" of a server. */
static int component_visit(const struct target_levels_opts *opts,
                           const struct level *level)
{
    struct span name = last_name(level), type;
    struct target_name parsed;
    if (!span_cut(&name, ':', &type) ||
        (!span_is(type, target_kind_name(TARGET_OST)) &&
         !span_is(type, target_kind_name(TARGET_MDT))) ||
        target_parse(name, &parsed) < 0 || parsed.fs.size == 0 ||
        !component_name_matches(parsed.fs, span_of(opts->fs)))
        return 0;
    const struct target_level at = { .cluster = last_name(level->parent->parent),
                                     .fs = parsed.fs,
                                     .name = name,
                                     .is_mdt = parsed.kind == TARGET_MDT,
                                     .level = level };
    return opts->fn(opts->arg, &at);
}

static int host_visit(const struct target_levels_opts *opts, struct metric_visit *visit,
                      const struct level *host)
{
    metric_visit_step(visit);
    int rc = opts->watch ? opts->watch(opts->watch_arg) : 0;
    const struct level *level =
        atomic_load_explicit(&host->child, memory_order_acquire);
    for (; level && rc == 0; level = level->next)
        rc = component_visit(opts, level);
    return rc;
}

static int cluster_visit(const struct target_levels_opts *opts,
                         struct metric_visit *visit, const struct level *cluster)
{
    int rc = 0;
    const struct level *host =
        atomic_load_explicit(&cluster->child, memory_order_acquire);
    for (; host && rc == 0; host = host->next)
        rc = host_visit(opts, visit, host);
    return rc;
}

int target_levels_visit(const struct target_levels_opts *opts,
                        struct metric_visit *visit)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < metric_store_shard_count(opts->store); i++) {
        const struct level *root = metric_store_tree(opts->store, i)->root;
        const struct level *cluster =
            atomic_load_explicit(&root->child, memory_order_acquire);
        for (; cluster && rc == 0; cluster = cluster->next)
            rc = cluster_visit(opts, visit, cluster);
    }
    return rc;
}
