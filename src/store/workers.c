/* SPDX-License-Identifier: Apache-2.0 */
/* workers - what a store does by itself: when, and how it went. */
#include "store/workers.h"

#include "store/work.h"

#include "base/clock.h"
#include "base/number.h"

#define TICK_MS 200
#define TICK_PLAYED_MS 20
#define RETRY_NS (5 * NS_PER_S)
#define RETENTION_INTERVAL_MAX_NS (60 * NS_PER_S)
#define MEMORY_INTERVAL_NS (5 * NS_PER_S)

static const struct {
    const char *name;
    store_work_fn *fn;
} workers[METRIC_WORKER_COUNT] = {
    [METRIC_WORKER_RETENTION] = { "retention", store_retention },
    [METRIC_WORKER_MEMORY] = { "memory", store_memory_cap },
    [METRIC_WORKER_CHECKPOINT] = { "checkpoint", store_checkpoint },
    [METRIC_WORKER_ARCHIVE] = { "archive", store_archive },
    [METRIC_WORKER_SHUTDOWN] = { "shutdown", store_shutdown },
};

const char *metric_worker_name(enum metric_worker worker)
{
    return workers[worker].name;
}

/* 0: it never does it by itself. */
static int64_t interval_of(const struct metric_store *store, enum metric_worker worker)
{
    const struct metric_store_options *o = &store->options;
    int64_t interval_ns = o->retention_ns / 16;
    switch (worker) {
    case METRIC_WORKER_RETENTION:
        if (interval_ns > RETENTION_INTERVAL_MAX_NS)
            return RETENTION_INTERVAL_MAX_NS;
        return o->retention_ns && interval_ns == 0 ? 1 : interval_ns;
    case METRIC_WORKER_MEMORY:
        return o->memory_bytes_max ? MEMORY_INTERVAL_NS : 0;
    case METRIC_WORKER_CHECKPOINT:
        return store->dir ? o->checkpoint_interval_ns : 0;
    case METRIC_WORKER_ARCHIVE:
        return store->dir ? o->archive_interval_ns : 0;
    default:
        return 0;
    }
}

int store_work(struct metric_store *store, enum metric_worker worker,
               uint64_t *ret_done, struct err *err)
{
    struct err own = { 0 };
    struct err *why = err ? err : &own;
    uint64_t done = 0;
    LOCKED(&store->work_lock);
    int64_t begin_ns = clock_monotonic_ns();
    int rc = workers[worker].fn(store, &done, why);
    int64_t now_ns = clock_now_ns();
    LOCKED(&store->status_lock);
    struct metric_worker_status *s = &store->workers[worker];
    s->runs++;
    s->failures += rc < 0;
    s->done += done;
    s->last_t_ns = now_ns;
    s->last_duration_ns = clock_monotonic_ns() - begin_ns;
    s->error = rc < 0 ? *why : (struct err){ 0 };
    if (rc == 0 && ret_done)
        *ret_done = done;
    return rc;
}

static bool has_much_log(struct metric_store *store)
{
    uint64_t bytes = 0;
    for (size_t i = 0; store->dir && i < store->shard_count; i++) {
        struct journal_status status;
        journal_status(store->journals[i], &status);
        bytes += status.bytes - status.bytes_rotated;
    }
    return bytes >= store->options.checkpoint_log_bytes && bytes > 0;
}

static bool is_due(struct metric_store *store, enum metric_worker worker,
                   int64_t now_ns)
{
    int64_t interval_ns = interval_of(store, worker);
    int64_t *next_ns = &store->next_ns[worker];
    if (interval_ns == 0)
        return false;
    /* At first, and when the clock was stepped back. */
    if (*next_ns == 0 || *next_ns > now_ns + interval_ns)
        *next_ns = now_ns + interval_ns;
    if (store->retry_ns > now_ns + RETRY_NS)
        store->retry_ns = now_ns;
    if (worker == METRIC_WORKER_CHECKPOINT && now_ns < *next_ns &&
        now_ns >= store->retry_ns &&
        (atomic_load(&store->is_checkpoint_wanted) || has_much_log(store)))
        return true;
    return now_ns >= *next_ns;
}

static void work_when_due(struct metric_store *store, enum metric_worker worker)
{
    struct err err = { 0 };
    int64_t now_ns = clock_now_ns();
    if (!is_due(store, worker, now_ns))
        return;
    bool is_checkpoint = worker == METRIC_WORKER_CHECKPOINT;
    if (is_checkpoint)
        atomic_store(&store->is_checkpoint_wanted, false);
    int rc = store_work(store, worker, NULL, &err);
    store->next_ns[worker] = now_ns + interval_of(store, worker);
    if (rc == 0)
        return;
    store_report(store, STORE_ERROR, "%s: %s", workers[worker].name, err.text);
    if (is_checkpoint) {
        store->retry_ns = now_ns + RETRY_NS;
        atomic_store(&store->is_checkpoint_wanted, true);
    }
}

static void *run_workers(void *arg)
{
    struct metric_store *store = arg;
    while (!store_wait(store, clock_is_played() ? TICK_PLAYED_MS : TICK_MS)) {
        for (int i = 0; i < METRIC_WORKER_COUNT; i++)
            work_when_due(store, (enum metric_worker)i);
    }
    return NULL;
}

int store_workers_start(struct metric_store *store)
{
    if (pthread_create(&store->work_thread, NULL, run_workers, store) != 0)
        return -EAGAIN;
    store->has_work_thread = true;
    if (!store->dir)
        return 0;
    if (pthread_create(&store->sync_thread, NULL, store_sync_run, store) != 0)
        return -EAGAIN;
    store->has_sync_thread = true;
    return 0;
}

void store_workers_stop(struct metric_store *store)
{
    store_stop_waiting(store);
    if (store->has_work_thread)
        (void)pthread_join(store->work_thread, NULL);
    if (store->has_sync_thread)
        (void)pthread_join(store->sync_thread, NULL);
    store->has_work_thread = store->has_sync_thread = false;
}
