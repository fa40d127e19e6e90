/* SPDX-License-Identifier: Apache-2.0 */
/* job_sessions - the sessions that a job's owner ran in it. */
#include "analysis/job/parts/job_sessions.h"

#include "analysis/job/job_context.h"

#include <stdlib.h>

static struct job_session *items_of(struct job_sessions *sessions)
{
    return (struct job_session *)(uintptr_t)sessions->items;
}

void job_context_add_session(struct job_context *context,
                             const struct job_session *session)
{
    struct job_sessions *sessions = &context->sessions;
    if (sessions->count == JOB_SESSIONS_MAX) {
        sessions->has_more = true;
        return;
    }
    if (!sessions->items)
        sessions->items =
            arena_alloc(&context->arena, JOB_SESSIONS_MAX * sizeof *sessions->items);
    if (!sessions->items) {
        context->error = -ENOMEM;
        return;
    }
    struct job_session *item = &items_of(sessions)[sessions->count++];
    const char **const texts[] = { &item->name, &item->parent, &item->state,
                                   &item->reason, &item->hosts };
    *item = *session;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *copy = job_context_text(context, *texts[i]);
        *texts[i] = copy ? copy : "";
    }
}

static int compare_sessions(const void *a_arg, const void *b_arg)
{
    const struct job_session *a = a_arg, *b = b_arg;
    int order = (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
    return order ? order : strcmp(a->name, b->name);
}

void job_context_sort_sessions(struct job_context *context)
{
    struct job_sessions *sessions = &context->sessions;
    if (sessions->count > 1)
        qsort(items_of(sessions), sessions->count, sizeof *sessions->items,
              compare_sessions);
}
