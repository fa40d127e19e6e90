/* SPDX-License-Identifier: Apache-2.0 */
/* restore - a store out of its directory: the newest manifest, then the logs.
 *
 *     manifest ─▶ files of blocks, mapped ─▶ indexes: series, heads ─▶ tails of logs
 *
 * One thread a shard.  A damaged index is passed over for the manifest before; a
 * damaged block is left out, and logged.
 */
#include "store/restore.h"

#include "base/file.h"
#include "base/hashmap.h"
#include "base/span.h"
#include "base/system/lockfile.h"
#include "store/replay.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#define DAMAGE_REPORTS_MAX 20

/* One index, and the logs that go on from it. */
struct part {
    struct metric_store *store;
    const struct store_listing *listing;
    unsigned shard; /* as the directory counts them */
    struct replay *replay;
    struct index_reader reader;
    const struct metric *metrics[METRICS_MAX];
    struct block_file *files[INDEX_FILES_MAX];
    struct block **blocks; /* of one series */
    size_t block_capacity;
    int rc;
    struct err err;
};

static void part_free(struct part *part)
{
    if (!part)
        return;
    replay_free(part->replay);
    free(part->blocks);
    free(part);
}
DEFINE_AUTO(struct part, part_free);

static int take_metric(void *arg, uint32_t id, const struct metric *metric)
{
    struct part *part = arg;
    const struct metric *known = metric_find(part->store->metrics, metric->name);
    int rc = known ? 0 : metric_declare(part->store->metrics, metric, &known);
    part->metrics[id] = known;
    return rc;
}

static int take_file(void *arg, uint32_t id, const struct index_file *file)
{
    struct part *part = arg;
    const struct store_files *files = atomic_load(&part->store->files);
    for (size_t i = 0; i < files->block_count; i++) {
        if (files->blocks[i]->checkpoint == file->checkpoint &&
            files->blocks[i]->shard == file->shard)
            part->files[id] = files->blocks[i];
    }
    return 0;
}

static void report_damaged(struct metric_store *store, const struct index_series *s,
                           const struct block_location *location,
                           const struct block_file *file)
{
    uint64_t before = atomic_fetch_add(&store->damaged_blocks, 1);
    if (before >= DAMAGE_REPORTS_MAX || !file)
        return;
    store_report(store, STORE_ERROR,
                 "'%s/blocks-%08" PRIu64 "-%u': the block at byte %" PRIu64
                 " is damaged: up to %d samples of '" SPAN_FMT "' are lost",
                 store->dir, file->checkpoint, file->shard,
                 (uint64_t)location->offset * 8, CODEC_VALUES_MAX, SPAN_ARG(s->path));
}

/* The blocks of one series that are whole, in order. */
static int find_blocks(struct part *part, struct index_series *s, size_t *ret_count)
{
    if (s->location_count > part->block_capacity) {
        struct block **blocks =
            realloc(part->blocks, 2 * s->location_count * sizeof *blocks);
        if (!blocks)
            return -ENOMEM;
        part->blocks = blocks;
        part->block_capacity = 2 * s->location_count;
    }
    size_t count = 0;
    for (size_t i = 0; i < s->location_count; i++) {
        const struct block_location *location = &s->locations[i];
        struct block_file *file = part->files[location->file];
        struct block *block =
            file ? block_file_at(file, location->offset, s->number) : NULL;
        if (block) {
            (void)atomic_fetch_add(&file->ref_count, 1);
            part->blocks[count++] = block;
        } else {
            report_damaged(part->store, s, location, file);
        }
    }
    *ret_count = count;
    return 0;
}

static int take_series(void *arg, uint64_t applied, const struct index_series *from)
{
    struct part *part = arg;
    struct metric_store *store = part->store;
    /* The reader's own, and it may be changed. */
    struct index_series *s = (struct index_series *)(uintptr_t)from;
    struct level_series *series = NULL;
    struct shard *shard = store->shards[metric_store_shard(store, s->path)];
    int rc = find_blocks(part, s, &s->state.block_count);
    if (rc < 0)
        return rc;
    s->state.blocks = part->blocks;
    shard_lock(shard);
    rc = shard_level_series(shard, s->path, part->metrics[s->metric]->id, s->step_ns,
                            &series);
    if (rc == 0)
        rc = series_restore(&series->series, shard_memory(shard), &s->state);
    shard_unlock(shard);
    if (rc == 0)
        rc = replay_bind(part->replay, s->number, series, applied);
    return rc == -EINVAL ? -EBADMSG : rc;
}

