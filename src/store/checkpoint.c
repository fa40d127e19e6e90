/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint - the worker that writes what is in memory to files, and ends logs.
 *
 *     rotate the logs ─▶ blocks, indexes ─▶ sync ─▶ manifest ─▶ adopt ─▶ sweep
 *
 * Series are copied a few dozen under one lock; everything is written without it.  New
 * blocks are then read out of the file in the place of memory, whose room goes back to
 * the pool.  Files of the checkpoint before last go, and logs from before the last:
 * should the newest index be damaged, the one before and its logs have everything.
 */
#include "store/sweep.h"
#include "store/work.h"

#include "base/clock.h"
#include "base/file.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>

#define SERIES_AT_ONCE 64
#define FLUSH_BYTES ((size_t)4 << 20)

/* Where a file of blocks lies in memory. */
struct map_range {
    const uint8_t *begin, *end;
    uint32_t id; /* in the list of files */
};

/* A block that is now in the new file as well. */
struct adoption {
    struct level_series *series;
    uint32_t offset;
};

struct shard_run {
    struct block_writer *writer;
    struct log *index;
    struct adoption *adoptions;
    size_t adoption_count, adoption_capacity;
    struct block_file *file; /* NULL: there were no new blocks */
};

struct run {
    struct metric_store *store;
    uint64_t checkpoint;
    struct manifest manifest;
    const struct store_files *old;
    struct map_range *ranges; /* by address */
    uint64_t *ref_counts;     /* by id */
    struct shard_run shards[METRIC_SHARDS_MAX];
    struct index_series series; /* used again for each */
    size_t location_capacity;
    struct strbuf record;
};

static void run_free(struct run *run)
{
    if (!run)
        return;
    for (size_t i = 0; i < METRIC_SHARDS_MAX; i++) {
        struct shard_run *s = &run->shards[i];
        block_writer_close(s->writer);
        log_close(s->index);
        free(s->adoptions);
        block_file_close(s->file);
    }
    manifest_done(&run->manifest);
    free(run->ranges);
    free(run->ref_counts);
    free(run->series.locations);
    strbuf_done(&run->record);
    free(run);
}
DEFINE_AUTO(struct run, run_free);

static int compare_ranges(const void *a, const void *b)
{
    const struct map_range *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static int run_new(struct metric_store *store, struct run **ret)
{
    AUTO(run_free) struct run *run = calloc(1, sizeof *run);
    if (!run)
        return -ENOMEM;
    run->store = store;
    run->checkpoint = ++store->last_checkpoint;
    run->old = atomic_load(&store->files);
    size_t count = run->old->block_count;
    run->ranges = calloc(count + 1, sizeof *run->ranges);
    run->ref_counts = calloc(count + 1, sizeof *run->ref_counts);
    if (!run->ranges || !run->ref_counts)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct block_file *file = run->old->blocks[i];
        run->ranges[i] =
            (struct map_range){ file->sealed.map, file->sealed.map + file->sealed.size,
                                (uint32_t)i };
    }
    qsort(run->ranges, count, sizeof *run->ranges, compare_ranges);
    run->manifest = (struct manifest){
        .checkpoint = run->checkpoint,
        .t_ns = clock_now_ns(),
        .seed = store->shard_seed,
        .shard_count = (unsigned)store->shard_count,
    };
    *ret = TAKE(run);
    return 0;
}

/* The file a block lies in; the old one that has it must be there. */
static void locate(const struct run *run, const struct block *block,
                   struct block_location *ret)
{
    const uint8_t *at = (const uint8_t *)block;
    size_t low = 0, high = run->old->block_count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (run->ranges[middle].begin <= at)
            low = middle;
        else
            high = middle;
    }
    ret->file = run->ranges[low].id;
    (void)block_file_has(run->old->blocks[ret->file], block, &ret->offset);
}

