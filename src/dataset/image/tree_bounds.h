/* SPDX-License-Identifier: Apache-2.0 */
/* tree_bounds - whether what was unpacked is of its tree alone, and as large as it may
 * be.
 *
 * A member of an archive may be a hard link whose target leads through a symbolic link
 * of an earlier layer to any file of this file system that the user owns: each name of
 * an inode has to be in the tree.  A file with holes may state any size, which becomes
 * that of the image.
 */
#ifndef DATASET_IMAGE_TREE_BOUNDS_H
#define DATASET_IMAGE_TREE_BOUNDS_H

#include "base/err.h"

/* Of a file system that others need, too: so much of it stays free. */
#define TREE_RESERVE_PERCENT 5

/* Errors: -EBADMSG (a name of a file is outside), -ENOSPC (its files do not fit on the
 * disk once more), -ENOMEM, errors of files. */
int tree_bounds_check(const char *root, struct err *err);
/* Errors: -ENOSPC, with a line. */
int tree_space_check(const char *root, unsigned long long wanted, struct err *err);

#endif
