/* SPDX-License-Identifier: Apache-2.0 */
/* percentile - where a value lies among others: above how many, and how unusual that
 * is.
 */
#ifndef ANALYSIS_STATS_PERCENTILE_H
#define ANALYSIS_STATS_PERCENTILE_H

#include "base/strbuf.h"

/* With fewer others nothing is called usual or unusual. */
#define PERCENTILE_OTHERS_MIN 5

struct percentile {
    size_t count; /* the others */
    size_t below; /* less than the value */
    size_t equal;
};

/* Among sorted numbers without missing ones.  A missing value stands nowhere: all 0. */
struct percentile percentile_of(const double *sorted, size_t count, double value);

/* The share of the others that are less, equal ones half; NaN of none. */
double percentile_share(const struct percentile *s);

/* The chance that one more alike value lies as far out or farther, to either side:
 * 2 (1 + as far or farther) / (1 + others), at most 1.  So it is never less than so
 * many others can tell; NaN of fewer than PERCENTILE_OTHERS_MIN. */
double percentile_chance(const struct percentile *s);

/* "more than in 93 of 100 runs", "less than in all 41 runs", "as in 12 of 14 runs";
 * what: "runs of this class". */
void percentile_print(const struct percentile *s, const char *what, struct strbuf *out);

#endif
