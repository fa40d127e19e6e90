/* SPDX-License-Identifier: Apache-2.0 */
/* metric_select - what cc-metric-store's queries mean, as levels of the tree. */
#include "query/metric/metric_select.h"

#include "base/span.h"

#include "model/model.h"

#include <errno.h>

void metric_levels_done(struct metric_levels *levels)
{
    free(levels->items);
    *levels = (struct metric_levels){ 0 };
}

int metric_levels_add(struct metric_levels *levels, struct level *level)
{
    if (levels->count == levels->capacity) {
        size_t capacity = levels->capacity ? 2 * levels->capacity : 16;
        struct level **grown =
            reallocarray(levels->items, capacity, sizeof(struct level *));
        if (!grown)
            return -ENOMEM;
        levels->items = grown;
        levels->capacity = capacity;
    }
    levels->items[levels->count++] = level;
    return 0;
}

size_t metric_select_count(const struct metric_selection *s)
{
    if (s->is_together || !s->has_type)
        return 1;
    return s->ids.count * (s->has_subtype ? s->sub_ids.count : 1);
}

static int add_path(const struct metric_store *store, const struct component *c,
                    struct metric_levels *ret)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    component_print(&path, c);
    if (strbuf_error(&path))
        return -ENOMEM;
    struct level *level = metric_store_level(store, strbuf_span(&path));
    return level ? metric_levels_add(ret, level) : 0;
}

/* id and sub_id by their index; sub_index counts from 0 where there is no subtype. */
static int add_ids(const struct metric_store *store, const struct metric_selection *s,
                   size_t index, size_t sub_index, struct metric_levels *ret)
{
    struct component c = { .cluster = s->cluster, .host = s->host };
    if (s->has_type) {
        c.type = s->type;
        c.id = s->ids.items[index];
    }
    if (s->has_type && s->has_subtype) {
        c.subtype = s->subtype;
        c.sub_id = s->sub_ids.items[sub_index];
    }
    component_name_by_id(&c);
    bool is_nameless = (s->has_type && c.type.size == 0) ||
                       (s->has_type && s->has_subtype && c.subtype.size == 0);
    return is_nameless ? 0 : add_path(store, &c, ret);
}

int metric_select(const struct metric_store *store, const struct metric_selection *s,
                  size_t index, struct metric_levels *ret)
{
    size_t sub_count = s->has_subtype ? s->sub_ids.count : 1;
    int rc = 0;
    ret->count = 0;
    /* Without them the path would be that of a cluster, which is in every shard. */
    if (s->cluster.size == 0 || s->host.size == 0)
        return 0;
    if (!s->has_type)
        return add_ids(store, s, 0, 0, ret);
    if (!s->is_together)
        return add_ids(store, s, index / sub_count, index % sub_count, ret);
    for (size_t i = 0; rc == 0 && i < s->ids.count; i++)
        for (size_t j = 0; rc == 0 && j < sub_count; j++)
            rc = add_ids(store, s, i, j, ret);
    return rc;
}

static int compare_levels(const void *a, const void *b)
{
    const struct level *x = *(struct level *const *)a, *y = *(struct level *const *)b;
    size_t size = x->path_size < y->path_size ? x->path_size : y->path_size;
    int order = memcmp(x->path, y->path, size);
    return order ? order
                 : (x->path_size > y->path_size) - (x->path_size < y->path_size);
}

/* Levels above hosts are in several shards. */
static void drop_twins(struct metric_levels *levels)
{
    size_t kept = 0;
    for (size_t i = 0; i < levels->count; i++) {
        if (kept == 0 || compare_levels(&levels->items[kept - 1], &levels->items[i]))
            levels->items[kept++] = levels->items[i];
    }
    levels->count = kept;
}

int metric_children(const struct metric_store *store, struct span path,
                    struct metric_levels *ret)
{
    int rc = 0;
    ret->count = 0;
    for (size_t i = 0; rc == 0 && i < metric_store_shard_count(store); i++) {
        const struct level_tree *tree = metric_store_tree(store, i);
        const struct level *level = level_find(tree, path);
        struct level *child =
            level ? atomic_load_explicit(&level->child, memory_order_acquire) : NULL;
        for (; rc == 0 && child; child = child->next)
            rc = metric_levels_add(ret, child);
    }
    if (rc < 0)
        return rc;
    if (ret->count > 1)
        qsort(ret->items, ret->count, sizeof(struct level *), compare_levels);
    drop_twins(ret);
    return 0;
}

/* Whether rest is name, or begins with it before a colon. */
static bool begins(struct span rest, struct span name)
{
    return rest.size >= name.size && memcmp(rest.data, name.data, name.size) == 0 &&
           (rest.size == name.size || rest.data[name.size] == ':');
}

int metric_find_child(const struct metric_store *store, struct span path,
                      struct span *rest, struct level **ret)
{
    AUTO(metric_levels_done) struct metric_levels children = { 0 };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct level *found = NULL;
    size_t found_size = 0;
    int rc = metric_children(store, path, &children);
    for (size_t i = 0; rc == 0 && i < children.count; i++) {
        struct span name;
        rc = component_last_name(
            (struct span){ children.items[i]->path, children.items[i]->path_size },
            &text, &name);
        /* Of names that begin alike the longest. */
        if (rc == 0 && begins(*rest, name) && (!found || name.size > found_size)) {
            found = children.items[i];
            found_size = name.size;
        }
    }
    if (rc < 0)
        return rc;
    if (!found)
        return -ENOENT;
    *rest = span_skip(*rest, found_size + 1);
    *ret = found;
    return 0;
}

int metric_match(const struct metric_store *store, struct span pattern,
                 struct metric_levels *ret)
{
    int rc = 0;
    ret->count = 0;
    for (size_t i = 0; rc == 0 && i < metric_store_shard_count(store); i++) {
        struct level *root = metric_store_tree(store, i)->root;
        for (struct level *level = root; rc == 0 && level;
             level = level_next(level, root)) {
            struct span path = { level->path, level->path_size };
            if (path.size > 0 && component_path_matches(path, pattern))
                rc = metric_levels_add(ret, level);
        }
    }
    if (rc == 0 && ret->count > 1)
        qsort(ret->items, ret->count, sizeof(struct level *), compare_levels);
    return rc;
}
