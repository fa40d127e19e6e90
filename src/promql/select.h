/* SPDX-License-Identifier: Apache-2.0 */
/* select - series of the source as rows, computed while they are read: no sample is
 * copied.
 *
 *     source ──▶ one series' samples ──▶ the newest before each step select_instants()
 *                                    ──▶ a window before each step select_windows()
 */
#ifndef PROMQL_SELECT_H
#define PROMQL_SELECT_H

#include "promql/row_set.h"
#include "promql/syntax/syntax.h"
#include "promql/window.h"

/* A function of windows with its other arguments, one value a step; NULL: none. */
struct window_call {
    window_fn *fn;
    const double *parameters[2];
    int64_t range_ms;
    struct time_shift shift;
};

/* The time that a selector or subquery reads at a step. */
int64_t select_time(const struct evaluation *ev, const struct time_shift *shift,
                    int64_t step_ms);

/* What a row gets of an instant selector. */
enum instant_value { INSTANT_VALUE, INSTANT_TIME };

/* set is empty.  Rows are sorted by labels.
 * Errors: of the source, -E2BIG, -ECANCELED, -ETIMEDOUT. */
int select_instants(struct evaluation *ev, const struct expr *selector,
                    const struct step_grid *grid, enum instant_value what,
                    struct row_set *set);

/* The same for a range selector and a function of its windows; names stay. */
int select_windows(struct evaluation *ev, const struct expr *selector,
                   const struct step_grid *grid, const struct window_call *call,
                   struct row_set *set);

/* Windows over samples, which may hold marks of the end of a series, into a row. */
int window_call_run(struct evaluation *ev, const struct window_call *call,
                    const struct step_grid *grid, const struct promql_samples *samples,
                    double *values);

#endif
