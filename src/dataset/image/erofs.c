/* SPDX-License-Identifier: Apache-2.0 */
/* erofs - superblock, inodes and blocks of an EROFS image, out of untrusted bytes. */
#include "dataset/image/erofs.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#define MAGIC 0xE0F5E1E2U
#define COMPAT_CHECKSUM 0x1U
#define COMPAT_KNOWN 0x3U /* and mtime */
#define INCOMPAT_CHUNKS 0x4U

#define SLOT_SIZE 32U
#define COMPACT_SIZE 32U
#define EXTENDED_SIZE 64U
#define CHUNK_BITS_MASK 0x1FU
#define CHUNK_INDEXES 0x20U

/* Castagnoli's, without the last inversion, over the first block from the superblock
 * on; its own field counts as zero. */
static uint32_t super_checksum(const uint8_t *super)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < EROFS_BLOCK_SIZE - EROFS_SUPER_AT; i++) {
        crc ^= i >= 4 && i < 8 ? 0 : super[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0x82F63B78U : crc >> 1;
    }
    return crc;
}

static int super_refused(struct err *err, const char *what)
{
    return err_set(err, EBADMSG, "superblock: %s", what);
}

static int features_check(const uint8_t *super, struct err *err)
{
    uint32_t compat = erofs_u32(super + 8), incompat = erofs_u32(super + 80);
    if (compat & ~COMPAT_KNOWN)
        return err_set(err, EBADMSG, "superblock: unknown features 0x%" PRIx32,
                       compat & ~COMPAT_KNOWN);
    if (incompat & ~INCOMPAT_CHUNKS)
        return err_set(err, EBADMSG,
                       "superblock: features 0x%" PRIx32
                       " (compression, devices, fragments) are not accepted: make the "
                       "image without them",
                       incompat & ~INCOMPAT_CHUNKS);
    if (compat & COMPAT_CHECKSUM && super_checksum(super) != erofs_u32(super + 4))
        return super_refused(err, "its checksum is wrong");
    if (super[12] != EROFS_BLOCK_BITS)
        return super_refused(err, "blocks are not of 4096 bytes");
    if (super[13] != 0 || super[90] != 0 || super[91] != 0)
        return super_refused(err, "it has extensions that are not known");
    /* compression, devices, packed inode */
    if (erofs_u16(super + 84) || erofs_u16(super + 86) || erofs_u64(super + 96))
        return super_refused(err, "it names compression, devices or fragments");
    return 0;
}

int erofs_open(const void *data, uint64_t size, struct erofs *ret, struct err *err)
{
    const uint8_t *super = (const uint8_t *)data + EROFS_SUPER_AT;
    if (size < EROFS_BLOCK_SIZE)
        return super_refused(err, "shorter than a block: this is no EROFS image");
    if (erofs_u32(super) != MAGIC)
        return super_refused(err, "its magic number is not that of EROFS");
    int rc = features_check(super, err);
    if (rc < 0)
        return rc;
    struct erofs e = {
        .data = data,
        .block_count = erofs_u32(super + 36),
        .meta_at = (uint64_t)erofs_u32(super + 40) << EROFS_BLOCK_BITS,
        .inode_count = erofs_u64(super + 16),
        .build_time_s = erofs_u64(super + 24),
        .root_nid = erofs_u16(super + 14),
        .has_chunks = erofs_u32(super + 80) & INCOMPAT_CHUNKS,
    };
    e.size = e.block_count << EROFS_BLOCK_BITS;
    if (e.size != size)
        return err_set(err, EBADMSG,
                       "superblock: it has %" PRIu64 " blocks of 4096 bytes, the image "
                       "%" PRIu64 " bytes",
                       e.block_count, size);
    if (e.meta_at >= e.size)
        return super_refused(err, "its inodes begin behind the end");
    *ret = e;
    return 0;
}

static int inode_refused(const struct erofs_inode *inode, struct err *err,
                         const char *what)
{
    return err_set(err, EBADMSG, "inode %" PRIu64 ": %s", inode->nid, what);
}

static void compact_read(const struct erofs *e, const uint8_t *p,
                         struct erofs_inode *inode)
{
    inode->link_count = erofs_u16(p + 6);
    inode->size = erofs_u32(p + 8);
    inode->uid = erofs_u16(p + 24);
    inode->gid = erofs_u16(p + 26);
    inode->mtime_s = e->build_time_s;
}

static void extended_read(const uint8_t *p, struct erofs_inode *inode)
{
    inode->size = erofs_u64(p + 8);
    inode->uid = erofs_u32(p + 24);
    inode->gid = erofs_u32(p + 28);
    inode->mtime_s = erofs_u64(p + 32);
    inode->link_count = erofs_u32(p + 44);
}

/* Of a list of chunks: how large they are, where the list is. */
static int chunks_read(const struct erofs *e, const uint8_t *p,
                       struct erofs_inode *inode, struct err *err)
{
    unsigned format = erofs_u16(p + 16);
    if (!e->has_chunks)
        return inode_refused(inode, err, "chunks, which the superblock does not name");
    if (format & ~(CHUNK_BITS_MASK | CHUNK_INDEXES) || erofs_u16(p + 18))
        return inode_refused(inode, err, "an unknown form of chunks");
    inode->chunk_bits = EROFS_BLOCK_BITS + (format & CHUNK_BITS_MASK);
    inode->chunk_entry_size = format & CHUNK_INDEXES ? 8 : 4;
    uint64_t count = inode->size ? ((inode->size - 1) >> inode->chunk_bits) + 1 : 0;
    uint64_t unit = inode->chunk_entry_size;
    inode->data_at = (inode->data_at + unit - 1) & ~(unit - 1);
    if (inode->data_at > e->size || count > (e->size - inode->data_at) / unit)
        return inode_refused(inode, err, "its list of chunks ends behind the image");
    inode->end = inode->data_at + count * unit;
    return 0;
}