static int add_adoption(struct shard_run *s, struct level_series *series,
                        uint32_t offset)
{
    if (s->adoption_count == s->adoption_capacity) {
        size_t capacity = 2 * s->adoption_capacity + 256;
        struct adoption *grown = realloc(s->adoptions, capacity * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        s->adoptions = grown;
        s->adoption_capacity = capacity;
    }
    s->adoptions[s->adoption_count++] = (struct adoption){ series, offset };
    return 0;
}

static int put_blocks(struct run *run, struct shard_run *s, struct level_series *series)
{
    struct index_series *out = &run->series;
    size_t count = out->state.block_count;
    if (count > run->location_capacity) {
        struct block_location *locations =
            realloc(out->locations, 2 * count * sizeof *locations);
        if (!locations)
            return -ENOMEM;
        out->locations = locations;
        run->location_capacity = 2 * count;
    }
    out->location_count = count;
    for (size_t i = 0; i < count; i++) {
        struct block *block = out->state.blocks[i];
        struct block_location *location = &out->locations[i];
        if (block->is_filed) {
            locate(run, block, location);
            run->ref_counts[location->file]++;
            continue;
        }
        location->file = (uint32_t)run->old->block_count;
        int rc = block_writer_add(s->writer, series->number, block, &location->offset);
        if (rc == 0)
            rc = add_adoption(s, series, location->offset);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int put_level(struct run *run, struct shard_run *s, struct level *level,
                     struct span *last_path, size_t *count)
{
    struct level_series *series =
        atomic_load_explicit(&level->series, memory_order_relaxed);
    for (; series; series = series->next) {
        struct index_series *out = &run->series;
        /* Without a number nothing of it was ever logged, so there is nothing. */
        if (series->number == 0 || !series_capture(&series->series, &out->state))
            continue;
        out->number = series->number;
        out->path = (struct span){ level->path, level->path_size };
        out->metric = series->metric;
        out->step_ns = series->series.step_ns;
        int rc = put_blocks(run, s, series);
        if (rc < 0)
            return rc;
        index_put_series(&run->record, out, *last_path);
        *last_path = out->path;
        (*count)++;
    }
    return 0;
}

/* One group of series, as they are at one moment. */
static int put_group(struct run *run, size_t shard, struct level **next,
                     uint64_t *series_count)
{
    struct shard_run *s = &run->shards[shard];
    struct shard *from = run->store->shards[shard];
    struct level *root = metric_store_tree(run->store, shard)->root;
    struct span last_path = { 0 };
    size_t count = 0;
    int rc = 0;
    strbuf_clear(&run->record);
    shard_let_in(from);
    shard_lock(from);
    index_put_group(&run->record, shard_applied(from));
    while (rc == 0 && *next && count < SERIES_AT_ONCE) {
        rc = put_level(run, s, *next, &last_path, &count);
        *next = level_next(*next, root);
    }
    shard_unlock(from);
    *series_count += count;
    if (rc == 0)
        rc = strbuf_error(&run->record);
    if (rc == 0 && count > 0)
        rc = log_append(s->index, strbuf_span(&run->record));
    if (rc == 0 && block_writer_buffered(s->writer) > FLUSH_BYTES)
        rc = block_writer_flush(s->writer);
    return rc;
}

static int put_head(struct run *run, size_t shard)
{
    size_t count = run->old->block_count;
    AUTO_FREE struct index_file *files = calloc(count + 1, sizeof *files);
    if (!files)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        files[i] = (struct index_file){ run->old->blocks[i]->checkpoint,
                                        run->old->blocks[i]->shard };
    files[count] = (struct index_file){ run->checkpoint, (unsigned)shard };
    strbuf_clear(&run->record);
    index_put_head(&run->record, run->store->metrics, files, count + 1);
    int rc = strbuf_error(&run->record);
    return rc < 0 ? rc
                  : log_append(run->shards[shard].index, strbuf_span(&run->record));
}

static int put_series(struct run *run, size_t shard, struct err *err)
{
    uint64_t series_count = 0;
    int rc = put_head(run, shard);
    struct level *next = metric_store_tree(run->store, shard)->root;
    while (rc == 0 && next)
        rc = put_group(run, shard, &next, &series_count);
    strbuf_clear(&run->record);
    index_put_end(&run->record, series_count);
    if (rc == 0)
        rc = log_append(run->shards[shard].index, strbuf_span(&run->record));
    if (rc == 0)
        rc = log_sync(run->shards[shard].index);
    return rc < 0 ? err_set(err, -rc, "write the index of shard %zu: %s", shard,
                            strerror(-rc))
                  : 0;
}

static int write_shard(struct run *run, size_t shard, struct err *err)
{
    struct shard_run *s = &run->shards[shard];
    struct manifest_file name = { run->checkpoint, (unsigned)shard };
    char path[STORE_PATH_MAX];
    store_manifest_path(path, run->store, STORE_FILE_INDEX, name);
    int rc = log_create(path, LOG_INDEX, run->checkpoint, &s->index, err);
    if (rc < 0)
        return rc;
    store_manifest_path(path, run->store, STORE_FILE_BLOCKS, name);
    rc = block_writer_open(path, run->checkpoint, (unsigned)shard, &s->writer, err);
    if (rc == 0)
        rc = put_series(run, shard, err);
    if (rc < 0 || block_writer_count(s->writer) == 0)
        return rc;
    rc = block_writer_finish(s->writer, err);
    return rc < 0 ? rc : block_file_open(path, &s->file, err);
}

static int write_manifest(struct run *run, struct err *err)
{
    struct manifest *m = &run->manifest;
    int rc = 0;
    m->next_number = atomic_load(&run->store->next_number);
    for (size_t i = 0; rc == 0 && i < run->old->block_count; i++)
        rc = manifest_add(m, MANIFEST_BLOCKS,
                          (struct manifest_file){ run->old->blocks[i]->checkpoint,
                                                  run->old->blocks[i]->shard });
    for (size_t i = 0; rc == 0 && i < run->store->shard_count; i++) {
        if (run->shards[i].file)
            rc = manifest_add(m, MANIFEST_BLOCKS,
                              (struct manifest_file){ run->checkpoint, (unsigned)i });
    }
    for (size_t i = 0; rc == 0 && i < run->old->archive_count; i++)
        rc = manifest_add(
            m, MANIFEST_ARCHIVES,
            (struct manifest_file){ run->old->archives[i]->checkpoint, 0 });
    if (rc < 0)
        return err_set(err, -rc, "the manifest: %s", strerror(-rc));
    rc = file_sync_dir(run->store->dir, err);
    return rc < 0 ? rc : manifest_write(m, run->store->dir, err);
}

/* A list with the new files, for readers; the old list is freed when no reader has it.
 */
static int publish_files(struct run *run)
{
    struct metric_store *store = run->store;
    struct store_files *files = NULL;
    int rc = store_files_new(run->old->block_count + store->shard_count,
                             run->old->archive_count, &files);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < run->old->archive_count; i++)
        files->archives[files->archive_count++] = run->old->archives[i];
    for (size_t i = 0; i < run->old->block_count; i++)
        files->blocks[files->block_count++] = run->old->blocks[i];
    for (size_t i = 0; i < store->shard_count; i++) {
        if (run->shards[i].file)
            files->blocks[files->block_count++] = run->shards[i].file;
    }
    store_replace_files(store, files);
    return 0;
}

/* All blocks of one series that came into the new file. */
static int adopt_series(struct run *run, size_t shard, size_t from, size_t count)
{
    struct shard_run *s = &run->shards[shard];
    struct level_series *series = s->adoptions[from].series;
    AUTO_FREE struct block **blocks = calloc(count, sizeof *blocks);
    size_t found = 0;
    if (!blocks)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        struct block *block =
            block_file_at(s->file, s->adoptions[from + i].offset, series->number);
        if (block)
            blocks[found++] = block;
    }
    return series_adopt(&series->series, shard_memory(run->store->shards[shard]),
                        blocks, found);
}

/* Without memory for it blocks stay where they are, and are written again. */
static void adopt_blocks(struct run *run, size_t shard)
{
    struct shard_run *s = &run->shards[shard];
    struct shard *to = run->store->shards[shard];
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < s->adoption_count;) {
        shard_let_in(to);
        shard_lock(to);
        for (size_t n = 0; rc == 0 && n < SERIES_AT_ONCE && i < s->adoption_count;
             n++) {
            size_t count = 1;
            while (i + count < s->adoption_count &&
                   s->adoptions[i + count].series == s->adoptions[i].series)
                count++;
            rc = adopt_series(run, shard, i, count);
            i += count;
        }
        memory_reclaim(shard_memory(to));
        shard_unlock(to);
    }
}

