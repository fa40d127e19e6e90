/* SPDX-License-Identifier: Apache-2.0 */
/* tarball - the files in a tar archive (ustar, pax, GNU), as spans into it. */
#ifndef SOURCE_GPFS_TARBALL_H
#define SOURCE_GPFS_TARBALL_H

#include "base/err.h"
#include "base/span_type.h"

#include <stdbool.h>
#include <stdint.h>

bool tarball_is(struct span text);

/* Each plain file in order: start with *cursor = 0.  1: *ret_name (its last 100 bytes,
 * without folders distinguished) and *ret_text; 0: the end; -EBADMSG: damaged or cut.
 */
int tarball_next(struct span tar, size_t *cursor, struct span *ret_name,
                 struct span *ret_text);

#endif
