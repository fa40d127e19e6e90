/* SPDX-License-Identifier: Apache-2.0 */
/* table - every resource in memory: components, what is stated, the effect of it. */
#include "base/clock.h"
#include "base/span.h"
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
    strbuf_adds(&path, hosts->cluster);
    strbuf_addc(&path, '/');
    component_print_name(&path, span_of(hostset_at(hosts->names, index)));
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

static struct stated **stated_find(const struct node *node, struct span source)
{
    for (uint32_t i = 0; i < node->stated_count; i++)
        if (span_eq(node->stated[i]->s.source, source))
            return &node->stated[i];
    return NULL;
}

/* ---- the effect ---- */

static const struct stated *own_decisive(const struct node *node)
{
    struct resource_statement statements[RESOURCE_SOURCES_MAX];
    for (uint32_t i = 0; i < node->stated_count; i++)
        statements[i] = node->stated[i]->s;
    int index = resource_decide(statements, node->stated_count);
    return index < 0 ? NULL : node->stated[index];
}

static void effect_worsen(struct effect *effect, const struct node *of,
                          enum resource_health makes)
{
    if (!of->effect.by || makes <= RESOURCE_UP || makes < effect->health ||
        (makes == effect->health && effect->by &&
         effect->since_ns <= of->effect.since_ns))
        return;
    *effect = of->effect;
    effect->health = makes;
}

/* Of a part that was up nothing is known while its host is silent.  It is what presence
 * states of the host, not the host's effect, which is made of its parts. */
static void silence_of_host(const struct resource_table *table, const struct node *part,
                            struct effect *effect)
{
    const struct node *host = part;
    if (part->whole == NO_NODE || !effect->by || effect->health != RESOURCE_UP)
        return;
    while (host->whole != NO_NODE)
        host = &table->nodes[host->whole];
    struct stated **stated = stated_find(host, SPAN(RESOURCE_SOURCE_PRESENCE));
    if (!stated || (*stated)->s.health != RESOURCE_UNKNOWN)
        return;
    *effect = (struct effect){ .health = RESOURCE_UNKNOWN,
                               .since_ns = (*stated)->s.t_ns,
                               .cause = (uint32_t)(host - table->nodes),
                               .by = *stated };
}

static void effect_make(const struct resource_table *table, uint32_t at,
                        struct effect *ret)
{
    const struct node *node = &table->nodes[at];
    const struct stated *own = own_decisive(node);
    *ret = (struct effect){ .health = own ? own->s.health : RESOURCE_UNKNOWN,
                            .since_ns = own ? own->s.t_ns : 0,
                            .cause = at,
                            .by = own };
    silence_of_host(table, node, ret);
    for (uint32_t p = node->first_part; p != NO_NODE; p = table->nodes[p].next_part)
        effect_worsen(
            ret, &table->nodes[p],
            resource_of_part(table->nodes[p].effect.health, table->nodes[p].down));
    if (node->enclosure == NO_NODE)
        return;
    const struct node *enclosure = &table->nodes[node->enclosure];
    effect_worsen(ret, enclosure,
                  resource_of_enclosure(
                      enclosure->effect.health,
                      table->rules->enclosures[enclosure->enclosure_rule].down));
}

static void change_note(struct resource_table *table, const struct node *node,
                        enum resource_health from, int64_t now_ns)
{
    struct resource_view view;
    node_view(table, node, &view);
    const struct resource_change change = { .t_ns = now_ns,
                                            .component = view.component,
                                            .reason = view.reason,
                                            .source = view.source,
                                            .by = view.by,
                                            .from = from,
                                            .to = view.health };
    changes_add(&table->changes, &change);
}

/* Of it, of what it is a part of, and of what is in it.  Parts go up to their host,
 * enclosures down to their members, never in a circle. */
