/* SPDX-License-Identifier: Apache-2.0 */
/* series_names - lists of the series that samples of a queue are of, on disk. */
#include "forward/series_names.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PREFIX "series-"
#define LIST_BYTES_MAX (UINT64_C(4) << 30)

/* By address: those of a process are nothing that a sender could choose. */
struct numbered {
    const struct level_series *series; /* NULL: free */
    uint32_t number;
};

struct series_names {
    struct series_names_opts opts;
    uint64_t list;
    int fd;
    struct strbuf unstored; /* of the file: what is not in it yet */
    _Atomic uint64_t stored_bytes;
    uint64_t synced_bytes;
    bool is_dir_synced;
    struct numbered *table;
    size_t capacity, used;
    struct name_list grown; /* texts are the program's */
    /* The list that is read, if it is another. */
    uint64_t open_list;
    struct strbuf text;
    struct name_list read;
};

/* ---- files ---- */

static void list_path(const struct series_names *names, uint64_t list, char *out,
                      size_t size)
{
    (void)snprintf(out, size, "%s/" PREFIX "%020" PRIu64, names->opts.dir, list);
}

/* Each list of the directory, in no order. */
static void remove_lists(const struct series_names *names, uint64_t before,
                         uint64_t *ret_newest)
{
    DIR *dir = opendir(names->opts.dir);
    const struct dirent *entry;
    *ret_newest = 0;
    while (dir && (entry = readdir(dir))) {
        char path[4096];
        uint64_t list;
        struct span name = span_of(entry->d_name);
        if (!span_starts(name, PREFIX) ||
            number_parse_u64(span_skip(name, sizeof PREFIX - 1), &list) < 0)
            continue;
        *ret_newest = list > *ret_newest ? list : *ret_newest;
        if (list >= before)
            continue;
        list_path(names, list, path, sizeof path);
        (void)unlink(path);
    }
    if (dir)
        (void)closedir(dir);
}

int series_names_new(const struct series_names_opts *opts, struct series_names **ret,
                     struct err *err)
{
    char path[4096];
    uint64_t newest;
    AUTO(series_names_free) struct series_names *names = calloc(1, sizeof *names);
    if (!names)
        return err_set(err, ENOMEM, "out of memory");
    names->fd = -1;
    names->opts = *opts;
    remove_lists(names, 0, &newest);
    names->list = (uint64_t)clock_now_ns();
    if (names->list <= newest)
        names->list = newest + 1;
    list_path(names, names->list, path, sizeof path);
    names->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (names->fd < 0)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    *ret = TAKE(names);
    return 0;
}

void series_names_free(struct series_names *names)
{
    if (!names)
        return;
    if (names->fd >= 0)
        (void)close(names->fd);
    strbuf_done(&names->unstored);
    strbuf_done(&names->text);
    free(names->table);
    name_list_done(&names->grown);
    name_list_done(&names->read);
    free(names);
}

uint64_t series_names_list(const struct series_names *names)
{
    return names->list;
}

/* ---- the list that grows ---- */

static size_t find_slot_of(const struct series_names *names,
                           const struct level_series *series)
{
    uint64_t hash = (uint64_t)(uintptr_t)series * UINT64_C(0x9E3779B97F4A7C15);
    size_t at = (size_t)(hash >> 20) & (names->capacity - 1);
    while (names->table[at].series && names->table[at].series != series)
        at = (at + 1) & (names->capacity - 1);
    return at;
}

static int grow_table(struct series_names *names)
{
    struct series_names bigger = {
        .capacity = names->capacity ? 2 * names->capacity : 1024,
    };
    bigger.table = calloc(bigger.capacity, sizeof *bigger.table);
    if (!bigger.table)
        return -ENOMEM;
    for (size_t i = 0; i < names->capacity; i++)
        if (names->table[i].series)
            bigger.table[find_slot_of(&bigger, names->table[i].series)] =
                names->table[i];
    free(names->table);
    names->table = bigger.table;
    names->capacity = bigger.capacity;
    return 0;
}

