/* SPDX-License-Identifier: Apache-2.0 */
/* erofs - superblock, inodes and blocks of an EROFS image, out of untrusted bytes.
 *
 *     0      1024        1152
 *     │ boot │ superblock │ inodes with inline tails and lists of chunks │ data ... │
 *                           an inode of number nid is at meta_at + 32 * nid
 *
 * Only what mkfs.erofs makes without compression is read: blocks of 4 KiB, files that
 * are contiguous (with or without an inline tail) or lists of chunks.  Everything else
 * is refused by name.  Nothing is read outside of data[0..size).
 */
#ifndef DATASET_IMAGE_EROFS_H
#define DATASET_IMAGE_EROFS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EROFS_BLOCK_BITS 12
#define EROFS_BLOCK_SIZE (1U << EROFS_BLOCK_BITS)
#define EROFS_SUPER_AT 1024U
#define EROFS_SUPER_SIZE 128U
#define EROFS_NO_BLOCK UINT32_MAX

enum erofs_layout {
    EROFS_PLAIN = 0,
    EROFS_INLINE = 2,
    EROFS_CHUNKS = 4,
};

struct erofs {
    const uint8_t *data;
    uint64_t size; /* blocks * EROFS_BLOCK_SIZE */
    uint64_t block_count;
    uint64_t meta_at;
    uint64_t inode_count;
    uint64_t build_time_s;
    uint64_t root_nid;
    bool has_chunks;
};

struct erofs_inode {
    uint64_t nid;
    uint64_t at;      /* where it begins */
    uint64_t data_at; /* behind its head: inline tail, list of chunks */
    uint64_t end;     /* of all that belongs to it there */
    uint64_t size;    /* of its content */
    uint64_t mtime_s;
    uint32_t mode, uid, gid, link_count;
    uint32_t first_block; /* or the number of a device */
    enum erofs_layout layout;
    unsigned chunk_bits;
    unsigned chunk_entry_size; /* 4 or 8 */
};

/* A part of a file's content. */
struct erofs_piece {
    uint64_t offset, size;
    const uint8_t *data; /* NULL: a hole, zeros */
    bool is_inline;
    uint64_t block, block_count; /* where it is not inline and no hole */
};

/* Errors: -EBADMSG (no such image, or one of another kind), with a line. */
int erofs_open(const void *data, uint64_t size, struct erofs *ret, struct err *err);
/* Errors: -EBADMSG. */
int erofs_inode_read(const struct erofs *e, uint64_t nid, struct erofs_inode *ret,
                     struct err *err);
/* The piece that begins at offset, which is below the inode's size and where an earlier
 * piece ended.  Errors: -EBADMSG. */
int erofs_piece_read(const struct erofs *e, const struct erofs_inode *inode,
                     uint64_t offset, struct erofs_piece *ret, struct err *err);

static inline uint16_t erofs_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t erofs_u32(const uint8_t *p)
{
    return (uint32_t)erofs_u16(p) | (uint32_t)erofs_u16(p + 2) << 16;
}

static inline uint64_t erofs_u64(const uint8_t *p)
{
    return (uint64_t)erofs_u32(p) | (uint64_t)erofs_u32(p + 4) << 32;
}

#endif
