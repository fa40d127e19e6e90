/* SPDX-License-Identifier: Apache-2.0 */
/* sweep - the files of a store's directory: their names, and which have to go. */
#include "store/store_parts.h"

#include "base/number.h"
#include "store/sweep.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const kinds[STORE_FILE_KIND_COUNT] = {
    [STORE_FILE_MANIFEST] = "manifest", [STORE_FILE_INDEX] = "index",
    [STORE_FILE_BLOCKS] = "blocks",     [STORE_FILE_ARCHIVE] = "archive",
    [STORE_FILE_LOG] = "log",
};

void store_path(char out[static STORE_PATH_MAX], const struct metric_store *store,
                const char *kind, struct manifest_file file)
{
    (void)snprintf(out, STORE_PATH_MAX, "%s/%s-%08" PRIu64 "-%u", store->dir, kind,
                   file.checkpoint, file.shard);
}

bool store_file_parse(const char *text, struct store_file *ret)
{
    struct span rest = span_of(text), word, first;
    struct store_file file = { .kind = 0 };
    uint64_t shard = 0;
    (void)span_cut(&rest, '-', &word);
    while (file.kind < STORE_FILE_KIND_COUNT && !span_is(word, kinds[file.kind]))
        file.kind++;
    if (file.kind == STORE_FILE_KIND_COUNT)
        return false;
    bool has_two = span_cut(&rest, '-', &first);
    bool is_single =
        file.kind == STORE_FILE_MANIFEST || file.kind == STORE_FILE_ARCHIVE;
    if (has_two == is_single)
        return false;
    struct span number = file.kind == STORE_FILE_LOG ? rest : first;
    struct span of_shard = file.kind == STORE_FILE_LOG ? first : rest;
    if (number_parse_u64(number, &file.number) < 0 ||
        (has_two && number_parse_u64(of_shard, &shard) < 0) || shard > UINT32_MAX)
        return false;
    file.shard = (unsigned)shard;
    *ret = file;
    return true;
}

uint64_t store_newest_manifest(const char *path)
{
    AUTO_CLOSEDIR DIR *dir = opendir(path);
    const struct dirent *entry;
    uint64_t newest = 0;
    while (dir && (entry = readdir(dir))) {
        struct store_file file;
        if (store_file_parse(entry->d_name, &file) &&
            file.kind == STORE_FILE_MANIFEST && file.number > newest)
            newest = file.number;
    }
    return newest;
}

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

/* A manifest that was being written when a process died.  Called by who writes them. */
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
