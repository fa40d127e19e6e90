/* SPDX-License-Identifier: Apache-2.0 */
/* table - every resource in memory: components, what is stated, the effect of it. */
#include "base/clock.h"
#include "base/span.h"
#include "resource/presence.h"
#include "resource/table_private.h"

#include <errno.h>

/* ---- components ---- */

static int nodes_grow(struct resource_table *table)
{
    if (table->node_count < table->node_capacity)
        return 0;
    size_t capacity = table->node_capacity ? 2 * table->node_capacity : 1024;
    struct node *nodes = reallocarray(table->nodes, capacity, sizeof *nodes);
    if (!nodes)
        return -ENOMEM;
    table->nodes = nodes;
    table->node_capacity = capacity;
    return 0;
}

/* "alex/a1/dimm:3" -> "alex/a1"; of a host: data NULL. */
static struct span path_of_whole(struct span path)
{
    size_t slashes = 0, last = 0;
    for (size_t i = 0; i < path.size; i++) {
        if (path.data[i] != '/')
            continue;
        last = i;
        slashes++;
    }
    return slashes < 2 ? (struct span){ 0 } : (struct span){ path.data, last };
}

static struct span name_of_host(struct span path)
{
    struct span cluster;
    (void)span_cut(&path, '/', &cluster);
    return path;
}

static struct span type_of_part(struct span path, size_t whole_size)
{
    struct span type, rest = span_skip(path, whole_size + 1);
    (void)span_cut(&rest, ':', &type);
    return type;
}

static int node_name_put(struct resource_table *table, uint32_t at)
{
    struct node *node = &table->nodes[at];
    uintptr_t *first =
        hashmap_put(&table->by_name, name_of_host(node_path(node)), NULL);
    if (!first)
        return -ENOMEM;
    node->next_of_name = *first ? (uint32_t)(*first - 1) : NO_NODE;
    *first = at + 1;
    return 0;
}

/* A component whose whole, where it is a part, is there. */
static int node_make(struct resource_table *table, struct span path, uint32_t whole,
                     uint32_t *ret)
{
    if (table->node_count >= RESOURCES_MAX)
        return -E2BIG;
    char *copy = nodes_grow(table) == 0 ? strndup(path.data, path.size) : NULL;
    uintptr_t *index = copy ? hashmap_put(&table->by_path, path, NULL) : NULL;
    if (!index) {
        free(copy);
        return -ENOMEM;
    }
    uint32_t at = (uint32_t)table->node_count++;
    struct node *node = &table->nodes[at];
    *index = at + 1;
    *node = (struct node){ .path = copy,
                           .path_size = (uint32_t)path.size,
                           .whole = whole,
                           .first_part = NO_NODE,
                           .next_part = NO_NODE,
                           .enclosure = NO_NODE,
                           .enclosure_rule = NO_NODE,
                           .next_of_name = NO_NODE,
                           .effect = { .health = RESOURCE_UNKNOWN, .cause = at } };
    *ret = at;
    if (whole == NO_NODE)
        return node_name_put(table, at);
    struct node *of = &table->nodes[whole];
    node->down = resource_rules_part(table->rules, type_of_part(path, of->path_size));
    node->next_part = of->first_part;
    of->first_part = at;
    of->part_count++;
    while (of->whole != NO_NODE)
        of = &table->nodes[of->whole];
    of->below_count++;
    return 0;
}

static int node_get(struct resource_table *table, struct span path, uint32_t *ret)
{
    uint32_t whole = NO_NODE;
    *ret = node_find(table, path);
    if (*ret != NO_NODE)
        return 0;
    struct span of = path_of_whole(path);
    int rc = of.data ? node_get(table, of, &whole) : 0; /* at most one level more */
    return rc < 0 ? rc : node_make(table, path, whole, ret);
}

/* ---- what is configured ---- */

static int host_get(struct resource_table *table, const struct resource_hosts *hosts,
                    size_t index, uint32_t *ret)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    node_host_path(hosts, index, &path);
    return strbuf_error(&path) < 0 ? -ENOMEM : node_get(table, strbuf_span(&path), ret);
}

