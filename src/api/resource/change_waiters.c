/* SPDX-License-Identifier: Apache-2.0 */
/* change_waiters - requests that wait for the next change. */
#include "api/resource/change_waiters.h"

#include "base/clock.h"
#include "base/number.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#define CHECK_NS \
    (NS_PER_S / 2) /* how often for those whose time is over, or who left */

struct change_waiters {
    struct resource_table *table;
    void (*reply)(void *arg, const struct change_wait *wait, bool is_over);
    void *arg;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool is_started, is_stopped, has_changed;
    struct change_wait waits[CHANGE_WAITERS_MAX];
    size_t count;
};

static bool wait_is_due(const struct change_waiters *w, const struct change_wait *wait)
{
    return clock_steady_ns() >= wait->due_ns || net_request_is_gone(wait->request) ||
           resource_table_has_changes(w->table, wait->after);
}

/* Under the lock: those that are due, out of the list. */
static size_t due_remove(struct change_waiters *w, struct change_wait *ret)
{
    size_t due = 0, left = 0;
    for (size_t i = 0; i < w->count; i++) {
        if (wait_is_due(w, &w->waits[i]))
            ret[due++] = w->waits[i];
        else
            w->waits[left++] = w->waits[i];
    }
    w->count = left;
    return due;
}

/* The condition's clock is the monotonic one. */
static void waiters_sleep(struct change_waiters *w)
{
    struct timespec until;
    if (w->count == 0) {
        (void)pthread_cond_wait(&w->wake, &w->lock);
        return;
    }
    int64_t until_ns = clock_monotonic_ns() + CHECK_NS;
    until.tv_sec = until_ns / NS_PER_S;
    until.tv_nsec = until_ns % NS_PER_S;
    (void)pthread_cond_timedwait(&w->wake, &w->lock, &until);
}

static void *waiters_run(void *arg)
{
    struct change_waiters *w = arg;
    struct change_wait due[CHANGE_WAITERS_MAX];
    (void)pthread_mutex_lock(&w->lock);
    while (!w->is_stopped) {
        if (!w->has_changed)
            waiters_sleep(w);
        w->has_changed = false;
        size_t count = due_remove(w, due);
        (void)pthread_mutex_unlock(&w->lock);
        for (size_t i = 0; i < count; i++)
            w->reply(w->arg, &due[i], false);
        (void)pthread_mutex_lock(&w->lock);
    }
    (void)pthread_mutex_unlock(&w->lock);
    return NULL;
}

int change_waiters_new(struct resource_table *table,
                       void (*reply)(void *arg, const struct change_wait *wait,
                                     bool is_over),
                       void *arg, struct change_waiters **ret, struct err *err)
{
    struct change_waiters *w = calloc(1, sizeof *w);
    pthread_condattr_t attributes;
    if (!w)
        return -ENOMEM;
    w->table = table;
    w->reply = reply;
    w->arg = arg;
    (void)pthread_mutex_init(&w->lock, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&w->wake, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    int rc = pthread_create(&w->thread, NULL, waiters_run, w);
    if (rc != 0) {
        change_waiters_free(w);
        return err_set(err, rc, "a thread for changes: %s", strerror(rc));
    }
    w->is_started = true;
    *ret = w;
    return 0;
}

int change_waiters_add(struct change_waiters *w, const struct change_wait *wait)
{
    LOCKED(&w->lock);
    if (w->is_stopped)
        return -ESHUTDOWN;
    if (w->count == CHANGE_WAITERS_MAX)
        return -EAGAIN;
    net_request_defer(wait->request);
    w->waits[w->count++] = *wait;
    /* It may have changed since it was found that it had not. */
    w->has_changed = true;
    (void)pthread_cond_signal(&w->wake);
    return 0;
}

void change_waiters_wake(struct change_waiters *w)
{
    LOCKED(&w->lock);
    w->has_changed = true;
    (void)pthread_cond_signal(&w->wake);
}

void change_waiters_stop(struct change_waiters *w)
{
    {
        LOCKED(&w->lock);
        w->is_stopped = true;
        (void)pthread_cond_signal(&w->wake);
    }
    if (w->is_started)
        (void)pthread_join(w->thread, NULL);
    w->is_started = false;
    for (size_t i = 0; i < w->count; i++)
        w->reply(w->arg, &w->waits[i], true);
    w->count = 0;
}

void change_waiters_free(struct change_waiters *w)
{
    if (!w)
        return;
    change_waiters_stop(w);
    (void)pthread_cond_destroy(&w->wake);
    (void)pthread_mutex_destroy(&w->lock);
    free(w);
}
