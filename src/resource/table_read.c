/* SPDX-License-Identifier: Apache-2.0 */
/* table_read - what is so: lists, the check of hosts, what is stated about one. */
#include "base/span.h"
#include "resource/presence.h"
#include "resource/table_private.h"

#include <errno.h>

/* ---- lists ---- */

static bool is_below(struct span path, struct span whole)
{
    return span_eq(path, whole) ||
           (path.size > whole.size && path.data[whole.size] == '/' &&
            memcmp(path.data, whole.data, whole.size) == 0);
}

static bool node_matches(const struct node *node, const struct resource_filter *filter)
{
    if (filter->healths && !(filter->healths >> node->effect.health & 1))
        return false;
    if (filter->only_hosts && node->whole != NO_NODE)
        return false;
    if (filter->below.size > 0 && !is_below(node_path(node), filter->below))
        return false;
    return component_path_matches(node_path(node), filter->pattern);
}

static int path_order(const void *a, const void *b, void *arg)
{
    const struct node *nodes = arg;
    return strcmp(nodes[*(const uint32_t *)a].path, nodes[*(const uint32_t *)b].path);
}

static int each_locked(struct resource_table *table,
                       const struct resource_filter *filter, resource_view_fn *fn,
                       void *arg)
{
    if (!table->is_loaded)
        return -EAGAIN;
    AUTO_FREE uint32_t *order = malloc((table->node_count + 1) * sizeof *order);
    if (!order)
        return -ENOMEM;
    size_t count = 0;
    for (uint32_t i = 0; i < table->node_count; i++)
        if (node_matches(&table->nodes[i], filter))
            order[count++] = i;
    qsort_r(order, count, sizeof *order, path_order, table->nodes);
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        struct resource_view view;
        node_view(table, &table->nodes[order[i]], &view);
        rc = fn(arg, &view);
    }
    return rc < 0 ? rc : 0;
}

int resource_table_each(struct resource_table *table,
                        const struct resource_filter *filter, resource_view_fn *fn,
                        void *arg)
{
    (void)pthread_rwlock_rdlock(&table->lock);
    int rc = each_locked(table, filter, fn, arg);
    (void)pthread_rwlock_unlock(&table->lock);
    return rc;
}

/* ---- hosts ---- */

struct hosts_reading {
    struct span cluster;
    bool only_unusable;
    resource_check_fn *fn;
    void *arg;
};

static bool is_of_cluster(const struct node *node, struct span cluster)
{
    return cluster.size == 0 ||
           (node->path_size > cluster.size && node->path[cluster.size] == '/' &&
            memcmp(node->path, cluster.data, cluster.size) == 0);
}

/* Of every cluster that has one of the name. */
static int host_read(const struct resource_table *table,
                     const struct hosts_reading *reading, const char *host,
                     struct strbuf *name)
{
    bool is_known = false;
    int rc = 0;
    strbuf_clear(name);
    component_print_name(name, span_of(host));
    if (strbuf_error(name) < 0)
        return -ENOMEM;
    const uintptr_t *first = hashmap_get(&table->by_name, strbuf_span(name));
    for (uint32_t at = first ? (uint32_t)(*first - 1) : NO_NODE;
         at != NO_NODE && rc == 0; at = table->nodes[at].next_of_name) {
        const struct node *node = &table->nodes[at];
        struct resource_view view;
        if (!is_of_cluster(node, reading->cluster))
            continue;
        is_known = true;
        if (reading->only_unusable && resource_is_usable(node->effect.health))
            continue;
        node_view(table, node, &view);
        view.is_of_several = table->nodes[*first - 1].next_of_name != NO_NODE;
        rc = reading->fn(reading->arg, host, &view);
    }
    return is_known ? rc : reading->fn(reading->arg, host, NULL);
}

static int hosts_read(struct resource_table *table, const struct hosts_reading *reading,
                      const struct hostset *hosts)
{
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    (void)pthread_rwlock_rdlock(&table->lock);
    int rc = table->is_loaded ? 0 : -EAGAIN;
    for (size_t i = 0; i < hostset_count(hosts) && rc == 0; i++)
        rc = host_read(table, reading, hostset_at(hosts, i), &name);
    (void)pthread_rwlock_unlock(&table->lock);
    return rc < 0 ? rc : 0;
}

int resource_table_check(struct resource_table *table, struct span cluster,
                         const struct hostset *hosts, resource_check_fn *fn, void *arg)
{
    const struct hosts_reading reading = { cluster, true, fn, arg };
    return hosts_read(table, &reading, hosts);
}

