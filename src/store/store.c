/* SPDX-License-Identifier: Apache-2.0 */
/* store - the metric store: shards, metrics, and what is done to all of them. */
#include "store/workers.h"

#include "base/clock.h"
#include "base/hashmap.h"
#include "base/number.h"

#include <stdio.h>
#include <unistd.h>

#define SERIES_MAX_DEFAULT ((size_t)10000000)
#define SYNC_INTERVAL_NS (100 * NS_PER_MS)
#define CHECKPOINT_INTERVAL_NS (300 * NS_PER_S)
#define CHECKPOINT_LOG_BYTES ((uint64_t)256 << 20)

static int check_options(const struct metric_store_options *o, struct err *err)
{
    if (o->shard_count > METRIC_SHARDS_MAX)
        return err_set(err, EINVAL, "%zu shards: at most %d", o->shard_count,
                       METRIC_SHARDS_MAX);
    if (o->retention_ns < 0 || o->sync_interval_ns < 0 ||
        o->checkpoint_interval_ns < 0 || o->archive_interval_ns < 0)
        return err_set(err, EINVAL, "an interval of the store is below 0");
    return 0;
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

static bool is_spared(void *arg, struct span host)
{
    struct metric_store *store = arg;
    return (store->options.spare &&
            store->options.spare(store->options.spare_arg, host)) ||
           spared_has(&store->spared, host, clock_now_ns());
}

int metric_store_spare(struct metric_store *store, struct span host, int64_t until_ns)
{
    return spared_put(&store->spared, host, until_ns, clock_now_ns());
}

size_t metric_store_spared_count(struct metric_store *store)
{
    return spared_count(&store->spared, clock_now_ns());
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
            .spare = is_spared,
            .spare_arg = store,
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

static int open_in_memory(struct metric_store *store, struct err *err)
{
    store->shard_seed = hashmap_seed();
    int rc = store_make_shards(store, store_choose_shards(store));
    return rc < 0 ? err_set(err, -rc, "out of memory") : 0;
}

static int open_on_disk(struct metric_store *store, struct err *err)
{
    bool is_unsafe = false;
    store->dir = strdup(store->options.dir);
    if (!store->dir)
        return err_set(err, ENOMEM, "out of memory");
    int rc = store_restore(store, &is_unsafe, err);
    if (rc == 0 && is_unsafe && !store->options.is_read_only)
        rc = store_work(store, METRIC_WORKER_CHECKPOINT, NULL, err);
    return rc;
}

static void init_locks(struct metric_store *store)
{
    pthread_condattr_t attr;
    spared_init(&store->spared);
    (void)pthread_mutex_init(&store->work_lock, NULL);
    (void)pthread_mutex_init(&store->status_lock, NULL);
    (void)pthread_mutex_init(&store->stop_lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&store->stop_cond, &attr);
    (void)pthread_condattr_destroy(&attr);
}

static struct metric_store *store_new(const struct metric_store_options *options)
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

static void free_list(struct store_files *files)
{
    if (!files)
        return;
    free(files->blocks);
    free(files->archives);
    free(files);
}

static void files_free(struct store_files *files)
{
    for (size_t i = 0; files && i < files->block_count; i++)
        block_file_close(files->blocks[i]);
    for (size_t i = 0; files && i < files->archive_count; i++)
        archive_file_close(files->archives[i]);
    free_list(files);
}

/* Without writing anything: what was acknowledged is in the log. */
static void store_free(struct metric_store *store)
{
    if (!store)
        return;
    store_workers_stop(store);
    for (size_t i = 0; i < store->shard_count; i++) {
        journal_close(store->journals[i]);
        shard_free(store->shards[i]);
    }
    files_free(atomic_load(&store->files));
    manifest_done(&store->current);
    manifest_done(&store->previous);
    metric_table_free(store->metrics);
    auto_close(&store->lock_fd);
    spared_done(&store->spared);
    (void)pthread_mutex_destroy(&store->work_lock);
    (void)pthread_mutex_destroy(&store->status_lock);
    (void)pthread_mutex_destroy(&store->stop_lock);
    (void)pthread_cond_destroy(&store->stop_cond);
    free(store->dir);
    free(store);
}

DEFINE_AUTO(struct metric_store, store_free);

int metric_store_open(const struct metric_store_options *options,
                      struct metric_store **ret, struct err *err)
{
    int rc = check_options(options, err);
    if (rc < 0)
        return rc;
    AUTO(store_free) struct metric_store *store = store_new(options);
    if (!store)
        return err_set(err, ENOMEM, "out of memory");
    rc = options->dir ? open_on_disk(store, err) : open_in_memory(store, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < store->shard_count; i++)
        shard_set_series_max(store->shards[i], options->series_max
                                                   ? options->series_max
                                                   : SERIES_MAX_DEFAULT);
    rc = options->is_read_only ? 0 : store_workers_start(store);
    if (rc < 0)
        return err_set(err, -rc, "start the store's workers: %s", strerror(-rc));
    *ret = TAKE(store);
    return 0;
}

void metric_store_close(struct metric_store *store)
{
    struct err err = { 0 };
    if (!store)
        return;
    store_workers_stop(store);
    if (!store->options.is_read_only && metric_store_shutdown(store, &err) < 0)
        store_say(store, STORE_FAILS, "at the end: %s; the log has it", err.text);
    store_free(store);
}

void store_replace_files(struct metric_store *store, struct store_files *files)
{
    struct store_files *old = atomic_exchange(&store->files, files);
    epoch_drain(&store->epoch);
    free_list(old);
}

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

int metric_store_sync(struct metric_store *store)
{
    int rc = 0;
    for (size_t i = 0; store->journals[0] && i < store->shard_count; i++) {
        int one = journal_sync(store->journals[i]);
        rc = rc < 0 ? rc : one;
    }
    return rc;
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

static int read_series(void *arg, const struct level_series *series, int64_t from_ns,
                       int64_t to_ns, series_samples_fn *fn, void *fn_arg)
{
    struct metric_range range = { from_ns, to_ns, fn, fn_arg };
    struct metric_read read;
    return metric_store_read(arg, series, &range, &read);
}

/* A level that several shards may have: what it has itself stands in one of them. */
static int aggregate_level(struct metric_store *store, struct span path,
                           uint32_t metric, struct aggregate *aggregate)
{
    size_t own = metric_store_shard(store, path);
    const struct level_tree *tree = metric_store_tree(store, own);
    const struct level *level = level_find(tree, path);
    if (level && level_series_find(tree, level, metric))
        return aggregate_add(tree, level, metric, read_series, store, aggregate);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < store->shard_count; i++) {
        tree = metric_store_tree(store, i);
        level = level_find(tree, path);
        if (level)
            rc = aggregate_add(tree, level, metric, read_series, store, aggregate);
    }
    return rc;
}

/* Whether an earlier shard has a level of this path as well. */
static bool is_seen(const struct metric_store *store, size_t shard, struct span path)
{
    for (size_t i = 0; i < shard; i++) {
        if (level_find(metric_store_tree(store, i), path))
            return true;
    }
    return false;
}

static int aggregate_root(struct metric_store *store, uint32_t metric,
                          struct aggregate *aggregate)
{
    int rc = 0;
    for (size_t i = 0; i < store->shard_count; i++) {
        const struct level *cluster = atomic_load_explicit(
            &metric_store_tree(store, i)->root->child, memory_order_acquire);
        for (; rc == 0 && cluster; cluster = cluster->next) {
            struct span path = { cluster->path, cluster->path_size };
            if (!is_seen(store, i, path))
                rc = aggregate_level(store, path, metric, aggregate);
        }
    }
    return rc;
}

int metric_store_aggregate(struct metric_store *store, struct span path,
                           const struct metric *metric, struct aggregate *aggregate)
{
    aggregate_begin(aggregate);
    bool is_root = path.size == 0 && !metric_store_find(store, path, metric);
    int rc = is_root ? aggregate_root(store, metric->id, aggregate)
                     : aggregate_level(store, path, metric->id, aggregate);
    return rc < 0 ? rc : aggregate_end(metric->aggregation, aggregate);
}

size_t metric_store_release(struct metric_store *store, struct span path, int64_t t_ns)
{
    size_t released = 0;
    for (size_t i = 0; i < store->shard_count; i++)
        released += shard_release(store->shards[i], path, t_ns);
    return released;
}

int metric_store_checkpoint(struct metric_store *store, struct err *err)
{
    bool writes = store->dir && !store->options.is_read_only;
    return writes ? store_work(store, METRIC_WORKER_CHECKPOINT, NULL, err) : 0;
}

size_t metric_store_retain(struct metric_store *store)
{
    uint64_t released = 0;
    (void)store_work(store, METRIC_WORKER_RETENTION, &released, NULL);
    return released;
}

int metric_store_limit_memory(struct metric_store *store, struct err *err)
{
    return store_work(store, METRIC_WORKER_MEMORY, NULL, err);
}

int metric_store_archive(struct metric_store *store, struct err *err)
{
    return store_work(store, METRIC_WORKER_ARCHIVE, NULL, err);
}

int metric_store_shutdown(struct metric_store *store, struct err *err)
{
    return store_work(store, METRIC_WORKER_SHUTDOWN, NULL, err);
}

static void add_status(struct shard_status *sum, const struct shard_status *one)
{
    sum->samples.accepted += one->samples.accepted;
    sum->samples.late += one->samples.late;
    sum->samples.overwritten += one->samples.overwritten;
    sum->samples.steps_doubted += one->samples.steps_doubted;
    sum->samples.repeated += one->samples.repeated;
    sum->samples.too_old += one->samples.too_old;
    sum->samples.phase_moved += one->samples.phase_moved;
    sum->samples.sealed += one->samples.sealed;
    sum->series_count += one->series_count;
    sum->level_count += one->level_count;
    sum->used_bytes += one->used_bytes;
    sum->slab_bytes += one->slab_bytes;
    sum->reused_count += one->reused_count;
    sum->released_slots += one->released_slots;
}

static void add_files(struct metric_store *store, struct metric_store_status *ret)
{
    unsigned reader = metric_store_enter(store);
    const struct store_files *files = atomic_load(&store->files);
    for (size_t i = 0; i < files->block_count; i++)
        ret->block_file_bytes += files->blocks[i]->sealed.size;
    for (size_t i = 0; i < files->archive_count; i++)
        ret->archive_bytes += files->archives[i]->sealed.size;
    ret->block_files = files->block_count;
    ret->archives = files->archive_count;
    metric_store_leave(store, reader);
    for (size_t i = 0; !store->options.is_read_only && i < store->shard_count; i++) {
        struct journal_status one;
        journal_status(store->journals[i], &one);
        ret->log_records += one.records;
        ret->log_bytes += one.bytes;
        ret->log_syncs += one.syncs;
        ret->log_failures += one.failures;
    }
}

size_t metric_store_series_count(const struct metric_store *store)
{
    return atomic_load(&store->series_total);
}

void metric_store_status(struct metric_store *store, struct metric_store_status *ret)
{
    struct metric_store_status status = {
        .shard_count = store->shard_count,
        .metric_count = metric_count(store->metrics),
        .batches = atomic_load(&store->batches),
        .refused_batches = atomic_load(&store->refused_batches),
        .memory_warnings = atomic_load(&store->memory_warnings),
        .memory_overruns = atomic_load(&store->memory_overruns),
        .checkpoint = atomic_load(&store->checkpoint),
        .damaged_blocks = atomic_load(&store->damaged_blocks),
        .unreadable_blocks = atomic_load(&store->unreadable_blocks),
        .lost_samples = atomic_load(&store->lost_samples),
    };
    for (size_t i = 0; i < store->shard_count; i++) {
        struct shard_status one;
        shard_status(store->shards[i], &one);
        add_status(&status.memory, &one);
    }
    if (store->dir)
        add_files(store, &status);
    LOCKED(&store->status_lock);
    memcpy(status.workers, store->workers, sizeof status.workers);
    *ret = status;
}

void store_say(const struct metric_store *store, enum metric_store_notice notice,
               const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    if (!store->options.say)
        return;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    store->options.say(store->options.say_arg, notice, text);
}
