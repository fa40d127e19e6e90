/* SPDX-License-Identifier: Apache-2.0 */
/* archive - the worker that packs files of blocks that are old, or deletes them.
 *
 *     old files that no series points into ─▶ one archive ─▶ read back ─▶ manifest
 *
 * The files themselves go when two manifests no longer name them, so never before the
 * archive is on the disk and every block was read out of it again.
 */
#include "store/work.h"

#include "base/clock.h"
#include "base/file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

struct work {
    struct metric_store *store;
    struct store_files *old;  /* the files that go; archives: none */
    struct store_files *left; /* those that stay, and the archive */
    uint32_t *numbers;        /* of the series in them, in order */
    size_t number_count;
    uint64_t blocks;
    uint64_t checkpoint; /* the archive's number */
    struct archive_file *archive;
};

static void work_done(struct work *work)
{
    store_files_free(work->old);
    store_files_free(work->left);
    free(work->numbers);
    archive_file_close(work->archive);
}
DEFINE_AUTO_DONE(struct work, work_done);

static bool is_old(const struct metric_store *store, const struct block_file *file,
                   int64_t now_ns)
{
    int64_t age_ns = store->options.archive_interval_ns;
    if (age_ns < store->options.retention_ns)
        age_ns = store->options.retention_ns;
    return atomic_load(&file->ref_count) == 0 && file->max_ns < now_ns - age_ns;
}

static int divide_files(struct work *work)
{
    const struct store_files *files = atomic_load(&work->store->files);
    int64_t now_ns = clock_now_ns();
    int rc = store_files_new(files->block_count, 0, &work->old);
    if (rc == 0)
        rc = store_files_new(files->block_count, files->archive_count + 1, &work->left);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < files->block_count; i++) {
        struct store_files *to =
            is_old(work->store, files->blocks[i], now_ns) ? work->old : work->left;
        to->blocks[to->block_count++] = files->blocks[i];
    }
    for (size_t i = 0; i < files->archive_count; i++)
        work->left->archives[work->left->archive_count++] = files->archives[i];
    return 0;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int list_numbers(struct work *work)
{
    size_t count = 0, unique = 0;
    for (size_t i = 0; i < work->old->block_count; i++)
        count += work->old->blocks[i]->entry_count;
    work->numbers = calloc(count + 1, sizeof *work->numbers);
    if (!work->numbers)
        return -ENOMEM;
    size_t at = 0;
    for (size_t i = 0; i < work->old->block_count; i++) {
        const struct block_file *file = work->old->blocks[i];
        for (size_t n = 0; n < file->entry_count; n++)
            work->numbers[at++] = file->entries[n].number;
    }
    if (count > 0)
        qsort(work->numbers, count, sizeof *work->numbers, compare_numbers);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || work->numbers[i] != work->numbers[i - 1])
            work->numbers[unique++] = work->numbers[i];
    }
    work->number_count = unique;
    return 0;
}

/* All blocks of a series in the old files that count. */
static int find_all(const struct work *work, uint32_t number, struct old_blocks *ret)
{
    struct old_range all = { INT64_MIN, INT64_MAX, INT64_MAX };
    return old_blocks_find(ret, work->old, number, all);
}

static int write_blocks(struct work *work, struct archive_writer *writer)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < work->number_count; i++) {
        AUTO(old_blocks_done) struct old_blocks found = OLD_BLOCKS_INIT;
        uint32_t number = work->numbers[i];
        rc = find_all(work, number, &found);
        for (size_t n = 0; rc == 0 && n < found.count; n++)
            rc =
                archive_writer_add(writer, number, (uint32_t)found.blocks[n].checkpoint,
                                   found.blocks[n].block);
        work->blocks += found.count;
        (void)atomic_fetch_add(&work->store->damaged_blocks, found.unreadable);
        if (found.unreadable > 0)
            store_report(work->store, STORE_ERROR,
                         "archive %" PRIu64 ": %" PRIu64
                         " blocks of series %u were damaged in their file",
                         work->checkpoint, found.unreadable, number);
    }
    return rc;
}

