/* SPDX-License-Identifier: Apache-2.0 */
/* failure_report - failures, repairs and availability of classes of components. */
#include "analysis/reliability/failure_report.h"

#include "base/arena.h"
#include "base/hashmap.h"
#include "base/span.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As resource/presence.h has it: it states whether a host is silent. */
#define PRESENCE "system:presence"
#define OTHER_CLASS "other"
#define HELD_BYTES_MAX ((size_t)1 << 30)

struct held {
    struct span component, source;
    int64_t t_ns;
    enum resource_health health;
};

struct changes {
    struct timeline_change *items;
    size_t count, capacity;
};

struct failure_report {
    struct failure_report_opts opts;
    struct failure_class *classes[FAILURE_CLASSES_MAX + 1]; /* with "other" */
    size_t class_count;
    uint64_t other_components; /* of classes beyond the bound */
    struct hashmap by_class;   /* index + 1 */
    size_t lengths_bytes;
    /* The component that is being read. */
    struct strbuf path, source;
    struct changes changes;
    size_t source_count;
    bool is_presence; /* source is */
    struct changes presence;
    struct timeline timeline;
    /* Hosts that were silent: index + 1 of silences. */
    struct hashmap by_host;
    struct changes *silences;
    size_t silence_count, silence_capacity;
    /* What holds, in order; those before next were read. */
    struct arena arena;
    struct held *held;
    size_t held_count, held_capacity, next;
};

int failure_report_new(const struct failure_report_opts *opts,
                       struct failure_report **ret)
{
    struct failure_report *report = calloc(1, sizeof *report);
    if (!report)
        return -ENOMEM;
    report->opts = *opts;
    if (report->opts.worst > FAILURE_WORST_MAX)
        report->opts.worst = FAILURE_WORST_MAX;
    arena_init(&report->arena, HELD_BYTES_MAX);
    timeline_init(&report->timeline);
    *ret = report;
    return 0;
}

void failure_report_free(struct failure_report *report)
{
    if (!report)
        return;
    for (size_t i = 0; i < report->class_count; i++) {
        failure_stats_done(&report->classes[i]->stats);
        failure_worst_done(&report->classes[i]->worst);
        free(report->classes[i]);
    }
    for (size_t i = 0; i < report->silence_count; i++)
        free(report->silences[i].items);
    free(report->silences);
    free(report->held);
    free(report->changes.items);
    free(report->presence.items);
    strbuf_done(&report->path);
    strbuf_done(&report->source);
    timeline_done(&report->timeline);
    hashmap_done(&report->by_class);
    hashmap_done(&report->by_host);
    arena_done(&report->arena);
    free(report);
}

static int changes_add(struct changes *changes, const struct timeline_change *change)
{
    if (changes->count == changes->capacity) {
        size_t capacity = changes->capacity ? 2 * changes->capacity : 8;
        void *grown = reallocarray(changes->items, capacity, sizeof *changes->items);
        if (!grown)
            return -ENOMEM;
        changes->items = grown;
        changes->capacity = capacity;
    }
    changes->items[changes->count++] = *change;
    return 0;
}

/* ---- classes ---- */

static int class_make(struct failure_report *report, const char *name,
                      struct failure_class **ret)
{
    struct failure_class *made = calloc(1, sizeof *made);
    uintptr_t *slot = made ? hashmap_put(&report->by_class, span_of(name), NULL) : NULL;
    if (!slot) {
        free(made);
        return -ENOMEM;
    }
    memcpy(made->name, name, strlen(name) + 1);
    made->worst.max = report->opts.worst;
    report->classes[report->class_count++] = made;
    *slot = report->class_count;
    *ret = made;
    return 0;
}

static int class_get(struct failure_report *report, const char *name,
                     struct failure_class **ret)
{
    const uintptr_t *slot = hashmap_get(&report->by_class, span_of(name));
    if (!slot && report->class_count >= FAILURE_CLASSES_MAX) {
        report->other_components++;
        name = OTHER_CLASS;
        slot = hashmap_get(&report->by_class, span_of(name));
    }
    if (!slot)
        return class_make(report, name, ret);
    *ret = report->classes[*slot - 1];
    return 0;
}

