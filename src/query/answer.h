/* SPDX-License-Identifier: Apache-2.0 */
/* answer - a finished tally as a table, with what a reader must know about it.
 *
 *     top     one row a group, the biggest first: rates, total, share, since, trend
 *     rates   one row a window and group: totals and rates
 *     density one row a window and decade of the rate: how many groups lie in it
 *
 * The last division happens here, and nowhere before.
 */
#ifndef QUERY_ANSWER_H
#define QUERY_ANSWER_H

#include "base/table.h"
#include "query/tally.h"

/* What is known about the data beside the tally. */
struct answer_extent {
    int64_t first_ms, latest_ms; /* first and newest observation; T_NONE: none */
    bool is_live;                /* answered without the database */
};

/* The trend is a text of digits, one a step of the selection: 0 nothing, 1..8 in
 * eighths of the greatest.  The table is initialised and empty.
 * Errors: -ENOMEM. */
int answer_top(const struct tally *tally, const struct answer_extent *extent,
               struct table *ret);
int answer_rates(const struct tally *tally, const struct answer_extent *extent,
                 struct table *ret);

/* Digits of a trend over the steps: what top and the job page draw. */
void answer_trend(const struct tally *tally, const struct tally_group *group,
                  size_t measure, char *out, size_t size);

/* A total as a cell has it: the greatest number of 64 bits where it is more. */
uint64_t answer_total(tally_sum sum);
/* Leaves the cell null where nobody can say, or no number of 64 bits is as much. */
void answer_set_at_most(struct table *table, size_t column,
                        const struct tally_group *group, tally_sum sum, size_t measure);
/* The notes alone. */
void answer_add_notes(const struct tally *tally, const struct answer_extent *extent,
                      struct table *ret);

#endif
