/* SPDX-License-Identifier: Apache-2.0 */
/* cache_disk - chunks on a disk, by their digests, up to so many bytes.
 *
 *     DIR/lock                    held by the process that uses the cache
 *     DIR/NNNNNNNNNNNNNNNN.chunks a segment: header, a table of slots, then chunks as
 *                                 they were received
 *     DIR/indexes/DIGEST          indexes of datasets, as the repository stores them
 *
 * A chunk is written behind the others of the newest segment, then its slot; also of
 * one that a former process wrote.  Each segment has a descriptor.  Where chunks or
 * segments are too many the oldest segment goes; a chunk that is read out of one of the
 * oldest is written to the newest again, and so stays.  Nothing is synced: what a slot
 * names is verified when it is read, and removed where it is not what its digest
 * states.
 *
 * Threads  the loop's, but for cache_disk_read() and cache_disk_write(), which a
 *          worker calls with a position that the loop's thread gave it.
 */
#ifndef DATASET_FORWARDER_CACHE_DISK_H
#define DATASET_FORWARDER_CACHE_DISK_H

#include "base/err.h"
#include "dataset/forwarder/report.h"
#include "dataset/image/image.h"

#include <stdint.h>

struct cache_disk;
struct disk_segment;

struct disk_position {
    struct disk_segment *segment; /* held until cache_disk_release(); NULL: none */
    uint32_t offset, slot;
    uint32_t stored, plain;
    struct digest digest;
    bool is_old; /* its segment is one of the next to go */
};

struct cache_disk_opts {
    const char *dir;
    uint64_t bytes_max;
    uint64_t segments_max; /* at least cache_disk_segments() */
    const struct forwarder_report *report;
};

/* How many segments, and descriptors, chunks of so many bytes need. */
uint64_t cache_disk_segments(uint64_t bytes_max);
/* The directory is made where it is missing.  A segment that cannot be read is removed,
 * with a line.  Errors: -EBUSY (another process uses it), those of open and mkdir, each
 * with a line. */
int cache_disk_open(const struct cache_disk_opts *opts, struct cache_disk **ret,
                    struct err *err);
/* Whether it could be opened, as far as that is known without changing anything.
 * Errors: -EBUSY, -EACCES, -ENOTDIR, those of open, each with a line. */
int cache_disk_check(const char *dir, struct err *err);
void cache_disk_close(struct cache_disk *disk);
DEFINE_AUTO(struct cache_disk, cache_disk_close);

bool cache_disk_has(const struct cache_disk *disk, const struct digest *digest);
/* False: it is not there. */
bool cache_disk_find(struct cache_disk *disk, const struct digest *digest,
                     struct disk_position *ret);
/* Where it is to be written, also again.  Errors: -EFBIG (a chunk too large for a
 * segment), those of open and unlink. */
int cache_disk_reserve(struct cache_disk *disk, const struct digest *digest,
                       uint32_t stored, uint32_t plain, struct disk_position *ret);
/* What was written is found from now on. */
void cache_disk_commit(struct cache_disk *disk, const struct disk_position *position);
void cache_disk_release(struct disk_position *position);
/* It is damaged. */
void cache_disk_remove(struct cache_disk *disk, const struct digest *digest);

int cache_disk_read(const struct disk_position *position, uint8_t *data);
int cache_disk_write(const struct disk_position *position, const uint8_t *data);

uint64_t cache_disk_bytes(const struct cache_disk *disk);
uint64_t cache_disk_count(const struct cache_disk *disk);
const char *cache_disk_dir(const struct cache_disk *disk);

#endif
