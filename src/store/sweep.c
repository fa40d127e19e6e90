/* SPDX-License-Identifier: Apache-2.0 */
/* sweep - the files of a store's directory that no manifest names any more. */
#include "store/sweep.h"

#include "base/span.h"

static bool names_file(const struct manifest_file *files, size_t count,
                       const struct store_file *file)
{
    for (size_t i = 0; i < count; i++) {
        if (files[i].checkpoint == file->number && files[i].shard == file->shard)
            return true;
    }
    return false;
}

static bool is_named(const struct manifest *m, const struct store_file *file)
{
    switch (file->kind) {
    case STORE_FILE_MANIFEST:
    case STORE_FILE_INDEX:
        return m->checkpoint == file->number;
    case STORE_FILE_BLOCKS:
        return names_file(m->blocks, m->block_count, file);
    case STORE_FILE_ARCHIVE:
        return names_file(m->archives, m->archive_count, file);
    case STORE_FILE_LOG:
        return file->shard < m->shard_count && file->number >= m->segments[file->shard];
    default:
        return true;
    }
}

/* A manifest that was being written when a process died.  Called by the thread that
 * writes them. */
static bool is_half_manifest(const char *name)
{
    struct span span = span_of(name);
    return span_starts(span, "manifest-") && span_ends(span, ".new");
}

void store_sweep(struct metric_store *store)
{
    AUTO_CLOSEDIR DIR *dir = opendir(store->dir);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        struct store_file file;
        bool is_file = store_file_parse(entry->d_name, &file);
        if (!is_file && is_half_manifest(entry->d_name))
            (void)unlinkat(dirfd(dir), entry->d_name, 0);
        if (!is_file || is_named(&store->current, &file))
            continue;
        if (store->previous.checkpoint != 0 && is_named(&store->previous, &file))
            continue;
        (void)unlinkat(dirfd(dir), entry->d_name, 0);
    }
}
