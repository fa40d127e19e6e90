/* SPDX-License-Identifier: Apache-2.0 */
/* late - samples that came after a block of their time was sealed: where they belong.
 *
 * Parts of a view are its blocks, and behind them the head.  A position is 2 * part for
 * the gap before a part, 2 * part + 1 for the part itself.
 *
 * Threads  as for views (store/series/view.h).
 */
#ifndef STORE_SERIES_LATE_H
#define STORE_SERIES_LATE_H

#include "store/series/view.h"

struct late_sample {
    size_t position;
    int64_t t_ns; /* of its slot */
    uint64_t bits;
};

struct late_samples {
    size_t count;
    struct late_sample items[SERIES_LATE_MAX];
};

/* Those of a view in order of position, then time; of two in one slot only the later
 * arrival is left. */
void late_samples_of(const struct series_view *view, struct late_samples *ret);
/* The position of a sample of t_ns. */
size_t late_position(const struct series_view *view, int64_t t_ns);

bool late_samples_has(const struct late_samples *late, size_t position);
/* Those of one position merged into samples, in order of time. */
void late_samples_merge(const struct late_samples *late, size_t position,
                        struct samples *samples);

#endif
