/* SPDX-License-Identifier: Apache-2.0 */
/* oci - the layers of an image in an OCI image layout (image-spec 1.1).
 *
 *     LAYOUT/index.json ─▶ manifest of the image's name or this processor ─▶ layers
 *     LAYOUT/blobs/sha256/HEX    each a file whose SHA-256 is its name
 *
 * Bounds   documents of 4 MiB, 512 layers, indexes in indexes three deep.
 */
#ifndef DATASET_IMAGE_OCI_H
#define DATASET_IMAGE_OCI_H

#include "base/cleanup.h"
#include "base/err.h"
#include "dataset/image/digest.h"

#include <stddef.h>

#define OCI_LAYERS_MAX 512
#define OCI_PATH_SIZE 4096

struct oci_layers {
    size_t count;
    struct digest digests[OCI_LAYERS_MAX]; /* the lowest first */
};

bool oci_is_layout(const char *directory);
/* name: as annotations of the index have it; NULL: the only one, or the only one for
 * this processor.  Errors: -EINVAL (which names there are is in err), -EBADMSG. */
int oci_layers_find(const char *layout, const char *name, struct oci_layers *ret,
                    struct err *err);
/* The path of a blob, whose SHA-256 was compared.  Errors: -EBADMSG, of files. */
int oci_blob(const char *layout, const struct digest *digest, char *ret_path,
             struct err *err);

#endif
