/* SPDX-License-Identifier: Apache-2.0 */
/* footprint_worker - the thread of the daemon that makes the footprints of runs that
 * ended. */
#include "daemon/jobs/footprint_worker.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define EVERY_NS (60 * NS_PER_S)
#define WAKE_NS (2 * NS_PER_S) /* submissions may come one by one */
#define NICENESS 10

struct footprint_worker {
    struct footprint_worker_opts opts;
    pthread_t thread;
    pthread_mutex_t lock; /* of the flags, and of what the writer reports */
    pthread_cond_t wake;
    bool is_woken, is_put;
    atomic_bool is_stopping;
    int put_rc;
    struct err put_err;
    struct records_reader *reader;
    struct arena arena; /* of the runs that are being made */
    struct job runs[FOOTPRINT_RUNS_AT_ONCE];
    size_t run_count;
    struct run_footprint made; /* of one of them */
    struct job_metric *rows;
    size_t row_count, row_capacity;
    _Atomic uint64_t done, unobserved, stored, errors, busy_ms;
};

int64_t footprint_oldest_ns(int64_t retention_ns, int64_t now_ns)
{
    if (retention_ns <= 0 || retention_ns > FOOTPRINT_LONGEST_NS)
        retention_ns = FOOTPRINT_LONGEST_NS;
    return now_ns > retention_ns ? now_ns - retention_ns : 0;
}

static int stop_watch(void *arg)
{
    const struct footprint_worker *w = arg;
    return w->is_stopping ? -ECANCELED : 0;
}

/* Until it is woken or stopped; true: it is time to stop. */
static bool pause_for(struct footprint_worker *w, int64_t ns, bool *woken)
{
    int64_t end_ns = clock_monotonic_ns() + ns;
    const struct timespec until = { .tv_sec = end_ns / NS_PER_S,
                                    .tv_nsec = end_ns % NS_PER_S };
    LOCKED(&w->lock);
    while (!w->is_stopping && (!woken || !*woken))
        if (pthread_cond_timedwait(&w->wake, &w->lock, &until) == ETIMEDOUT)
            break;
    return w->is_stopping;
}

static void wake_forget(struct footprint_worker *w)
{
    LOCKED(&w->lock);
    w->is_woken = false;
}

/* ---- which runs ---- */

static struct span text_copied(struct footprint_worker *w, struct span text, bool *ok)
{
    const char *copy = arena_dup(&w->arena, text);
    *ok = *ok && copy;
    return (struct span){ copy, text.size };
}

static int run_note(void *arg, const struct job *run)
{
    struct footprint_worker *w = arg;
    bool ok = true;
    w->runs[w->run_count++] = (struct job){
        .cluster = text_copied(w, run->cluster, &ok),
        .id = text_copied(w, run->id, &ok),
        .raw_id = text_copied(w, run->raw_id, &ok),
        .nodes = text_copied(w, run->nodes, &ok),
        .start_ns = run->start_ns,
        .end_ns = run->end_ns,
    };
    return !ok ? -ENOMEM : w->run_count == FOOTPRINT_RUNS_AT_ONCE ? 1 : 0;
}

static int runs_find(struct footprint_worker *w, struct err *err)
{
    int64_t now_ns = clock_now_ns();
    int rc = w->reader ? 0 : records_reader_open(w->opts.records, &w->reader, err);
    if (rc < 0)
        return rc;
    records_reader_watch(w->reader, stop_watch, w);
    arena_reset(&w->arena);
    w->run_count = w->row_count = 0;
    rc = records_find_jobs_without_metrics(
        w->reader, footprint_oldest_ns(w->opts.retention_ns, now_ns),
        now_ns - w->opts.delay_ns, FOOTPRINT_RUNS_AT_ONCE, run_note, w, err);
    if (rc < 0) {
        records_reader_close(w->reader);
        w->reader = NULL;
    }
    return rc;
}

/* ---- their rows ---- */

static int rows_add(struct footprint_worker *w)
{
    size_t count = w->row_count + w->made.count;
    if (count > w->row_capacity) {
        size_t capacity = count > 2 * w->row_capacity ? count : 2 * w->row_capacity;
        void *grown = reallocarray(w->rows, capacity, sizeof *w->rows);
        if (!grown)
            return -ENOMEM;
        w->rows = grown;
        w->row_capacity = capacity;
    }
    memcpy(&w->rows[w->row_count], w->made.rows, w->made.count * sizeof *w->rows);
    w->row_count = count;
    return 0;
}

/* On the writer's thread. */
static int rows_put(void *arg, struct err *err)
{
    struct footprint_worker *w = arg;
    struct records_submission put = { 0 };
    int rc = records_put_job_metrics(w->opts.records, w->rows, w->row_count,
                                     clock_now_ms(), &put, err);
    if (rc == 0)
        w->stored += put.accepted + put.changed;
    return rc;
}

static void rows_are_put(void *arg, int rc, const struct err *err)
{
    struct footprint_worker *w = arg;
    LOCKED(&w->lock);
    w->is_put = true;
    w->put_rc = rc;
    w->put_err = *err;
    (void)pthread_cond_broadcast(&w->wake);
}

