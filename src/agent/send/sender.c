/* SPDX-License-Identifier: Apache-2.0 */
/* sender - from the spool to barod, in order, one batch at a time. */
#include "agent/send/sender.h"

#include "agent/send/backoff.h"
#include "base/clock.h"
#include "base/number.h"

#include <pthread.h>
#include <sys/random.h>

struct sender {
    struct sender_opts opts;
    pthread_t thread;
    pthread_mutex_t lock; /* the four below */
    pthread_cond_t changed;
    bool is_stopping, is_idle;
    bool has_failed; /* the last attempt did */
    uint64_t attempts_failed;

    struct delivery *delivery;
    struct backoff backoff;
    struct strbuf payload;
};

/* ---- the thread ---- */

static bool has_work(const struct sender *s)
{
    return spool_acked(s->opts.spool) < atomic_load(s->opts.committed);
}

/* Sleep until something changes or, with until_ns (of clock_steady_ns), the time has
 * come. */
static void sender_nap(struct sender *s, int64_t until_ns)
{
    if (until_ns == T_NONE) {
        (void)pthread_cond_wait(&s->changed, &s->lock);
        return;
    }
    int64_t wait_ns = clock_steady_wait_ms(until_ns) * NS_PER_MS;
    int64_t at_ns = clock_monotonic_ns() + wait_ns;
    struct timespec at = { .tv_sec = at_ns / NS_PER_S, .tv_nsec = at_ns % NS_PER_S };
    (void)pthread_cond_timedwait(&s->changed, &s->lock, &at);
}

/* Wait for something to do, not before until_ns.  Returns whether there is; else the
 * sender is to end. */
static bool sender_wait(struct sender *s, int64_t until_ns)
{
    LOCKED(&s->lock);
    while (!s->is_stopping &&
           (!has_work(s) || (until_ns != T_NONE && clock_steady_ns() < until_ns))) {
        s->is_idle = true;
        (void)pthread_cond_broadcast(&s->changed);
        sender_nap(s, has_work(s) ? until_ns : T_NONE);
    }
    if (s->is_stopping)
        return false;
    s->is_idle = false;
    return true;
}

static enum delivery_outcome record_send(struct sender *s,
                                         const struct spool_record *record)
{
    const struct sender_sink *sink = &s->opts.sink;
    struct span payload = strbuf_span(&s->payload);
    return sink->send
               ? sink->send(sink->arg, record->sequence, payload, record->count)
               : delivery_send(s->delivery, record->sequence, payload, record->count);
}

/* One record out of the spool.  Returns whether it is done. */
static bool send_next(struct sender *s)
{
    struct spool *spool = s->opts.spool;
    struct spool_record record;
    struct err err = { 0 };
    int rc = spool_read(spool, spool_acked(spool), &s->payload, &record, &err);
    if (rc < 0 || record.sequence > atomic_load(s->opts.committed))
        return false;
    if (record_send(s, &record) == DELIVERY_LATER)
        return false;
    rc = spool_ack(spool, record.sequence, &err);
    if (rc < 0)
        agent_report(s->opts.delivery.report, LOG_LEVEL_ERROR, AGENT_EVENT_SERVER_AWAY,
                     "%s: a batch is sent twice", err.text);
    return rc == 0;
}

static int64_t sender_pause_ns(struct sender *s)
{
    uint32_t random = 0;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
        random = (uint32_t)clock_monotonic_ns();
    const struct sender_sink *sink = &s->opts.sink;
    return backoff_next(&s->backoff, random,
                        sink->send ? sink->retry_after_s(sink->arg)
                                   : delivery_retry_after_s(s->delivery));
}

static void *sender_run(void *arg)
{
    struct sender *s = arg;
    int64_t until_ns = T_NONE;
    while (sender_wait(s, until_ns)) {
        bool has_failed = !send_next(s);
        until_ns = has_failed ? clock_steady_ns() + sender_pause_ns(s) : T_NONE;
        if (!has_failed)
            backoff_reset(&s->backoff);
        LOCKED(&s->lock);
        s->has_failed = has_failed;
        s->attempts_failed += has_failed;
    }
    return NULL;
}

/* ---- from the loop's thread ---- */

static void sender_free(struct sender *s)
{
    delivery_free(s->delivery);
    strbuf_done(&s->payload);
    free(s);
}

int sender_start(const struct sender_opts *opts, struct sender **ret, struct err *err)
{
    struct sender *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    s->opts = *opts;
    s->backoff.max_ns = opts->backoff_max_ns;
    int rc = opts->sink.send ? 0 : delivery_new(&opts->delivery, &s->delivery);
    if (rc < 0) {
        free(s);
        return rc;
    }
    (void)pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&s->changed, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    rc = pthread_create(&s->thread, NULL, sender_run, s);
    if (rc) {
        sender_free(s);
        return err_set(err, rc, "start a thread: %s", strerror(rc));
    }
    *ret = s;
    return 0;
}

void sender_wake(struct sender *sender)
{
    LOCKED(&sender->lock);
    (void)pthread_cond_broadcast(&sender->changed);
}

int sender_drain(struct sender *sender)
{
    LOCKED(&sender->lock);
    while (!sender->is_idle || (has_work(sender) && !sender->has_failed))
        (void)pthread_cond_wait(&sender->changed, &sender->lock);
    return has_work(sender) ? -EAGAIN : 0;
}

bool sender_stop(struct sender *sender)
{
    bool is_idle;
    {
        LOCKED(&sender->lock);
        sender->is_stopping = true;
        is_idle = sender->is_idle;
        (void)pthread_cond_broadcast(&sender->changed);
    }
    if (!is_idle)
        return false;
    (void)pthread_join(sender->thread, NULL);
    sender_free(sender);
    return true;
}

void sender_count(struct sender *sender, struct sender_counts *ret)
{
    ret->delivery = (struct delivery_counts){ 0 };
    if (sender->delivery)
        delivery_count(sender->delivery, &ret->delivery);
    LOCKED(&sender->lock);
    ret->attempts_failed = sender->attempts_failed;
}
