/* SPDX-License-Identifier: Apache-2.0 */
/* writer - a bounded queue of batches and the one thread that puts them. */
#include "ingest/writer.h"

#include "base/clock.h"
#include "base/number.h"

#include <time.h>

#define QUEUE_BYTES_MAX ((size_t)128 << 20)
#define IDLE_NS (10 * NS_PER_S)

struct queued {
    struct queued *next;
    size_t bytes;
    const struct jobbatch *batch; /* NULL: it is a task */
    ingest_done_fn *done;
    void *done_arg;
    struct ingest_task task;
};

struct ingest_writer {
    struct ingest_writer_opts opts;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock; /* for all that follows */
    pthread_cond_t wake;
    bool is_stopping;
    struct queued *first, **last;
    struct ingest_writer_stats stats;
};

/* Wait for a batch; NULL when there was none until deadline_ns, or never will be. */
static struct queued *take_first(struct ingest_writer *w, int64_t deadline_ns,
                                 bool *ret_is_over)
{
    struct timespec deadline = { .tv_sec = deadline_ns / NS_PER_S,
                                 .tv_nsec = deadline_ns % NS_PER_S };
    LOCKED(&w->lock);
    while (!w->first && !w->is_stopping)
        if (pthread_cond_timedwait(&w->wake, &w->lock, &deadline) == ETIMEDOUT)
            break;
    struct queued *q = w->first;
    *ret_is_over = !q && w->is_stopping;
    if (!q)
        return NULL;
    w->first = q->next;
    if (!w->first)
        w->last = &w->first;
    return q;
}

static void put(struct ingest_writer *w, struct queued *q)
{
    struct batch_result result = { 0 };
    struct err err = { 0 };
    int rc = q->batch ? w->opts.put(w->opts.arg, q->batch, &result, &err)
                      : q->task.run(q->task.arg, &err);
    {
        /* Before done: whoever waits for room should find it. */
        LOCKED(&w->lock);
        w->stats.queue_bytes -= q->bytes;
        w->stats.queue_count--;
        w->stats.put_count += rc == 0;
        w->stats.failed_count += rc < 0;
    }
    if (q->batch)
        q->done(q->done_arg, rc, &result, &err);
    else
        q->task.done(q->task.arg, rc, &err);
    free(q);
}

static void *run(void *arg)
{
    struct ingest_writer *w = arg;
    int64_t idle_at_ns = clock_monotonic_ns() + w->opts.idle_ns;
    for (;;) {
        bool is_over = false;
        struct queued *q = take_first(w, idle_at_ns, &is_over);
        if (is_over)
            return NULL;
        if (q)
            put(w, q);
        if (clock_monotonic_ns() < idle_at_ns)
            continue;
        if (w->opts.idle)
            w->opts.idle(w->opts.arg);
        idle_at_ns = clock_monotonic_ns() + w->opts.idle_ns;
    }
}

int ingest_writer_start(const struct ingest_writer_opts *opts,
                        struct ingest_writer **ret, struct err *err)
{
    struct ingest_writer *w = calloc(1, sizeof *w);
    if (!w)
        return err_set(err, ENOMEM, "out of memory");
    w->opts = *opts;
    if (w->opts.queue_bytes_max == 0)
        w->opts.queue_bytes_max = QUEUE_BYTES_MAX;
    if (w->opts.idle_ns == 0)
        w->opts.idle_ns = IDLE_NS;
    w->last = &w->first;
    pthread_condattr_t attr;
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&w->lock, NULL);
    (void)pthread_cond_init(&w->wake, &attr);
    (void)pthread_condattr_destroy(&attr);
    int rc = pthread_create(&w->thread, NULL, run, w);
    w->has_thread = rc == 0;
    if (rc) {
        ingest_writer_free(w);
        return err_set(err, rc, "start a thread: %s", strerror(rc));
    }
    *ret = w;
    return 0;
}

void ingest_writer_stop(struct ingest_writer *w)
{
    if (!w->has_thread)
        return;
    {
        LOCKED(&w->lock);
        w->is_stopping = true;
        (void)pthread_cond_signal(&w->wake);
    }
    (void)pthread_join(w->thread, NULL);
    w->has_thread = false;
}

void ingest_writer_free(struct ingest_writer *w)
{
    if (!w)
        return;
    ingest_writer_stop(w);
    (void)pthread_mutex_destroy(&w->lock);
    (void)pthread_cond_destroy(&w->wake);
    free(w);
}

/* What is queued becomes the writer's, or is freed. */
static int enqueue(struct ingest_writer *w, struct queued queued)
{
    struct queued *q = malloc(sizeof *q);
    if (!q)
        return -ENOMEM;
    *q = queued;
    int rc = 0;
    {
        LOCKED(&w->lock);
        if (w->is_stopping) {
            rc = -ESHUTDOWN;
        } else if (w->stats.queue_count &&
                   w->stats.queue_bytes + q->bytes > w->opts.queue_bytes_max) {
            /* One alone is always taken, or a big one never would be. */
            w->stats.full_count++;
            rc = -EAGAIN;
        } else {
            *w->last = q;
            w->last = &q->next;
            w->stats.queue_bytes += q->bytes;
            w->stats.queue_count++;
            (void)pthread_cond_signal(&w->wake);
        }
    }
    if (rc < 0)
        free(q);
    return rc;
}

int ingest_writer_submit(struct ingest_writer *w, const struct jobbatch *batch,
                         ingest_done_fn *done, void *done_arg)
{
    return enqueue(w, (struct queued){ .bytes = batch->arena.used_bytes,
                                       .batch = batch,
                                       .done = done,
                                       .done_arg = done_arg });
}

int ingest_writer_submit_task(struct ingest_writer *w, const struct ingest_task *task)
{
    return enqueue(w, (struct queued){ .bytes = task->bytes, .task = *task });
}

void ingest_writer_stats(struct ingest_writer *w, struct ingest_writer_stats *ret)
{
    LOCKED(&w->lock);
    *ret = w->stats;
}
