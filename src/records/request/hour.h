/* SPDX-License-Identifier: Apache-2.0 */
/* hour - increments added up by the hour, as they are stored and requested.
 *
 *      hour_ms            hour_ms + 1 h
 *         │──●────●───●──────●─│──●──      a cell: what lies wholly inside, added up
 *      ──────●                 │           a cell of its own: reaches in from before
 */
#ifndef RECORDS_REQUEST_HOUR_H
#define RECORDS_REQUEST_HOUR_H

#include "model/model.h"

#define ROLLUP_HOUR_MS INT64_C(3600000)

/* An increment's hour is that of the row it ends with: hour < t <= hour + 1 h. */
static inline int64_t rollup_hour_of(int64_t t_ms)
{
    return t_ms > 0 ? (t_ms - 1) / ROLLUP_HOUR_MS * ROLLUP_HOUR_MS : -ROLLUP_HOUR_MS;
}

struct rollup_cell {
    int64_t hour_ms; /* the beginning */
    int64_t sid;
    uint32_t part;      /* of one hour and series: 0, 1, ... */
    struct span server; /* who observed it; empty: unknown */
    int64_t since_ms, t_ms;
    unsigned flags; /* query's */
    uint64_t count; /* increments in it */
    uint64_t missing_samples, missing_sum;
    uint64_t samples[OP_COUNT]; /* zero where nothing was counted */
    uint64_t sum[OP_COUNT];
};

struct cell_range {
    enum target_kind kind;
    int64_t from_ms, to_ms; /* cells with from_ms <= hour < to_ms */
    const int64_t *sids;    /* sorted; NULL: every series */
    size_t sid_count;
    uint64_t samples, sums; /* masks of operations; others are left zero */
    int64_t reach_ms;       /* 0: all; otherwise those whose since lies before it */
};

/* Cells longer than this are few and have an index of their own. */
#define ROLLUP_LONG_MS ROLLUP_HOUR_MS

/* Do all cells of range that it wants have to be that long?  An increment of the hour
 * that begins at from_ms, and that began before reach_ms, is. */
static inline bool rollup_is_long(const struct cell_range *range)
{
    return range->reach_ms && range->from_ms >= range->reach_ms + ROLLUP_LONG_MS;
}

/* Hours with from_ms <= hour < to_ms that have a state. */
/* changes: another number, and never one from before, when its cells are others. */
typedef int records_hour_fn(void *arg, int64_t hour_ms, bool is_clean, int64_t changes);
/* cell is valid during the call.  A negative return ends the reading. */
typedef int records_cell_fn(void *arg, const struct rollup_cell *cell);

#endif
