/* SPDX-License-Identifier: Apache-2.0 */
/* forward - samples to other engines by Prometheus remote write. */
#include "forward/forward.h"

#include "base/clock.h"
#include "base/number.h"
#include "forward/target.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#define TARGETS_MAX 16

struct forward {
    struct forward_source source;
    struct forward_target *targets[TARGETS_MAX];
    size_t count;
    pthread_mutex_t lock; /* is_stopping */
    pthread_cond_t wake;
    bool is_stopping, has_thread;
    pthread_t thread;
};

int forward_new(const struct forward_source *source, struct forward **ret,
                struct err *err)
{
    struct forward *forward = calloc(1, sizeof *forward);
    if (!forward)
        return err_set(err, ENOMEM, "out of memory");
    pthread_condattr_t attr;
    (void)pthread_mutex_init(&forward->lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&forward->wake, &attr);
    (void)pthread_condattr_destroy(&attr);
    forward->source = *source;
    *ret = forward;
    return 0;
}

int forward_check(const char *name, const struct forward_opts *opts, struct err *err)
{
    return target_check(name, opts, err);
}

int forward_add(struct forward *forward, const char *name,
                const struct forward_opts *opts, struct err *err)
{
    if (forward->count == TARGETS_MAX)
        return err_set(err, EINVAL, "forward %s: more than %d targets", name,
                       TARGETS_MAX);
    int rc = target_new(&forward->source, name, opts, &forward->targets[forward->count],
                        err);
    forward->count += rc == 0;
    return rc;
}

/* ---- the thread that syncs ---- */

static bool wait_to_stop(struct forward *forward, int64_t ns)
{
    int64_t until_ns = clock_monotonic_ns() + ns;
    const struct timespec until = { .tv_sec = until_ns / NS_PER_S,
                                    .tv_nsec = until_ns % NS_PER_S };
    LOCKED(&forward->lock);
    while (!forward->is_stopping)
        if (pthread_cond_timedwait(&forward->wake, &forward->lock, &until) != 0)
            break;
    return forward->is_stopping;
}

static void *sync_until_stopped(void *arg)
{
    struct forward *forward = arg;
    while (!wait_to_stop(forward, forward->source.sync_interval_ns))
        (void)forward_sync(forward);
    return NULL;
}

static void end_thread(struct forward *forward)
{
    if (!forward->has_thread)
        return;
    {
        LOCKED(&forward->lock);
        forward->is_stopping = true;
        (void)pthread_cond_signal(&forward->wake);
    }
    (void)pthread_join(forward->thread, NULL);
}

int forward_start(struct forward *forward, struct err *err)
{
    int rc = pthread_create(&forward->thread, NULL, sync_until_stopped, forward);
    if (rc != 0)
        return err_set(err, EAGAIN, "forward: no thread: %s", strerror(rc));
    forward->has_thread = true;
    for (size_t i = 0; rc == 0 && i < forward->count; i++)
        rc = target_start(forward->targets[i], err);
    return rc;
}

void forward_free(struct forward *forward)
{
    if (!forward)
        return;
    end_thread(forward);
    for (size_t i = 0; i < forward->count; i++)
        target_free(forward->targets[i]);
    (void)pthread_cond_destroy(&forward->wake);
    (void)pthread_mutex_destroy(&forward->lock);
    free(forward);
}

void forward_put(struct forward *forward, const struct sample *samples, size_t count)
{
    int64_t oldest_ns = forward->source.oldest_ns(forward->source.arg);
    for (size_t i = 0; i < forward->count; i++)
        target_put(forward->targets[i], samples, count, oldest_ns);
}

int forward_sync(struct forward *forward)
{
    int rc = 0;
    for (size_t i = 0; i < forward->count; i++) {
        int one = target_sync(forward->targets[i]);
        rc = rc < 0 ? rc : one;
    }
    return rc;
}

size_t forward_count(const struct forward *forward)
{
    return forward->count;
}

void forward_stats(struct forward *forward, size_t index, const char **ret_name,
                   struct forward_stats *ret)
{
    *ret_name = target_name(forward->targets[index]);
    target_stats(forward->targets[index], ret);
}
