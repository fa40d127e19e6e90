/* SPDX-License-Identifier: Apache-2.0 */
/* accumulator - increments added up by group and window, in integers.
 *
 *     accumulator_series(A)  accumulator_server  accumulator_add ... accumulator_add
 *     accumulator_series(B)  accumulator_add ...
 *
 * Series come one after the other, the increments of each in the order of time.
 *
 *     group (job 7)   step 0: write_bytes 12, metadata 3   step 1: ...
 *
 * Sums have 128 bits and no division but the apportioning of increments, so that the
 * result does not depend on where the rows came from or in which order series come.
 */
#ifndef QUERY_COUNTERS_ACCUMULATOR_H
#define QUERY_COUNTERS_ACCUMULATOR_H

#include "query/counters/increment.h"
#include "query/counters/selection.h"

#define ACCUMULATOR_BYTES_MAX ((size_t)512 << 20)

/* Activity with gaps of at most this long is unbroken: two rounds of two minutes, and
 * the time that they may be late. */
#define ACCUMULATOR_GAP_MS INT64_C(300000)

typedef unsigned __int128 accumulator_sum;

struct accumulator_span {
    int64_t since_ms, t_ms;
};

struct accumulator_group {
    uint32_t
        key[DIM_TEXT_COUNT];  /* of selection.by, in its order; see accumulator_text */
    accumulator_sum *sums;    /* [step * measure_count + measure] */
    accumulator_sum *unknown; /* [measure]: at most so much more */
    bool is_unbounded;        /* more is missing, how much is not known */
    uint32_t distinct[DIM_TEXT_COUNT]; /* how many different ones */
    uint32_t sample[DIM_TEXT_COUNT];   /* one of them */
    struct accumulator_span *spans;    /* when it was active, unordered */
    size_t span_count, span_capacity;
};

struct accumulator_notes {
    uint64_t series; /* with anything in the window */
    uint64_t increments;
    uint64_t flags[INCREMENT_FLAG_COUNT]; /* increments in the window with each flag */
    uint64_t spread; /* longer than ACCUMULATOR_GAP_MS, over an edge of the window or a
                        step */
    int64_t first_ms, last_ms; /* of what accrued in the window; T_NONE: nothing */
};

struct accumulator {
    const struct selection *sel;
    size_t step_count;
    struct accumulator_group **groups;
    size_t group_count;
    struct accumulator_notes notes;
    struct accumulator_builder *builder;
};

/* sel is settled and, with its hold, outlives the accumulator.  Errors: -ENOMEM, -E2BIG
 * (steps times operations). */
int accumulator_new(const struct selection *sel, struct accumulator **ret,
                    struct err *err);
void accumulator_free(struct accumulator *accumulator);
DEFINE_AUTO(struct accumulator, accumulator_free);

/* The increments that follow are of series; its texts are copied where needed.  Saying
 * the same sid again changes nothing. */
void accumulator_series(struct accumulator *accumulator, const struct series *series);
/* The increments of this series that follow were observed by server; empty, and until
 * it is called: not said. */
void accumulator_server(struct accumulator *accumulator, struct span server);
void accumulator_add(struct accumulator *accumulator, const struct increment *inc);
/* All is added: 0, -ENOMEM, -E2BIG (too many groups for the memory), or what the hold
 * of the selection refused. */
int accumulator_finish(struct accumulator *accumulator, struct err *err);

/* The text behind a number in key or sample; data NULL: none. */
struct span accumulator_text(const struct accumulator *accumulator, uint32_t text);

/* Since when the group is active without a break longer than ACCUMULATOR_GAP_MS, up to
 * its last activity; T_NONE: not at all, or there is no lookback.  *ret_is_cut:
 * it reaches back to where the looking ended. */
int64_t accumulator_active_since(const struct accumulator *accumulator,
                                 struct accumulator_group *group, bool *ret_is_cut);

/* Of what the selection's rates are of. */
accumulator_sum accumulator_total(const struct accumulator *accumulator,
                                  const struct accumulator_group *group,
                                  size_t measure);

#endif
