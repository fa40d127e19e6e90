/* SPDX-License-Identifier: Apache-2.0 */
/* metadata - how far inodes and directories reach from an image's beginning. */
#include "dataset/image/metadata.h"

#include "dataset/image/erofs.h"

#define MAGIC 0xE0F5E1E2U
/* Of trees of programs 88 to 97 bytes an inode were measured: an inode, its entry in
 * a directory, and where its content is, 4 bytes for 64 KiB. */
#define INODE_BYTES 96U

_Static_assert(IMAGE_METADATA_HEAD == EROFS_SUPER_AT + EROFS_SUPER_SIZE,
               "the superblock is in it");

uint64_t image_metadata_bytes(const void *head, size_t size)
{
    const uint8_t *super = (const uint8_t *)head + EROFS_SUPER_AT;
    if (size < IMAGE_METADATA_HEAD || erofs_u32(super) != MAGIC)
        return 0;
    uint64_t count = erofs_u64(super + 16), blocks = erofs_u32(super + 36);
    uint64_t meta_at = (uint64_t)erofs_u32(super + 40) << EROFS_BLOCK_BITS;
    if (count > IMAGE_METADATA_MAX / INODE_BYTES || meta_at > IMAGE_METADATA_MAX)
        return IMAGE_METADATA_MAX;
    uint64_t bytes = meta_at + count * INODE_BYTES + blocks / 4 + EROFS_BLOCK_SIZE;
    return bytes < IMAGE_METADATA_MAX ? bytes : IMAGE_METADATA_MAX;
}
