/* SPDX-License-Identifier: Apache-2.0 */
/* source - what a dataset is made of, as a directory.
 *
 *     directory ────────────────────────────────────────────▶ as it is
 *     OCI layout ─▶ its layers, each SHA-256 compared ─▶ tar ─┐
 *     archive of tar, compressed or not ──────────────▶ tar ──┼▶ SCRATCH/tree
 *     squashfs ────────────────────────────────▶ unsquashfs ──┘
 *
 * Programs that are packaged read what came from elsewhere, in confined processes that
 * write in that directory alone (tool.h).  Owners, extended attributes and times are
 * not of a dataset, and are left out.
 */
#ifndef DATASET_IMAGE_SOURCE_H
#define DATASET_IMAGE_SOURCE_H

#include "base/cleanup.h"
#include "base/err.h"

struct image_source {
    const char *directory; /* valid until _done */
    const char *kind;      /* "tar", "oci-layout", "squashfs"; "": it is a directory */
    char *unpacked;        /* is removed; NULL: nothing was unpacked */
};

/* path: one of the above, or a layout with ":NAME" of one of its images.  scratch: a
 * directory of the caller's own, in which there is no "tree" yet.
 * Errors: -ENOENT (no such file, or no program that reads it), -EINVAL (an EROFS image,
 * which is imported; a name that the layout does not have), -EBADMSG (it is damaged, or
 * leads out of the directory), -EIO (what the program reported), -ENOMEM, errors of
 * files. */
int image_source_open(const char *path, const char *scratch, struct image_source *ret,
                      struct err *err);
void image_source_done(struct image_source *source);
DEFINE_AUTO_DONE(struct image_source, image_source_done);

#endif
