/* SPDX-License-Identifier: Apache-2.0 */
/* inspect - an untrusted image walked by a child process that can do nothing else.
 *
 *     parent                          child: confine_child(), then image_walk()
 *       │ maps the image, forks ─────▶  no file, no network, memory and CPU bounded
 *       │ ◀── manifest, totals or the reason, through a pipe ──┘
 *
 * An image whose child crashes or does not end is refused, too.
 */
#ifndef DATASET_IMAGE_INSPECT_H
#define DATASET_IMAGE_INSPECT_H

#include "base/strbuf.h"
#include "dataset/image/walk.h"

#define IMAGE_MANIFEST_BYTES_MAX (UINT64_C(1) << 30)

/* The file fd is not changed by another process meanwhile: it is the caller's own copy.
 * The manifest's lines are appended to manifest.
 * Errors: as image_walk(); -EBADMSG (the child needed too long), -EMSGSIZE (a manifest
 * of more than 1 GiB), errors of mmap, pipe and fork.  Those that state nothing of the
 * image: -ECHILD (the child crashed), -EAGAIN (it was killed). */
int image_inspect(int fd, const struct image_policy *policy, struct strbuf *manifest,
                  struct image_totals *ret, struct err *err);

#endif