static void node_update(struct resource_table *table, uint32_t at, int64_t now_ns)
{
    struct node *node = &table->nodes[at];
    struct effect before = node->effect;
    effect_make(table, at, &node->effect);
    if (node->effect.health != before.health && !table->is_loading)
        change_note(table, node, before.health, now_ns);
    if (node->whole != NO_NODE)
        node_update(table, node->whole, now_ns);
    if (node->enclosure_rule == NO_NODE)
        return;
    const struct enclosure_rule *rule = &table->rules->enclosures[node->enclosure_rule];
    uint32_t member;
    for (size_t i = 0; i < hostset_count(rule->members.names); i++)
        if (host_get(table, &rule->members, i, &member) == 0)
            node_update(table, member, now_ns);
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
    if (node->stated_count == RESOURCE_SOURCES_MAX)
        return -E2BIG;
    struct stated **stated =
        reallocarray(node->stated, node->stated_count + 1, sizeof(struct stated *));
    if (!stated)
        return -ENOMEM;
    node->stated = stated;
    node->stated[node->stated_count++] = made;
    table->statement_count++;
    return 0;
}

static void parts_update(struct resource_table *table, uint32_t at, int64_t now_ns)
{
    for (uint32_t p = table->nodes[at].first_part; p != NO_NODE;
         p = table->nodes[p].next_part) {
        parts_update(table, p, now_ns);
        node_update(table, p, now_ns);
    }
}

static void stated_update(struct resource_table *table, uint32_t at,
                          const struct resource_statement *s, int64_t now_ns)
{
    node_update(table, at, now_ns);
    if (span_is(s->source, RESOURCE_SOURCE_PRESENCE))
        parts_update(table, at, now_ns);
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
    /* Who follows it begins anew. */
    table->changes.lost = ++table->changes.last;
    table->is_loaded = rc == 0;
    (void)pthread_rwlock_unlock(&table->lock);
    return rc;
}

/* ---- what may be stated ---- */

static const char *source_refusal(const struct node *node,
                                  const struct resource_statement *s, bool is_opinion)
{
    uint32_t opinions = 0;
    if (stated_find(node, s->source))
        return NULL;
    for (uint32_t i = 0; i < node->stated_count; i++)
        opinions += resource_source_kind(node->stated[i]->s.source, NULL) ==
                    RESOURCE_SOURCE_USER;
    if (is_opinion && opinions >= RESOURCE_OPINIONS_MAX)
        return "as many users as can have stated something about it";
    /* One place is the administrators'. */
    uint32_t systems = node->stated_count - opinions;
    uint32_t systems_max = RESOURCE_SOURCES_MAX - RESOURCE_OPINIONS_MAX;
    if (!is_opinion && systems + !span_is(s->source, "admin") > systems_max - 1)
        return "as many sources as can have stated something about it";
    return NULL;
}

const char *resource_table_admits(struct resource_table *table,
                                  const struct resource_statement *s)
{
    bool is_opinion = resource_source_kind(s->source, NULL) == RESOURCE_SOURCE_USER;
    const char *reason = NULL;
    (void)pthread_rwlock_rdlock(&table->lock);
    uint32_t at = node_find(table, s->component);
    if (at != NO_NODE)
        reason = source_refusal(&table->nodes[at], s, is_opinion);
    else if (is_opinion)
        reason = "no such component is known";
    else if (table->node_count + 3 > RESOURCES_MAX)
        reason = "there are as many components as can be";
    (void)pthread_rwlock_unlock(&table->lock);
    if (reason)
        atomic_fetch_add(&table->refused, 1);
    return reason;
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
                                            .t_ns = (*stated)->s.t_ns };
    (void)pthread_rwlock_unlock(&table->lock);
    return stated != NULL;
}

/* ---- the door ---- */

int resource_table_new(const struct resource_rules *rules, struct resource_table **ret,
                       struct err *err)
{
    AUTO(resource_table_free)
    struct resource_table *table = calloc(1, sizeof *table);
    if (!table)
        return -ENOMEM;
    table->rules = rules;
    (void)pthread_rwlock_init(&table->lock, NULL);
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
