/* SPDX-License-Identifier: Apache-2.0 */
/* job_context - all that is known of one job, typed. */
#include "analysis/job/job_context.h"

#include "base/span.h"

#include "analysis/job/job_columns.h"
#include "analysis/job/job_value.h"

#define CONTEXT_BYTES_MAX ((size_t)1 << 20)

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
    [JOB_PART_NEIGHBOURS] = { PART(neighbours) },
    [JOB_PART_TOPOLOGY] = { PART(topology) },
    [JOB_PART_SITE] = { PART(site) },
    [JOB_PART_FABRIC] = { PART(fabric) },
    [JOB_PART_NODES] = { PART(nodes) },
#undef PART
};

void job_context_init(struct job_context *context)
{
    *context = (struct job_context){ .identity = { .submit_ns = JOB_TIME_NONE,
                                                   .start_ns = JOB_TIME_NONE,
                                                   .end_ns = JOB_TIME_NONE } };
    arena_init(&context->arena, CONTEXT_BYTES_MAX);
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++)
        job_column_set(&job_columns[i], (struct scalar){ 0 }, context);
}

void job_context_done(struct job_context *context)
{
    arena_done(&context->arena);
    *context = (struct job_context){ 0 };
}

const char *job_context_span(struct job_context *context, struct span text)
{
    const char *copy = arena_dup(&context->arena, text);
    if (!copy)
        context->error = -ENOMEM;
    return copy;
}

const char *job_context_text(struct job_context *context, const char *text)
{
    return text ? job_context_span(context, span_of(text)) : NULL;
}

int job_context_copy(const struct job_context *from, struct job_context *to)
{
    const struct job_identity *f = &from->identity;
    struct job_identity *t = &to->identity;
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++)
        job_column_set(&job_columns[i], job_column_get(&job_columns[i], from), to);
    t->cluster = job_context_text(to, f->cluster);
    t->step = job_context_text(to, f->step);
    t->account = job_context_text(to, f->account);
    t->partition = job_context_text(to, f->partition);
    t->state = job_context_text(to, f->state);
    t->nodes = job_context_text(to, f->nodes);
    t->submit_ns = f->submit_ns;
    t->start_ns = f->start_ns;
    t->end_ns = f->end_ns;
    to->nodes = from->nodes;
    return to->error;
}

void job_context_set_fabric(struct job_context *context, const struct fabric *fabric)
{
    bool is_known = fabric->is_known;
    context->fabric = (struct job_fabric){
        .fabrics = job_context_text(context, fabric->fabrics),
        .names = job_context_text(context, fabric->names),
        .read = is_known ? fabric->read : NAN,
        .written = is_known ? fabric->written : NAN,
        .rate = is_known ? fabric->rate : NAN,
        .usual = is_known ? fabric->usual : NAN,
        .times = is_known ? fabric->times : NAN,
        .missing = is_known ? fabric->missing : NAN,
        .days = is_known ? (int64_t)fabric->days : JOB_I64_NONE,
        .as_much = is_known ? (int64_t)fabric->as_much : JOB_I64_NONE,
    };
}

/* Names are bytes to the scheduler, and text here (model/entry_id.h). */
static void text_take(struct job_context *context, struct span bytes,
                      const char **member)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (bytes.size == 0)
        return;
    entry_id_print(&text, bytes);
    if (strbuf_error(&text) < 0)
        context->error = -ENOMEM;
    else
        *member = job_context_span(context, strbuf_span(&text));
}

void job_context_set_record(struct job_context *context, const struct job *record)
{
    struct job_identity *identity = &context->identity;
    text_take(context, record->user, &identity->user);
    text_take(context, record->cluster, &identity->cluster);
    text_take(context, record->account, &identity->account);
    text_take(context, record->partition, &identity->partition);
    text_take(context, record->state, &identity->state);
    text_take(context, record->nodes, &identity->nodes);
    identity->submit_ns = record->submit_ns;
    identity->start_ns = record->start_ns;
    identity->end_ns = record->end_ns;
}

const char *job_part_name(enum job_part part)
{
    return parts[part].name;
}

static bool is_reason(const struct job_column *column)
{
    return column->offset == offsetof(struct job_context, health.refused) ||
           column->offset == offsetof(struct job_context, topology.refused);
}

bool job_context_has(const struct job_context *context, enum job_part part,
                     const char **ret_reason)
{
    bool has = part == JOB_PART_NODES && context->nodes.is_known;
    for (size_t i = 0; !has && i < SUMMARY_COLUMN_COUNT; i++) {
        const struct job_column *column = &job_columns[i];
        has = column->offset >= parts[part].offset &&
              column->offset < parts[part].offset + parts[part].size &&
              !is_reason(column) && job_column_get(column, context).is_present;
    }
    if (ret_reason)
        *ret_reason = has                         ? NULL
                      : part == JOB_PART_HEALTH   ? context->health.refused
                      : part == JOB_PART_TOPOLOGY ? context->topology.refused
                                                  : NULL;
    return has;
}

double job_context_bytes(const struct job_context *context)
{
    const struct job_counter *posix = context->facts.posix;
    return posix[JOB_POSIX_BYTES_READ].total + posix[JOB_POSIX_BYTES_WRITTEN].total;
}

double job_context_steps(const struct job_context *context)
{
    const struct job_weather *w = &context->weather;
    return (job_i64_number(w->to_s) - job_i64_number(w->from_s)) /
           job_i64_number(w->step_s);
}
