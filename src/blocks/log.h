/* SPDX-License-Identifier: Apache-2.0 */
/* log - a file of checked records: a segment of what was acknowledged, or an index.
 *
 *     header | record | record | ...      record: size, checksum, payload
 *
 * A record is stored when log_append() returns (it survives the death of any process),
 * and durable when log_sync() does.  After a failed append or sync a segment accepts
 * nothing more: what the kernel has of it is not known, and the next sync would lie. A
 * reader gives every whole record from the front, and reports where and why it stopped:
 * a torn tail is what a crash leaves, damage before the end is not.
 * doc/formats/store-log.md has the bytes.
 *
 * Threads  a log belongs to one thread at a time; log_sync() may be called
 *          beside log_append() by one other thread.
 */
#ifndef BLOCKS_LOG_H
#define BLOCKS_LOG_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/span_type.h"

#include <stdbool.h>
#include <stdint.h>

#define LOG_RECORD_BYTES_MAX ((size_t)64 << 20)

struct log;

enum log_kind {
    LOG_BATCHES, /* a segment of a shard's log: record.h */
    LOG_INDEX,   /* of a checkpoint: index.h */
    LOG_KIND_COUNT,
};

/* Begin a file: path must not be there.  Its directory is synced.  Its number (of the
 * segment, of the checkpoint) is part of every checksum.
 * Errors: errno of open and write. */
int log_create(const char *path, enum log_kind kind, uint64_t number, struct log **ret,
               struct err *err);
void log_close(struct log *log);
DEFINE_AUTO(struct log, log_close);

/* Write one record by one write(2).
 * Errors: -EMSGSIZE (empty or over LOG_RECORD_BYTES_MAX; the segment goes on), -ENOSPC
 * and errno of write, -EROFS (an earlier write or sync failed). */
int log_append(struct log *log, struct span payload);
/* Everything that was appended before is on the disk.  Errors: as log_append(). */
int log_sync(struct log *log);
uint64_t log_size(const struct log *log);
/* Whether it accepts nothing more. */
bool log_has_failed(const struct log *log);

enum log_end {
    LOG_WHOLE,   /* the file ends where its last record does */
    LOG_TORN,    /* the last record is not all there, and nothing follows it */
    LOG_DAMAGED, /* bytes have changed, and more may have followed */
};

struct log_read {
    enum log_kind kind;
    uint64_t number;
    uint64_t records;
    uint64_t good_bytes; /* up to here all is well; 0: not even a header came */
    uint64_t left_bytes; /* behind them: of what is torn or damaged */
    bool has_left_data;  /* these are neither zeros nor a record's header alone */
    enum log_end end;
};

/* Not 0 ends the reading with that value. */
typedef int log_record_fn(void *arg, struct span payload);

/* Give every whole record to fn, in order.
 * Errors: errno of open and mmap, -EBADMSG (no log file, or its header is damaged: err
 * says which), what fn returns. */
int log_read(const char *path, log_record_fn *fn, void *arg, struct log_read *ret,
             struct err *err);

#endif
