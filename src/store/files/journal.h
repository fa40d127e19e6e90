/* SPDX-License-Identifier: Apache-2.0 */
/* journal - the log of one shard: segments, each begun where the last one ended.
 *
 *     lock ─▶ record ─▶ append (one write) ─▶ apply to the shard ─▶ unlock
 *
 * The order of records is the order in which they are applied.  A segment ends when a
 * checkpoint begins, or when writing or syncing it failed: then the next one begins
 * with the names of all series, because those of the failed one may be lost.
 *
 * Units    bytes; sequence numbers count records from 1 over the life of a directory.
 * Threads  everything between lock and unlock by its holder; journal_sync() by any
 *          thread, which waits for others that do; the counters by any.
 */
#ifndef STORE_FILES_JOURNAL_H
#define STORE_FILES_JOURNAL_H

#include "base/cleanup.h"
#include "base/err.h"
#include "blocks/blocks.h"

#include <stdbool.h>

struct journal;

struct journal_options {
    const char *dir;
    unsigned shard;
    uint64_t segment;       /* the first to begin */
    uint64_t next_sequence; /* of the first record */
};

/* On a full disk there is a journal without a segment, whose status names the one
 * before the first: journal_ready() begins it when there is room.
 * Errors: errno of file operations but -ENOSPC, -ENOMEM. */
int journal_open(const struct journal_options *options, struct journal **ret,
                 struct err *err);
void journal_close(struct journal *journal); /* syncs what it can */
DEFINE_AUTO(struct journal, journal_close);

void journal_lock(struct journal *journal);
void journal_unlock(struct journal *journal);

/* Under the lock.  A segment that accepts records is there, if need be a new one.
 * *ret_is_bare: it has no names yet.  Errors: errno of file operations. */
int journal_ready(struct journal *journal, bool *ret_is_bare, struct err *err);
/* Under the lock.  The names are in the segment. */
void journal_has_names(struct journal *journal);
/* Capacity for the next record, reused from one to the next. */
struct record *journal_record(struct journal *journal);
/* Write what journal_record() holds; its sequence is given here.
 * Errors: as log_append(), -ENOMEM. */
int journal_append(struct journal *journal);
/* Of the last record that was written. */
uint64_t journal_sequence(const struct journal *journal);

struct journal_rotation {
    uint64_t segment; /* the new one's number */
    int sync_rc;      /* of what came before: 0, or why it may not be on the disk */
};
/* Under no lock.  Begin the next segment, and sync what came before. */
int journal_rotate(struct journal *journal, struct journal_rotation *ret,
                   struct err *err);

/* Everything that was appended before is on the disk.  Nothing is done when it is.
 * Errors: as log_sync(); then the next append begins a new segment. */
int journal_sync(struct journal *journal);
/* The same up to one record.  Errors: also -EIO, when it was in a segment that failed.
 */
int journal_sync_to(struct journal *journal, uint64_t sequence);

struct journal_status {
    uint64_t segment;
    uint64_t records;
    uint64_t bytes;         /* appended since it was opened */
    uint64_t bytes_rotated; /* of them, when the segment began */
    uint64_t syncs;
    uint64_t failures; /* of write and sync */
};
void journal_status(struct journal *journal, struct journal_status *ret);

#endif
