/* SPDX-License-Identifier: Apache-2.0 */
/* state - all of a series at one moment, to be stored and restored.
 *
 * Phase, step and what a head knows of drift come back as they were, so that what is
 * put next lands in the same slot as if nothing had happened.
 *
 * Threads  under the mutex of the series' memory.
 */
#ifndef STORE_SERIES_STATE_H
#define STORE_SERIES_STATE_H

#include "store/series/view.h"

struct series_state {
    uint32_t floor_s;
    uint8_t near_border, contention;
    int64_t start_ns; /* of the head */
    int64_t last_ns;
    struct samples head; /* CODEC_VALUES_MAX at most */
    size_t late_count;
    int64_t late_times[SERIES_LATE_MAX]; /* in order of arrival */
    uint64_t late_bits[SERIES_LATE_MAX];
    size_t block_count;
    struct block *const
        *blocks; /* in order of time; of the caller that fills this in */
};

/* False: the series has had no sample yet.  Blocks are valid under the mutex. */
bool series_capture(const struct metric_series *series, struct series_state *ret);

/* A series as it was.  It must be empty.  A state is not trusted.
 * Errors: -EBADMSG (it cannot have been), -ENOMEM. */
int series_restore(struct metric_series *series, struct memory *memory,
                   const struct series_state *state);

/* Take filed blocks in the place of those in memory that have the same bytes; what has
 * changed meanwhile stays.  Errors: -ENOMEM; then nothing has changed. */
int series_adopt(struct metric_series *series, struct memory *memory,
                 struct block *const *filed, size_t count);

#endif
