/* SPDX-License-Identifier: Apache-2.0 */
/* files - the segments of a spool, and how far its reader has come.  Inside the room
 * only; all under the spool's lock. */
#ifndef SPOOL_FILES_H
#define SPOOL_FILES_H

#include "spool/segment.h"
#include "spool/spool.h"

#include <pthread.h>

struct spool {
    pthread_mutex_t sync_lock; /* held over spool_sync(), before the other */
    pthread_mutex_t lock;
    char *dir;
    struct spool_opts opts;
    int ack_fd; /* also holds the lock against other processes */
    uint64_t ack_generation;
    uint64_t acked;
    uint32_t acked_mark; /* behind it; 0: not recorded */
    struct spool_counts counts;
    struct segment *segments; /* oldest first */
    size_t segment_count, segment_capacity;
    int tail_fd;           /* the newest, open for appending; -1: not open */
    bool tail_is_sealed;   /* never append to it again */
    uint64_t synced;       /* records up to it are on the disk: by spool_sync() */
    uint64_t synced_first; /* segments up to it are in the directory on the disk */
    uint64_t next_sequence;
    uint32_t next_mark;
    /* Where the reader stands: the offset behind the record read last. */
    uint64_t read_first, read_after, read_offset;
    int read_fd;
    /* The record read last, and the mark behind it: where nothing lay between it and
     * what was acknowledged, acknowledging it needs no reading. */
    struct spool_record read_record;
    uint32_t read_mark;
    uint64_t read_behind; /* what the reader asked for it by */
};

struct segment *files_tail(struct spool *s); /* the newest, or NULL */
void files_close_tail(struct spool *s);
void files_reset_reader(struct spool *s);
/* Errors: -ENOMEM. */
int files_add(struct spool *s, const struct segment *segment);
uint64_t files_bytes(const struct spool *s);
void files_unlink(struct spool *s, size_t index);
/* Records and entries of a segment that are still to be read. */
void files_waiting(const struct spool *s, const struct segment *segment, uint64_t acked,
                   uint64_t *ret_records, uint64_t *ret_entries);
/* Before acked moves up to sequence, behind which the mark is: numbers up to it that
 * are not among these records are gone, whatever took them. */
void files_count_missing(struct spool *s, uint64_t sequence, uint32_t mark,
                         uint64_t records, uint64_t entries);
/* The oldest goes, read or not. */
void files_drop_oldest(struct spool *s);
/* Forget the segments whose files are gone. */
void files_forget_removed(struct spool *s);
/* The directory may be removed, or moved, at any time: what is written to files that
 * have no name is lost without a word.  Then it is made again.  Errors: what making
 * and writing return, -EBUSY, -ENOMEM. */
int files_ensure(struct spool *s, struct err *err);

#endif
