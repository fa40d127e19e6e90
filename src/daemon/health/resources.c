/* SPDX-License-Identifier: Apache-2.0 */
/* resources - statements about resources from all ways in to the records, and from
 * there into memory. */
#include "daemon/health/resources.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"
#include "daemon/database_error.h"
#include "daemon/health/statement_times.h"

#define READING_AGE_NS (3600 * NS_PER_S) /* an older one states nothing of now */
#define ARENA_BYTES_MAX ((size_t)256 << 20)

/* ---- loading ---- */

struct statements {
    struct arena arena;
    struct resource_statement *items;
    size_t count, capacity;
};

static void statements_done(struct statements *s)
{
    arena_done(&s->arena);
    free(s->items);
}
DEFINE_AUTO_DONE(struct statements, statements_done);

static int statement_add(struct statements *s, const struct resource_statement *item)
{
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 256;
        struct resource_statement *grown =
            reallocarray(s->items, capacity, sizeof *grown);
        if (!grown)
            return -ENOMEM;
        s->items = grown;
        s->capacity = capacity;
    }
    s->items[s->count++] = *item;
    return 0;
}

static int statement_text_copy(struct arena *arena, struct span *text)
{
    char *copy = arena_dup(arena, *text);
    if (!copy)
        return -ENOMEM;
    text->data = copy;
    return 0;
}

static int on_stored_statement(void *arg, const struct resource_statement *statement)
{
    struct statements *s = arg;
    struct resource_statement copy = *statement;
    int rc = statement_text_copy(&s->arena, &copy.component);
    if (rc == 0)
        rc = statement_text_copy(&s->arena, &copy.source);
    if (rc == 0)
        rc = statement_text_copy(&s->arena, &copy.reason);
    if (rc == 0)
        rc = statement_text_copy(&s->arena, &copy.by);
    return rc < 0 ? rc : statement_add(s, &copy);
}

static int load_stored(struct daemon_parts *parts, struct err *err)
{
    AUTO(records_reader_close) struct records_reader *reader = NULL;
    AUTO(statements_done) struct statements stored = { 0 };
    arena_init(&stored.arena, 0);
    int rc = records_reader_open(parts->records, &reader, err);
    if (rc == 0)
        rc = records_find_resources(reader, on_stored_statement, &stored, err);
    if (rc == 0)
        rc = resource_table_load(parts->resources, stored.items, stored.count,
                                 clock_now_ns());
    return rc;
}

void resources_load(struct daemon_parts *parts)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    struct err err = { 0 };
    uint64_t changes = records_changes(parts->records, NULL);
    if (!records_is_connected(parts->records) ||
        (resource_table_is_loaded(parts->resources) &&
         changes == parts->resource_changes))
        return;
    int rc = load_stored(parts, &err);
    if (rc < 0) {
        log_limited(&limit, LOG_LEVEL_WARN,
                    "resources: %s; their health is not known until it is read",
                    err.text[0] ? err.text : strerror(-rc));
        return;
    }
    parts->resource_changes = changes;
    resource_routes_changed(parts->resource_routes);
}

/* ---- putting ---- */

struct resources_in {
    struct resource_statement *items; /* that are admitted */
    size_t *indices;                  /* of each, in what was given */
    size_t count;
};

static void resources_in_done(struct resources_in *in)
{
    free(in->items);
    free(in->indices);
}
DEFINE_AUTO_DONE(struct resources_in, resources_in_done);

static void refuse_statement(struct submission_result *result, size_t index,
                             const char *reason)
{
    result->refused++;
    if (result->refusal_count < SUBMISSION_REFUSALS_MAX)
        result->refusals[result->refusal_count++] =
            (struct submission_refusal){ index, reason };
}

static int admit_one(struct statement_times *times, struct resource_statement *s,
                     const char **ret_reason, struct err *err)
{
    struct resource_statement before;
    int rc = resource_admission_of(times->admission, s, ret_reason);
    if (rc == 0 && !*ret_reason)
        rc = statement_time_set(times, s, err);
    if (rc < 0 || *ret_reason)
        return rc;
    /* What is not later changes nothing: what was stated before it holds. */
    return resource_admission_find(times->admission, s, &before) &&
                   s->t_ns <= before.t_ns
               ? 0
               : resource_admission_note(times->admission, s);
}

/* In order: each line of a batch has what those before it left. */
static int admit_all(struct daemon_parts *parts,
                     const struct resource_statement *statements, size_t count,
                     struct resources_in *in, struct submission_result *ret,
                     struct err *err)
{
    AUTO(resource_admission_done) struct resource_admission admission;
    AUTO(statement_times_done)
    struct statement_times times = { .admission = &admission,
                                     .moved = &parts->statements_moved,
                                     .records = parts->records,
                                     .now_ns = clock_now_ns() };
    resource_admission_begin(&admission, parts->resources);
    in->items = calloc(count + 1, sizeof *in->items);
    in->indices = calloc(count + 1, sizeof *in->indices);
    if (!in->items || !in->indices)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const char *reason;
        in->items[in->count] = statements[i];
        int rc = admit_one(&times, &in->items[in->count], &reason, err);
        if (rc < 0)
            return rc;
        if (reason)
            refuse_statement(ret, i, reason);
        else
            in->indices[in->count++] = i;
    }
    return 0;
}