/* ---- silent hosts ---- */

static bool has_unknown(const struct changes *changes)
{
    for (size_t i = 0; i < changes->count; i++)
        if (changes->items[i].health == RESOURCE_UNKNOWN)
            return true;
    return false;
}

/* A host comes before its parts. */
static int silence_store(struct failure_report *report)
{
    struct changes *presence = &report->presence;
    if (!has_unknown(presence))
        return 0;
    if (report->silence_count == report->silence_capacity) {
        size_t capacity = 2 * report->silence_capacity + 8;
        void *grown =
            reallocarray(report->silences, capacity, sizeof *report->silences);
        if (!grown)
            return -ENOMEM;
        report->silences = grown;
        report->silence_capacity = capacity;
    }
    uintptr_t *slot = hashmap_put(&report->by_host, strbuf_span(&report->path), NULL);
    if (!slot)
        return -ENOMEM;
    report->silences[report->silence_count++] = *presence;
    *slot = report->silence_count;
    *presence = (struct changes){ 0 };
    return 0;
}

static int silence_add(struct failure_report *report)
{
    struct span host = component_host_path(strbuf_span(&report->path));
    const uintptr_t *slot = hashmap_get(&report->by_host, host);
    int rc = 0;
    for (size_t i = 0; rc == 0 && slot && i < report->silences[*slot - 1].count; i++)
        rc = changes_add(&report->changes, &report->silences[*slot - 1].items[i]);
    return rc;
}

/* ---- one component ---- */

static bool component_is_wanted(const struct failure_report *report,
                                char ret_class[COMPONENT_CLASS_SIZE])
{
    const struct failure_report_opts *opts = &report->opts;
    struct span path = strbuf_span(&report->path);
    component_class(path, ret_class);
    if (opts->is_enclosure && opts->is_enclosure(opts->arg, path))
        (void)snprintf(ret_class, COMPONENT_CLASS_SIZE, "enclosure");
    return !opts->wants || opts->wants(opts->arg, path, ret_class);
}

static int component_count(struct failure_report *report, const char *class_name)
{
    struct timeline *t = &report->timeline;
    struct failure_class *class = NULL;
    timeline_clear(t);
    int rc = timeline_make(report->changes.items, report->changes.count,
                           report->source_count, report->opts.from_ns,
                           report->opts.to_ns, t);
    if (rc < 0 || !t->is_observed)
        return rc;
    rc = class_get(report, class_name, &class);
    if (rc == 0)
        rc = failure_stats_add(&class->stats, t);
    if (rc == 0)
        rc = failure_worst_consider(&class->worst, strbuf_span(&report->path), t);
    report->lengths_bytes += (t->intervals.count + t->repairs.count) * sizeof(int64_t);
    return rc;
}

static int component_end(struct failure_report *report)
{
    char class_name[COMPONENT_CLASS_SIZE];
    int rc = 0;
    if (report->changes.count == 0)
        return 0;
    if (component_is_part(strbuf_span(&report->path)))
        rc = silence_add(report);
    else
        rc = silence_store(report);
    if (rc == 0 && component_is_wanted(report, class_name))
        rc = component_count(report, class_name);
    report->changes.count = report->presence.count = report->source_count = 0;
    return rc;
}