static int take_record(void *arg, struct span payload)
{
    struct part *part = arg;
    return index_read_record(&part->reader, payload);
}

static int read_index(struct part *part, struct err *err)
{
    char path[STORE_PATH_MAX];
    struct log_read read;
    store_manifest_path(
        path, part->store, STORE_FILE_INDEX,
        (struct manifest_file){ part->store->current.checkpoint, part->shard });
    part->reader = (struct index_reader){
        .arg = part, .metric = take_metric, .file = take_file, .series = take_series
    };
    int rc = log_read(path, take_record, part, &read, err);
    if (rc == 0 && !part->reader.is_over)
        rc = -EBADMSG;
    return rc == -EBADMSG ? err_set(err, EBADMSG, "'%s' cannot be decoded", path) : rc;
}

static int read_logs(struct part *part, struct err *err)
{
    const struct segments *logs = &part->listing->logs[part->shard];
    const struct manifest *m = &part->store->current;
    uint64_t first = part->shard < m->shard_count ? m->segments[part->shard] : 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < logs->count; i++) {
        char path[STORE_PATH_MAX];
        const struct store_file file = { STORE_FILE_LOG, logs->numbers[i],
                                         part->shard };
        store_file_path(path, part->store->dir, &file);
        if (logs->numbers[i] >= first)
            rc = replay_segment(part->replay, path, err);
    }
    return rc;
}

static void *read_part(void *arg)
{
    struct part *part = arg;
    if (part->shard < part->store->current.shard_count)
        part->rc = read_index(part, &part->err);
    if (part->rc == 0)
        part->rc = read_logs(part, &part->err);
    return NULL;
}

static int part_new(struct metric_store *store, const struct store_listing *listing,
                    unsigned shard, struct part **ret)
{
    AUTO(part_free) struct part *part = calloc(1, sizeof *part);
    if (!part)
        return -ENOMEM;
    part->store = store;
    part->listing = listing;
    part->shard = shard;
    int rc = replay_new(store, &part->replay);
    if (rc == 0)
        *ret = TAKE(part);
    return rc;
}

struct parts {
    size_t count;
    struct part *of[MANIFEST_SHARDS_MAX];
};

static void parts_done(struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        part_free(parts->of[i]);
}
DEFINE_AUTO_DONE(struct parts, parts_done);

/* One after another: the shards are others than those that wrote the files, or there is
 * only one. */
static void read_in_turn(const struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        (void)read_part(parts->of[i]);
}

static void read_at_once(const struct parts *parts)
{
    pthread_t threads[MANIFEST_SHARDS_MAX];
    bool is_started[MANIFEST_SHARDS_MAX] = { false };
    for (size_t i = 1; i < parts->count; i++)
        is_started[i] = pthread_create(&threads[i], NULL, read_part, parts->of[i]) == 0;
    for (size_t i = 0; i < parts->count; i++) {
        if (!is_started[i])
            (void)read_part(parts->of[i]);
    }
    for (size_t i = 0; i < parts->count; i++) {
        if (is_started[i])
            (void)pthread_join(threads[i], NULL);
    }
}

static int skip_record(void *arg, struct span payload)
{
    (void)arg;
    (void)payload;
    return 0;
}

/* Whether every index of a manifest is whole: then what it names is read for good. */
static int check_indexes(const struct metric_store *store, const struct manifest *m,
                         struct err *err)
{
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < m->shard_count; i++) {
        char path[STORE_PATH_MAX];
        struct log_read read;
        store_manifest_path(path, store, STORE_FILE_INDEX,
                            (struct manifest_file){ m->checkpoint, i });
        rc = log_read(path, skip_record, NULL, &read, err);
        if (rc == 0 && (read.end != LOG_WHOLE || read.kind != LOG_INDEX ||
                        read.number != m->checkpoint))
            rc = err_set(err, EBADMSG, "'%s' is damaged behind byte %" PRIu64, path,
                         read.good_bytes);
    }
    return rc;
}

