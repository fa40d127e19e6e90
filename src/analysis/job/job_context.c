/* SPDX-License-Identifier: Apache-2.0 */
/* job_context - all that is known of one job, typed. */
#include "analysis/job/job_context.h"

#include "analysis/job/job_value.h"
#include "base/span.h"

void job_context_done(struct job_context *context)
{
    job_servers_done(&context->servers);
    job_targets_done(&context->targets);
    arena_done(&context->nodes.arena);
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
static void text_set(struct job_context *context, struct span bytes,
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
    text_set(context, record->name, &identity->name);
    text_set(context, record->user, &identity->user);
    text_set(context, record->cluster, &identity->cluster);
    text_set(context, record->account, &identity->account);
    text_set(context, record->partition, &identity->partition);
    text_set(context, record->state, &identity->state);
    text_set(context, record->nodes, &identity->nodes);
    identity->submit_ns = record->submit_ns;
    identity->start_ns = record->start_ns;
    identity->end_ns = record->end_ns;
    identity->resources = record->resources;
}

static const char *step_text(struct job_context *context, struct span text)
{
    AUTO(strbuf_done) struct strbuf printed = STRBUF_INIT;
    if (text.size == 0)
        return NULL;
    entry_id_print(&printed, text);
    if (strbuf_error(&printed) < 0)
        context->error = -ENOMEM;
    return job_context_span(context, strbuf_span(&printed));
}

/* Capacity for one more behind count items: it doubles at 0, 1, 2, 4, ... */
static void *items_grow(struct job_context *context, const void *items, size_t count,
                        size_t size)
{
    if ((count & (count - 1)) != 0)
        return (void *)(uintptr_t)items;
    void *grown = arena_alloc(&context->arena, (count ? 2 * count : 1) * size);
    if (!grown)
        context->error = -ENOMEM;
    else if (count > 0)
        memcpy(grown, items, count * size);
    return grown;
}

void job_context_add_step(struct job_context *context, const struct job *step)
{
    struct job_steps *steps = &context->steps;
    size_t count = steps->count;
    if (count == JOB_STEPS_MAX) {
        steps->has_more = true;
        return;
    }
    struct job_step *items = items_grow(context, steps->items, count, sizeof *items);
    if (!items)
        return;
    items[count] = (struct job_step){ .step = job_context_span(context, step->step),
                                      .name = step_text(context, step->name),
                                      .state = step_text(context, step->state),
                                      .nodes = step_text(context, step->nodes),
                                      .start_ns = step->start_ns,
                                      .end_ns = step->end_ns,
                                      .resources = step->resources };
    steps->items = items;
    steps->count++;
}

void job_context_add_metric(struct job_context *context,
                            const struct job_metric *metric)
{
    struct job_nodes *nodes = &context->nodes;
    size_t count = nodes->stored_count;
    if (count == JOB_METRICS_MAX)
        return;
    const char *name = job_context_span(context, metric->metric);
    const char *unit = job_context_span(context, metric->unit);
    struct job_metric *items = items_grow(context, nodes->stored, count, sizeof *items);
    if (!name || !unit || !items)
        return;
    items[count] = *metric;
    items[count].cluster = items[count].id =
        (struct span){ 0 }; /* as the job has them */
    items[count].metric = span_of(name);
    items[count].unit = span_of(unit);
    nodes->stored = items;
    nodes->stored_count++;
}

void job_context_set_step(struct job_context *context, const struct job *step)
{
    struct job_identity *identity = &context->identity;
    const char *state = step_text(context, step->state);
    const char *nodes = step_text(context, step->nodes);
    identity->step = job_context_span(context, step->step);
    identity->state = state ? state : identity->state;
    identity->nodes = nodes ? nodes : identity->nodes;
    identity->start_ns = step->start_ns;
    identity->end_ns = step->end_ns;
    identity->resources = step->resources;
}

static struct job_host_health *host_find(const struct job_node_health *h,
                                         const char *host)
{
    for (size_t i = 0; i < h->count; i++)
        if (strcmp(h->items[i].host, host) == 0)
            return (struct job_host_health *)(uintptr_t)&h->items[i];
    return NULL;
}

static struct job_host_health *host_add(struct job_context *context, const char *host)
{
    struct job_node_health *h = &context->node_health;
    if (h->count == JOB_NODE_HEALTH_MAX) {
        h->has_more = true;
        return NULL;
    }
    struct job_host_health *items =
        h->items ? (struct job_host_health *)(uintptr_t)h->items
                 : arena_alloc(&context->arena, JOB_NODE_HEALTH_MAX * sizeof *items);
    const char *name = job_context_text(context, host);
    if (!items || !name) {
        context->error = -ENOMEM;
        return NULL;
    }
    h->items = items;
    items[h->count] = (struct job_host_health){ .host = name };
    return &items[h->count++];
}

/* One that was up at the start is only there if it is not at the end. */
void job_context_add_node_health(struct job_context *context, enum job_moment moment,
                                 const char *host, enum resource_health health,
                                 struct span reason)
{
    struct job_node_health *h = &context->node_health;
    h->counts[moment][health]++;
    h->is_known = h->is_known || health != RESOURCE_UNKNOWN || reason.size > 0;
    struct job_host_health *item = host_find(h, host);
    if (!item && health != RESOURCE_UP)
        item = host_add(context, host);
    if (!item)
        return;
    item->health[moment] = health;
    item->reason[moment] = reason.size ? job_context_span(context, reason) : NULL;
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
