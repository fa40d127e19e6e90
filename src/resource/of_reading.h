/* SPDX-License-Identifier: Apache-2.0 */
/* of_reading - what a reading of a file system's target states about it.
 *
 *     scratch-OST0001: 97.2 % full at 2026-11-21T06:00Z   ─▶  degraded
 *     scratch-OST0001: inactive as login1 sees it         ─▶  degraded
 *
 * The component is FILESYSTEM/TARGET, whichever server has the target.  Its reason
 * names check, value and time; it is stated once, not at every reading.
 */
#ifndef RESOURCE_OF_READING_H
#define RESOURCE_OF_READING_H

#include "model/model.h"

/* Space and connection are two checks, and so two sources; the connection of each
 * reader is one: system:target@login1. */
#define RESOURCE_SOURCE_SPACE "system:space"
#define RESOURCE_SOURCE_TARGET "system:target"

/* Fill at most two statements; their texts lie in arena.  Returns how many, or -ENOMEM.
 */
int resource_of_reading(const struct target_reading *reading, uint64_t full_percent,
                        struct arena *arena, struct resource_statement ret[static 2]);

#endif
