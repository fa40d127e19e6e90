/* SPDX-License-Identifier: Apache-2.0 */
/* node_hosts - the hosts of clusters in the metric store, by class of comparable ones.
 */
#include "api/node_hosts.h"

#include "api/params.h"
#include "api/reading/reading.h"
#include "base/span.h"
#include "model/model.h"

#include <stdlib.h>

int node_components_add(struct node_components *components, struct span value)
{
    if (components->count == NODE_COMPONENTS_MAX)
        return -EINVAL;
    return api_params_text(value, components->texts[components->count++],
                           NODE_COMPONENT_BYTES_MAX + 1);
}

/* What is known of a host until the classes are. */
struct found_host {
    const struct level *level;
    const char *name; /* of the arena */
    size_t cluster, class;
    bool is_selected;
    uint64_t *bits;
};

struct node_search {
    struct metric_store *store;
    const struct api_readers *readers;
    struct metric_visit visit;
    struct node_hosts *ret;
    struct metric_levels wanted; /* by path; none: all */
    bool is_selected_alone;
    struct found_host *found;
    size_t count, capacity;
    const char **clusters; /* of the arena */
    size_t cluster_count, cluster_capacity;
};

void node_hosts_done(struct node_hosts *hosts)
{
    free(hosts->hosts);
    free(hosts->levels);
    free(hosts->bits);
    free(hosts->by_name);
    free(hosts->clusters);
    metric_missing_done(&hosts->missing);
    arena_done(&hosts->arena);
    *hosts = (struct node_hosts){ 0 };
}

/* The last name of a path. */
static struct span name_of(const struct level *level)
{
    size_t parent = level->parent ? level->parent->path_size : 0;
    size_t skip = parent > 0 ? parent + 1 : 0;
    return (struct span){ level->path + skip, level->path_size - skip };
}

static int cluster_index(struct node_search *s, struct span name, size_t *ret)
{
    for (size_t i = 0; i < s->cluster_count; i++) {
        *ret = i;
        if (span_is(name, s->clusters[i]))
            return 0;
    }
    if (s->cluster_count == s->cluster_capacity) {
        size_t capacity = s->cluster_capacity ? 2 * s->cluster_capacity : 8;
        void *grown = reallocarray(s->clusters, capacity, sizeof *s->clusters);
        if (!grown)
            return -ENOMEM;
        s->clusters = grown;
        s->cluster_capacity = capacity;
    }
    char *copy = arena_dup(&s->ret->arena, name);
    if (!copy)
        return -ENOMEM;
    *ret = s->cluster_count;
    s->clusters[s->cluster_count++] = copy;
    return 0;
}

static int by_level_path(const void *a, const void *b)
{
    const struct level *x = *(struct level *const *)a;
    const struct level *y = *(struct level *const *)b;
    size_t size = x->path_size < y->path_size ? x->path_size : y->path_size;
    int order = memcmp(x->path, y->path, size);
    return order ? order
                 : (x->path_size > y->path_size) - (x->path_size < y->path_size);
}

/* A host, or its cluster.  A cluster has a level in several shards: its path counts. */
static bool is_selected(const struct node_search *s, const struct level *level)
{
    return s->wanted.count == 0 ||
           bsearch(&level, s->wanted.items, s->wanted.count, sizeof(struct level *),
                   by_level_path) != NULL;
}

/* Whether a cluster or any host of it is selected. */
static bool is_cluster_wanted(const struct node_search *s, const struct level *cluster)
{
    if (is_selected(s, cluster))
        return true;
    for (size_t i = 0; i < s->wanted.count; i++) {
        const struct level *level = s->wanted.items[i];
        if (level->path_size > cluster->path_size &&
            level->path[cluster->path_size] == '/' &&
            memcmp(level->path, cluster->path, cluster->path_size) == 0)
            return true;
    }
    return false;
}