static int hosts_make(struct resource_table *table)
{
    int rc = 0;
    uint32_t at;
    for (size_t i = 0; i < table->rules->host_count; i++)
        for (size_t h = 0; rc == 0 && h < hostset_count(table->rules->hosts[i].names);
             h++)
            rc = host_get(table, &table->rules->hosts[i], h, &at);
    return rc;
}

static int enclosure_make(struct resource_table *table, uint32_t index)
{
    const struct enclosure_rule *rule = &table->rules->enclosures[index];
    uint32_t enclosure, member;
    int rc = node_get(table, span_of(rule->path), &enclosure);
    for (size_t i = 0; rc == 0 && i < hostset_count(rule->members.names); i++) {
        rc = host_get(table, &rule->members, i, &member);
        if (rc == 0)
            table->nodes[member].enclosure = enclosure;
    }
    if (rc == 0)
        table->nodes[enclosure].enclosure_rule = index;
    return rc;
}

/* ---- what is stated ---- */

static struct span stated_text(char **at, struct span text)
{
    struct span copy = { *at, text.size };
    if (text.size > 0)
        memcpy(*at, text.data, text.size);
    *at += text.size;
    return copy;
}

static struct stated *stated_make(const struct resource_statement *s)
{
    struct stated *made =
        malloc(sizeof *made + s->source.size + s->by.size + s->reason.size);
    if (!made)
        return NULL;
    char *at = made->texts;
    made->s = *s;
    made->s.component = (struct span){ 0 };
    made->s.source = stated_text(&at, s->source);
    made->s.by = stated_text(&at, s->by);
    made->s.reason = stated_text(&at, s->reason);
    return made;
}

static int stated_put(struct resource_table *table, struct node *node,
                      struct stated *made)
{
    struct stated **stated =
        reallocarray(node->stated, node->stated_count + 1, sizeof(struct stated *));
    if (!stated)
        return -ENOMEM;
    node->stated = stated;
    node->stated[node->stated_count++] = made;
    table->statement_count++;
    return 0;
}

static void stated_update(struct resource_table *table, uint32_t at,
                          const struct resource_statement *s, int64_t now_ns)
{
    if (table->is_loading)
        return; /* all at once, at its end */
    if (span_is(s->source, RESOURCE_SOURCE_PRESENCE))
        host_update(table, at, now_ns);
    else
        node_update(table, at, now_ns);
}

/* Since when it is known: another reason of the same health is so since before. */
static void stored_time_set(struct stated *made, const struct stated *old,
                            int64_t now_ns)
{
    if (old && old->s.health == made->s.health)
        made->s.stored_ns = old->s.stored_ns;
    else if (made->s.stored_ns <= 0 || made->s.stored_ns > now_ns)
        made->s.stored_ns = now_ns;
}

/* Another holds in its place; effects that were made of the old one are made anew, and
 * there are no readers meanwhile: the lock is held. */
static int apply_one(struct resource_table *table, const struct resource_statement *s,
                     int64_t now_ns)
{
    uint32_t at;
    int rc = node_get(table, s->component, &at);
    if (rc < 0)
        return rc;
    struct stated **old = stated_find(&table->nodes[at], s->source);
    if (old && resource_statement_holds(&(*old)->s, s))
        return 0;
    struct stated *made = stated_make(s), *replaced = old ? *old : NULL;
    if (!made)
        return -ENOMEM;
    stored_time_set(made, replaced, now_ns);
    if (old)
        *old = made;
    else
        rc = stated_put(table, &table->nodes[at], made);
    if (rc < 0)
        free(made);
    else
        stated_update(table, at, s, now_ns);
    free(replaced);
    return rc;
}

static int apply_all(struct resource_table *table,
                     const struct resource_statement *statements, size_t count,
                     int64_t now_ns)
{
    int first = 0;
    for (size_t i = 0; i < count; i++) {
        int rc = apply_one(table, &statements[i], now_ns);
        if (rc == -E2BIG)
            atomic_fetch_add(&table->refused, 1); /* stored before the limit was so */
        else if (first == 0)
            first = rc;
    }
    return first;
}

