/* SPDX-License-Identifier: Apache-2.0 */
/* overlay - what is written of a mount is in a tmpfs of its own; private to the room.
 *
 *     lower   the dataset, as it is
 *     upper   a tmpfs of a bounded size: gone with the mount namespace
 *
 * Threads  none inside.
 */
#ifndef DATASET_VISIT_OVERLAY_H
#define DATASET_VISIT_OVERLAY_H

#include "base/err.h"

#include <stdint.h>

/* In a mount namespace of its own.  dir: where both are mounted until the overlay is
 * there; lower: moved there.  The overlay, mounted nowhere, in *ret: nosuid, nodev.
 * Errors: those of mounting, with a line. */
int overlay_make(const char *dir, int lower, uint64_t size_bytes, int *ret,
                 struct err *err);

#endif
