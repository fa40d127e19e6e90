/* SPDX-License-Identifier: Apache-2.0 */
/* verify_files - every block of a file or archive, every series of an index. */
#include "store/files/verify_files.h"

#include "base/span.h"

#include "blocks/blocks.h"
#include "store/files/index.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define OFFSET_BYTES 8

static bool is_same(double a, double b)
{
    return double_bits(a) == double_bits(b) || (isnan(a) && isnan(b));
}

/* NULL: all is well with a block whose checksum is right. */
static const char *block_fault(const struct block *block)
{
    struct samples samples;
    double min = NAN, max = NAN, sum = 0;
    size_t count = 0;
    if (block_decode(block, &samples) < 0)
        return "cannot be decoded";
    for (size_t i = 0; i < samples.count; i++) {
        double v = samples.values[i];
        if (i > 0 && samples.times[i] <= samples.times[i - 1])
            return "has times that do not grow";
        if (isnan(v))
            continue;
        min = count == 0 || v < min ? v : min;
        max = count == 0 || v > max ? v : max;
        sum += v;
        count++;
    }
    bool is_true = count == block->count && is_same(min, block->min) &&
                   is_same(max, block->max) && is_same(sum, block->sum);
    return is_true ? NULL : "does not match its statistics";
}

static void report_block(struct verify *v, const struct verify_at *at, uint32_t number,
                         const char *what)
{
    struct store_fault *fault = verify_report(
        v, at, "a block of series %" PRIu32 " %s: up to %d samples are lost", number,
        what, CODEC_VALUES_MAX);
    if (fault)
        fault->number = number;
}

static int retain_file(struct verify *v, struct block_file *file)
{
    struct block_file **blocks =
        realloc(v->blocks, (v->block_count + 1) * sizeof *blocks);
    if (!blocks)
        return -ENOMEM;
    v->blocks = blocks;
    v->blocks[v->block_count++] = file;
    return 0;
}

void verify_blocks(struct verify *v, struct verify_file *f)
{
    char path[PATH_MAX];
    AUTO(block_file_close) struct block_file *file = NULL;
    struct err why = { 0 };
    if (!verify_path(v, f->name, path))
        return;
    v->result.files++;
    int rc = block_file_open(path, &file, &why);
    if (rc < 0) {
        verify_report_open(v, f->name, rc, why.text);
        return;
    }
    const struct verify_at header = { .file = f->name, .byte = 0 };
    if (file->checkpoint != f->file.number || file->shard != f->file.shard)
        (void)verify_report(v, &header, "its header names it blocks-%08" PRIu64 "-%u",
                            file->checkpoint, file->shard);
    for (size_t i = 0; i < file->entry_count; i++) {
        const struct block_entry *e = &file->entries[i];
        const struct block *block = block_file_at(file, e->offset, e->number);
        const char *what = block ? block_fault(block) : "is damaged";
        const struct verify_at at = { .file = f->name,
                                      .byte = (int64_t)e->offset * OFFSET_BYTES };
        if (what)
            report_block(v, &at, e->number, what);
    }
    v->result.blocks += file->entry_count;
    if (retain_file(v, file) < 0)
        v->error = -ENOMEM;
    else
        file = NULL;
}

/* ---- archives ---- */

struct archive_check {
    struct verify *v;
    const struct verify_file *f;
    struct archive_file *file;
    size_t named;
};

static int count_named(void *arg, const struct record_name *name)
{
    struct archive_check *c = arg;
    size_t count = 0;
    (void)archive_file_find(c->file, name->number, &count);
    c->named += count;
    return 0;
}

static void check_names(struct archive_check *c)
{
    const struct verify_at at = { .file = c->f->name, .byte = -1 };
    int rc = archive_file_names(c->file, count_named, c);
    if (rc < 0)
        (void)verify_report(c->v, &at, "its list of names is damaged");
    else if (c->named != c->file->entry_count)
        (void)verify_report(c->v, &at, "it names the series of %zu blocks, and has %zu",
                            c->named, c->file->entry_count);
}

static void check_frame(struct archive_check *c, uint32_t frame, size_t first,
                        size_t end)
{
    AUTO_FREE void *bytes = NULL;
    const struct archive_file *file = c->file;
    struct verify_at at = { .file = c->f->name, .byte = -1 };
    if (frame < file->frame_count)
        at.byte = (int64_t)file->frames[frame].at;
    if (archive_file_unpack(file, frame, &bytes) < 0) {
        (void)verify_report(
            c->v, &at, "a frame of %zu blocks is damaged: they are lost", end - first);
        return;
    }
    for (size_t i = first; i < end; i++) {
        const struct archive_entry *e = &file->entries[i];
        const struct block *block = archive_file_at(file, e, bytes);
        const char *what = block ? block_fault(block) : "is damaged";
        if (what)
            report_block(c->v, &at, e->number, what);
    }
}

