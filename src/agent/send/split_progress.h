/* SPDX-License-Identifier: Apache-2.0 */
/* split_progress - how far the halves of one batch have come.
 *
 *     whole ──┬── half 0: done
 *             └── half 1: cut ──┬── half 0: done
 *                               └── half 1: waits
 *
 * Halves are sent in order, each before the next, so that what is behind a part in the
 * list is of that part: it goes when the part is done, and the list is as long as the
 * cuts are deep.
 */
#ifndef AGENT_SEND_SPLIT_PROGRESS_H
#define AGENT_SEND_SPLIT_PROGRESS_H

#include "base/uuid.h"

#include <stddef.h>
#include <stdint.h>

enum split_state {
    SPLIT_NONE,  /* nothing is known of it */
    SPLIT_CUT,   /* it was too large, and none of its parts is done */
    SPLIT_BEGUN, /* some part of it is done: the rest comes in parts, too */
    SPLIT_DONE,  /* accepted or set aside */
};

/* More than two for each cut from the largest batch down to one row. */
#define SPLIT_PARTS_MAX 128

struct split_progress {
    uint64_t sequence; /* of the batch */
    size_t count;
    struct {
        struct uuid name;
        enum split_state state;
    } parts[SPLIT_PARTS_MAX];
};

/* What is sent now is the batch of this sequence: of another all is forgotten. */
void split_progress_of(struct split_progress *progress, uint64_t sequence);
enum split_state split_progress_get(const struct split_progress *progress,
                                    const struct uuid *name);
/* A part that finds no slot in the list is not remembered. */
void split_progress_set(struct split_progress *progress, const struct uuid *name,
                        enum split_state state);

#endif
