/* SPDX-License-Identifier: Apache-2.0 */
/* store - the metric store: every recent sample in memory, stored on disk; the room's
 * door.
 *
 *     writer  metric_find() ─▶ metric_store_series() ─▶ samples ─▶ metric_store_put()
 *     reader  metric_store_enter() ─▶ tree, series ─▶ metric_store_read() ─▶ _leave()
 *
 * What is under one host stands in one shard (metric_store_shard()), so that a request
 * touches one or few.  A batch is logged by one write(2) and then applied; when
 * metric_store_put() returns 0 it is stored: it survives the death of the process.
 *
 * Units    nanoseconds since the Unix epoch.
 * Threads  everything here may be called by any thread but open and close.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "blocks/blocks.h"
#include "store/files/files.h"
#include "store/series/series.h"
#include "store/tree/tree.h"

#include "base/err.h"
#include "model/model.h"

#define METRIC_SHARDS_MAX 64
#define METRIC_BATCH_MAX 1000000 /* samples */

struct metric_store;

enum metric_store_notice {
    STORE_INFO,    /* for the log: what was done */
    STORE_WARNING, /* wants a person soon */
    STORE_ERROR,   /* something is lost, or cannot be kept now */
};

/* One line for the log.  Called by any thread that works for the store, without locks
 * of the store that a caller could wait for. */
typedef void metric_store_report_fn(void *arg, enum metric_store_notice notice,
                                    const char *text);

/* Whether a host ("cluster/host") is exempt from the retention, because a job
 * that runs there began before.  Called by the retention's thread, under a shard's
 * lock: it looks something up, and does not wait. */
typedef bool metric_store_is_exempt_fn(void *arg, struct span host);

struct metric_store_options {
    const char *dir;    /* NULL: in memory only */
    bool is_read_only;  /* dir as it is now, also while another process has it; nothing
                           is put, nothing written */
    size_t shard_count; /* 1 .. METRIC_SHARDS_MAX; 0: one a core */
    size_t series_max;  /* 0: ten million */
    int64_t retention_ns;           /* of history in memory; 0: all */
    uint64_t memory_bytes_max;      /* 0: no limit */
    int64_t sync_interval_ns;       /* between syncs of the log; 0: 100 ms */
    int64_t checkpoint_interval_ns; /* 0: 5 minutes */
    uint64_t checkpoint_log_bytes;  /* this much log makes one too; 0: 256 MiB */
    int64_t archive_interval_ns;    /* files older than this and the retention go to the
                                       archive; 0: never */
    bool is_archive_deleted;        /* ... and are deleted in its place */
    metric_store_is_exempt_fn *is_exempt; /* may be NULL */
    void *is_exempt_arg;
    metric_store_report_fn *report; /* may be NULL */
    void *report_arg;
};

/* Read what dir holds, begin a log, start the workers.
 * Errors: -EINVAL (options), -EBADMSG (what is in dir cannot be read; err names it),
 * -EBUSY (another process has it), -EAGAIN (read only: a process that has it made
 * checkpoints meanwhile; ask again), -ENOMEM and errno of file operations. */
int metric_store_open(const struct metric_store_options *options,
                      struct metric_store **ret, struct err *err);
/* Writes what is not on disk yet, and frees.  NULL is fine.  No other thread may be
 * inside. */
void metric_store_close(struct metric_store *store);
DEFINE_AUTO(struct metric_store, metric_store_close);

struct metric_table *metric_store_metrics(const struct metric_store *store);

size_t metric_store_shard_count(const struct metric_store *store);
/* Where a component's path belongs: by its cluster and host. */
size_t metric_store_shard(const struct metric_store *store, struct span path);

/* Find or make the series of a metric at a path.  It stays where it is as long as the
 * store is open, so it may be remembered.
 * Errors: -EINVAL (the path), -ENOSPC (series_max), -ENOMEM. */
int metric_store_series(struct metric_store *store, struct span path,
                        const struct metric *metric, struct level_series **ret);

/* Of all shards; what series_max counts. */
size_t metric_store_series_count(const struct metric_store *store);

enum metric_promise {
    METRIC_STORED,  /* survives the death of any process */
    METRIC_DURABLE, /* survives loss of power: waits for the next sync, which it hurries
                     */
};

struct metric_batch {
    size_t shard; /* of the series of every sample */
    const struct sample *samples;
    size_t count; /* 1 .. METRIC_BATCH_MAX */
    enum metric_promise promise;
};

/* Log and apply one batch.  It is only read, and is the caller's again afterwards.  On
 * failure none of it is acknowledged: send it again.
 * Errors: -EINVAL (count), -ENOSPC, -EROFS (also of a store that is read only), -EIO
 * and errno of a full or broken disk, -ENOMEM. */
