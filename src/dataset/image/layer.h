/* SPDX-License-Identifier: Apache-2.0 */
/* layer - an archive of tar unpacked over a tree, as a layer of an OCI image is.
 *
 *     names of the archive ─▶ each leads into the tree ─▶ whiteouts removed ─▶ tar
 *
 * A whiteout ".wh.NAME" removes NAME of the layers below, ".wh..wh..opq" all of them in
 * its directory (image-spec, layer.md).  A file over a directory replaces it.
 */
#ifndef DATASET_IMAGE_LAYER_H
#define DATASET_IMAGE_LAYER_H

#include "base/err.h"

#include <stdbool.h>

struct layer {
    const char *archive; /* an absolute path */
    const char *tree;    /* the same, of a directory that no other process changes */
    bool has_whiteouts;
};

/* Errors: -EBADMSG (a name leads out of the tree), -EIO (what tar reported),
 * those of image_tool_run(). */
int layer_unpack(const struct layer *layer, struct err *err);

#endif