static bool is_damage(int rc)
{
    return rc == -EBADMSG || rc == -ENOENT || rc == -EIO;
}

/* The newest manifest that is whole.  None at all is a new store; some, and none whole,
 * is for a person to decide. */
static int choose_manifest(struct metric_store *store, const struct store_listing *l,
                           struct err *err)
{
    int rc = 0;
    for (size_t left = l->manifest_count; left > 0; left--) {
        struct manifest m = { 0 };
        rc = manifest_read(store->dir, l->manifests[left - 1], &m, err);
        if (rc == 0)
            rc = check_indexes(store, &m, err);
        if (rc == 0) {
            store->current = m;
            return 0;
        }
        manifest_done(&m);
        if (!is_damage(rc))
            return rc;
        store_report(store, STORE_ERROR, "checkpoint %" PRIu64 " is skipped: %s",
                     l->manifests[left - 1], err ? err->text : "");
    }
    return rc;
}

/* A file that is damaged as a whole costs what is in it. */
static int open_files(struct metric_store *store, struct err *err)
{
    const struct manifest *m = &store->current;
    struct store_files *files = NULL;
    if (store_files_new(m->block_count, m->archive_count, &files) < 0)
        return err_set(err, ENOMEM, "out of memory");
    atomic_store(&store->files, files);
    for (size_t i = 0; i < m->block_count + m->archive_count; i++) {
        char path[STORE_PATH_MAX];
        struct err why = { 0 };
        int rc;
        if (i < m->block_count) {
            store_manifest_path(path, store, STORE_FILE_BLOCKS, m->blocks[i]);
            rc = block_file_open(path, &files->blocks[files->block_count], &why);
            files->block_count += rc == 0;
        } else {
            store_manifest_path(path, store, STORE_FILE_ARCHIVE,
                                m->archives[i - m->block_count]);
            rc = archive_file_open(path, &files->archives[files->archive_count], &why);
            files->archive_count += rc == 0;
        }
        if (rc < 0 && !is_damage(rc))
            return err_set(err, -rc, "%s", why.text);
        if (rc < 0)
            store_report(store, STORE_ERROR, "what is in it is lost: %s", why.text);
    }
    return 0;
}

static int read_parts(struct metric_store *store, const struct store_listing *l,
                      struct parts *parts)
{
    size_t count = store->current.shard_count;
    for (size_t i = count; i < MANIFEST_SHARDS_MAX; i++)
        count = l->logs[i].count > 0 ? i + 1 : count;
    for (; parts->count < count; parts->count++) {
        int rc = part_new(store, l, (unsigned)parts->count, &parts->of[parts->count]);
        if (rc < 0)
            return rc;
    }
    if (store->current.shard_count == store->shard_count && count == store->shard_count)
        read_at_once(parts);
    else
        read_in_turn(parts);
    return 0;
}

static int begin_logs(struct metric_store *store, const struct store_listing *l,
                      const struct parts *parts, struct err *err)
{
    uint64_t last_sequence = 0;
    for (size_t i = 0; i < parts->count; i++) {
        uint64_t last = replay_result(parts->of[i]->replay)->last_sequence;
        last_sequence = last > last_sequence ? last : last_sequence;
    }
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < store->shard_count; i++) {
        struct journal_options options = {
            .dir = store->dir,
            .shard = (unsigned)i,
            .segment = l->last_segment + 1,
            .next_sequence = last_sequence + 1,
        };
        shard_lock(store->shards[i]);
        shard_set_applied(store->shards[i], last_sequence);
        shard_unlock(store->shards[i]);
        rc = journal_open(&options, &store->journals[i], err);
        struct journal_status status;
        if (rc == 0)
            journal_status(store->journals[i], &status);
        if (rc == 0 && status.segment < options.segment)
            store_report(
                store, STORE_ERROR,
                "the disk of '%s' is full: what is stored can be read, shard %zu "
                "accepts nothing until space is free",
                store->dir, i);
    }
    return rc;
}

