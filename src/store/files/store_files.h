/* SPDX-License-Identifier: Apache-2.0 */
/* store_files - the block files and archives that a store reads from at one moment.
 *
 * Threads  a list is immutable once readers see it, and is replaced as a whole.
 */
#ifndef STORE_FILES_STORE_FILES_H
#define STORE_FILES_STORE_FILES_H

#include "blocks/blocks.h"

struct store_files {
    size_t block_count;
    struct block_file **blocks; /* by checkpoint, then shard */
    size_t archive_count;
    struct archive_file **archives; /* by age */
};

/* Room for so many of each; it is empty.  *ret is the caller's.  Errors: -ENOMEM. */
int store_files_new(size_t blocks, size_t archives, struct store_files **ret);
/* The list, and not the files in it.  NULL is fine. */
void store_files_free(struct store_files *files);
DEFINE_AUTO(struct store_files, store_files_free);
/* The files as well; no reader may be inside.  NULL is fine. */
void store_files_close(struct store_files *files);

#endif