static int component_feed(struct failure_report *report, const struct held *stated)
{
    int rc = 0;
    bool is_new = !span_eq(strbuf_span(&report->path), stated->component);
    if (is_new) {
        rc = component_end(report);
        strbuf_clear(&report->path);
        strbuf_add(&report->path, stated->component.data, stated->component.size);
    }
    if (is_new || !span_eq(strbuf_span(&report->source), stated->source)) {
        strbuf_clear(&report->source);
        strbuf_add(&report->source, stated->source.data, stated->source.size);
        report->is_presence = span_is(stated->source, PRESENCE);
        report->source_count++;
    }
    if (rc == 0 && (strbuf_error(&report->path) || strbuf_error(&report->source)))
        rc = -ENOMEM;
    struct timeline_change change = { .t_ns = stated->t_ns,
                                      .source = (uint32_t)(report->source_count - 1),
                                      .health = stated->health };
    if (rc == 0)
        rc = changes_add(&report->changes, &change);
    change.is_silence = true;
    if (rc == 0 && report->is_presence)
        rc = changes_add(&report->presence, &change);
    return rc;
}

/* ---- in order ---- */

static bool statement_counts(const struct resource_statement *s)
{
    return resource_source_kind(s->source, NULL) != RESOURCE_SOURCE_USER;
}

int failure_report_hold(struct failure_report *report,
                        const struct resource_statement *s)
{
    if (!statement_counts(s))
        return 0;
    if (report->held_count == report->held_capacity) {
        size_t capacity = 2 * report->held_capacity + 64;
        void *grown = reallocarray(report->held, capacity, sizeof *report->held);
        if (!grown)
            return -ENOMEM;
        report->held = grown;
        report->held_capacity = capacity;
    }
    const char *component = arena_dup(&report->arena, s->component);
    const char *source = arena_dup(&report->arena, s->source);
    if (!component || !source)
        return -ENOMEM;
    bool was_before = s->stored_ns > 0 && s->stored_ns < s->t_ns;
    report->held[report->held_count++] =
        (struct held){ .component = { component, s->component.size },
                       .source = { source, s->source.size },
                       .t_ns = was_before ? s->stored_ns : s->t_ns,
                       .health = s->health };
    return 0;
}

static int held_compare(const struct held *held, const struct held *with)
{
    int order = span_compare(held->component, with->component);
    return order ? order : span_compare(held->source, with->source);
}

int failure_report_add(struct failure_report *report,
                       const struct resource_statement *s)
{
    const struct held stated = { s->component, s->source, s->t_ns, s->health };
    int rc = 0;
    if (!statement_counts(s))
        return 0;
    while (rc == 0 && report->next < report->held_count) {
        const struct held *held = &report->held[report->next];
        int order = held_compare(held, &stated);
        if (order > 0)
            break;
        if (order < 0) /* the history has nothing of it */
            rc = component_feed(report, held);
        report->next++;
    }
    return rc < 0 ? rc : component_feed(report, &stated);
}

static int compare_classes(const void *a, const void *b)
{
    const struct failure_class *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

int failure_report_flush(struct failure_report *report)
{
    int rc = 0;
    while (rc == 0 && report->next < report->held_count)
        rc = component_feed(report, &report->held[report->next++]);
    if (rc == 0)
        rc = component_end(report);
    strbuf_clear(&report->path);
    report->held_count = report->next = 0;
    return rc;
}

void failure_report_finish(struct failure_report *report)
{
    qsort(report->classes, report->class_count, sizeof *report->classes,
          compare_classes);
    for (size_t i = 0; i < report->class_count; i++) {
        struct failure_class *class = report->classes[i];
        failure_stats_finish(&class->stats);
        for (size_t k = 0; k < class->worst.count; k++)
            failure_stats_finish(&class->worst.items[k].stats);
    }
}

size_t failure_report_count(const struct failure_report *report)
{
    return report->class_count;
}

const struct failure_class *failure_report_at(const struct failure_report *report,
                                              size_t index)
{
    return report->classes[index];
}

uint64_t failure_report_others(const struct failure_report *report)
{
    return report->other_components;
}

size_t failure_report_bytes(const struct failure_report *report)
{
    return 2 * report->lengths_bytes + report->arena.used_bytes +
           report->held_capacity * sizeof *report->held +
           hashmap_bytes(&report->by_host) +
           report->silence_capacity * sizeof *report->silences;
}