/* From here on the checkpoint is there, whatever fails. */
static int commit_checkpoint(struct run *run)
{
    struct metric_store *store = run->store;
    manifest_done(&store->previous);
    store->previous = store->current;
    store->current = run->manifest;
    run->manifest = (struct manifest){ 0 };
    atomic_store(&store->checkpoint, store->current.checkpoint);
    for (size_t i = 0; i < run->old->block_count; i++)
        atomic_store(&run->old->blocks[i]->ref_count, run->ref_counts[i]);
    for (size_t i = 0; i < store->shard_count; i++) {
        if (run->shards[i].file)
            atomic_store(&run->shards[i].file->ref_count,
                         run->shards[i].adoption_count);
    }
    int rc = publish_files(run);
    for (size_t i = 0; rc == 0 && i < store->shard_count; i++) {
        adopt_blocks(run, i);
        run->shards[i].file = NULL;
    }
    store_sweep(store);
    return rc;
}

/* What a checkpoint that failed has made. */
static void undo_checkpoint(struct run *run)
{
    for (size_t i = 0; i < run->store->shard_count; i++) {
        char path[STORE_PATH_MAX];
        struct manifest_file name = { run->checkpoint, (unsigned)i };
        store_manifest_path(path, run->store, STORE_FILE_INDEX, name);
        (void)unlink(path);
        store_manifest_path(path, run->store, STORE_FILE_BLOCKS, name);
        (void)unlink(path);
    }
    char path[STORE_PATH_MAX];
    store_manifest_path(path, run->store, STORE_FILE_MANIFEST,
                        (struct manifest_file){ run->checkpoint, 0 });
    (void)unlink(path);
}

