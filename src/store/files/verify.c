/* SPDX-License-Identifier: Apache-2.0 */
/* verify - a store's directory looked through, without changing it. */
#include "store/files/verify.h"

#include "base/span.h"

#include "store/files/verify_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>

#define ROUNDS 10

void store_verified_done(struct store_verified *verified)
{
    free(verified->items);
    verified->items = NULL;
}

/* ---- what is there ---- */

static void verify_done(struct verify *v)
{
    for (size_t i = 0; i < v->block_count; i++)
        block_file_close(v->blocks[i]);
    for (size_t i = 0; i < v->manifest_count; i++)
        manifest_done(&v->manifests[i]);
    free(v->blocks);
    free(v->files);
    store_verified_done(&v->result);
}
DEFINE_AUTO_DONE(struct verify, verify_done);

static int add_file(struct verify *v, const char *name, const struct store_file *file)
{
    if (v->file_count == v->file_capacity) {
        size_t capacity = 2 * v->file_capacity + 64;
        struct verify_file *files = realloc(v->files, capacity * sizeof *files);
        if (!files)
            return -ENOMEM;
        v->files = files;
        v->file_capacity = capacity;
    }
    struct verify_file *f = &v->files[v->file_count++];
    *f = (struct verify_file){ .file = *file };
    size_t size = strnlen(name, VERIFY_NAME_MAX);
    memcpy(f->name, name, size);
    return 0;
}

