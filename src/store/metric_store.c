/* SPDX-License-Identifier: Apache-2.0 */
/* metric_store - what a metric store consists of. */
#include "store/metric_store.h"

#include "base/clock.h"
#include "base/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define SYNC_INTERVAL_NS (100 * NS_PER_MS)
#define CHECKPOINT_INTERVAL_NS (300 * NS_PER_S)
#define CHECKPOINT_LOG_BYTES ((uint64_t)256 << 20)

static void init_locks(struct metric_store *store)
{
    pthread_condattr_t attr;
    exempt_hosts_init(&store->exempt);
    (void)pthread_mutex_init(&store->work_lock, NULL);
    (void)pthread_mutex_init(&store->status_lock, NULL);
    (void)pthread_mutex_init(&store->stop_lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&store->stop_cond, &attr);
    (void)pthread_condattr_destroy(&attr);
}

struct metric_store *metric_store_new(const struct metric_store_options *options)
{
    /* The readers' lines of the epoch want their alignment. */
    struct metric_store *store =
        aligned_alloc(alignof(struct metric_store), sizeof *store);
    if (!store)
        return NULL;
    memset(store, 0, sizeof *store);
    store->options = *options;
    store->lock_fd = -1;
    struct metric_store_options *o = &store->options;
    o->sync_interval_ns = o->sync_interval_ns ? o->sync_interval_ns : SYNC_INTERVAL_NS;
    if (o->checkpoint_interval_ns == 0)
        o->checkpoint_interval_ns = CHECKPOINT_INTERVAL_NS;
    if (o->checkpoint_log_bytes == 0)
        o->checkpoint_log_bytes = CHECKPOINT_LOG_BYTES;
    init_locks(store);
    epoch_init(&store->epoch);
    atomic_init(&store->next_number, 1);
    return store;
}

void metric_store_free(struct metric_store *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < store->shard_count; i++) {
        journal_close(store->journals[i]);
        shard_free(store->shards[i]);
    }
    store_files_close(atomic_load(&store->files));
    manifest_done(&store->current);
    manifest_done(&store->previous);
    metric_table_free(store->metrics);
    auto_close(&store->lock_fd);
    exempt_hosts_done(&store->exempt);
    (void)pthread_mutex_destroy(&store->work_lock);
    (void)pthread_mutex_destroy(&store->status_lock);
    (void)pthread_mutex_destroy(&store->stop_lock);
    (void)pthread_cond_destroy(&store->stop_cond);
    free(store->dir);
    free(store);
}

size_t store_choose_shards(const struct metric_store *store)
{
    if (store->options.shard_count)
        return store->options.shard_count;
    if (store->current.shard_count)
        return store->current.shard_count;
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1                   ? 1
           : count > METRIC_SHARDS_MAX ? METRIC_SHARDS_MAX
                                       : (size_t)count;
}

static bool is_exempt(void *arg, struct span host)
{
    struct metric_store *store = arg;
    return (store->options.is_exempt &&
            store->options.is_exempt(store->options.is_exempt_arg, host)) ||
           exempt_hosts_has(&store->exempt, host, clock_now_ns());
}

int store_make_shards(struct metric_store *store, size_t count)
{
    int rc = metric_table_new(&store->metrics);
    while (rc == 0 && store->shard_count < count) {
        struct shard_options options = {
            .series_max = SIZE_MAX, /* while it comes back from disk */
            .retention_ns = store->options.retention_ns,
            .index = (uint16_t)store->shard_count,
            .epoch = &store->epoch,
            .series_total = &store->series_total,
            .is_exempt = is_exempt,
            .is_exempt_arg = store,
        };
        struct shard *shard = NULL;
        rc = shard_new(&options, &shard);
        if (rc < 0)
            break;
        shard_memory(shard)->is_backed = store->dir != NULL;
        store->shards[store->shard_count++] = shard;
    }
    return rc;
}

void store_manifest_path(char out[static STORE_PATH_MAX],
                         const struct metric_store *store, enum store_file_kind kind,
                         struct manifest_file file)
{
    const struct store_file named = { kind, file.checkpoint, file.shard };
    store_file_path(out, store->dir, &named);
}

void store_replace_files(struct metric_store *store, struct store_files *files)
{
    struct store_files *old = atomic_exchange(&store->files, files);
    epoch_drain(&store->epoch);
    store_files_free(old);
}

uint64_t store_used_bytes(struct metric_store *store)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < store->shard_count; i++) {
        struct shard_status status;
        shard_status(store->shards[i], &status);
        bytes += status.used_bytes;
    }
    return bytes;
}

bool store_wait(struct metric_store *store, int64_t ms)
{
    int64_t until_ns = clock_monotonic_ns() + ms * NS_PER_MS;
    struct timespec until = { .tv_sec = until_ns / NS_PER_S,
                              .tv_nsec = until_ns % NS_PER_S };
    LOCKED(&store->stop_lock);
    while (!store->is_stopping &&
           pthread_cond_timedwait(&store->stop_cond, &store->stop_lock, &until) !=
               ETIMEDOUT)
        ;
    return store->is_stopping;
}

void store_stop_waiting(struct metric_store *store)
{
    LOCKED(&store->stop_lock);
    store->is_stopping = true;
    (void)pthread_cond_broadcast(&store->stop_cond);
}

void store_report(const struct metric_store *store, enum metric_store_notice notice,
                  const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    if (!store->options.report)
        return;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    store->options.report(store->options.report_arg, notice, text);
}

/* ---- queries ---- */

struct metric_table *metric_store_metrics(const struct metric_store *store)
{
    return store->metrics;
}

size_t metric_store_shard_count(const struct metric_store *store)
{
    return store->shard_count;
}

size_t metric_store_shard(const struct metric_store *store, struct span path)
{
    return shard_of(path, store->shard_seed, store->shard_count);
}

int metric_store_series(struct metric_store *store, struct span path,
                        const struct metric *metric, struct level_series **ret)
{
    struct level_series *s = metric_store_find(store, path, metric);
    if (s) {
        *ret = s;
        return 0;
    }
    struct shard *shard = store->shards[metric_store_shard(store, path)];
    shard_lock(shard);
    int rc = shard_level_series(shard, path, metric->id, metric->step_ns, ret);
    shard_unlock(shard);
    return rc;
}

size_t metric_store_series_count(const struct metric_store *store)
{
    return atomic_load(&store->series_total);
}

unsigned metric_store_enter(struct metric_store *store)
{
    return epoch_enter(&store->epoch);
}

void metric_store_leave(struct metric_store *store, unsigned reader)
{
    epoch_leave(&store->epoch, reader);
}

const struct level_tree *metric_store_tree(const struct metric_store *store,
                                           size_t shard)
{
    return shard_tree(store->shards[shard]);
}

struct level *metric_store_level(const struct metric_store *store, struct span path)
{
    return level_find(metric_store_tree(store, metric_store_shard(store, path)), path);
}

struct level_series *metric_store_find(const struct metric_store *store,
                                       struct span path, const struct metric *metric)
{
    const struct level_tree *tree =
        metric_store_tree(store, metric_store_shard(store, path));
    const struct level *level = level_find(tree, path);
    return level ? level_series_find(tree, level, metric->id) : NULL;
}
