/* SPDX-License-Identifier: Apache-2.0 */
/* store - the metric store: shards, metrics, and what is done to all of them. */
#include "store/restore.h"
#include "store/workers.h"

#include "base/clock.h"
#include "base/hashmap.h"
#include "base/number.h"

#include <stdio.h>
#include <unistd.h>

#define SERIES_MAX_DEFAULT ((size_t)10000000)

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

/* One that could not be opened. */
static void store_abandon(struct metric_store *store)
{
    if (store)
        store_workers_stop(store);
    metric_store_free(store);
}
DEFINE_AUTO(struct metric_store, store_abandon);

int metric_store_open(const struct metric_store_options *options,
                      struct metric_store **ret, struct err *err)
{
    int rc = check_options(options, err);
    if (rc < 0)
        return rc;
    AUTO(store_abandon) struct metric_store *store = metric_store_new(options);
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
        store_report(store, STORE_ERROR, "at the end: %s; the log has it", err.text);
    metric_store_free(store);
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

int metric_store_exempt(struct metric_store *store, struct span host, int64_t until_ns)
{
    return exempt_hosts_put(&store->exempt, host, until_ns, clock_now_ns());
}

size_t metric_store_exempt_count(struct metric_store *store)
{
    return exempt_hosts_count(&store->exempt, clock_now_ns());
}