static int compare_files(const void *a, const void *b)
{
    const struct verify_file *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static void report_unknown(struct verify *v, const char *name)
{
    const struct verify_at at = {
        .file = name,
        .byte = -1,
        .is_note = true,
        .remedy = "look at it, and remove it when it is no longer wanted",
    };
    if (name[0] == '.' || strcmp(name, "lock") == 0 ||
        strcmp(name, "senders") == 0) /* barod's: which sender created which names */
        return;
    if (span_ends(span_of(name), ".torn"))
        (void)verify_report(
            v, &at, "the tail of a log, cut off at a start and saved for inspection");
    else if (span_ends(span_of(name), ".damaged"))
        (void)verify_report(v, &at,
                            "a log that was found damaged, saved for inspection");
    else
        (void)verify_report(v, &at, "not a file of the store");
}

static int list_files(struct verify *v, struct err *err)
{
    AUTO_CLOSEDIR DIR *dir = opendir(v->dir);
    const struct dirent *entry;
    if (!dir)
        return err_set(err, errno, "open '%s': %s", v->dir, strerror(errno));
    while ((entry = readdir(dir))) {
        struct store_file file;
        struct stat st;
        if (strlen(entry->d_name) > VERIFY_NAME_MAX ||
            !store_file_parse(entry->d_name, &file)) {
            report_unknown(v, entry->d_name);
            continue;
        }
        int rc = add_file(v, entry->d_name, &file);
        if (rc < 0)
            return err_set(err, -rc, "out of memory");
        if (fstatat(dirfd(dir), entry->d_name, &st, 0) == 0)
            v->result.bytes += (uint64_t)st.st_size;
        if (file.kind == STORE_FILE_LOG && file.shard < MANIFEST_SHARDS_MAX &&
            file.number > v->last_segments[file.shard])
            v->last_segments[file.shard] = file.number;
    }
    if (v->file_count == 0)
        return err_set(err, ENOENT, "'%s' is not a directory of a store", v->dir);
    qsort(v->files, v->file_count, sizeof *v->files, compare_files);
    return 0;
}

/* ---- manifests ---- */

/* The two newest are those that count. */
static void read_manifests(struct verify *v)
{
    for (size_t i = 0; i < v->file_count; i++) {
        const struct verify_file *f = &v->files[i];
        struct manifest m = { 0 };
        struct err why = { 0 };
        if (f->file.kind != STORE_FILE_MANIFEST)
            continue;
        v->result.files++;
        int rc = manifest_read(v->dir, f->file.number, &m, &why);
        if (rc < 0) {
            verify_report_open(v, f->name, rc, why.text);
            continue;
        }
        if (v->manifest_count == COUNT_OF(v->manifests)) {
            manifest_done(&v->manifests[0]);
            v->manifests[0] = v->manifests[1];
            v->manifest_count--;
        }
        v->manifests[v->manifest_count++] = m;
        v->result.checkpoint = m.checkpoint;
    }
}

static struct verify_file *find_file(struct verify *v, enum store_file_kind kind,
                                     struct manifest_file which)
{
    for (size_t i = 0; i < v->file_count; i++) {
        const struct store_file *f = &v->files[i].file;
        if (f->kind == kind && f->number == which.checkpoint && f->shard == which.shard)
            return &v->files[i];
    }
    return NULL;
}

static void require_file(struct verify *v, const struct manifest *m,
                         enum store_file_kind kind, struct manifest_file which)
{
    static const char *const names[] = {
        [STORE_FILE_INDEX] = "index",
        [STORE_FILE_BLOCKS] = "blocks",
        [STORE_FILE_ARCHIVE] = "archive",
    };
    char name[64];
    struct verify_file *f = find_file(v, kind, which);
    if (f) {
        f->is_named = true;
        return;
    }
    if (kind == STORE_FILE_ARCHIVE)
        (void)snprintf(name, sizeof name, "%s-%08" PRIu64, names[kind],
                       which.checkpoint);
    else
        (void)snprintf(name, sizeof name, "%s-%08" PRIu64 "-%u", names[kind],
                       which.checkpoint, which.shard);
    v->has_missing = true;
    const struct verify_at at = { .file = name, .byte = -1 };
    (void)verify_report(
        v, &at, "it is not there, and the manifest of checkpoint %" PRIu64 " names it",
        m->checkpoint);
}

static void check_names(struct verify *v)
{
    for (size_t i = 0; i < v->manifest_count; i++) {
        const struct manifest *m = &v->manifests[i];
        for (unsigned s = 0; s < m->shard_count; s++)
            require_file(v, m, STORE_FILE_INDEX,
                         (struct manifest_file){ m->checkpoint, s });
        for (size_t k = 0; k < m->block_count; k++)
            require_file(v, m, STORE_FILE_BLOCKS, m->blocks[k]);
        for (size_t k = 0; k < m->archive_count; k++)
            require_file(v, m, STORE_FILE_ARCHIVE, m->archives[k]);
    }
}

/* ---- all ---- */

static void check_all(struct verify *v, enum store_file_kind kind,
                      void (*check)(struct verify *v, struct verify_file *f))
{
    for (size_t i = 0; i < v->file_count; i++) {
        struct verify_file *f = &v->files[i];
        if (f->file.kind != kind)
            continue;
        if (f->is_named || kind == STORE_FILE_LOG)
            check(v, f);
        v->done++;
        if (v->progress)
            v->progress(v->progress_arg, v->done, v->file_count);
    }
}

static void report_unnamed(struct verify *v)
{
    for (size_t i = 0; i < v->file_count; i++) {
        const struct verify_file *f = &v->files[i];
        const struct verify_at at = {
            .file = f->name,
            .byte = -1,
            .is_note = true,
            .remedy = "none is needed: barod removes it at its next checkpoint",
        };
        if (!f->is_named && f->file.kind != STORE_FILE_MANIFEST)
            (void)verify_report(v, &at, "no manifest names it, or not yet");
    }
}

static int compare_faults(const void *a, const void *b)
{
    const struct store_fault *x = a, *y = b;
    int order = strcmp(x->file, y->file);
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* A program has the store open: the end of a log may be a record on its way. */
static bool is_written(const struct verify *v)
{
    char path[PATH_MAX];
    if (!verify_path(v, "lock", path))
        return false;
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0;
}

static void verify_all(struct verify *v)
{
    v->is_written = is_written(v);
    read_manifests(v);
    check_names(v);
    check_all(v, STORE_FILE_BLOCKS, verify_blocks);
    check_all(v, STORE_FILE_ARCHIVE, verify_archive);
    check_all(v, STORE_FILE_INDEX, verify_index);
    check_all(v, STORE_FILE_LOG, verify_log);
    report_unnamed(v);
    if (v->result.item_count > 0)
        qsort(v->result.items, v->result.item_count, sizeof *v->result.items,
              compare_faults);
}

int store_verify(const char *dir, struct store_verified *ret, struct err *err)
{
    return store_verify_watched(dir, NULL, NULL, ret, err);
}

int store_verify_watched(const char *dir, store_verify_progress_fn *fn, void *arg,
                         struct store_verified *ret, struct err *err)
{
    for (unsigned round = 1;; round++) {
        AUTO(verify_done)
        struct verify v = { .dir = dir, .progress = fn, .progress_arg = arg };
        uint64_t before = store_newest_manifest(dir);
        int rc = list_files(&v, err);
        if (rc < 0)
            return rc;
        verify_all(&v);
        if (v.error < 0)
            return err_set(err, -v.error, "%s", strerror(-v.error));
        /* What went because a checkpoint was made meanwhile is not missing; its old
         * files go after the new manifest has come, which may be before we began. */
        bool is_changing =
            v.has_gone || round == 1 || store_newest_manifest(dir) != before;
        if ((v.has_gone || v.has_missing) && is_changing && round < ROUNDS)
            continue;
        *ret = v.result;
        v.result = (struct store_verified){ 0 };
        return 0;
    }
}
