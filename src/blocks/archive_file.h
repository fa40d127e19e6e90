/* SPDX-License-Identifier: Apache-2.0 */
/* archive_file - blocks that are no longer in memory, packed; it stands for itself.
 *
 *     header | frame | frame | ... | names | entries | frames | footer
 *
 * A frame is some hundred KiB of blocks as they lie in files of blocks, compressed by
 * zstd; those of one series stand together.  Names say what series the numbers stand
 * for, so that an archive can be read without its store.
 * doc/formats/store-files.md has the bytes.
 *
 * Threads  a writer belongs to one; what is open changes no more.
 */
#ifndef BLOCKS_ARCHIVE_FILE_H
#define BLOCKS_ARCHIVE_FILE_H

#include "blocks/block.h"
#include "blocks/record.h"
#include "blocks/sealed_file.h"

#define ARCHIVE_FRAME_BYTES ((size_t)32 << 10)
/* A frame ends with the block that makes it larger than that. */
#define ARCHIVE_FRAME_BYTES_MAX ((size_t)512 << 10)

struct archive_entry {
    uint32_t number;
    uint32_t frame;
    uint32_t offset; /* in the unpacked frame, counted in eight bytes */
    uint32_t checkpoint;
    int64_t start_ns, end_ns;
};

struct archive_writer;

/* Begin a file: path must not be there.  Errors: errno of file operations, -ENOMEM. */
int archive_writer_open(const char *path, uint64_t checkpoint,
                        struct archive_writer **ret, struct err *err);
/* Without archive_writer_finish(), the file goes. */
void archive_writer_close(struct archive_writer *writer);
DEFINE_AUTO(struct archive_writer, archive_writer_close);

/* The blocks of a series come together, in order of time; series in order of number.
 * Errors: -ENOMEM, -EFBIG, errno of write. */
int archive_writer_add(struct archive_writer *writer, uint32_t number,
                       uint32_t checkpoint, const struct block *block);
/* What a number stands for.  Errors: -ENOMEM. */
int archive_writer_name(struct archive_writer *writer, const struct record_name *name);
/* The file is on the disk, its directory is not synced. */
int archive_writer_finish(struct archive_writer *writer, struct err *err);

struct archive_frame {
    uint64_t at;
    uint32_t packed_size;
    uint32_t size;
    uint64_t checksum; /* XXH3 of the packed bytes */
};

struct archive_file {
    struct sealed_file sealed;
    uint64_t checkpoint;                 /* the last before it was made: its number */
    struct span names;                   /* packed */
    const struct archive_entry *entries; /* by number, then time */
    size_t entry_count;
    const struct archive_frame *frames;
    size_t frame_count;
    int64_t min_ns, max_ns;
};

/* Errors: errno of file operations, -EBADMSG (err says what is wrong). */
int archive_file_open(const char *path, struct archive_file **ret, struct err *err);
void archive_file_close(struct archive_file *file);
DEFINE_AUTO(struct archive_file, archive_file_close);
/* Its pages need not stay in memory: the next reader has them read again. */
void archive_file_forget(const struct archive_file *file);

/* The entries of a series: *ret_count of them, in order of time. */
const struct archive_entry *archive_file_find(const struct archive_file *file,
                                              uint32_t number, size_t *ret_count);
/* *ret is to be freed.  Errors: -EBADMSG, -ENOMEM. */
int archive_file_unpack(const struct archive_file *file, uint32_t frame, void **ret);
/* The block of an entry in its unpacked frame; NULL: it is damaged. */
const struct block *archive_file_at(const struct archive_file *file,
                                    const struct archive_entry *entry,
                                    const void *frame);

/* Errors: what fn returns, -EBADMSG, -ENOMEM. */
typedef int archive_name_fn(void *arg, const struct record_name *name);
int archive_file_names(const struct archive_file *file, archive_name_fn *fn, void *arg);

#endif
