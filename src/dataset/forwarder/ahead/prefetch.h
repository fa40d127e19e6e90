/* SPDX-License-Identifier: Apache-2.0 */
/* prefetch - chunks that a reader of a dataset will want next, before it wants them.
 *
 *     prefetch_open ─▶ superblock, inodes and directories, then the dataset's profile
 *     prefetch_read ─▶ behind what is read in order: a window that doubles, at most
 *        │             32 chunks; what is read elsewhere begins anew without one
 *        ▼
 *     ahead ─▶ flights, as another one who waits: a read joins what is under way
 *
 * What is under way is bounded in bytes, and by less while a read waits for a chunk
 * that is not among it: that is all that a read ever has before it.  What came and is
 * not read yet is bounded, too: a wrong profile costs so much, and no more. Threads the
 * loop's.
 */
#ifndef DATASET_FORWARDER_PREFETCH_H
#define DATASET_FORWARDER_PREFETCH_H

#include "dataset/forwarder/datasets.h"
#include "dataset/forwarder/flights.h"
#include "dataset/forwarder/profiles.h"

enum prefetch_mode {
    PREFETCH_NO,
    PREFETCH_SEQUENTIAL,
    PREFETCH_YES, /* also metadata and profiles */
};
/* "no", "sequential", "yes".  Errors: -EINVAL. */
int prefetch_mode_parse(const char *text, enum prefetch_mode *ret);

/* Bytes under way, as chunks of the image; and while a read waits for another one. */
#define PREFETCH_IN_FLIGHT_MAX (UINT32_C(1) << 20)
#define PREFETCH_IN_FLIGHT_BUSY (UINT32_C(256) << 10)
/* Shares of the cache in memory that may be unread: of all, and of one profile. */
#define PREFETCH_UNREAD_SHARE 4U
#define PREFETCH_PROFILE_SHARE 8U

struct prefetch_counts {
    uint64_t chunks, bytes; /* that were requested ahead */
    uint64_t used;          /* of these: read since, or joined while under way */
    uint64_t wasted;        /* not read while their dataset was open, or for too long */
    uint64_t failed;
    uint64_t reads;  /* chunks that readers wanted */
    uint64_t misses; /* of these: neither in memory nor under way ahead */
    uint64_t profiles, profiles_refused;
};

struct prefetch_opts {
    enum prefetch_mode mode;
    struct flights *flights;
    struct datasets *datasets;
    struct profiles *profiles;
    struct cache_memory *memory;
    uint64_t memory_bytes; /* of that cache */
    const struct forwarder_report *report;
};

struct prefetch;
struct prefetch_reader;

int prefetch_new(const struct prefetch_opts *opts, struct prefetch **ret);
/* After the loop has ended, and its readers. */
void prefetch_free(struct prefetch *prefetch);
DEFINE_AUTO(struct prefetch, prefetch_free);

/* Of a dataset, which it refers to.  is_mount: its first chunks and its profile come
 * before they are read.  Errors: -ENOMEM: it is read without. */
int prefetch_open(struct prefetch *prefetch, struct dataset *dataset, bool is_mount,
                  struct prefetch_reader **ret);
/* reader may be NULL, also below.  What is under way for it alone goes. */
void prefetch_close(struct prefetch_reader *reader);
/* These chunks are about to be requested of the flights.  Nothing is requested before
 * prefetch_pump(). */
void prefetch_read(struct prefetch_reader *reader, size_t first, size_t count);
/* Before each wait of the loop: what may be requested is. */
void prefetch_pump(struct prefetch *prefetch);
/* Nothing is left for the next turn. */
bool prefetch_is_idle(const struct prefetch *prefetch);
const struct prefetch_counts *prefetch_counts(const struct prefetch *prefetch);

#endif