int resource_table_hosts(struct resource_table *table, struct span cluster,
                         const struct hostset *hosts, resource_check_fn *fn, void *arg)
{
    const struct hosts_reading reading = { cluster, false, fn, arg };
    return hosts_read(table, &reading, hosts);
}

/* ---- what is stated about one ---- */

static int sources_locked(struct resource_table *table, struct span component,
                          resource_source_fn *fn, void *arg)
{
    uint32_t at = node_find(table, component);
    int rc = 0;
    if (!table->is_loaded)
        return -EAGAIN;
    if (at == NO_NODE)
        return -ENOENT;
    const struct node *node = &table->nodes[at];
    AUTO_FREE struct resource_statement *statements =
        calloc(node->stated_count + 1, sizeof *statements);
    if (!statements)
        return -ENOMEM;
    for (uint32_t i = 0; i < node->stated_count; i++) {
        statements[i] = node->stated[i]->s;
        statements[i].component = node_path(node);
    }
    for (uint32_t i = 0; i < node->stated_count && rc == 0; i++)
        rc = fn(arg, &statements[i],
                resource_is_confirmed(&statements[i], statements, node->stated_count));
    return rc < 0 ? rc : 0;
}

int resource_table_sources(struct resource_table *table, struct span component,
                           resource_source_fn *fn, void *arg)
{
    (void)pthread_rwlock_rdlock(&table->lock);
    int rc = sources_locked(table, component, fn, arg);
    (void)pthread_rwlock_unlock(&table->lock);
    return rc;
}

/* ---- hosts that are silent ---- */

static int silent_view(const struct node *node, struct span cluster,
                       resource_view_fn *fn, void *arg)
{
    struct stated **stated = stated_find(node, SPAN(RESOURCE_SOURCE_PRESENCE));
    struct component component;
    if (!stated || (*stated)->s.health != RESOURCE_UNKNOWN)
        return 0;
    component_parse(node_path(node), &component);
    if (cluster.size > 0 && !span_eq(component.cluster, cluster))
        return 0;
    const struct resource_statement *s = &(*stated)->s;
    const struct resource_view view = { .component = node_path(node),
                                        .health = s->health,
                                        .since_ns = s->t_ns,
                                        .reason = s->reason,
                                        .source = s->source };
    return fn(arg, &view);
}

int resource_table_silent(struct resource_table *table, struct span cluster,
                          resource_view_fn *fn, void *arg)
{
    (void)pthread_rwlock_rdlock(&table->lock);
    int rc = table->is_loaded ? 0 : -EAGAIN;
    for (uint32_t i = 0; i < table->node_count && rc == 0; i++)
        if (table->nodes[i].whole == NO_NODE)
            rc = silent_view(&table->nodes[i], cluster, fn, arg);
    (void)pthread_rwlock_unlock(&table->lock);
    return rc < 0 ? rc : 0;
}

void resource_table_count(struct resource_table *table, struct resource_counts *ret)
{
    (void)pthread_rwlock_rdlock(&table->lock);
    *ret = (struct resource_counts){ .components = table->node_count,
                                     .statements = table->statement_count,
                                     .changes = table->changes.last,
                                     .refused = atomic_load(&table->refused),
                                     .is_loaded = table->is_loaded };
    for (size_t i = 0; i < table->node_count; i++)
        ret->of[table->nodes[i].effect.health]++;
    (void)pthread_rwlock_unlock(&table->lock);
}

size_t resource_table_size(struct resource_table *table)
{
    (void)pthread_rwlock_rdlock(&table->lock);
    size_t count = table->node_count;
    (void)pthread_rwlock_unlock(&table->lock);
    return count;
}

bool resource_table_is_loaded(struct resource_table *table)
{
    (void)pthread_rwlock_rdlock(&table->lock);
    bool is_loaded = table->is_loaded;
    (void)pthread_rwlock_unlock(&table->lock);
    return is_loaded;
}

int resource_table_host(struct resource_table *table, struct span name,
                        struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    component_print_name(&key, name);
    if (strbuf_error(&key) < 0)
        return -ENOMEM;
    (void)pthread_rwlock_rdlock(&table->lock);
    const uintptr_t *first = hashmap_get(&table->by_name, strbuf_span(&key));
    const struct node *node = first ? &table->nodes[*first - 1] : NULL;
    int rc = !node ? -ENOENT : node->next_of_name != NO_NODE ? -EEXIST : 0;
    if (rc == 0)
        strbuf_add_span(out, node_path(node));
    (void)pthread_rwlock_unlock(&table->lock);
    return rc < 0 ? rc : strbuf_error(out);
}
