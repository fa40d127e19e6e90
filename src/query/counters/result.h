/* SPDX-License-Identifier: Apache-2.0 */
/* result - a finished accumulator as a table, with what a reader must know about it.
 *
 *     top     one row a group, the biggest first: rates, total, share, since, trend
 *     rates   one row a window and group: totals and rates
 *     density one row a window and decade of the rate: how many groups lie in it
 *
 * The last division happens here, and nowhere before.
 */
#ifndef QUERY_COUNTERS_RESULT_H
#define QUERY_COUNTERS_RESULT_H

#include "base/table/table.h"
#include "query/counters/accumulator.h"

/* What is known about the data beside the accumulator. */
struct result_extent {
    int64_t first_ms, latest_ms; /* first and newest observation; T_NONE: none */
    bool is_live;                /* made without the database */
};

/* The trend is a text of digits, one a step of the selection: 0 nothing, 1..8 in
 * eighths of the greatest.  The table is initialised and empty.
 * Errors: -ENOMEM. */
int result_top(const struct accumulator *accumulator,
               const struct result_extent *extent, struct table *ret);
int result_rates(const struct accumulator *accumulator,
                 const struct result_extent *extent, struct table *ret);

/* Digits of a trend over the steps: what top and the job page draw. */
void result_trend(const struct accumulator *accumulator,
                  const struct accumulator_group *group, size_t measure, char *out,
                  size_t size);

/* A total as a cell has it: the greatest number of 64 bits where it is more. */
uint64_t result_total(accumulator_sum sum);
/* Leaves the cell null where it is not known, or no number of 64 bits is as much. */
void result_set_at_most(struct table *table, size_t column,
                        const struct accumulator_group *group, accumulator_sum sum,
                        size_t measure);
/* The notes alone. */
void result_add_notes(const struct accumulator *accumulator,
                      const struct result_extent *extent, struct table *ret);

#endif