int metric_store_put(struct metric_store *store, const struct metric_batch *batch,
                     struct sample_counts *ret);
/* Everything that was put before is durable.  Errors: errno of the disk. */
int metric_store_sync(struct metric_store *store);

/* Between these two nothing that is found goes away. */
unsigned metric_store_enter(struct metric_store *store);
void metric_store_leave(struct metric_store *store, unsigned reader);

/* The tree of one shard; levels above hosts are in several of them. */
const struct level_tree *metric_store_tree(const struct metric_store *store,
                                           size_t shard);
/* NULL: there is none.  For paths of a host or below. */
struct level *metric_store_level(const struct metric_store *store, struct span path);
struct level_series *metric_store_find(const struct metric_store *store,
                                       struct span path, const struct metric *metric);

enum {
    METRIC_FROM_MEMORY = 1,
    METRIC_FROM_CHECKPOINT = 2,
    METRIC_FROM_ARCHIVE = 4,
};

struct metric_read {
    unsigned from;       /* METRIC_FROM_*: where samples came from */
    uint64_t unreadable; /* blocks that are damaged; the rest is served */
};

/* Everything with from_ns <= time < to_ns, in order of time, also what memory has let
 * go and files still have.  Between enter and leave.
 * Errors: what fn returns, -ENOMEM, errno of file operations. */
struct metric_range {
    int64_t from_ns, to_ns;
    series_samples_fn *fn;
    void *arg;
};
int metric_store_read(struct metric_store *store, const struct level_series *series,
                      const struct metric_range *range, struct metric_read *ret);
/* The numbers in a range; blocks that lie in it whole are not decoded. */
int metric_store_stats(struct metric_store *store, const struct level_series *series,
                       int64_t from_ns, int64_t to_ns, struct series_stats *ret);

/* As aggregate_read(), over all shards: path may be a cluster, or empty for all.
 * Between enter and leave.  Errors: -ENOENT (no series), -EBADMSG. */
int metric_store_aggregate(struct metric_store *store, struct span path,
                           const struct metric *metric, struct aggregate *aggregate);

/* Let go of memory that holds what is older than t_ns at and below path (empty: all).
 * Files still have it.  Returns how many slots were evicted. */
size_t metric_store_release(struct metric_store *store, struct span path, int64_t t_ns);

/* Keep the history of a host ("cluster/host") in memory beyond the retention until
 * then, whatever options.is_exempt says; a time that is not to come ends that.  Any
 * thread. Errors: -ENOSPC (METRIC_EXEMPT_MAX), -ENOMEM. */
#define METRIC_EXEMPT_MAX 200000
int metric_store_exempt(struct metric_store *store, struct span host, int64_t until_ns);
/* How many hosts are exempt now. */
size_t metric_store_exempt_count(struct metric_store *store);

/* Do now what the workers do in their time; each waits until it is done. */
int metric_store_checkpoint(struct metric_store *store, struct err *err);
size_t metric_store_retain(struct metric_store *store);

/* As when memory may be over its limit. */
int metric_store_limit_memory(struct metric_store *store, struct err *err);
int metric_store_archive(struct metric_store *store, struct err *err);
/* What is in memory only goes to files: for SIGTERM, SIGINT and SIGTSTP. */
int metric_store_shutdown(struct metric_store *store, struct err *err);

enum metric_worker {
    METRIC_WORKER_RETENTION,
    METRIC_WORKER_MEMORY,
    METRIC_WORKER_CHECKPOINT,
    METRIC_WORKER_ARCHIVE,
    METRIC_WORKER_SHUTDOWN,
    METRIC_WORKER_COUNT,
};
const char *metric_worker_name(enum metric_worker worker);

struct metric_worker_status {
    uint64_t runs, failures;
    uint64_t done; /* slots evicted, blocks written, files archived */
    int64_t last_t_ns;
    int64_t last_duration_ns;
    struct err error; /* of the last run; empty: it was well */
};

struct metric_store_status {
    struct shard_status memory; /* of all shards together */
    size_t shard_count;
    size_t metric_count;
    uint64_t batches;
    uint64_t refused_batches; /* could not be stored */
    uint64_t memory_warnings, memory_overruns;
    struct metric_worker_status workers[METRIC_WORKER_COUNT];
    /* The rest is 0 without a directory. */
    uint64_t checkpoint; /* the newest */
    uint64_t log_records, log_bytes, log_syncs, log_failures;
    uint64_t block_files, block_file_bytes;
    uint64_t archives, archive_bytes;
    uint64_t damaged_blocks;    /* left out when they were found */
    uint64_t unreadable_blocks; /* met by readers */
    uint64_t lost_samples;      /* of the log, at the start */
};
void metric_store_status(struct metric_store *store, struct metric_store_status *ret);

#endif
