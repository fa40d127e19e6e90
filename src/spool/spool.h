/* SPDX-License-Identifier: Apache-2.0 */
/* spool - a bounded queue of records on disk; the room's door.
 *
 *     dir/00000000000000000001.spool   [header][record][record]...     sealed
 *         00000000000000000417.spool   [header][record][re             grows
 *         acknowledged                 how far the reader has come, and what was lost
 *
 * A record is stored when spool_append() has returned: it survives the death of any
 * process, and with opts.sync, or once spool_sync() has returned, loss of power.
 * Records are read in order and forgotten when acknowledged.  When the queue is full
 * its oldest segment goes first; what went with it is counted.  A torn tail is cut off,
 * a damaged record is counted and passed over.  A directory that is removed meanwhile
 * is made again, and what was in it counted.  doc/formats/spool.md is the
 * specification.
 *
 * Threads  any: one mutex inside, held over the reading or writing of one record.
 */
#ifndef SPOOL_SPOOL_H
#define SPOOL_SPOOL_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "spool/frame.h"
#include "spool/refused.h"

#include <stdbool.h>
#include <stdint.h>

#define SPOOL_RECORD_BYTES_MAX (UINT32_C(64) << 20)

struct spool;

struct spool_opts {
    const char *dir;        /* made when it is not there; no other process's */
    uint64_t bytes_max;     /* of all segments, at least 64 KiB */
    uint64_t segment_bytes; /* 0: a sixteenth of bytes_max, at most 8 MiB */
    bool sync;              /* fdatasync every record */
};

struct spool_counts {
    uint64_t records, bytes;  /* waiting now */
    uint64_t entries;         /* what their counts add up to */
    uint64_t appended, acked; /* since open */
    /* Since the directory was made: */
    uint64_t lost_records;    /* went with the oldest segment, or a removed directory */
    uint64_t damaged_records; /* could not be read back, counted when passed */
    uint64_t lost_entries;    /* of both, as far as records show */
    uint64_t torn_bytes;      /* cut off at opening, since open */
};

/* Open or create.  A segment without a readable header has it written anew; one in
 * which no record is found either is renamed to *.damaged.  Errors: -EPROTONOSUPPORT (a
 * file of another version: err names it), -EBUSY (another process has it), -EINVAL,
 * what open returns. */
int spool_open(const struct spool_opts *opts, struct spool **ret, struct err *err);
void spool_close(struct spool *spool);
DEFINE_AUTO(struct spool, spool_close);

/* The sequence number that the next record gets: from 1, never given twice. */
uint64_t spool_next_sequence(struct spool *spool);
/* The mark behind the last record (frame.h): with the next number, what shows later how
 * many entries are missing. */
uint32_t spool_mark(struct spool *spool);
/* The numbers up to sequence were given once: the next is at least that, and mark (0:
 * not known) stands before it.  What is left out is counted as damaged. */
void spool_raise_sequence(struct spool *spool, uint64_t sequence, uint32_t mark);

/* Errors: -EMSGSIZE (it can never fit), -EOVERFLOW (no number is left), -ENOSPC and
 * others of write: then nothing has been added and the queue is whole. */
int spool_append(struct spool *spool, struct span payload, uint32_t count,
                 struct err *err);

/* For what was appended without opts.sync: the records up to sequence are on the disk
 * when this returns; appending goes on meanwhile.  Errors: those of fdatasync and open;
 * what was appended since the sync before may then not survive loss of power, and what
 * is appended from now on has a file of its own. */
int spool_sync(struct spool *spool, uint64_t sequence, struct err *err);

/* Forget the records after sequence, as if they had never been appended; their numbers
 * are given again.  For what was appended but never came to count, before any reader
 * has seen it. */
int spool_cut(struct spool *spool, uint64_t sequence, struct err *err);

struct spool_record {
    uint64_t sequence;
    uint32_t count;
};

/* The first record after `after` into payload, whose memory is used again.
 * Errors: -ENOENT (none there yet), -EIO, -ENOMEM. */
int spool_read(struct spool *spool, uint64_t after, struct strbuf *payload,
               struct spool_record *ret, struct err *err);

/* All records up to sequence are done with. */
int spool_ack(struct spool *spool, uint64_t sequence, struct err *err);
uint64_t spool_acked(struct spool *spool);

void spool_count(struct spool *spool, struct spool_counts *ret);

#endif