static int rotate(struct run *run, size_t shard, struct err *err)
{
    struct journal_rotation rotation;
    int rc = journal_rotate(run->store->journals[shard], &rotation, err);
    if (rc < 0)
        return rc;
    run->manifest.segments[shard] = rotation.segment;
    if (rotation.sync_rc < 0)
        store_report(
            run->store, STORE_ERROR,
            "a sync of the log of shard %zu failed (%s): its segment is closed, "
            "checkpoint %" PRIu64 " has what was in it",
            shard, strerror(-rotation.sync_rc), run->checkpoint);
    return 0;
}

int store_checkpoint(struct metric_store *store, uint64_t *ret_done, struct err *err)
{
    AUTO(run_free) struct run *run = NULL;
    int rc = run_new(store, &run);
    if (rc < 0)
        return err_set(err, -rc, "out of memory");
    for (size_t i = 0; rc == 0 && i < store->shard_count; i++)
        rc = rotate(run, i, err);
    for (size_t i = 0; rc == 0 && i < store->shard_count; i++)
        rc = write_shard(run, i, err);
    if (rc == 0)
        rc = write_manifest(run, err);
    if (rc < 0) {
        undo_checkpoint(run);
        return err_prefix(err, rc, "checkpoint %" PRIu64, run->checkpoint);
    }
    for (size_t i = 0; i < store->shard_count; i++)
        *ret_done += run->shards[i].adoption_count;
    rc = commit_checkpoint(run);
    /* What was written lay in buffers of some MiB, and malloc would retain it. */
    run_free(TAKE(run));
    (void)malloc_trim(0);
    return rc < 0 ? err_set(err, -rc, "out of memory") : 0;
}