static int put_admitted(struct daemon_parts *parts, const struct resources_in *in,
                        int64_t now_ms, struct submission_result *ret, struct err *err)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    struct records_submission put = { 0 };
    int rc =
        records_put_resources(parts->records, in->items, in->count, now_ms, &put, err);
    if (rc < 0) {
        log_limited(&limit, LOG_LEVEL_WARN,
                    "records: %s; statements about resources stay with their sender",
                    err->text);
        return database_error(rc, err);
    }
    ret->accepted = put.accepted;
    ret->changed = put.changed;
    ret->duplicate = put.duplicate;
    ret->refused += put.refused;
    for (size_t i = 0; i < put.refusal_count; i++)
        if (ret->refusal_count < SUBMISSION_REFUSALS_MAX)
            ret->refusals[ret->refusal_count++] =
                (struct submission_refusal){ in->indices[put.refusals[i].index],
                                             put.refusals[i].reason };
    return 0;
}

/* One that records refused has nothing to apply.  It is known since it was stored, also
 * after a restart. */
static void apply_stored(struct daemon_parts *parts, struct resources_in *in,
                         int64_t now_ms, size_t put_refused)
{
    size_t count = 0;
    for (size_t i = 0; i < in->count; i++)
        if (!resource_statement_check(&in->items[i]))
            in->items[count++] = in->items[i];
    int rc =
        resource_table_apply(parts->resources, in->items, count, now_ms * NS_PER_MS);
    if (rc < 0 || put_refused > 0)
        parts->resource_changes = UINT64_MAX; /* to be loaded anew */
    resource_routes_changed(parts->resource_routes);
}

int resources_put(void *arg, const struct resource_statement *statements, size_t count,
                  struct submission_result *ret, struct err *err)
{
    struct daemon_parts *parts = arg;
    AUTO(resources_in_done) struct resources_in in = { 0 };
    struct submission_result result = { 0 };
    resources_load(parts);
    if (!resource_table_is_loaded(parts->resources))
        return err_set(err, EAGAIN, "the database is away: try again");
    int rc = admit_all(parts, statements, count, &in, &result, err);
    int64_t now_ms = clock_now_ms();
    size_t admission_refused = result.refused;
    if (rc == 0)
        rc = put_admitted(parts, &in, now_ms, &result, err);
    if (rc < 0)
        return rc;
    apply_stored(parts, &in, now_ms, result.refused - admission_refused);
    *ret = result;
    return 0;
}

/* ---- of readings of targets ---- */

struct stored_source {
    struct span source;
    struct arena *arena;
    struct resource_statement statement;
    bool is_there;
};

static int on_stored_source(void *arg, const struct resource_statement *s,
                            bool is_confirmed)
{
    struct stored_source *stored = arg;
    (void)is_confirmed;
    if (!span_eq(s->source, stored->source))
        return 0;
    stored->statement = *s;
    stored->is_there = true;
    return statement_text_copy(stored->arena, &stored->statement.reason) < 0 ? -ENOMEM
                                                                             : 1;
}

/* Who serves it, and whether that is its usual server. */
static int server_add(struct daemon_parts *parts, const struct target_reading *reading,
                      struct statements *s)
{
    struct stored_source stored = { .arena = &s->arena };
    struct resource_statement made;
    struct span component;
    if (reading->server.size == 0 || reading->is_inactive)
        return 0;
    int rc = resource_target_component(reading, &s->arena, &component);
    if (rc == 0)
        rc = resource_server_source(reading, &s->arena, &stored.source);
    if (rc == 0)
        rc = resource_table_sources(parts->resources, component, on_stored_source,
                                    &stored);
    if (rc < 0 && rc != -ENOENT)
        return rc;
    rc = resource_of_server(reading, stored.is_there ? &stored.statement : NULL,
                            &s->arena, &made);
    return rc > 0 ? statement_add(s, &made) : rc;
}

/* What holds already is not stated again: its reason has the time since when. */
static int reading_add(struct daemon_parts *parts, const struct target_reading *reading,
                       struct statements *s)
{
    struct resource_statement made[2], stored;
    int count = resource_of_reading(reading, parts->resource_rules->full_percent,
                                    &s->arena, made);
    for (int i = 0; i < count; i++) {
        if (resource_table_find(parts->resources, made[i].component, made[i].source,
                                &stored) &&
            stored.health == made[i].health)
            continue;
        int rc = statement_add(s, &made[i]);
        if (rc < 0)
            return rc;
    }
    return count < 0 ? count : server_add(parts, reading, s);
}

void resources_of_readings(struct daemon_parts *parts,
                           const struct target_reading *readings, size_t count)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    AUTO(statements_done) struct statements s = { 0 };
    struct submission_result result;
    struct err err = { 0 };
    int64_t oldest_ns = clock_now_ns() - READING_AGE_NS;
    int rc = 0;
    arena_init(&s.arena, ARENA_BYTES_MAX);
    for (size_t i = 0; i < count && rc == 0; i++)
        if (readings[i].t_ns >= oldest_ns && !target_reading_check(&readings[i]))
            rc = reading_add(parts, &readings[i], &s);
    if (rc == 0 && s.count > 0)
        rc = resources_put(parts, s.items, s.count, &result, &err);
    /* The next reading states it again. */
    if (rc < 0)
        log_limited(&limit, LOG_LEVEL_WARN, "resources: of readings of targets: %s",
                    err.text[0] ? err.text : strerror(-rc));
}
