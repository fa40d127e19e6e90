/* SPDX-License-Identifier: Apache-2.0 */
/* places - how many reads run at a time, and how many may hang.
 *
 *     8 running, of which 4 of targets that came to no end at their deadline last time:
 *     those may come to none again
 *     40 past their deadline that cannot be killed: each has a target, and a slot of
 *     its own
 */
#ifndef AGENT_PLACES_H
#define AGENT_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#define PLACES_RUNNING_MAX 8
#define PLACES_LATE_MAX (PLACES_RUNNING_MAX / 2)
#define PLACES_HANGING_MAX 40

struct places {
    size_t running;      /* before their deadline */
    size_t running_late; /* of them, of targets that were given up last time */
    size_t hanging;
};

/* was_late: of the target that wants one, here and below. */
static inline bool places_has(const struct places *places, bool was_late)
{
    return places->running < PLACES_RUNNING_MAX &&
           places->hanging < PLACES_HANGING_MAX &&
           (!was_late || places->running_late < PLACES_LATE_MAX);
}

static inline void places_take(struct places *places, bool was_late)
{
    places->running++;
    places->running_late += was_late;
}

/* The read is over; hangs: its process is not. */
static inline void places_leave(struct places *places, bool was_late, bool hangs)
{
    places->running--;
    places->running_late -= was_late;
    places->hanging += hangs;
}

/* A process that hung is gone. */
static inline void places_returned(struct places *places)
{
    places->hanging--;
}

#endif