static int write_names(const struct work *work, struct archive_writer *writer)
{
    const struct metric_store *store = work->store;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < store->shard_count; i++) {
        struct level *root = metric_store_tree(store, i)->root;
        for (struct level *level = root; rc == 0 && level;
             level = level_next(level, root)) {
            const struct level_series *s =
                atomic_load_explicit(&level->series, memory_order_acquire);
            for (; rc == 0 && s; s = s->next) {
                struct record_name name = {
                    .number = s->number,
                    .path = { level->path, level->path_size },
                    .metric = metric_at(store->metrics, s->metric)->name,
                    .step_ns = s->series.step_ns,
                };
                if (name.number != 0 &&
                    bsearch(&name.number, work->numbers, work->number_count,
                            sizeof name.number, compare_numbers))
                    rc = archive_writer_name(writer, &name);
            }
        }
    }
    return rc;
}

/* Every block, as it was.  The checksum of each was made of what was to be written.  A
 * frame has those of many series, and is unpacked once. */
static int read_back(const struct work *work)
{
    const struct archive_file *archive = work->archive;
    AUTO_FREE void *bytes = NULL;
    uint32_t frame = 0;
    for (size_t i = 0; i < archive->entry_count; i++) {
        const struct archive_entry *e = &archive->entries[i];
        if (!bytes || e->frame != frame) {
            free(TAKE(bytes));
            frame = e->frame;
            int rc = archive_file_unpack(archive, frame, &bytes);
            if (rc < 0)
                return rc;
        }
        if (!archive_file_at(archive, e, bytes))
            return -EIO;
    }
    return archive->entry_count == work->blocks ? 0 : -EIO;
}

/* So that it is the disk's bytes that are read back. */
static void drop_cache(const char *path)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

static int write_archive(struct work *work, struct err *err)
{
    char path[STORE_PATH_MAX];
    AUTO(archive_writer_close) struct archive_writer *writer = NULL;
    store_manifest_path(path, work->store, STORE_FILE_ARCHIVE,
                        (struct manifest_file){ work->checkpoint, 0 });
    int rc = archive_writer_open(path, work->checkpoint, &writer, err);
    if (rc < 0)
        return rc;
    rc = write_blocks(work, writer);
    if (rc == 0)
        rc = write_names(work, writer);
    if (rc < 0)
        return err_set(err, -rc, "write '%s': %s", path, strerror(-rc));
    rc = archive_writer_finish(writer, err);
    if (rc == 0)
        rc = file_sync_dir(work->store->dir, err);
    drop_cache(path);
    if (rc == 0)
        rc = archive_file_open(path, &work->archive, err);
    if (rc == 0 && read_back(work) < 0)
        rc = err_set(err, EIO, "'%s' does not read back as it was written", path);
    if (rc < 0)
        (void)unlink(path);
    else
        archive_file_forget(work->archive);
    return rc;
}

/* Readers see the archive in the place of the files; then the next manifest does. */
static int replace_files(struct work *work, struct err *err)
{
    struct store_files *left = TAKE(work->left);
    if (work->archive)
        left->archives[left->archive_count++] = TAKE(work->archive);
    store_replace_files(work->store, left);
    for (size_t i = 0; i < work->old->block_count; i++)
        block_file_close(work->old->blocks[i]);
    uint64_t blocks = 0;
    return store_checkpoint(work->store, &blocks, err);
}

int store_archive(struct metric_store *store, uint64_t *ret_done, struct err *err)
{
    AUTO(work_done) struct work work = { .store = store };
    if (!store->dir || store->options.archive_interval_ns == 0)
        return 0;
    int rc = divide_files(&work);
    if (rc == 0 && work.old->block_count == 0)
        return 0;
    work.checkpoint = ++store->last_checkpoint;
    if (rc == 0 && !store->options.is_archive_deleted) {
        rc = list_numbers(&work);
        if (rc == 0)
            rc = write_archive(&work, err);
        else
            (void)err_set(err, -rc, "out of memory");
    }
    if (rc < 0)
        return rc;
    *ret_done = work.old->block_count;
    return replace_files(&work, err);
}
