/* SPDX-License-Identifier: Apache-2.0 */
/* metadata - how far inodes and directories reach from an image's beginning.
 * Threads  none inside.
 */
#ifndef DATASET_IMAGE_METADATA_H
#define DATASET_IMAGE_METADATA_H

#include <stddef.h>
#include <stdint.h>

#define IMAGE_METADATA_MAX (UINT64_C(8) << 20)
#define IMAGE_METADATA_HEAD 1152U /* bytes that it is found by */

/* About, by what the superblock states, in head; 0: these bytes have none.  For what is
 * read ahead: it may be wrong, and is at most IMAGE_METADATA_MAX. */
uint64_t image_metadata_bytes(const void *head, size_t size);

#endif
