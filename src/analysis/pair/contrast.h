/* SPDX-License-Identifier: Apache-2.0 */
/* contrast - all in which two runs differ, of their logs and of what was around them,
 * in one order.
 *
 *     differences of the logs ───┐
 *     values of the climate ─────┴─▶ distance / floor ─▶ the most unusual first
 *
 * The floor of what was around is the distance that 90 of 100 pairs of the others keep
 * within, and at least that of a counter.  It is reported where the chance of the pair
 * is CONTRAST_CHANCE_MAX at most, too.  What may be a cause comes first, by how unusual
 * it is, whether the runs did it or met it; then what follows from another difference
 * or is no cause by the mapping, then how they went.
 */
#ifndef ANALYSIS_PAIR_CONTRAST_H
#define ANALYSIS_PAIR_CONTRAST_H

#include "analysis/job/job.h"
#include "analysis/pair/difference.h"

#define CONTRAST_CHANCE_MAX 0.10
#define CONTRAST_AROUND_MAX 10 /* of the values of a climate; the rest are counted */
#define CONTRAST_MAX (PROFILE_MEASURE_COUNT + 1 + CONTRAST_AROUND_MAX)

enum contrast_kind {
    CONTRAST_DID,    /* otherwise, and nothing else explains it */
    CONTRAST_AROUND, /* what the runs met */
    CONTRAST_FOLLOWS,
    CONTRAST_WENT,
};

struct contrast_item {
    enum contrast_kind kind;
    const struct difference *of_log; /* one of both, the other one is NULL */
    const struct climate_value *around;
    double floor;
    double score; /* distance / floor: above 1 */
};

struct contrast {
    struct contrast_item items[CONTRAST_MAX];
    size_t count;
    size_t looked_at; /* values of the climate that could have been reported */
    size_t left_out;  /* values that were unusual, too */
};

/* climate: of a pair, or NULL; it and found must outlive *ret. */
void contrast_make(const struct differences *found, const struct job_climate *climate,
                   struct contrast *ret);

/* "did", "around", "follows", "went" */
const char *contrast_word(enum contrast_kind kind);

#endif