void verify_archive(struct verify *v, struct verify_file *f)
{
    char path[PATH_MAX];
    AUTO(archive_file_close) struct archive_file *file = NULL;
    struct err why = { 0 };
    if (!verify_path(v, f->name, path))
        return;
    v->result.files++;
    int rc = archive_file_open(path, &file, &why);
    if (rc < 0) {
        verify_report_open(v, f->name, rc, why.text);
        return;
    }
    struct archive_check check = { .v = v, .f = f, .file = file };
    const struct verify_at header = { .file = f->name, .byte = 0 };
    if (file->checkpoint != f->file.number)
        (void)verify_report(v, &header, "its header names it archive-%08" PRIu64,
                            file->checkpoint);
    check_names(&check);
    for (size_t i = 0, end; i < file->entry_count; i = end) {
        uint32_t frame = file->entries[i].frame;
        for (end = i + 1; end < file->entry_count && file->entries[end].frame == frame;)
            end++;
        check_frame(&check, frame, i, end);
    }
    v->result.archived_blocks += file->entry_count;
}

/* ---- indexes ---- */

struct index_check {
    struct verify *v;
    const struct verify_file *f;
    struct index_reader reader;
    struct block_file *files[INDEX_FILES_MAX]; /* NULL: could not be opened */
    char metrics[METRICS_MAX][32];             /* for messages; longer ones are cut */
    bool counts; /* of the newest checkpoint: its series are counted */
};

static int take_metric(void *arg, uint32_t id, const struct metric *metric)
{
    struct index_check *c = arg;
    (void)snprintf(c->metrics[id], sizeof c->metrics[id], SPAN_FMT,
                   SPAN_ARG(metric->name));
    return 0;
}

static int take_file(void *arg, uint32_t id, const struct index_file *file)
{
    struct index_check *c = arg;
    for (size_t i = 0; i < c->v->block_count; i++) {
        struct block_file *f = c->v->blocks[i];
        if (f->checkpoint == file->checkpoint && f->shard == file->shard)
            c->files[id] = f;
    }
    return 0;
}

static bool has_block(const struct block_file *file, uint32_t number, uint32_t offset)
{
    size_t count = 0;
    const struct block_entry *e = block_file_find(file, number, &count);
    for (size_t i = 0; i < count; i++) {
        if (e[i].offset == offset)
            return true;
    }
    return false;
}

/* Whose blocks are damaged is known by number so far. */
static void name_faults(struct verify *v, const struct index_series *s,
                        const char *metric)
{
    for (size_t i = 0; i < v->result.item_count; i++) {
        struct store_fault *fault = &v->result.items[i];
        if (fault->number != s->number)
            continue;
        size_t used = strlen(fault->what);
        (void)snprintf(fault->what + used, sizeof fault->what - used,
                       " ('" SPAN_FMT "' %s)", SPAN_ARG(s->path), metric);
        fault->number = 0;
    }
}

static int take_series(void *arg, uint64_t applied, const struct index_series *s)
{
    struct index_check *c = arg;
    const struct verify_at at = { .file = c->f->name, .byte = -1 };
    (void)applied;
    c->v->result.series += c->counts;
    if (c->v->result.item_count > 0)
        name_faults(c->v, s, c->metrics[s->metric]);
    for (size_t i = 0; i < s->location_count; i++) {
        const struct block_file *file = c->files[s->locations[i].file];
        if (file && !has_block(file, s->number, s->locations[i].offset))
            (void)verify_report(c->v, &at,
                                "it states that a block of '" SPAN_FMT
                                "' %s lies at byte %" PRIu64 " of blocks-%08" PRIu64
                                "-%u, where is none",
                                SPAN_ARG(s->path), c->metrics[s->metric],
                                (uint64_t)s->locations[i].offset * OFFSET_BYTES,
                                file->checkpoint, file->shard);
    }
    return 0;
}

static int take_record(void *arg, struct span payload)
{
    struct index_check *c = arg;
    return index_read_record(&c->reader, payload);
}

void verify_index(struct verify *v, struct verify_file *f)
{
    char path[PATH_MAX];
    struct log_read read = { 0 };
    struct err why = { 0 };
    AUTO_FREE struct index_check *c = calloc(1, sizeof *c);
    if (!c)
        v->error = -ENOMEM;
    if (!c || !verify_path(v, f->name, path))
        return;
    v->result.files++;
    c->v = v;
    c->f = f;
    c->counts = f->file.number == v->result.checkpoint;
    c->reader = (struct index_reader){
        .arg = c, .metric = take_metric, .file = take_file, .series = take_series
    };
    int rc = log_read(path, take_record, c, &read, &why);
    struct verify_at at = {
        .file = f->name,
        .byte = -1,
        .remedy = "start barod: it skips this checkpoint, and reads the one "
                  "before with its logs",
    };
    if (rc == -EBADMSG && !why.text[0]) {
        (void)verify_report(v, &at, "a record is whole, and cannot be decoded");
    } else if (rc < 0) {
        verify_report_open(v, f->name, rc, why.text[0] ? why.text : strerror(-rc));
    } else if (read.end != LOG_WHOLE || !c->reader.is_over) {
        at.byte = (int64_t)read.good_bytes;
        (void)verify_report(v, &at, "damaged: what follows in it cannot be read");
    } else if (read.kind != LOG_INDEX || read.number != f->file.number) {
        (void)verify_report(v, &at, "by its header it is number %" PRIu64, read.number);
    }
}
