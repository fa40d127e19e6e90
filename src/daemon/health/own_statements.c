/* SPDX-License-Identifier: Apache-2.0 */
/* own_statements - what barod itself states about resources, on its way to the records.
 */
#include "daemon/health/own_statements.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "base/span.h"

#include <errno.h>
#include <pthread.h>

#define FLUSH_MAX 4096 /* in one transaction */

struct own_statement {
    struct resource_statement s;
    char texts[];
};

struct own_statements {
    own_statements_put_fn *put;
    void *arg;
    pthread_mutex_t lock; /* of all that follows */
    struct ingest_writer *writer;
    bool is_submitted; /* a task that flushes is on its way */
    struct own_statement **waiting;
    size_t count, capacity;
    uint64_t stored, refused, lost;
};

int own_statements_new(own_statements_put_fn *put, void *arg,
                       struct own_statements **ret)
{
    struct own_statements *own = calloc(1, sizeof *own);
    if (!own)
        return -ENOMEM;
    own->put = put;
    own->arg = arg;
    (void)pthread_mutex_init(&own->lock, NULL);
    *ret = own;
    return 0;
}

void own_statements_free(struct own_statements *own)
{
    if (!own)
        return;
    for (size_t i = 0; i < own->count; i++)
        free(own->waiting[i]);
    free(own->waiting);
    (void)pthread_mutex_destroy(&own->lock);
    free(own);
}

/* ---- in ---- */

static struct span own_text(char **at, struct span text)
{
    struct span copy = { *at, text.size };
    if (text.size > 0)
        memcpy(*at, text.data, text.size);
    *at += text.size;
    return copy;
}

static struct own_statement *own_statement_copy(const struct resource_statement *s)
{
    struct own_statement *copy = malloc(sizeof *copy + s->component.size +
                                        s->source.size + s->reason.size + s->by.size);
    if (!copy)
        return NULL;
    char *at = copy->texts;
    copy->s = *s;
    copy->s.component = own_text(&at, s->component);
    copy->s.source = own_text(&at, s->source);
    copy->s.reason = own_text(&at, s->reason);
    copy->s.by = own_text(&at, s->by);
    return copy;
}

static int waiting_grow(struct own_statements *own)
{
    if (own->count == OWN_STATEMENTS_MAX)
        return -ENOSPC;
    if (own->count < own->capacity)
        return 0;
    size_t capacity = own->capacity ? 2 * own->capacity : 64;
    struct own_statement **grown =
        reallocarray(own->waiting, capacity, sizeof(struct own_statement *));
    if (!grown)
        return -ENOMEM;
    own->waiting = grown;
    own->capacity = capacity;
    return 0;
}

static int waiting_add(struct own_statements *own,
                       const struct resource_statement *statement)
{
    struct own_statement *copy = own_statement_copy(statement);
    LOCKED(&own->lock);
    int rc = copy ? waiting_grow(own) : -ENOMEM;
    if (rc < 0) {
        own->lost++;
        free(copy);
        return rc;
    }
    own->waiting[own->count++] = copy;
    return 0;
}

static int flush_task(void *arg, struct err *err)
{
    struct own_statements *own = arg;
    (void)err;
    {
        LOCKED(&own->lock);
        own->is_submitted = false;
    }
    own_statements_flush(own);
    return 0;
}

static void flush_task_done(void *arg, int rc, const struct err *err)
{
    (void)arg;
    (void)rc;
    (void)err;
}

/* Where the writer's queue is full its upkeep flushes later. */
static void flush_soon(struct own_statements *own)
{
    const struct ingest_task task = { .run = flush_task,
                                      .done = flush_task_done,
                                      .arg = own };
    LOCKED(&own->lock);
    if (!own->writer || own->is_submitted)
        return;
    own->is_submitted = ingest_writer_submit_task(own->writer, &task) == 0;
}

int own_statements_put(struct own_statements *own,
                       const struct resource_statement *statement)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    int rc = waiting_add(own, statement);
    if (rc < 0)
        log_limited(&limit, LOG_LEVEL_WARN,
                    "resources: statement about " SPAN_FMT " by " SPAN_FMT
                    " is lost: %s (baro_resource_own_statements_lost_total)",
                    SPAN_ARG(statement->component), SPAN_ARG(statement->source),
                    rc == -ENOSPC ? "too many wait for the database" : "out of memory");
    flush_soon(own);
    return rc;
}

void own_statements_attach(struct own_statements *own, struct ingest_writer *writer)
{
    LOCKED(&own->lock);
    own->writer = writer;
    own->is_submitted = false;
}

/* ---- out ---- */

/* The first of them, which stay in it until they are stored: only this thread removes
 * any, and what they point to does not move. */
static size_t flush_begin(struct own_statements *own,
                          struct resource_statement statements[FLUSH_MAX])
{
    LOCKED(&own->lock);
    size_t count = own->count < FLUSH_MAX ? own->count : FLUSH_MAX;
    for (size_t i = 0; i < count; i++)
        statements[i] = own->waiting[i]->s;
    return count;
}

static void flush_end(struct own_statements *own, size_t count,
                      const struct submission_result *result)
{
    LOCKED(&own->lock);
    for (size_t i = 0; i < count; i++)
        free(own->waiting[i]);
    own->count -= count;
    memmove(own->waiting, own->waiting + count,
            own->count * sizeof(struct own_statement *));
    own->stored += count - result->refused;
    own->refused += result->refused;
}

static void refusals_log(const struct submission_result *result,
                         const struct resource_statement *statements)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    if (result->refusal_count == 0)
        return;
    const struct resource_statement *s = &statements[result->refusals[0].index];
    log_limited(
        &limit, LOG_LEVEL_WARN,
        "resources: statement about " SPAN_FMT " by " SPAN_FMT " is refused: %s",
        SPAN_ARG(s->component), SPAN_ARG(s->source), result->refusals[0].reason);
}

void own_statements_flush(struct own_statements *own)
{
    AUTO_FREE struct resource_statement *statements =
        calloc(FLUSH_MAX, sizeof *statements);
    size_t count;
    while (own && statements && (count = flush_begin(own, statements)) > 0) {
        struct submission_result result = { 0 };
        struct err err = { 0 };
        if (own->put(own->arg, statements, count, &result, &err) < 0)
            return; /* it has logged why: they wait */
        refusals_log(&result, statements);
        flush_end(own, count, &result);
    }
}

void own_statements_stats(struct own_statements *own, struct own_statements_stats *ret)
{
    LOCKED(&own->lock);
    *ret = (struct own_statements_stats){ own->stored, own->refused, own->lost,
                                          own->count };
}
