/* SPDX-License-Identifier: Apache-2.0 */
/* job_ran_with - the executables and libraries that a job ran, and the files that it
 * had open. */
#include "analysis/job/job_ran_with.h"

#include "analysis/job/job_context.h"

#include <stdlib.h>

static struct job_ran_file *grow_files(struct job_context *context)
{
    struct job_ran_with *ran = &context->ran_with;
    struct job_ran_file *items = (struct job_ran_file *)(uintptr_t)ran->items;
    if (ran->count < ran->capacity)
        return &items[ran->count++];
    size_t capacity = ran->capacity ? 2 * ran->capacity : 64;
    struct job_ran_file *more = arena_alloc(&context->arena, capacity * sizeof *more);
    if (!more) {
        context->error = -ENOMEM;
        return NULL;
    }
    if (ran->count > 0)
        memcpy(more, items, ran->count * sizeof *more);
    ran->items = more;
    ran->capacity = capacity;
    return &more[ran->count++];
}

void job_context_add_file(struct job_context *context, const struct job_file *file)
{
    struct job_ran_with *ran = &context->ran_with;
    ran->is_known = true;
    ran->counts[file->kind]++;
    if (ran->is_hidden || file->kind == JOB_FILE_MORE)
        return;
    const char *name = job_context_span(context, file->name);
    const char *build_id = job_context_span(context, file->build_id);
    struct job_ran_file *item = grow_files(context);
    if (item)
        *item = (struct job_ran_file){ file->kind, name ? name : "",
                                       build_id ? build_id : "", file->size,
                                       file->mtime_s };
}

int job_ran_file_compare(const struct job_ran_file *a, const struct job_ran_file *b)
{
    int order = (a->kind > b->kind) - (a->kind < b->kind);
    if (order == 0)
        order = strcmp(a->name, b->name);
    return order ? order : strcmp(a->build_id, b->build_id);
}

static int compare_items(const void *a, const void *b)
{
    return job_ran_file_compare(a, b);
}

void job_context_sort_files(struct job_context *context)
{
    struct job_ran_with *ran = &context->ran_with;
    if (ran->count > 1)
        qsort((struct job_ran_file *)(uintptr_t)ran->items, ran->count,
              sizeof *ran->items, compare_items);
}
