/* SPDX-License-Identifier: Apache-2.0 */
/* build - an EROFS image out of a directory, by mkfs.erofs in a confined process.
 *
 * The same tree gives the same bytes with the same version of erofs-utils: names are
 * sorted by mkfs.erofs, times and the UUID are zero, everything belongs to root, there
 * are no extended attributes.  The content is in /tmp once meanwhile.
 */
#ifndef DATASET_IMAGE_BUILD_H
#define DATASET_IMAGE_BUILD_H

#include "base/err.h"

#include <stddef.h>

#define IMAGE_BUILD_TOOL "mkfs.erofs"
#define IMAGE_BUILD_ARGUMENTS                                     \
    "-T0 -U 00000000-0000-0000-0000-000000000000 --all-root -x-1" \
    " --chunksize=65536"

/* Write image_path, which is not there yet.
 * Errors: -ENOENT (no mkfs.erofs), -ENOTDIR, -EIO (what it wrote to standard error is
 * in err), -EBUSY (a file
 * changed meanwhile, which is named), errors of fork and of reading the directory. */
int image_build(const char *directory, const char *image_path, struct err *err);

#define IMAGE_BUILD_VERSION_SIZE 64
/* "mkfs.erofs 1.5"; without a number where it states none. */
void image_build_version(char *out, size_t size);

#endif
