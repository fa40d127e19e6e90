/* SPDX-License-Identifier: Apache-2.0 */
/* job_datasets - the datasets that a job had mounted. */
#include "analysis/job/parts/job_datasets.h"

#include "analysis/job/job_context.h"

#include <stdlib.h>

static struct job_mounted *mounted_grow(struct job_context *context)
{
    struct job_datasets *datasets = &context->datasets;
    struct job_mounted *items = (struct job_mounted *)(uintptr_t)datasets->items;
    if (datasets->count < datasets->capacity)
        return &items[datasets->count++];
    size_t capacity = datasets->capacity ? 2 * datasets->capacity : 8;
    struct job_mounted *more = arena_alloc(&context->arena, capacity * sizeof *more);
    if (!more) {
        context->error = -ENOMEM;
        return NULL;
    }
    if (datasets->count > 0)
        memcpy(more, items, datasets->count * sizeof *more);
    datasets->items = more;
    datasets->capacity = capacity;
    return &more[datasets->count++];
}

void job_context_add_dataset(struct job_context *context,
                             const struct job_mounted *mounted)
{
    struct job_mounted *item = mounted_grow(context);
    if (!item)
        return;
    const char **const texts[] = { &item->digest,  &item->name,    &item->path,
                                   &item->options, &item->command, &item->hosts };
    *item = *mounted;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *copy = job_context_text(context, *texts[i]);
        *texts[i] = copy ? copy : "";
    }
}

static int compare_mounted(const void *a_arg, const void *b_arg)
{
    const struct job_mounted *a = a_arg, *b = b_arg;
    int order = strcmp(a->path, b->path);
    if (order == 0)
        order = strcmp(a->name, b->name);
    if (order == 0)
        order = (a->first_ns > b->first_ns) - (a->first_ns < b->first_ns);
    return order ? order : strcmp(a->digest, b->digest);
}

void job_context_sort_datasets(struct job_context *context)
{
    struct job_datasets *datasets = &context->datasets;
    if (datasets->count > 1)
        qsort((struct job_mounted *)(uintptr_t)datasets->items, datasets->count,
              sizeof *datasets->items, compare_mounted);
}