/* Wait until the writer has stored them: it does so even where barod stops. */
static int rows_store(struct footprint_worker *w, struct err *err)
{
    const struct ingest_task task = { .bytes = w->row_count * sizeof *w->rows,
                                      .run = rows_put,
                                      .done = rows_are_put,
                                      .arg = w };
    if (w->row_count == 0)
        return 0;
    w->is_put = false;
    int rc = ingest_writer_submit_task(w->opts.writer, &task);
    if (rc < 0)
        return err_set(err, -rc, "%s",
                       rc == -EAGAIN ? "batches wait for the database"
                                     : "the writer does not accept them");
    LOCKED(&w->lock);
    while (!w->is_put)
        (void)pthread_cond_wait(&w->wake, &w->lock);
    return w->put_rc < 0 ? err_set(err, -w->put_rc, "%s", w->put_err.text) : 0;
}

static int rows_make(struct footprint_worker *w, uint64_t *unobserved, struct err *err)
{
    const struct run_footprint_opts opts = { .store = w->opts.store,
                                             .patterns = w->opts.patterns,
                                             .watch = stop_watch,
                                             .watch_arg = w };
    int rc = 0;
    for (size_t i = 0; i < w->run_count && rc == 0; i++) {
        rc = run_footprint_make(&opts, &w->runs[i], &w->arena, &w->made, err);
        *unobserved += rc == 0 && !w->made.is_observed;
        if (rc == 0)
            rc = rows_add(w);
    }
    return rc;
}

/* 1: there may be more; 0: all is done. */
static int runs_make(struct footprint_worker *w, struct err *err)
{
    uint64_t unobserved = 0;
    if (!records_is_connected(w->opts.records))
        return 0; /* barod waits for it, and has logged that */
    int rc = runs_find(w, err);
    if (rc == 0 && w->run_count > 0)
        rc = rows_make(w, &unobserved, err);
    if (rc == 0)
        rc = rows_store(w, err);
    if (rc < 0)
        return rc;
    w->done += w->run_count;
    w->unobserved += unobserved;
    w->busy_ms = (uint64_t)(clock_cpu_ns() / NS_PER_MS);
    return w->run_count == FOOTPRINT_RUNS_AT_ONCE;
}

/* ---- the thread ---- */

static void failure_report(struct footprint_worker *w, int rc, const struct err *err)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    if (rc == -ECANCELED)
        return;
    w->errors++;
    log_limited(&limit, LOG_LEVEL_WARN, "footprints of jobs: %s; tried again later",
                err->text[0] ? err->text : strerror(-rc));
}

static void *footprints_make(void *arg)
{
    struct footprint_worker *w = arg;
    bool is_stopping = false;
    (void)setpriority(PRIO_PROCESS, 0, NICENESS); /* of this thread only, on Linux */
    while (!is_stopping) {
        struct err err = { 0 };
        int64_t begin_ns = clock_monotonic_ns();
        int rc = runs_make(w, &err);
        if (rc < 0)
            failure_report(w, rc, &err);
        int64_t busy_ns = clock_monotonic_ns() - begin_ns;
        if (rc > 0) {
            is_stopping = pause_for(w, busy_ns, NULL);
            continue;
        }
        is_stopping = pause_for(w, EVERY_NS, &w->is_woken);
        if (!is_stopping)
            is_stopping = pause_for(w, WAKE_NS, NULL);
        wake_forget(w);
    }
    return NULL;
}

/* ---- the door ---- */

int footprint_worker_start(const struct footprint_worker_opts *opts,
                           struct footprint_worker **ret, struct err *err)
{
    pthread_condattr_t attr;
    struct footprint_worker *w = calloc(1, sizeof *w);
    if (!w)
        return -ENOMEM;
    w->opts = *opts;
    arena_init(&w->arena, 0);
    (void)pthread_mutex_init(&w->lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&w->wake, &attr);
    (void)pthread_condattr_destroy(&attr);
    int rc = pthread_create(&w->thread, NULL, footprints_make, w);
    if (rc != 0) {
        free(w);
        return err_set(err, EAGAIN, "footprints of jobs: no thread: %s", strerror(rc));
    }
    *ret = w;
    return 0;
}

void footprint_worker_free(struct footprint_worker *w)
{
    if (!w)
        return;
    {
        LOCKED(&w->lock);
        w->is_stopping = true;
        (void)pthread_cond_broadcast(&w->wake);
    }
    (void)pthread_join(w->thread, NULL);
    records_reader_close(w->reader);
    arena_done(&w->arena);
    free(w->rows);
    (void)pthread_cond_destroy(&w->wake);
    (void)pthread_mutex_destroy(&w->lock);
    free(w);
}

void footprint_worker_wake(struct footprint_worker *w)
{
    if (!w)
        return;
    LOCKED(&w->lock);
    w->is_woken = true;
    (void)pthread_cond_broadcast(&w->wake);
}

void footprint_worker_stats(const struct footprint_worker *w,
                            struct footprint_worker_stats *ret)
{
    *ret = (struct footprint_worker_stats){ 0 };
    if (!w)
        return;
    *ret = (struct footprint_worker_stats){ .runs = w->done,
                                            .unobserved = w->unobserved,
                                            .rows = w->stored,
                                            .errors = w->errors,
                                            .busy_ms = w->busy_ms };
}