static int add_to_list(struct series_names *names, const struct series_name *name,
                       uint32_t *ret)
{
    size_t size = names->unstored.size;
    name_list_print(name, &names->unstored);
    int rc = strbuf_error(&names->unstored);
    if (rc == 0)
        rc = name_list_add(&names->grown, name);
    if (rc < 0) {
        names->unstored.size = size;
        names->unstored.error = 0;
        return rc;
    }
    *ret = names->grown.count;
    return 0;
}

int series_names_number(struct series_names *names, const struct level_series *series,
                        uint32_t *ret)
{
    struct series_name name;
    int rc = names->used * 2 >= names->capacity ? grow_table(names) : 0;
    if (rc < 0)
        return rc;
    struct numbered *slot = &names->table[find_slot_of(names, series)];
    if (slot->series) {
        *ret = slot->number;
        return 0;
    }
    names->opts.describe(names->opts.describe_arg, series, &name);
    *ret = SERIES_UNWANTED;
    if (names->opts.is_wanted(names->opts.wanted_arg, name.metric))
        rc = add_to_list(names, &name, ret);
    if (rc < 0)
        return rc;
    *slot = (struct numbered){ series, *ret };
    names->used++;
    return 0;
}

int series_names_store(struct series_names *names)
{
    size_t done = 0;
    int rc = 0;
    while (rc == 0 && done < names->unstored.size) {
        ssize_t size =
            write(names->fd, names->unstored.data + done, names->unstored.size - done);
        if (size > 0)
            done += (size_t)size;
        else if (size == 0 || errno != EINTR)
            rc = size == 0 ? -EIO : -errno;
    }
    if (done > 0) {
        (void)atomic_fetch_add(&names->stored_bytes, done);
        memmove(names->unstored.data, names->unstored.data + done,
                names->unstored.size - done);
        names->unstored.size -= done;
    }
    return rc;
}

int series_names_sync(struct series_names *names, struct err *err)
{
    uint64_t stored = atomic_load(&names->stored_bytes);
    if (stored == names->synced_bytes)
        return 0;
    if (fdatasync(names->fd) < 0)
        return err_set(err, errno, "sync the list of names in '%s': %s",
                       names->opts.dir, strerror(errno));
    int rc = names->is_dir_synced ? 0 : file_sync_dir(names->opts.dir, err);
    if (rc < 0)
        return rc;
    names->is_dir_synced = true;
    names->synced_bytes = stored;
    return 0;
}

/* ---- lists that are read ---- */

static void close_list(struct series_names *names)
{
    strbuf_done(&names->text);
    names->text = (struct strbuf)STRBUF_INIT;
    name_list_done(&names->read);
    names->open_list = 0;
}

int series_names_open(struct series_names *names, uint64_t list, struct err *err)
{
    char path[4096];
    uint64_t newest;
    if (names->open_list == list)
        return 0;
    close_list(names);
    remove_lists(names, list < names->list ? list : names->list, &newest);
    if (list != names->list) {
        list_path(names, list, path, sizeof path);
        int rc = file_read(path, LIST_BYTES_MAX, &names->text, err);
        if (rc == 0)
            rc = name_list_read(&names->read, strbuf_span(&names->text));
        if (rc < 0)
            return rc;
    }
    names->open_list = list;
    return 0;
}

bool series_names_get(const struct series_names *names, uint32_t number,
                      struct series_name *ret)
{
    const struct name_list *list =
        names->open_list == names->list ? &names->grown : &names->read;
    if (number == 0 || number > list->count)
        return false;
    *ret = list->names[number - 1];
    return true;
}

void series_names_forget(struct series_names *names)
{
    uint64_t newest;
    close_list(names);
    remove_lists(names, names->list, &newest);
}
