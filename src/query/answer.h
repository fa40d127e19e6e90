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

/* The notes alone. */
void answer_add_notes(const struct tally *tally, const struct answer_extent *extent,
                      struct table *ret);

#endif
