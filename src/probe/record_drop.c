/* SPDX-License-Identifier: Apache-2.0 */
/* record_drop - the oldest records of an archive removed, with the logs beside them. */
#include "probe/record_drop.h"

#include "base/cleanup.h"
#include "probe/darshan_log.h"

#include <errno.h>
#include <ftw.h>
#include <string.h>
#include <unistd.h>

struct listing {
    char **paths;
    size_t count, capacity;
};

static struct listing documents, logs; /* nftw(3) has no argument for them */

static int listing_add(struct listing *list, const char *path)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        char **paths = reallocarray(list->paths, capacity, sizeof *paths);
        if (!paths)
            return ENOMEM;
        list->paths = paths;
        list->capacity = capacity;
    }
    list->paths[list->count] = strdup(path);
    return list->paths[list->count++] ? 0 : ENOMEM;
}

static void listing_done(struct listing *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->paths[i]);
    free(list->paths);
    *list = (struct listing){ 0 };
}

/* dir/YYYY/MM/DD/ID.json and logs of all ranks, nothing else that a user may have put
 * there. */
static int on_entry(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    size_t size = strlen(path);
    if (kind != FTW_F || ftw->level != 4)
        return 0;
    if (size > 5 && strcmp(path + size - 5, ".json") == 0)
        return listing_add(&documents, path);
    return darshan_log_is_of_all(path + ftw->base) ? listing_add(&logs, path) : 0;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The file, and day, month and year, when empty. */
static void path_remove(char *path)
{
    (void)unlink(path);
    for (int up = 0; up < 3; up++) {
        *strrchr(path, '/') = '\0';
        if (rmdir(path) < 0)
            return;
    }
}

static bool is_of_any(const char *log, char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (darshan_log_is_of(log, paths[i]))
            return true;
    return false;
}

/* Paths sort as their dates do. */
static void drop(size_t count)
{
    qsort(documents.paths, documents.count, sizeof(char *), by_path);
    for (size_t i = 0; i < logs.count; i++)
        if (is_of_any(logs.paths[i], documents.paths, count) &&
            !is_of_any(logs.paths[i], documents.paths + count, documents.count - count))
            path_remove(logs.paths[i]);
    for (size_t i = 0; i < count; i++) {
        darshan_log_drop(documents.paths[i]);
        path_remove(documents.paths[i]);
    }
}

void record_drop_oldest(const char *dir, uint64_t documents_max)
{
    documents = logs = (struct listing){ 0 };
    if (nftw(dir, on_entry, 8, FTW_PHYS) == 0 && documents.count > documents_max)
        drop(documents.count - documents_max);
    listing_done(&documents);
    listing_done(&logs);
}