int resource_table_apply(struct resource_table *table,
                         const struct resource_statement *statements, size_t count,
                         int64_t now_ns)
{
    (void)pthread_rwlock_wrlock(&table->lock);
    int rc = apply_all(table, statements, count, now_ns);
    (void)pthread_rwlock_unlock(&table->lock);
    return rc;
}

static void stated_forget(struct resource_table *table)
{
    for (size_t i = 0; i < table->node_count; i++) {
        struct node *node = &table->nodes[i];
        for (uint32_t s = 0; s < node->stated_count; s++)
            free(node->stated[s]);
        free(node->stated);
        node->stated = NULL;
        node->stated_count = 0;
        node->effect =
            (struct effect){ .health = RESOURCE_UNKNOWN, .cause = (uint32_t)i };
    }
    table->statement_count = 0;
}

int resource_table_load(struct resource_table *table,
                        const struct resource_statement *statements, size_t count,
                        int64_t now_ns)
{
    (void)pthread_rwlock_wrlock(&table->lock);
    table->is_loading = true;
    stated_forget(table);
    int rc = apply_all(table, statements, count, now_ns);
    table->is_loading = false;
    all_update(table, now_ns);
    /* Who follows it begins anew. */
    table->changes.lost = ++table->changes.last;
    table->is_loaded = rc == 0;
    (void)pthread_rwlock_unlock(&table->lock);
    return rc;
}

bool resource_table_find(struct resource_table *table, struct span component,
                         struct span source, struct resource_statement *ret)
{
    (void)pthread_rwlock_rdlock(&table->lock);
    uint32_t at = node_find(table, component);
    struct stated **stated =
        at == NO_NODE ? NULL : stated_find(&table->nodes[at], source);
    if (stated)
        *ret = (struct resource_statement){ .health = (*stated)->s.health,
                                            .t_ns = (*stated)->s.t_ns,
                                            .sent_ns = (*stated)->s.sent_ns,
                                            .stored_ns = (*stated)->s.stored_ns };
    (void)pthread_rwlock_unlock(&table->lock);
    return stated != NULL;
}

/* ---- the door ---- */

/* A writer who waits goes first: lists that overlap would else hold up what is stored
 * for as long as they come.  No reader has the lock twice. */
static void lock_init(pthread_rwlock_t *lock)
{
    pthread_rwlockattr_t attr;
    (void)pthread_rwlockattr_init(&attr);
    (void)pthread_rwlockattr_setkind_np(&attr,
                                        PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    (void)pthread_rwlock_init(lock, &attr);
    (void)pthread_rwlockattr_destroy(&attr);
}

int resource_table_new(const struct resource_rules *rules, struct resource_table **ret,
                       struct err *err)
{
    AUTO(resource_table_free)
    struct resource_table *table = calloc(1, sizeof *table);
    if (!table)
        return -ENOMEM;
    table->rules = rules;
    lock_init(&table->lock);
    changes_begin(&table->changes, clock_now_ns());
    int rc = hosts_make(table);
    for (size_t i = 0; rc == 0 && i < rules->enclosure_count; i++)
        rc = enclosure_make(table, (uint32_t)i);
    if (rc == -E2BIG)
        return err_set(err, E2BIG, "resource.host: more than %zu components",
                       RESOURCES_MAX);
    if (rc == 0)
        *ret = TAKE(table);
    return rc;
}

void resource_table_free(struct resource_table *table)
{
    if (!table)
        return;
    stated_forget(table);
    for (size_t i = 0; i < table->node_count; i++)
        free(table->nodes[i].path);
    free(table->nodes);
    hashmap_done(&table->by_path);
    hashmap_done(&table->by_name);
    changes_done(&table->changes);
    (void)pthread_rwlock_destroy(&table->lock);
    free(table);
}
