/* SPDX-License-Identifier: Apache-2.0 */
/* store_parts - what a metric store consists of; for the files of the store only. */
#ifndef STORE_STORE_PARTS_H
#define STORE_STORE_PARTS_H

#include "blocks/blocks.h"
#include "store/journal.h"
#include "store/spared.h"
#include "store/store.h"

/* The files that answers come from; replaced as a whole. */
struct store_files {
    size_t block_count;
    struct block_file **blocks; /* by checkpoint, then shard */
    size_t archive_count;
    struct archive_file **archives; /* by age */
};

struct metric_store {
    struct metric_store_options options;
    struct epoch epoch; /* of the readers of all shards */
    struct metric_table *metrics;
    uint64_t shard_seed;
    _Atomic size_t series_total;
    _Atomic uint32_t next_number; /* of a series, in all files */
    _Atomic uint64_t batches;
    _Atomic uint64_t refused_batches;
    size_t shard_count;
    struct shard *shards[METRIC_SHARDS_MAX];
    struct journal *journals[METRIC_SHARDS_MAX]; /* NULL: in memory only */
    /* The rest is of stores with a directory. */
    char *dir;
    int lock_fd;
    pthread_mutex_t work_lock;   /* of workers: first of all locks */
    pthread_mutex_t status_lock; /* of workers[]: last of all locks */
    struct metric_worker_status workers[METRIC_WORKER_COUNT];
    /* Of the workers' thread. */
    int64_t next_ns[METRIC_WORKER_COUNT];
    int64_t retry_ns; /* no checkpoint out of turn before */
    _Atomic bool is_checkpoint_wanted;
    bool is_memory_warned;
    _Atomic uint64_t memory_warnings, memory_overruns;
    pthread_t work_thread, sync_thread;
    bool has_work_thread, has_sync_thread;
    pthread_mutex_t stop_lock;
    pthread_cond_t stop_cond;
    bool is_stopping;
    _Atomic(struct store_files *) files;
    /* Of whoever makes checkpoints. */
    struct manifest current, previous; /* checkpoint 0: there is none */
    _Atomic uint64_t checkpoint;       /* the newest, for the status */
    uint64_t last_checkpoint;          /* number that was used last */
    _Atomic uint64_t damaged_blocks;
    _Atomic uint64_t unreadable_blocks; /* met by readers */
    struct spared spared;
    _Atomic uint64_t lost_samples; /* of the log, when it was read at start */
};

#define STORE_PATH_MAX 4096

/* The path of dir/KIND-CHECKPOINT-SHARD, of blocks and indexes. */
void store_path(char out[static STORE_PATH_MAX], const struct metric_store *store,
                const char *kind, struct manifest_file file);

/* Read what the directory holds, and begin its logs.  The store has neither shards nor
 * metrics yet.  *ret_is_unsafe: a checkpoint must be made before anything is put.
 * Errors: as metric_store_open(). */
int store_restore(struct metric_store *store, bool *ret_is_unsafe, struct err *err);
int store_make_shards(struct metric_store *store, size_t count);
size_t store_choose_shards(const struct metric_store *store);

/* Give readers another list; waits until nobody has the old one, which it frees, but
 * not the files. */
void store_replace_files(struct metric_store *store, struct store_files *files);
/* Remove the files of the store that neither of its two manifests names. */
void store_sweep(struct metric_store *store);

/* A line for a person, if somebody listens. */
void store_say(const struct metric_store *store, enum metric_store_notice notice,
               const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
