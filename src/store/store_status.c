/* SPDX-License-Identifier: Apache-2.0 */
/* store_status - what a store has and does, in numbers. */
#include "store/metric_store.h"

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
