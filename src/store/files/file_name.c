/* SPDX-License-Identifier: Apache-2.0 */
/* file_name - the names of the files in a store's directory. */
#include "store/files/file_name.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const kinds[STORE_FILE_KIND_COUNT] = {
    [STORE_FILE_MANIFEST] = "manifest", [STORE_FILE_INDEX] = "index",
    [STORE_FILE_BLOCKS] = "blocks",     [STORE_FILE_ARCHIVE] = "archive",
    [STORE_FILE_LOG] = "log",
};

static bool has_shard(enum store_file_kind kind)
{
    return kind != STORE_FILE_MANIFEST && kind != STORE_FILE_ARCHIVE;
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
    if (has_two != has_shard(file.kind))
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

void store_file_path(char out[static STORE_PATH_MAX], const char *dir,
                     const struct store_file *file)
{
    const char *kind = kinds[file->kind];
    if (file->kind == STORE_FILE_LOG)
        (void)snprintf(out, STORE_PATH_MAX, "%s/%s-%u-%08" PRIu64, dir, kind,
                       file->shard, file->number);
    else if (has_shard(file->kind))
        (void)snprintf(out, STORE_PATH_MAX, "%s/%s-%08" PRIu64 "-%u", dir, kind,
                       file->number, file->shard);
    else
        (void)snprintf(out, STORE_PATH_MAX, "%s/%s-%08" PRIu64, dir, kind,
                       file->number);
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