/* What was read, for all parts: numbers that are used, what is lost. */
static int settle(struct metric_store *store, const struct parts *parts,
                  bool *ret_is_damaged, struct err *err)
{
    uint32_t next = store->current.next_number ? store->current.next_number : 1;
    uint64_t lost = 0;
    for (size_t i = 0; i < parts->count; i++) {
        const struct part *part = parts->of[i];
        const struct replay_result *r = replay_result(part->replay);
        if (part->rc < 0)
            return err_set(err, -part->rc, "%s",
                           part->err.text[0] ? part->err.text : strerror(-part->rc));
        next = r->last_number >= next ? r->last_number + 1 : next;
        lost += r->lost_samples;
        *ret_is_damaged |= r->is_damaged;
    }
    atomic_store(&store->next_number, next);
    atomic_store(&store->lost_samples, lost);
    if (lost > 0)
        store_report(store, STORE_ERROR,
                     "%" PRIu64
                     " samples of the log belong to series that nothing names: "
                     "they are lost",
                     lost);
    return 0;
}

/* Another process may have it open, and make a checkpoint while this one reads: then
 * files go that the manifest that was chosen names. */
static int check_read(const struct metric_store *store, const struct store_listing *l,
                      struct err *err)
{
    if (l->last_checkpoint == 0 && l->last_segment == 0)
        return err_set(err, ENOENT, "'%s' is not a directory of a store", store->dir);
    uint64_t newest = store_newest_manifest(store->dir);
    if (l->manifest_count > 0 && newest != l->manifests[l->manifest_count - 1])
        return err_set(err, EAGAIN, "'%s' changes while it is read: try again",
                       store->dir);
    return 0;
}

static int lock_directory(struct metric_store *store, struct err *err)
{
    char path[STORE_PATH_MAX];
    if (store->options.is_read_only)
        return 0;
    int rc = file_make_dirs(store->dir, 0750, err);
    if (rc < 0)
        return rc;
    (void)snprintf(path, sizeof path, "%s/lock", store->dir);
    return lockfile_take(path, &store->lock_fd, err);
}

int store_restore(struct metric_store *store, bool *ret_is_unsafe, struct err *err)
{
    AUTO(listing_done) struct store_listing listing = { 0 };
    AUTO(parts_done) struct parts parts = { 0 };
    int rc = lock_directory(store, err);
    if (rc == 0)
        rc = listing_read(store->dir, &listing, err);
    if (rc == -EACCES)
        return rc; /* whose directory it is cannot be known */
    if (rc == 0)
        rc = choose_manifest(store, &listing, err);
    if (rc < 0 && store->options.is_read_only &&
        check_read(store, &listing, err) == -EAGAIN)
        return -EAGAIN;
    if (rc < 0)
        return rc;
    store->last_checkpoint = listing.last_checkpoint;
    atomic_store(&store->checkpoint, store->current.checkpoint);
    store->shard_seed =
        store->current.shard_count ? store->current.seed : hashmap_seed();
    rc = store_make_shards(store, store_choose_shards(store));
    if (rc < 0)
        return err_set(err, -rc, "out of memory");
    rc = open_files(store, err);
    if (rc < 0)
        return rc;
    rc = read_parts(store, &listing, &parts);
    if (rc < 0)
        return err_set(err, -rc, "out of memory");
    bool is_damaged = false;
    rc = settle(store, &parts, &is_damaged, err);
    if (store->options.is_read_only) {
        int changed = check_read(store, &listing, err);
        return changed < 0 ? changed : rc;
    }
    if (rc == 0)
        rc = begin_logs(store, &listing, &parts, err);
    /* The first manifest has the seed: without it the logs' hosts would be spread over
     * the shards in another way the next time. */
    *ret_is_unsafe = is_damaged || store->current.checkpoint == 0 ||
                     store->current.shard_count != store->shard_count;
    return rc;
}
