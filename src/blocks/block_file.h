/* SPDX-License-Identifier: Apache-2.0 */
/* block_file - sealed blocks of one shard, written once, then mapped.
 *
 *     header | checksum, number, block | ... | directory | footer
 *
 * Blocks stand as they do in memory (blocks/block.h), so that a series may point into
 * the map.  The directory says for each block whose it is and where, in order of
 * number, then time: what was evicted from memory is found there.
 * doc/formats/store-files.md has the bytes.
 *
 * Units    offsets are counted in eight bytes from the file's beginning.
 * Threads  a writer belongs to one; what is open changes no more.
 */
#ifndef BLOCKS_BLOCK_FILE_H
#define BLOCKS_BLOCK_FILE_H

#include "blocks/block.h"
#include "blocks/sealed_file.h"

struct block_writer;

/* Begin a file: path must not be there.  Errors: errno of file operations, -ENOMEM. */
int block_writer_open(const char *path, uint64_t checkpoint, unsigned shard,
                      struct block_writer **ret, struct err *err);
/* Without block_writer_finish(), the file goes. */
void block_writer_close(struct block_writer *writer);
DEFINE_AUTO(struct block_writer, block_writer_close);

/* Copy a block into the writer's buffer; no I/O.  Blocks of a series come in order of
 * time.  Errors: -ENOMEM, -EFBIG (offsets are 32 bits). */
int block_writer_add(struct block_writer *writer, uint32_t number,
                     const struct block *block, uint32_t *ret_offset);
/* Write what is buffered.  Errors: errno of write. */
int block_writer_flush(struct block_writer *writer);
size_t block_writer_buffered(const struct block_writer *writer);
uint64_t block_writer_count(const struct block_writer *writer);
/* Directory and footer; the file is on the disk, its directory is not synced. */
int block_writer_finish(struct block_writer *writer, struct err *err);

struct block_entry {
    uint32_t number;
    uint32_t offset;
};

struct block_file {
    struct sealed_file sealed; /* slack behind it: sizes in a damaged block end there */
    uint64_t checkpoint;
    unsigned shard;
    const struct block_entry *entries;
    size_t entry_count;
    int64_t min_ns, max_ns;     /* of the times in it; max < min: none */
    _Atomic uint64_t ref_count; /* of series, when the last checkpoint was made */
};

/* Errors: errno of file operations, -EBADMSG (err says what is wrong). */
int block_file_open(const char *path, struct block_file **ret, struct err *err);
/* No reader may be inside. */
void block_file_close(struct block_file *file);
DEFINE_AUTO(struct block_file, block_file_close);

/* The block of a series at an offset; NULL: it is damaged, or another's. */
struct block *block_file_at(const struct block_file *file, uint32_t offset,
                            uint32_t number);
/* Whether a block lies in this file, and where. */
bool block_file_has(const struct block_file *file, const struct block *block,
                    uint32_t *ret_offset);

/* The entries of a series: *ret_count of them, in order of time. */
const struct block_entry *block_file_find(const struct block_file *file,
                                          uint32_t number, size_t *ret_count);

#endif
