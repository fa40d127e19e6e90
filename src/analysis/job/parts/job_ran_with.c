/* SPDX-License-Identifier: Apache-2.0 */
/* job_ran_with - the executables and libraries that a job ran, and the files that it
 * had open. */
#include "analysis/job/parts/job_ran_with.h"

#include "analysis/job/job_context.h"
#include "base/span.h"

#include <stdlib.h>

/* items as they are, or more of them; NULL: no memory. */
static void *grow_items(struct job_context *context, const void *items, size_t count,
                        size_t *capacity, size_t item_size)
{
    if (count < *capacity)
        return (void *)(uintptr_t)items;
    size_t wanted = *capacity ? 2 * *capacity : 64;
    void *more = arena_alloc(&context->arena, wanted * item_size);
    if (!more) {
        context->error = -ENOMEM;
        return NULL;
    }
    if (count > 0)
        memcpy(more, items, count * item_size);
    *capacity = wanted;
    return more;
}

static const char *ran_text(struct job_context *context, struct span text)
{
    const char *copy = text.size > 0 ? job_context_span(context, text) : "";
    return copy ? copy : "";
}

static void add_host(struct job_context *context, const struct job_file *file,
                     int64_t last_ns)
{
    struct job_ran_with *ran = &context->ran_with;
    struct job_ran_host *hosts = grow_items(context, ran->hosts, ran->host_count,
                                            &ran->host_capacity, sizeof *ran->hosts);
    if (!hosts)
        return;
    hosts[ran->host_count++] = (struct job_ran_host){ ran_text(context, file->name),
                                                      file->size >= 0, last_ns };
    ran->hosts = hosts;
}

void job_context_add_file(struct job_context *context, const struct job_file *file,
                          int64_t last_ns)
{
    struct job_ran_with *ran = &context->ran_with;
    ran->is_known = true;
    ran->counts[file->kind]++;
    if (file->kind == JOB_FILE_HOST)
        add_host(context, file, last_ns);
    if (ran->is_hidden || !job_file_is_one(file))
        return;
    struct job_ran_file *items =
        grow_items(context, ran->items, ran->count, &ran->capacity, sizeof *ran->items);
    if (!items)
        return;
    items[ran->count++] = (struct job_ran_file){
        .kind = file->kind,
        .name = ran_text(context, file->name),
        .build_id = ran_text(context, file->build_id),
        .version = ran_text(context, file->version),
        .size = file->size,
        .mtime_s = file->mtime_s,
        .last_ns = last_ns,
    };
    ran->items = items;
}

void job_context_add_foreign(struct job_context *context)
{
    context->ran_with.foreign++;
}

/* ---- after the last one ---- */

/* By kind, name and build: what is the same of two runs is beside each other. */
static int same_order(const struct job_ran_file *a, const struct job_ran_file *b)
{
    int order = (a->kind > b->kind) - (a->kind < b->kind);
    bool is_executed = a->kind == JOB_FILE_EXECUTABLE || a->kind == JOB_FILE_LIBRARY;
    if (order == 0)
        order = strcmp(a->name, b->name);
    if (order == 0)
        order = strcmp(a->build_id, b->build_id);
    return order || !is_executed ? order : strcmp(a->version, b->version);
}

static int compare_items(const void *a, const void *b)
{
    const struct job_ran_file *x = a, *y = b;
    int order = same_order(x, y);
    return order ? order : (x->last_ns > y->last_ns) - (x->last_ns < y->last_ns);
}

static int compare_hosts(const void *a, const void *b)
{
    const struct job_ran_host *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->last_ns > y->last_ns) - (x->last_ns < y->last_ns);
}

/* Of what several runs had, as it was last. */
static void unite_items(struct job_ran_with *ran)
{
    struct job_ran_file *items = (struct job_ran_file *)(uintptr_t)ran->items;
    size_t count = 0;
    for (size_t i = 0; i < ran->count; i++) {
        bool is_same = count > 0 && same_order(&items[count - 1], &items[i]) == 0;
        if (is_same)
            ran->counts[items[i].kind]--;
        items[is_same ? count - 1 : count++] = items[i];
    }
    ran->count = count;
}

static bool has_host(const struct job_ran_with *ran, const char *name)
{
    const struct job_ran_host wanted = { .name = name, .last_ns = INT64_MAX };
    size_t low = 0, high = ran->host_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_hosts(&ran->hosts[middle], &wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && strcmp(ran->hosts[low - 1].name, name) == 0;
}

void job_context_sort_files(struct job_context *context, const struct hostset *nodes)
{
    struct job_ran_with *ran = &context->ran_with;
    if (ran->count > 1)
        qsort((struct job_ran_file *)(uintptr_t)ran->items, ran->count,
              sizeof *ran->items, compare_items);
    if (ran->host_count > 1)
        qsort((struct job_ran_host *)(uintptr_t)ran->hosts, ran->host_count,
              sizeof *ran->hosts, compare_hosts);
    unite_items(ran);
    for (size_t i = 0; nodes && i < hostset_count(nodes); i++) {
        const char *name = hostset_at(nodes, i);
        if (has_host(ran, name))
            continue;
        if (ran->missing++ == 0)
            ran->missing_at = ran_text(context, span_of(name));
    }
}

bool job_ran_with_is_whole(const struct job_ran_with *ran)
{
    bool is_whole = ran->counts[JOB_FILE_MORE] == 0 && ran->missing == 0 &&
                    ran->foreign == 0 && ran->host_count > 0;
    for (size_t i = 0; i < ran->host_count; i++)
        is_whole = is_whole && ran->hosts[i].has_ended;
    return is_whole;
}
