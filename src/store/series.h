/* SPDX-License-Identifier: Apache-2.0 */
/* series - the samples of one metric of one component.
 *
 *     series ─▶ view ─┬▶ block block block     sealed, in order of time
 *                     ├▶ late                  samples for where blocks are already
 *                     └▶ head                  the newest, as they are; small, growing
 *
 * On a grid a sample belongs to the slot whose time is nearest; its own time is not
 * kept.  The phase of the grid is the time of the head's slot 0.  When eight samples in
 * a row lie nearer than a quarter step to the border of their slot, the head is sealed
 * and the next begins with the time of the newest: so a collector that drifts never has
 * two samples in one slot.  The last arrival in a slot wins; the missing value empties
 * it.  A late sample (before the head) waits in a table of at most SERIES_LATE_MAX,
 * which readers merge and which is folded into the blocks when it is full.
 *
 * A series whose step is sought keeps each time, until it has STEP_SOUGHT_SAMPLES
 * samples.  Then it is on the grid that they have (store/series_step.h), or keeps each
 * time for good.
 *
 * A grid that has become too wide (a collector that sends more often than it did) shows
 * by samples that share a slot.  After some of them the head is sealed and the step is
 * sought anew; blocks keep the step that they were made with.  One that has become too
 * narrow leaves slots empty, which cost next to nothing.
 *
 * Units    nanoseconds since the Unix epoch.
 * Threads  whoever changes a series holds the mutex of its memory; readers take none:
 *          they stand between epoch_enter() and epoch_leave(), and see each series as
 *          it was at one moment, or newer in its head.
 */
#ifndef STORE_SERIES_H
#define STORE_SERIES_H

#include "store/block_memory.h"

#include <stdbool.h>

#define SERIES_LATE_MAX 32
/* In the place of a step, also in files: no step is so short. */
#define STEP_SOUGHT INT64_C(1)
#define STEP_SOUGHT_SAMPLES 8
/* Sought anew: the step that was goes on where there is none.  Added to it, also in
 * files; no step is so long. */
#define STEP_ANEW (INT64_C(1) << 60)

struct series_view;

struct metric_series {
    _Atomic int64_t step_ns; /* 0: each sample keeps its time; or it is sought */
    _Atomic(struct series_view *) view;
};

static inline bool step_is_sought(int64_t step_ns)
{
    return step_ns == STEP_SOUGHT || step_ns >= STEP_ANEW;
}

/* Of a step as it is kept: that of the grid; 0: each sample keeps its time. */
static inline int64_t step_of_grid(int64_t step_ns)
{
    return step_is_sought(step_ns) ? 0 : step_ns;
}

static inline int64_t series_grid_ns(const struct metric_series *series)
{
    return step_of_grid(atomic_load(&series->step_ns));
}

/* What happened to samples, over all series of a memory. */
struct series_counts {
    uint64_t accepted;
    uint64_t late;
    uint64_t overwritten; /* another time in the same slot: a loss */
    uint64_t repeated;    /* the same time again */
    uint64_t too_old;
    uint64_t phase_moved;
    uint64_t sealed;
    uint64_t steps_found, steps_none; /* of series whose step was sought */
    uint64_t steps_doubted;           /* of a grid that was too wide: sought anew */
};

void series_init(struct metric_series *series, int64_t step_ns);
/* Gives back all it holds; no reader may be inside. */
void series_done(struct metric_series *series, struct memory *memory);

/* Whether a time can be put at all.  Between enter and leave, or under the mutex. */
bool series_takes(const struct metric_series *series, int64_t t_ns);

/* Record value at t_ns.  Late samples before oldest_ns are refused.
 * Errors: -ERANGE (too old), -ENOMEM; then nothing has changed but the counts. */
int series_put(struct metric_series *series, struct memory *memory,
               struct series_counts *counts, int64_t oldest_ns, int64_t t_ns,
               double value);

/* Let blocks go that end before t_ns; returns how many samples' slots went. */
size_t series_release(struct metric_series *series, struct memory *memory,
                      struct series_counts *counts, int64_t t_ns);

/* Some samples in order of time; slots that are missing have the missing value.  What
 * is pointed to is valid during the call.  Not 0 ends the reading with that value. */
typedef int series_samples_fn(void *arg, const int64_t *times, const double *values,
                              size_t count);

/* Everything with from_ns <= time < to_ns.  Errors: what fn returns, -EBADMSG. */
int series_read(const struct metric_series *series, int64_t from_ns, int64_t to_ns,
                series_samples_fn *fn, void *arg);

/* When the newest sample in memory stands, missing values included; INT64_MIN: there is
 * none.  Between enter and leave. */
int64_t series_last_ns(const struct metric_series *series);

/* The longest step that samples in memory of these times have; 0: all keep their own.
 * Where there is none, that of the newest. */
int64_t series_step_between(const struct metric_series *series, int64_t from_ns,
                            int64_t to_ns);

/* Bring near what reading the newest samples of these is going to touch.  Their memory
 * is far apart: asked for all at once it comes in the time of a few. */
void series_prefetch(const struct metric_series *const *series, size_t count);

struct series_stats {
    uint64_t count; /* of numbers */
    double min, max, sum;
    uint64_t blocks_decoded; /* that were not answered by what is known of the whole */
    /* Where a part begins within the step, counted from from_ns on, in which the one
     * before it ended: on a grid both samples are one point. */
    uint64_t crowded;
    int64_t last_ns; /* of the newest sample read; 0: none */
};

/* The numbers with from_ns <= time < to_ns.  Errors: -EBADMSG. */
int series_stats(const struct metric_series *series, int64_t from_ns, int64_t to_ns,
                 struct series_stats *ret);

#endif
