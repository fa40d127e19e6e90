/* SPDX-License-Identifier: Apache-2.0 */
/* metric_series - the samples of one metric of one component.
 *
 * On a grid a sample belongs to the slot whose time is nearest; its own time is not
 * kept.  The phase of the grid is the time of the head's slot 0.  When eight samples in
 * a row lie nearer than a quarter step to the border of their slot, the head is sealed
 * and the next begins with the time of the newest: so a collector that drifts never has
 * two samples in one slot.  The last arrival in a slot wins; the missing value empties
 * it.  A late sample (before the head) waits in a table of at most SERIES_LATE_MAX,
 * which readers merge and which is folded into the blocks when it is full.
 *
 * A series whose step is sought stores each time, until it has STEP_SOUGHT_SAMPLES
 * samples.  Then it is on the grid that they have (store/series/step.h), or stores each
 * time for good.
 *
 * A grid that has become too wide (a collector that sends more often than it did) shows
 * by samples that share a slot.  After some of them the head is sealed and the step is
 * sought anew; blocks keep the step that they were made with.  One that has become too
 * narrow leaves slots empty, which cost next to nothing.
 *
 * Units    nanoseconds since the Unix epoch.
 * Threads  the thread that changes a series holds the mutex of its memory; readers take
 * none: they stand between epoch_enter() and epoch_leave(), and see each series as it
 * was at one moment, or newer in its head.
 */
#ifndef STORE_SERIES_METRIC_SERIES_H
#define STORE_SERIES_METRIC_SERIES_H

#include "store/series/view.h"

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

/* Whether a time can be put at all.  Between enter and leave, or under the mutex. */
bool series_accepts(const struct metric_series *series, int64_t t_ns);

/* The time at which readers would see a sample of this time: that of its slot, on the
 * grid that the series has now.  Between enter and leave. */
int64_t series_shown_ns(const struct metric_series *series, int64_t t_ns);

/* Record value at t_ns.  Late samples before oldest_ns are refused.
 * Errors: -ERANGE (too old), -ENOMEM; then nothing has changed but the counts. */
int series_put(struct metric_series *series, struct memory *memory,
               struct series_counts *counts, int64_t oldest_ns, int64_t t_ns,
               double value);

/* Let blocks go that end before t_ns; returns how many samples' slots went. */
size_t series_release(struct metric_series *series, struct memory *memory,
                      struct series_counts *counts, int64_t t_ns);

#endif
