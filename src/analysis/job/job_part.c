/* SPDX-License-Identifier: Apache-2.0 */
/* job_part - a context by its parts: what is missing of it, by the table of columns. */
#include "analysis/job/job_part.h"

#include "analysis/job/job_value.h"

#define CONTEXT_BYTES_MAX ((size_t)1 << 20)
#define NODES_BYTES_MAX ((size_t)256 << 20)

static const struct {
    const char *name;
    size_t offset, size;
} parts[JOB_PART_COUNT] = {
#define PART(member)                               \
#member, offsetof(struct job_context, member), \
        sizeof((struct job_context *)NULL)->member
    [JOB_PART_IDENTITY] = { PART(identity) },
    [JOB_PART_FACTS] = { PART(facts) },
    [JOB_PART_WEATHER] = { PART(weather) },
    [JOB_PART_COVERAGE] = { PART(coverage) },
    [JOB_PART_HEALTH] = { PART(health) },
    [JOB_PART_CO_SCHEDULED] = { "co_scheduled",
                                offsetof(struct job_context, neighbours),
                                sizeof(struct job_neighbours) },
    [JOB_PART_TOPOLOGY] = { PART(topology) },
    [JOB_PART_SITE] = { PART(site) },
    [JOB_PART_FABRIC] = { PART(fabric) },
    [JOB_PART_SERVERS] = { PART(servers) },
    [JOB_PART_NODES] = { PART(nodes) },
#undef PART
};

void job_context_init(struct job_context *context)
{
    *context = (struct job_context){ .identity = { .submit_ns = JOB_TIME_NONE,
                                                   .start_ns = JOB_TIME_NONE,
                                                   .end_ns = JOB_TIME_NONE } };
    arena_init(&context->arena, CONTEXT_BYTES_MAX);
    arena_init(&context->nodes.arena, NODES_BYTES_MAX);
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++)
        job_column_set(&job_columns[i], (struct scalar){ 0 }, context);
}

int job_context_copy(const struct job_context *from, struct job_context *to)
{
    const struct job_identity *f = &from->identity;
    struct job_identity *t = &to->identity;
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++)
        job_column_set(&job_columns[i], job_column_get(&job_columns[i], from), to);
    t->cluster = job_context_text(to, f->cluster);
    t->name = job_context_text(to, f->name);
    t->step = job_context_text(to, f->step);
    t->account = job_context_text(to, f->account);
    t->partition = job_context_text(to, f->partition);
    t->state = job_context_text(to, f->state);
    t->nodes = job_context_text(to, f->nodes);
    t->submit_ns = f->submit_ns;
    t->start_ns = f->start_ns;
    t->end_ns = f->end_ns;
    t->resources = f->resources;
    return to->error;
}

const char *job_part_name(enum job_part part)
{
    return parts[part].name;
}

bool job_part_has_column(enum job_part part, const struct job_column *column)
{
    return column->offset >= parts[part].offset &&
           column->offset < parts[part].offset + parts[part].size;
}

static bool is_reason(const struct job_column *column)
{
    return column->offset == offsetof(struct job_context, health.refused) ||
           column->offset == offsetof(struct job_context, topology.refused);
}

static const char *reason_of(const struct job_context *context, enum job_part part)
{
    switch (part) {
    case JOB_PART_FACTS:
        return context->log_refused;
    case JOB_PART_WEATHER:
        return context->weather_refused;
    case JOB_PART_HEALTH:
        return context->health.refused;
    case JOB_PART_TOPOLOGY:
        return context->topology.refused;
    case JOB_PART_SERVERS:
        return context->servers_refused;
    case JOB_PART_NODES:
        return context->nodes.refused;
    default:
        return NULL;
    }
}

bool job_context_has(const struct job_context *context, enum job_part part,
                     const char **ret_reason)
{
    bool has = (part == JOB_PART_NODES && context->nodes.is_observed) ||
               (part == JOB_PART_SERVERS && context->has_servers);
    for (size_t i = 0; !has && i < SUMMARY_COLUMN_COUNT; i++) {
        const struct job_column *column = &job_columns[i];
        has = job_part_has_column(part, column) && !is_reason(column) &&
              job_column_get(column, context).is_present;
    }
    if (ret_reason)
        *ret_reason = has ? NULL : reason_of(context, part);
    return has;
}