/* Which metrics a host has; false: none at all. */
static bool bits_set(const struct level *host, uint64_t *bits, size_t width)
{
    bool is_any = false;
    const struct level *level = host;
    for (; level; level = level_next((struct level *)(uintptr_t)level, host)) {
        const struct level_series *series =
            atomic_load_explicit(&level->series, memory_order_acquire);
        for (; series; series = series->next) {
            if (series->metric / 64 >= width)
                continue;
            bits[series->metric / 64] |= UINT64_C(1) << (series->metric % 64);
            is_any = true;
        }
    }
    return is_any;
}

static int host_add(struct node_search *s, const struct level *level, size_t cluster)
{
    struct node_hosts *ret = s->ret;
    bool selected = is_selected(s, level) || is_selected(s, level->parent);
    if (s->is_selected_alone && !selected)
        return 0;
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 256;
        void *grown = reallocarray(s->found, capacity, sizeof *s->found);
        if (!grown)
            return -ENOMEM;
        s->found = grown;
        s->capacity = capacity;
    }
    uint64_t *bits = arena_alloc(&ret->arena, (ret->width + 1) * sizeof *bits);
    if (!bits)
        return -ENOMEM;
    if (!bits_set(level, bits, ret->width))
        return 0;
    const char *name =
        arena_dup(&ret->arena, (struct span){ level->path, level->path_size });
    if (!name)
        return -ENOMEM;
    s->found[s->count++] =
        (struct found_host){ level, name, cluster, 0, selected, bits };
    return 0;
}

static int cluster_add(struct node_search *s, const struct level *level)
{
    size_t cluster = 0;
    if (!is_cluster_wanted(s, level))
        return 0;
    int rc = cluster_index(s, name_of(level), &cluster);
    const struct level *host =
        atomic_load_explicit(&level->child, memory_order_acquire);
    for (; host && rc == 0; host = host->next) {
        metric_visit_step(&s->visit);
        rc = s->readers->watch ? s->readers->watch(s->readers->watch_arg) : 0;
        if (rc == 0)
            rc = host_add(s, host, cluster);
    }
    return rc;
}

static int wanted_find(struct node_search *s, const struct node_hosts_opts *opts,
                       struct err *err)
{
    struct span components[NODE_COMPONENTS_MAX];
    size_t count = opts->components->count;
    if (count == 0)
        return 0;
    for (size_t i = 0; i < count; i++)
        components[i] = span_of(opts->components->texts[i]);
    unsigned reader = metric_store_enter(s->store);
    int rc = metric_selector_find(s->store, components, count, &s->wanted,
                                  &s->ret->missing, err);
    metric_store_leave(s->store, reader);
    if (rc == 0 && s->wanted.count > 1)
        qsort(s->wanted.items, s->wanted.count, sizeof(struct level *), by_level_path);
    return rc;
}

static int shards_search(struct node_search *s)
{
    int rc = 0;
    s->ret->width = metric_count(metric_store_metrics(s->store)) / 64 + 1;
    metric_visit_begin(&s->visit, s->store);
    for (size_t i = 0; rc == 0 && i < metric_store_shard_count(s->store); i++) {
        const struct level *root = metric_store_tree(s->store, i)->root;
        const struct level *cluster =
            atomic_load_explicit(&root->child, memory_order_acquire);
        for (; cluster && rc == 0; cluster = cluster->next)
            rc = cluster_add(s, cluster);
    }
    metric_visit_end(&s->visit);
    return rc;
}

