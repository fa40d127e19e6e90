/* SPDX-License-Identifier: Apache-2.0 */
/* manifest - which files of a directory make up the store at one checkpoint.
 *
 * A text for people to read as well, named manifest-NUMBER, renamed into place when
 * everything that it names is on the disk; the two newest are there.
 * doc/formats/store-files.md has the lines.
 *
 * Threads  none inside.
 */
#ifndef BLOCKS_MANIFEST_H
#define BLOCKS_MANIFEST_H

#include "base/cleanup.h"
#include "base/err.h"

#include <stdint.h>

#define MANIFEST_SHARDS_MAX 64
#define MANIFEST_FILES_MAX 200000

struct manifest_file {
    uint64_t checkpoint; /* that made it */
    unsigned shard;      /* 0 for an archive */
};

struct manifest {
    uint64_t checkpoint;
    int64_t t_ns; /* when it was made */
    uint64_t seed;
    uint32_t next_number;
    unsigned shard_count;
    uint64_t segments[MANIFEST_SHARDS_MAX]; /* the first of each log to be replayed */
    size_t block_count;
    struct manifest_file *blocks;
    size_t archive_count;
    struct manifest_file *archives;
};

void manifest_done(struct manifest *manifest);
DEFINE_AUTO_DONE(struct manifest, manifest_done);

enum manifest_list {
    MANIFEST_BLOCKS,
    MANIFEST_ARCHIVES,
};

/* Errors: -ENOMEM, -E2BIG. */
int manifest_add(struct manifest *manifest, enum manifest_list list,
                 struct manifest_file file);

/* Errors: errno of file operations, -ENOMEM. */
int manifest_write(const struct manifest *manifest, const char *dir, struct err *err);
/* Errors: errno of open, -EBADMSG (err says what and where), -ENOMEM. */
int manifest_read(const char *dir, uint64_t checkpoint, struct manifest *ret,
                  struct err *err);

#endif
