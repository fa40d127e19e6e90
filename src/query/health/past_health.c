/* SPDX-License-Identifier: Apache-2.0 */
/* past_health - the health that hosts had at some times, out of the history. */
#include "query/health/past_health.h"

#include "base/clock.h"
#include "base/span.h"
#include "base/system/budget.h"
#include "resource/resource.h"

/* Of one component and its parts; a check that flaps has many. */
#define CHANGES_MAX 1024
#define ARENA_BYTES_MAX ((size_t)256 << 20)
/* A statement in the table of one time, beside its copy here. */
#define TABLE_BYTES_EACH ((uint64_t)512)

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
    uint64_t charged_bytes;
    size_t time;                        /* whose views are read */
    size_t read;                        /* hosts of it, the last one is */
    size_t host_count;                  /* that were read of the database */
    const char *host;                   /* of the query's set */
    bool is_cut[PAST_HEALTH_HOSTS_MAX]; /* it has more changes than are read */
};

/* What one page holds is of all pages' memory. */
static int past_bytes_charge(struct past_reading *r)
{
    uint64_t bytes = r->arena.used_bytes;
    for (size_t i = 0; i < PAST_HEALTH_TIMES_MAX; i++)
        bytes += r->at[i].capacity * sizeof *r->at[i].items +
                 r->at[i].count * TABLE_BYTES_EACH;
    if (!r->query->hold || bytes <= r->charged_bytes)
        return 0;
    uint64_t more = (bytes - r->charged_bytes + BUDGET_STEP_BYTES - 1) /
                    BUDGET_STEP_BYTES * BUDGET_STEP_BYTES;
    int rc = budget_hold_add_optional(r->query->hold, more);
    r->charged_bytes += rc == 0 ? more : 0;
    return rc;
}

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
    return past_bytes_charge(r);
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
                          struct span path, bool *ret_is_cut, struct err *err)
{
    const struct past_health_query *query = r->query;
    const struct resource_change_filter filter = {
        .component = path,
        .to_ns = query->times_ns[query->time_count - 1] + 1,
        .limit = CHANGES_MAX,
    };
    for (size_t i = 0; i < PAST_HEALTH_TIMES_MAX; i++)
        r->at[i].first = r->at[i].count;
    int rc = query->watch ? query->watch(query->watch_arg) : 0;
    if (rc == 0)
        rc = records_find_resource_changes(reader, &filter, on_past_statement, r,
                                           ret_is_cut, err);
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
    int64_t spend_ns = r->query->spend_ns, began_ns = clock_monotonic_ns();
    for (size_t i = 0; rc == 0 && i < count && i < PAST_HEALTH_HOSTS_MAX; i++) {
        if (spend_ns > 0 && i > 0 && clock_monotonic_ns() - began_ns > spend_ns)
            break;
        AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
        const struct component component = { .cluster = r->query->cluster,
                                             .host = span_of(
                                                 hostset_at(r->query->hosts, i)) };
        component_print(&path, &component);
        rc = strbuf_error(&path);
        if (rc == 0)
            rc = component_read(r, reader, strbuf_span(&path), &r->is_cut[i], err);
        r->host_count = i + 1;
    }
    const struct resource_rules *rules = r->query->rules;
    for (size_t i = 0; rc == 0 && rules && i < rules->enclosure_count; i++) {
        const struct enclosure_rule *enclosure = &rules->enclosures[i];
        bool is_cut = spend_ns > 0 && clock_monotonic_ns() - began_ns > 2 * spend_ns;
        if (!is_cut)
            rc = component_read(r, reader, span_of(enclosure->path), &is_cut, err);
        for (size_t k = 0; is_cut && k < r->host_count; k++)
            r->is_cut[k] =
                r->is_cut[k] || hostset_has(enclosure->members.names,
                                            span_of(hostset_at(r->query->hosts, k)));
    }
    return rc;
}

/* A part that was stated bad before the changes that were read may be among those that
 * were not: its host is not known to be up. */
static int on_past_view(void *arg, const char *host, const struct resource_view *view)
{
    struct past_reading *r = arg;
    if (host != r->host)
        r->read++;
    r->host = host;
    if (r->read > r->host_count)
        return 1; /* nothing was read of it: end */
    struct past_health health = { .time = r->time,
                                  .host = host,
                                  .is_known = view && view->since_ns,
                                  .health = RESOURCE_UNKNOWN };
    if (r->is_cut[r->read - 1]) {
        health.is_known = true;
        health.reason = SPAN("it has more changes than are read");
    } else if (health.is_known) {
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
    r->read = 0;
    r->host = NULL;
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
    if (query->ret_read)
        *query->ret_read = r.host_count;
    for (size_t i = 0; rc == 0 && i < query->time_count; i++)
        rc = views_read(&r, i, err);
    for (size_t i = 0; i < PAST_HEALTH_TIMES_MAX; i++)
        free(r.at[i].items);
    arena_done(&r.arena);
    if (r.charged_bytes > 0) /* less always succeeds */
        (void)budget_hold_set(query->hold, query->hold->bytes - r.charged_bytes);
    return rc;
}

bool past_health_is_enclosure(const struct resource_rules *rules, struct span path)
{
    for (size_t i = 0; rules && i < rules->enclosure_count; i++)
        if (span_is(path, rules->enclosures[i].path))
            return true;
    return false;
}
