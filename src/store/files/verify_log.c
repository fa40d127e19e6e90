/* SPDX-License-Identifier: Apache-2.0 */
/* verify_log - every record of a log, and how it ends. */
#include "store/files/verify_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define LOG_HEADER_BYTES 40
#define LOG_RECORD_HEAD_BYTES 16

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
        .remedy = "start barod: it reads what stands before, and sets the log aside",
    };
    int rc = record_decode(payload, &c->record);
    c->at += (int64_t)(LOG_RECORD_HEAD_BYTES + payload.size);
    if (rc == -ENOMEM)
        return rc;
    if (rc < 0) {
        (void)verify_report(c->v, &at, "the record is whole, and cannot be decoded");
        return 0;
    }
    if (c->record.sequence <= c->last_sequence)
        (void)verify_report(c->v, &at, "record %" PRIu64 " comes after record %" PRIu64,
                            c->record.sequence, c->last_sequence);
    c->last_sequence = c->record.sequence;
    c->v->result.log_records++;
    c->v->result.log_samples += c->record.count;
    return 0;
}

static void report_log_end(struct verify *v, const struct verify_file *f,
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
        (void)verify_report(v, &at,
                            "it was only begun, as before a crash: nothing was in it");
        return;
    }
    if (at.is_note) {
        (void)verify_report(
            v, &at,
            "it ends within a record, as after a crash, or while one is "
            "being written");
        return;
    }
    if (read->end == LOG_TORN) {
        at.remedy = "bring the file back from a copy before barod starts, or go on "
                    "without what is cut";
        (void)verify_report(
            v, &at,
            "it ends within a record: the next start cuts off %" PRIu64
            " bytes, and what a crash had not written in full, or damage "
            "destroyed, is lost",
            read->left_bytes);
        return;
    }
    at.remedy = "start barod: it reads what stands before, and sets the log aside";
    (void)verify_report(v, &at, "damaged: what follows in it is lost");
}

/* Before the oldest manifest's logs nothing is read any more. */
static bool is_over(const struct verify *v, const struct store_file *f)
{
    return v->manifest_count > 0 && f->shard < v->manifests[0].shard_count &&
           f->number < v->manifests[0].segments[f->shard];
}

void verify_log(struct verify *v, struct verify_file *f)
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
        verify_report_open(v, f->name, rc, why.text[0] ? why.text : strerror(-rc));
        return;
    }
    const struct verify_at at = { .file = f->name, .byte = 0 };
    bool has_header = read.good_bytes > 0;
    if (has_header && (read.kind != LOG_BATCHES || read.number != f->file.number))
        (void)verify_report(v, &at, "by its header it is number %" PRIu64, read.number);
    report_log_end(v, f, &read);
}
