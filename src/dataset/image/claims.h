/* SPDX-License-Identifier: Apache-2.0 */
/* claims - which part of an image belongs to what, so that nothing has two meanings.
 *
 * A block is of inodes, of one directory, or of content.  Content may be shared by
 * files, which is how equal chunks are stored once; nothing else may.  Within blocks of
 * inodes no two of these overlap.
 */
#ifndef DATASET_IMAGE_CLAIMS_H
#define DATASET_IMAGE_CLAIMS_H

#include "base/cleanup.h"
#include "base/err.h"

#include <stdint.h>

enum claim {
    CLAIM_NONE,
    CLAIM_INODES,
    CLAIM_DIRECTORY,
    CLAIM_CONTENT,
};

struct claims;

int claims_new(uint64_t block_count, struct claims **ret);
void claims_free(struct claims *claims);
DEFINE_AUTO(struct claims, claims_free);

/* Blocks that lie within the image.  Errors: -EBADMSG (they are of another kind). */
int claims_blocks(struct claims *claims, uint64_t block, uint64_t count,
                  enum claim kind, struct err *err);
/* Bytes begin .. end, within the image, of an inode.  Errors: -EBADMSG, -ENOMEM. */
int claims_inode(struct claims *claims, uint64_t begin, uint64_t end, struct err *err);
/* After the last: no two inodes overlap.  Errors: -EBADMSG. */
int claims_end(struct claims *claims, struct err *err);

#endif
