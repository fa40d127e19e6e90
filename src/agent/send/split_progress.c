/* SPDX-License-Identifier: Apache-2.0 */
/* split_progress - how far the halves of one batch have come. */
#include "agent/send/split_progress.h"

#include <string.h>

void split_progress_of(struct split_progress *progress, uint64_t sequence)
{
    if (progress->sequence != sequence)
        progress->count = 0;
    progress->sequence = sequence;
}

static size_t find(const struct split_progress *progress, const struct uuid *name)
{
    size_t i = 0;
    while (i < progress->count &&
           memcmp(&progress->parts[i].name, name, sizeof *name) != 0)
        i++;
    return i;
}

enum split_state split_progress_get(const struct split_progress *progress,
                                    const struct uuid *name)
{
    size_t i = find(progress, name);
    return i < progress->count ? progress->parts[i].state : SPLIT_NONE;
}

void split_progress_set(struct split_progress *progress, const struct uuid *name,
                        enum split_state state)
{
    size_t i = find(progress, name);
    if (i == SPLIT_PARTS_MAX)
        return;
    progress->parts[i].name = *name;
    progress->parts[i].state = state;
    if (i == progress->count || state == SPLIT_DONE)
        progress->count = i + 1; /* what is behind it is of it */
}
