/* SPDX-License-Identifier: Apache-2.0 */
/* manifest - the files of an image as text, a line each.
 *
 *     type TAB mode TAB uid TAB gid TAB size TAB mtime TAB content TAB path LF
 *     f 0644 0 0 39504 0 9f86d081… lib/os.py
 *
 * content is the SHA-256 of a file, the target of a link, the number of a device, and -
 * of everything else; the root's path is ".".  Bytes that would not stand in a line
 * (control characters, \, what is not UTF-8) are \xHH.
 */
#ifndef DATASET_IMAGE_MANIFEST_H
#define DATASET_IMAGE_MANIFEST_H

#include "base/strbuf.h"
#include "dataset/image/walk.h"

/* Text as it stands in a line. */
void image_manifest_text(struct strbuf *out, struct span text);
void image_manifest_add(struct strbuf *out, const struct image_file *file);
/* The next line of rest without its end, and its path; false: there is none. */
bool image_manifest_next(struct span *rest, struct span *ret_line,
                         struct span *ret_path);

#endif
