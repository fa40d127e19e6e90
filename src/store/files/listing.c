/* SPDX-License-Identifier: Apache-2.0 */
/* listing - which manifests and segments of logs are in a store's directory. */
#include "store/files/listing.h"

#include "store/files/file_name.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void listing_done(struct store_listing *l)
{
    free(l->manifests);
    for (size_t i = 0; i < MANIFEST_SHARDS_MAX; i++)
        free(l->logs[i].numbers);
}
static int add_number(uint64_t **numbers, size_t *count, size_t *capacity,
                      uint64_t number)
{
    if (*count == *capacity) {
        size_t more = 2 * *capacity + 16;
        uint64_t *grown = realloc(*numbers, more * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        *numbers = grown;
        *capacity = more;
    }
    (*numbers)[(*count)++] = number;
    return 0;
}

static int list_file(struct store_listing *l, const struct store_file *file)
{
    if (file->kind == STORE_FILE_LOG) {
        struct segments *s = &l->logs[file->shard];
        l->last_segment =
            file->number > l->last_segment ? file->number : l->last_segment;
        return add_number(&s->numbers, &s->count, &s->capacity, file->number);
    }
    if (file->number > l->last_checkpoint)
        l->last_checkpoint = file->number;
    if (file->kind == STORE_FILE_MANIFEST)
        return add_number(&l->manifests, &l->manifest_count, &l->manifest_capacity,
                          file->number);
    return 0;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void sort_numbers(uint64_t *numbers, size_t count)
{
    if (count > 0)
        qsort(numbers, count, sizeof *numbers, compare_numbers);
}

int listing_read(const char *path, struct store_listing *ret, struct err *err)
{
    AUTO_CLOSEDIR DIR *dir = opendir(path);
    AUTO(listing_done) struct store_listing l = { 0 };
    const struct dirent *entry;
    if (!dir)
        return err_set(err, errno, "open '%s': %s", path, strerror(errno));
    while ((entry = readdir(dir))) {
        struct store_file file;
        if (!store_file_parse(entry->d_name, &file) || file.number >= UINT64_MAX / 2 ||
            file.shard >= MANIFEST_SHARDS_MAX)
            continue;
        int rc = list_file(&l, &file);
        if (rc < 0)
            return err_set(err, -rc, "out of memory");
    }
    sort_numbers(l.manifests, l.manifest_count);
    for (size_t i = 0; i < MANIFEST_SHARDS_MAX; i++)
        sort_numbers(l.logs[i].numbers, l.logs[i].count);
    *ret = l;
    l = (struct store_listing){ 0 };
    return 0;
}