static int layout_read(const struct erofs *e, const uint8_t *p,
                       struct erofs_inode *inode, struct err *err)
{
    inode->end = inode->data_at;
    if (inode->layout == EROFS_CHUNKS)
        return chunks_read(e, p, inode, err);
    if (inode->layout != EROFS_INLINE)
        return 0;
    uint64_t tail = inode->size & (EROFS_BLOCK_SIZE - 1);
    /* The kernel reads it as one part of one block. */
    if ((inode->data_at & (EROFS_BLOCK_SIZE - 1)) + tail > EROFS_BLOCK_SIZE)
        return inode_refused(inode, err, "its inline tail crosses a block");
    if (inode->data_at + tail > e->size)
        return inode_refused(inode, err, "its inline tail ends behind the image");
    inode->end = inode->data_at + tail;
    return 0;
}

static bool has_content(uint32_t mode)
{
    return S_ISREG(mode) || S_ISDIR(mode) || S_ISLNK(mode);
}

int erofs_inode_read(const struct erofs *e, uint64_t nid, struct erofs_inode *ret,
                     struct err *err)
{
    struct erofs_inode inode = { .nid = nid };
    if (nid > (e->size - e->meta_at) / SLOT_SIZE)
        return inode_refused(&inode, err, "its number is behind the image");
    inode.at = e->meta_at + nid * SLOT_SIZE;
    if (inode.at > e->size - COMPACT_SIZE)
        return inode_refused(&inode, err, "it is behind the end of the image");
    const uint8_t *p = e->data + inode.at;
    unsigned format = erofs_u16(p);
    bool is_extended = format & 1;
    unsigned layout = format >> 1 & 7;
    inode.data_at = inode.at + (is_extended ? EXTENDED_SIZE : COMPACT_SIZE);
    if (inode.data_at > e->size)
        return inode_refused(&inode, err, "it ends behind the image");
    if (format >> 4 ||
        (layout != EROFS_PLAIN && layout != EROFS_INLINE && layout != EROFS_CHUNKS))
        return inode_refused(&inode, err, "an unknown or a compressed layout");
    if (erofs_u16(p + 2))
        return inode_refused(&inode, err,
                             "extended attributes are not accepted: make the image "
                             "without them (mkfs.erofs -x-1)");
    inode.layout = (enum erofs_layout)layout;
    inode.mode = erofs_u16(p + 4);
    inode.first_block = erofs_u32(p + 16);
    if (is_extended)
        extended_read(p, &inode);
    else
        compact_read(e, p, &inode);
    if (inode.size > INT64_MAX)
        return inode_refused(&inode, err, "its size is not possible");
    if (!has_content(inode.mode)) {
        inode.end = inode.data_at;
        if (inode.size || layout != EROFS_PLAIN)
            return inode_refused(&inode, err, "a special file with content");
    } else {
        int rc = layout_read(e, p, &inode, err);
        if (rc < 0)
            return rc;
    }
    *ret = inode;
    return 0;
}

/* A contiguous run of blocks that has size bytes of content. */
static int blocks_find(const struct erofs *e, const struct erofs_inode *inode,
                       uint64_t block, uint64_t size, struct erofs_piece *piece,
                       struct err *err)
{
    uint64_t count = (size + EROFS_BLOCK_SIZE - 1) >> EROFS_BLOCK_BITS;
    if (block >= e->block_count || count > e->block_count - block)
        return inode_refused(inode, err, "its blocks are behind the end of the image");
    piece->data = e->data + (block << EROFS_BLOCK_BITS);
    piece->size = size;
    piece->block = block;
    piece->block_count = count;
    return 0;
}

static int chunk_find(const struct erofs *e, const struct erofs_inode *inode,
                      struct erofs_piece *piece, struct err *err)
{
    const uint8_t *entry =
        e->data + inode->data_at +
        (piece->offset >> inode->chunk_bits) * inode->chunk_entry_size;
    uint64_t size = inode->size - piece->offset;
    if (size > (UINT64_C(1) << inode->chunk_bits))
        size = UINT64_C(1) << inode->chunk_bits;
    if (inode->chunk_entry_size == 8 && (erofs_u16(entry) || erofs_u16(entry + 2)))
        return inode_refused(inode, err, "a chunk of another device");
    uint32_t block = erofs_u32(entry + inode->chunk_entry_size - 4);
    if (block != EROFS_NO_BLOCK)
        return blocks_find(e, inode, block, size, piece, err);
    piece->size = size;
    return 0;
}

int erofs_piece_read(const struct erofs *e, const struct erofs_inode *inode,
                     uint64_t offset, struct erofs_piece *ret, struct err *err)
{
    struct erofs_piece piece = { .offset = offset };
    uint64_t tail =
        inode->layout == EROFS_INLINE ? inode->size & (EROFS_BLOCK_SIZE - 1) : 0;
    int rc = 0;
    if (inode->layout == EROFS_CHUNKS) {
        rc = chunk_find(e, inode, &piece, err);
    } else if (tail && offset >= inode->size - tail) {
        piece.data = e->data + inode->data_at;
        piece.size = tail;
        piece.is_inline = true;
    } else {
        rc = blocks_find(e, inode, inode->first_block + (offset >> EROFS_BLOCK_BITS),
                         inode->size - tail - offset, &piece, err);
    }
    if (rc == 0)
        *ret = piece;
    return rc;
}