static int found_by_name(const void *a, const void *b)
{
    const struct found_host *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static int found_by_class(const void *a, const void *b)
{
    const struct found_host *x = a, *y = b;
    if (x->cluster != y->cluster)
        return x->cluster < y->cluster ? -1 : 1;
    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int classes_set(struct node_search *s)
{
    AUTO_FREE struct node_metric_set *sets = calloc(s->count, sizeof *sets);
    AUTO_FREE size_t *classes = calloc(s->count, sizeof *classes);
    if (!sets || !classes)
        return -ENOMEM;
    qsort(s->found, s->count, sizeof *s->found, found_by_name);
    for (size_t i = 0; i < s->count; i++)
        sets[i] = (struct node_metric_set){ s->found[i].cluster, s->found[i].bits };
    int rc = node_class_assign(sets, s->count, s->ret->width, classes);
    for (size_t i = 0; rc == 0 && i < s->count; i++)
        s->found[i].class = classes[i];
    qsort(s->found, s->count, sizeof *s->found, found_by_class);
    return rc;
}

static int by_host_name(const void *a, const void *b, void *arg)
{
    const struct node_host *hosts = arg;
    return strcmp(hosts[*(const size_t *)a].name, hosts[*(const size_t *)b].name);
}

static int result_fill(struct node_search *s)
{
    struct node_hosts *ret = s->ret;
    ret->hosts = calloc(s->count, sizeof *ret->hosts);
    ret->levels = calloc(s->count, sizeof(struct level *));
    ret->bits = calloc(s->count * ret->width, sizeof *ret->bits);
    ret->by_name = calloc(s->count, sizeof *ret->by_name);
    if (!ret->hosts || !ret->levels || !ret->bits || !ret->by_name)
        return -ENOMEM;
    for (size_t i = 0; i < s->count; i++) {
        const struct found_host *f = &s->found[i];
        ret->hosts[i] =
            (struct node_host){ f->name, f->cluster, f->class, f->is_selected };
        ret->levels[i] = f->level;
        memcpy(&ret->bits[i * ret->width], f->bits, ret->width * sizeof *ret->bits);
        ret->selected += f->is_selected;
        ret->by_name[i] = i;
    }
    qsort_r(ret->by_name, s->count, sizeof *ret->by_name, by_host_name, ret->hosts);
    ret->count = s->count;
    ret->cluster_count = s->cluster_count;
    ret->clusters = TAKE(s->clusters);
    return 0;
}

int node_hosts_find(const struct node_hosts_opts *opts, struct node_hosts *ret,
                    struct err *err)
{
    struct node_search s = { .store = opts->store,
                             .readers = opts->readers,
                             .ret = ret,
                             .is_selected_alone = opts->is_selected_alone };
    arena_init(&ret->arena, 0);
    metric_missing_init(&ret->missing);
    int rc = wanted_find(&s, opts, err);
    if (rc == 0)
        rc = shards_search(&s);
    if (rc == 0)
        rc = budget_hold_add(opts->hold,
                             2 * ret->arena.used_bytes + s.count * 2 * sizeof *s.found);
    if (rc == 0 && s.count > 0 && !opts->is_selected_alone)
        rc = classes_set(&s);
    if (rc == 0 && s.count > 0)
        rc = result_fill(&s);
    metric_levels_done(&s.wanted);
    free(s.found);
    free(s.clusters);
    if (rc == 0 && ret->selected == 0)
        return err_set(err, ENOENT, "component: these are no nodes with metrics");
    return rc;
}

bool node_hosts_has(const struct node_hosts *hosts, size_t host, uint32_t metric)
{
    return metric / 64 < hosts->width &&
           (hosts->bits[host * hosts->width + metric / 64] >> (metric % 64) & 1) != 0;
}

static size_t name_find(const struct node_hosts *hosts, const char *path)
{
    size_t low = 0, high = hosts->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(hosts->hosts[hosts->by_name[middle]].name, path);
        if (order == 0)
            return hosts->by_name[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return SIZE_MAX;
}

size_t node_hosts_by_name(const struct node_hosts *hosts, struct span cluster,
                          struct span host)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; found == SIZE_MAX && i < hosts->cluster_count; i++) {
        AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
        component_print_name(&name, cluster);
        if (cluster.size > 0 && !span_is(strbuf_span(&name), hosts->clusters[i]))
            continue;
        strbuf_addf(&path, "%s/", hosts->clusters[i]);
        component_print_name(&path, host);
        if (strbuf_error(&path) == 0)
            found = name_find(hosts, strbuf_text(&path));
    }
    return found;
}
