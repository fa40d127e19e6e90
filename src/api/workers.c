/* SPDX-License-Identifier: Apache-2.0 */
/* workers - a few threads that do queued work, and what one sender may have of them. */
#include "api/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct workers {
    struct workers_opts opts;
    pthread_mutex_t lock; /* of what follows, down to stats */
    pthread_cond_t wake;
    struct work *first, **last;
    size_t waiting;
    size_t share;                  /* of the threads, for one sender */
    uint64_t running[WORKERS_MAX]; /* whose work each of them does; 0: none */
    bool is_over;
    struct workers_stats stats;
    pthread_t threads[WORKERS_MAX];
    size_t thread_count;
    _Atomic size_t started; /* of the threads; each has a number */
};

static void enqueue(struct workers *w, struct work *work)
{
    work->next = NULL;
    *w->last = work;
    w->last = &work->next;
    w->waiting++;
}

int workers_reserve(struct workers *w, struct work *work, struct err *err)
{
    size_t own = 0;
    LOCKED(&w->lock);
    for (const struct work *other = w->first; other; other = other->next)
        own += other->sender == work->sender;
    const char *reason = NULL;
    if (w->is_over || w->waiting >= w->opts.queue_max)
        reason = "too many queries at once: try again";
    else if (own && own >= w->opts.queue_max / 2)
        reason = "too many queries of one sender at once: wait for their responses";
    if (reason) {
        w->stats.refused++;
        return err_set(err, EAGAIN, "%s", reason);
    }
    work->is_ready = false;
    enqueue(w, work);
    return 0;
}

void workers_submit(struct workers *w, struct work *work)
{
    LOCKED(&w->lock);
    work->is_ready = true;
    (void)pthread_cond_signal(&w->wake);
}

void workers_continue(struct workers *w, struct work *work)
{
    LOCKED(&w->lock);
    work->is_ready = true;
    enqueue(w, work);
    (void)pthread_cond_signal(&w->wake);
}

/* One sender has all workers but one at most: what takes a moment need not wait until
 * the queries of another sender about a year are answered. */
static bool may_run(const struct workers *w, const struct work *work)
{
    size_t own = 0;
    for (size_t i = 0; i < WORKERS_MAX; i++)
        own += w->running[i] == work->sender;
    return own < w->share || w->is_over;
}

/* Out of the queue: the first that may run; NULL: there is none. */
static struct work *pick(struct workers *w)
{
    for (struct work **at = &w->first; *at; at = &(*at)->next) {
        struct work *work = *at;
        if (!work->is_ready || !may_run(w, work))
            continue;
        *at = work->next;
        if (!work->next)
            w->last = at;
        w->waiting--;
        return work;
    }
    return NULL;
}

/* The next work of this thread; NULL: it is over. */
static struct work *next_work(struct workers *w, size_t number)
{
    struct work *work;
    LOCKED(&w->lock);
    w->running[number] = 0;
    while (!(work = pick(w)) && !w->is_over)
        (void)pthread_cond_wait(&w->wake, &w->lock);
    if (!work)
        return NULL;
    w->running[number] = work->sender;
    w->stats.begun++;
    return work;
}

static void *run_worker(void *arg)
{
    struct workers *w = arg;
    struct work *work;
    size_t number = w->started++;
    void *state = w->opts.begin ? w->opts.begin(w->opts.arg) : NULL;
    while ((work = next_work(w, number)))
        w->opts.run(w->opts.arg, state, work);
    if (w->opts.end)
        w->opts.end(state);
    return NULL;
}

int workers_new(const struct workers_opts *opts, struct workers **ret, struct err *err)
{
    AUTO(workers_free) struct workers *w = calloc(1, sizeof *w);
    if (!w)
        return -ENOMEM;
    w->opts = *opts;
    w->last = &w->first;
    w->share = opts->count > 1 ? opts->count - 1 : 1;
    (void)pthread_mutex_init(&w->lock, NULL);
    (void)pthread_cond_init(&w->wake, NULL);
    for (; w->thread_count < opts->count; w->thread_count++) {
        int rc = pthread_create(&w->threads[w->thread_count], NULL, run_worker, w);
        if (rc)
            return err_set(err, rc, "threads: %s", strerror(rc));
    }
    *ret = TAKE(w);
    return 0;
}

void workers_free(struct workers *w)
{
    if (!w)
        return;
    (void)pthread_mutex_lock(&w->lock);
    w->is_over = true;
    (void)pthread_cond_broadcast(&w->wake);
    (void)pthread_mutex_unlock(&w->lock);
    for (size_t i = 0; i < w->thread_count; i++)
        (void)pthread_join(w->threads[i], NULL);
    (void)pthread_cond_destroy(&w->wake);
    (void)pthread_mutex_destroy(&w->lock);
    free(w);
}

void workers_stats(struct workers *w, struct workers_stats *ret)
{
    LOCKED(&w->lock);
    *ret = w->stats;
    ret->waiting = w->waiting;
    ret->queue_max = w->opts.queue_max;
}
