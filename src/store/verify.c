/* SPDX-License-Identifier: Apache-2.0 */
/* verify - a store's directory looked through, without changing it. */
#include "store/verify.h"

#include "blocks/blocks.h"
#include "store/sweep.h"
#include "store/verify_parts.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>

#define ROUNDS 10
#define LOG_HEADER_BYTES 40
#define LOG_RECORD_HEAD_BYTES 16

static const char keep_the_rest[] =
    "barod serves the rest; bring the file back from a copy, or go on without it";

void store_verified_done(struct store_verified *verified)
{
    free(verified->items);
    verified->items = NULL;
}

struct store_fault *verify_say(struct verify *v, const struct verify_at *at,
                               const char *fmt, ...)
{
    struct store_verified *r = &v->result;
    va_list ap;
    r->fault_count += !at->is_note;
    if (r->item_count == STORE_FAULTS_MAX)
        return NULL;
    if (!r->items)
        r->items = calloc(STORE_FAULTS_MAX, sizeof *r->items);
    if (!r->items) {
        v->error = -ENOMEM;
        return NULL;
    }
    struct store_fault *fault = &r->items[r->item_count++];
    fault->is_note = at->is_note;
    fault->at = at->byte;
    fault->remedy = at->remedy ? at->remedy : keep_the_rest;
    (void)snprintf(fault->file, sizeof fault->file, "%s", at->file);
    va_start(ap, fmt);
    (void)vsnprintf(fault->what, sizeof fault->what, fmt, ap);
    va_end(ap);
    return fault;
}

void verify_say_open(struct verify *v, const char *file, int rc, const char *why)
{
    if (rc == -ENOMEM)
        v->error = rc;
    v->has_gone |= rc == -ENOENT;
    const struct verify_at at = { .file = file, .byte = -1 };
    (void)verify_say(v, &at, "%s", rc == -ENOENT ? "it is not there" : why);
}

bool verify_path(const struct verify *v, const char *name, char out[static PATH_MAX])
{
    int n = snprintf(out, PATH_MAX, "%s/%s", v->dir, name);
    return n > 0 && n < PATH_MAX;
}

/* ---- what is there ---- */

static void done(struct verify *v)
{
    for (size_t i = 0; i < v->block_count; i++)
        block_file_close(v->blocks[i]);
    for (size_t i = 0; i < v->manifest_count; i++)
        manifest_done(&v->manifests[i]);
    free(v->blocks);
    free(v->files);
    store_verified_done(&v->result);
}
DEFINE_AUTO_DONE(struct verify, done);

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

static void take_stranger(struct verify *v, const char *name)
{
    const struct verify_at at = {
        .file = name,
        .byte = -1,
        .is_note = true,
        .remedy = "look at it, and remove it when it is no longer wanted",
    };
    if (name[0] == '.' || strcmp(name, "lock") == 0 ||
        strcmp(name, "senders") == 0) /* barod's: who created which names */
        return;
    if (span_ends(span_of(name), ".torn"))
        (void)verify_say(v, &at,
                         "the tail of a log, cut off at a start and kept for a person");
    else if (span_ends(span_of(name), ".damaged"))
        (void)verify_say(v, &at, "a log that was found damaged, kept for a person");
    else
        (void)verify_say(v, &at, "not a file of the store");
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
            take_stranger(v, entry->d_name);
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
        return err_set(err, ENOENT, "'%s' is no directory of a store", v->dir);
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
            verify_say_open(v, f->name, rc, why.text);
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

static void want(struct verify *v, const struct manifest *m, enum store_file_kind kind,
                 struct manifest_file which)
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
    (void)verify_say(
        v, &at, "it is not there, and the manifest of checkpoint %" PRIu64 " names it",
        m->checkpoint);
}

static void check_names(struct verify *v)
{
    for (size_t i = 0; i < v->manifest_count; i++) {
        const struct manifest *m = &v->manifests[i];
        for (unsigned s = 0; s < m->shard_count; s++)
            want(v, m, STORE_FILE_INDEX, (struct manifest_file){ m->checkpoint, s });
        for (size_t k = 0; k < m->block_count; k++)
            want(v, m, STORE_FILE_BLOCKS, m->blocks[k]);
        for (size_t k = 0; k < m->archive_count; k++)
            want(v, m, STORE_FILE_ARCHIVE, m->archives[k]);
    }
}

/* ---- logs ---- */

struct log_check {
    struct verify *v;
    const struct verify_file *file;
    struct record record;
    int64_t at;
    uint64_t last_sequence;
};

