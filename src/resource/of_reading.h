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

#include "base/number.h"
#include "model/model.h"

/* Space and connection are two checks, and so two sources; the connection of each
 * reader is one: system:target@login1. */
#define RESOURCE_SOURCE_SPACE "system:space"
#define RESOURCE_SOURCE_TARGET "system:target"
/* Who serves it is a third one, of each reader as well: one names servers, another
 * their addresses. */
#define RESOURCE_SOURCE_SERVER "system:server"
/* A server that has had it for so long is its usual one. */
#define RESOURCE_USUAL_NS (7 * 24 * 3600 * NS_PER_S)

/* Fill at most two statements; their texts lie in arena.  Returns how many, or -ENOMEM.
 */
int resource_of_reading(const struct target_reading *reading, uint64_t full_percent,
                        struct arena *arena, struct resource_statement ret[static 2]);

/* Who serves the target: its usual server (up: "server: oss1"), or another one, and
 * then it is degraded: "server: served by oss2 at ..., usually by oss1".  stored is
 * what this source states now (NULL: nothing); its reason has the usual server, so that
 * no other place has to.  1: *ret is another statement; 0: none; -ENOMEM. */
int resource_of_server(const struct target_reading *reading,
                       const struct resource_statement *stored, struct arena *arena,
                       struct resource_statement *ret);
/* The source of that: text lies in arena.  Errors: -ENOMEM. */
int resource_server_source(const struct target_reading *reading, struct arena *arena,
                           struct span *ret);
/* The component of a reading's target; empty: it has none.  Errors: -ENOMEM. */
int resource_target_component(const struct target_reading *reading, struct arena *arena,
                              struct span *ret);

#endif
