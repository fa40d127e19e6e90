/* SPDX-License-Identifier: Apache-2.0 */
/* past_health - the health that hosts had at some times, out of the history. */
#include "query/health/past_health.h"

#include "base/clock.h"
#include "base/span.h"
#include "resource/resource.h"

/* Of one component and its parts; a check that flaps has many. */
#define CHANGES_MAX 1024
#define ARENA_BYTES_MAX ((size_t)256 << 20)

/* What was stated until one of the times. */
struct stated {
    struct resource_statement *items;
    size_t count, capacity;
    size_t first; /* of the component that is being read */
};

struct past_reading {
    const struct past_health_query *query;
    struct arena arena;
    struct stated at[PAST_HEALTH_TIMES_MAX];
    past_health_fn *fn;
    void *arg;
    size_t time; /* whose views are read */
};

static struct span span_copy(struct arena *arena, struct span text)
{
    char *copy = text.size ? arena_alloc(arena, text.size) : NULL;
    if (copy)
        memcpy(copy, text.data, text.size);
    return (struct span){ copy, copy ? text.size : 0 };
}

static bool has_source(const struct stated *at, const struct resource_statement *s)
{
    for (size_t i = at->first; i < at->count; i++)
        if (span_eq(at->items[i].component, s->component) &&
            span_eq(at->items[i].source, s->source))
            return true;
    return false;
}

static int stated_add(struct past_reading *r, struct stated *at,
                      const struct resource_statement *s)
{
    if (at->count == at->capacity) {
        size_t capacity = at->capacity ? 2 * at->capacity : 64;
        void *items = realloc(at->items, capacity * sizeof *at->items);
        if (!items)
            return -ENOMEM;
        at->items = items;
        at->capacity = capacity;
    }
    struct resource_statement *copy = &at->items[at->count];
    *copy = *s;
    copy->component = span_copy(&r->arena, s->component);
    copy->source = span_copy(&r->arena, s->source);
    copy->reason = span_copy(&r->arena, s->reason);
    copy->by = (struct span){ NULL, 0 };
    if (!copy->component.data || !copy->source.data ||
        (s->reason.size > 0 && !copy->reason.data))
        return -ENOMEM;
    at->count++;
    return 0;
}

/* Those of the history come the newest first. */
static int on_past_statement(void *arg, const struct resource_statement *s)
{
    struct past_reading *r = arg;
    for (size_t i = 0; i < r->query->time_count; i++) {
        struct stated *at = &r->at[i];
        if (s->t_ns > r->query->times_ns[i] || has_source(at, s))
            continue;
        int rc = stated_add(r, at, s);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int component_read(struct past_reading *r, struct records_reader *reader,
                          struct span path, struct err *err)
{
    const struct resource_change_filter filter = {
        .component = path,
        .to_ns = r->query->times_ns[r->query->time_count - 1] + 1,
        .limit = CHANGES_MAX,
    };
    bool has_more;
    for (size_t i = 0; i < PAST_HEALTH_TIMES_MAX; i++)
        r->at[i].first = r->at[i].count;
    int rc = records_find_resource_changes(reader, &filter, on_past_statement, r,
                                           &has_more, err);
    /* What the history has not any more, or not yet within its bound, may hold still.
     */
    return rc < 0 ? rc
                  : records_find_resources_of(reader, path, on_past_statement, r, err);
}

static int hosts_of_query_read(struct past_reading *r, struct records_reader *reader,
                               struct err *err)
{
    int rc = 0;
    size_t count = hostset_count(r->query->hosts);
    for (size_t i = 0; rc == 0 && i < count && i < PAST_HEALTH_HOSTS_MAX; i++) {
        AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
        const struct component component = { .cluster = r->query->cluster,
                                             .host = span_of(
                                                 hostset_at(r->query->hosts, i)) };
        component_print(&path, &component);
        rc = strbuf_error(&path);
        if (rc == 0)
            rc = component_read(r, reader, strbuf_span(&path), err);
    }
    const struct resource_rules *rules = r->query->rules;
    for (size_t i = 0; rc == 0 && rules && i < rules->enclosure_count; i++)
        rc = component_read(r, reader, span_of(rules->enclosures[i].path), err);
    return rc;
}

static int on_past_view(void *arg, const char *host, const struct resource_view *view)
{
    const struct past_reading *r = arg;
    struct past_health health = { .time = r->time,
                                  .host = host,
                                  .is_known = view && view->since_ns,
                                  .health = RESOURCE_UNKNOWN };
    if (health.is_known) {
        health.health = view->health;
        health.reason = view->reason;
    }
    return r->fn(r->arg, &health);
}

static int views_read(struct past_reading *r, size_t time, struct err *err)
{
    static const struct resource_rules none = { 0 };
    AUTO(resource_table_free) struct resource_table *table = NULL;
    const struct resource_rules *rules = r->query->rules ? r->query->rules : &none;
    int rc = resource_table_new(rules, &table, err);
    if (rc == 0)
        rc = resource_table_load(table, r->at[time].items, r->at[time].count,
                                 clock_now_ns());
    r->time = time;
    return rc < 0 ? rc
                  : resource_table_hosts(table, r->query->cluster, r->query->hosts,
                                         on_past_view, r);
}

int past_health_read(struct records_reader *reader,
                     const struct past_health_query *query, past_health_fn *fn,
                     void *arg, struct err *err)
{
    struct past_reading r = { .query = query, .fn = fn, .arg = arg };
    arena_init(&r.arena, ARENA_BYTES_MAX);
    int rc = query->time_count > 0 ? hosts_of_query_read(&r, reader, err) : 0;
    for (size_t i = 0; rc == 0 && i < query->time_count; i++)
        rc = views_read(&r, i, err);
    for (size_t i = 0; i < PAST_HEALTH_TIMES_MAX; i++)
        free(r.at[i].items);
    arena_done(&r.arena);
    return rc;
}