static int check_record(void *arg, struct span payload)
{
    struct log_check *c = arg;
    const struct verify_at at = {
        .file = c->file->name,
        .byte = c->at,
        .remedy = "start barod: it takes what stands before, and keeps the log aside",
    };
    int rc = record_decode(payload, &c->record);
    c->at += (int64_t)(LOG_RECORD_HEAD_BYTES + payload.size);
    if (rc == -ENOMEM)
        return rc;
    if (rc < 0) {
        (void)verify_say(c->v, &at, "the record is whole, and makes no sense");
        return 0;
    }
    if (c->record.sequence <= c->last_sequence)
        (void)verify_say(c->v, &at, "record %" PRIu64 " comes after record %" PRIu64,
                         c->record.sequence, c->last_sequence);
    c->last_sequence = c->record.sequence;
    c->v->result.log_records++;
    c->v->result.log_samples += c->record.count;
    return 0;
}

static void say_end(struct verify *v, const struct verify_file *f,
                    const struct log_read *read)
{
    bool is_last = f->file.number == v->last_segments[f->file.shard];
    bool is_empty = read->good_bytes == 0 || read->left_bytes <= LOG_RECORD_HEAD_BYTES;
    struct verify_at at = {
        .file = f->name,
        .byte = (int64_t)read->good_bytes,
        .is_note = read->end == LOG_TORN && (is_empty || (is_last && v->is_written)),
        .remedy = "none is needed: the next start cuts it off",
    };
    if (read->end == LOG_WHOLE)
        return;
    if (at.is_note && read->good_bytes == 0) {
        at.remedy = "none is needed: it goes with the next checkpoints";
        (void)verify_say(v, &at,
                         "it was only begun, as before a crash: nothing was in it");
        return;
    }
    if (at.is_note) {
        (void)verify_say(v, &at,
                         "it ends within a record, as after a crash, or while one is "
                         "being written");
        return;
    }
    if (read->end == LOG_TORN) {
        at.remedy = "bring the file back from a copy before barod starts, or go on "
                    "without what is cut";
        (void)verify_say(v, &at,
                         "it ends within a record: the next start cuts %" PRIu64
                         " bytes, and what a crash had not written in full, or damage "
                         "took, is lost",
                         read->left_bytes);
        return;
    }
    at.remedy = "start barod: it takes what stands before, and keeps the log aside";
    (void)verify_say(v, &at, "damaged: what follows in it is lost");
}

/* Before the oldest manifest's logs nothing is read any more. */
static bool is_over(const struct verify *v, const struct store_file *f)
{
    return v->manifest_count > 0 && f->shard < v->manifests[0].shard_count &&
           f->number < v->manifests[0].segments[f->shard];
}

static void check_log(struct verify *v, struct verify_file *f)
{
    char path[PATH_MAX];
    struct log_check check = { .v = v, .file = f, .at = LOG_HEADER_BYTES };
    struct log_read read = { 0 };
    struct err why = { 0 };
    f->is_named = !is_over(v, &f->file) && f->file.shard < MANIFEST_SHARDS_MAX;
    if (!f->is_named || !verify_path(v, f->name, path))
        return;
    v->result.files++;
    int rc = log_read(path, check_record, &check, &read, &why);
    record_done(&check.record);
    if (rc < 0) {
        verify_say_open(v, f->name, rc, why.text[0] ? why.text : strerror(-rc));
        return;
    }
    const struct verify_at at = { .file = f->name, .byte = 0 };
    bool has_header = read.good_bytes > 0;
    if (has_header && (read.kind != LOG_BATCHES || read.number != f->file.number))
        (void)verify_say(v, &at, "its header says that it is number %" PRIu64,
                         read.number);
    say_end(v, f, &read);
}

/* ---- all ---- */

static void check_all(struct verify *v, enum store_file_kind kind,
                      void (*check)(struct verify *v, struct verify_file *f))
{
    for (size_t i = 0; i < v->file_count; i++) {
        struct verify_file *f = &v->files[i];
        if (f->file.kind == kind && (f->is_named || kind == STORE_FILE_LOG))
            check(v, f);
    }
}

static void say_strays(struct verify *v)
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
            (void)verify_say(v, &at, "no manifest names it, or not yet");
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

static void look(struct verify *v)
{
    v->is_written = is_written(v);
    read_manifests(v);
    check_names(v);
    check_all(v, STORE_FILE_BLOCKS, verify_blocks);
    check_all(v, STORE_FILE_ARCHIVE, verify_archive);
    check_all(v, STORE_FILE_INDEX, verify_index);
    check_all(v, STORE_FILE_LOG, check_log);
    say_strays(v);
    if (v->result.item_count > 0)
        qsort(v->result.items, v->result.item_count, sizeof *v->result.items,
              compare_faults);
}

int store_verify(const char *dir, struct store_verified *ret, struct err *err)
{
    for (unsigned round = 1;; round++) {
        AUTO(done) struct verify v = { .dir = dir };
        uint64_t before = store_newest_manifest(dir);
        int rc = list_files(&v, err);
        if (rc < 0)
            return rc;
        look(&v);
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
