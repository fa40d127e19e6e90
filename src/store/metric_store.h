/* SPDX-License-Identifier: Apache-2.0 */
/* metric_store - what a metric store consists of; for the files of the store only.
 *
 * The object and its queries, at the bottom of the room: what reads, writes, works for
 * it, opens and closes it stands above.
 */
#ifndef STORE_METRIC_STORE_H
#define STORE_METRIC_STORE_H

#include "store/exempt.h"
#include "store/files/files.h"
#include "store/store.h"

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
    /* Of the thread that makes checkpoints. */
    struct manifest current, previous; /* checkpoint 0: there is none */
    _Atomic uint64_t checkpoint;       /* the newest, for the status */
    uint64_t last_checkpoint;          /* number that was used last */
    _Atomic uint64_t damaged_blocks;
    _Atomic uint64_t unreadable_blocks; /* met by readers */
    struct exempt_hosts exempt;
    _Atomic uint64_t lost_samples; /* of the log, when it was read at start */
};

/* A store with these options, without shards, files and threads.  NULL: memory is out.
 */
struct metric_store *metric_store_new(const struct metric_store_options *options);
/* Without writing anything: what was acknowledged is in the log.  NULL is fine. */
void metric_store_free(struct metric_store *store);
DEFINE_AUTO(struct metric_store, metric_store_free);

/* The table of metrics, and count shards.  Errors: -ENOMEM. */
int store_make_shards(struct metric_store *store, size_t count);
size_t store_choose_shards(const struct metric_store *store);

/* The path of a file that a manifest names. */
void store_manifest_path(char out[static STORE_PATH_MAX],
                         const struct metric_store *store, enum store_file_kind kind,
                         struct manifest_file file);

/* Give readers another list; waits until no reader has the old one, which is freed, but
 * not the files in it. */
void store_replace_files(struct metric_store *store, struct store_files *files);

/* Under work_lock.  Bytes that samples, series and views take in memory. */
uint64_t store_used_bytes(struct metric_store *store);

/* Sleep until ms have passed or the threads are to stop, which is returned. */
bool store_wait(struct metric_store *store, int64_t ms);
/* End every store_wait(), now and later. */
void store_stop_waiting(struct metric_store *store);

/* Report to the program, if it listens: one line for a person. */
void store_report(const struct metric_store *store, enum metric_store_notice notice,
                  const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
