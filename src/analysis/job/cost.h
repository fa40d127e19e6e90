/* SPDX-License-Identifier: Apache-2.0 */
/* cost - by how many seconds a run would have been shorter without something.
 *
 *     0            low_s ≤ what it cost ≤ high_s                  run
 *     ├──────────────┤▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒┤───────────────────────┤
 *
 * An interval, since logs hold sums: both ends are what the data carry, and the reason
 * says why they are not one.  NaN: nothing is known of it.
 */
#ifndef ANALYSIS_COST_H
#define ANALYSIS_COST_H

#include "base/strbuf.h"

#include <stdbool.h>

enum cost_reason {
    COST_UNKNOWN, /* low_s and high_s are NaN */
    COST_EXACT,
    COST_SHARED,    /* of files that processes share a log has sums only */
    COST_WAITS,     /* whether processes wait for one another; what a file needs */
    COST_OTHERWISE, /* what the same bytes would have taken otherwise is not known */
    COST_MIXED,     /* and other accesses went to the same files */
    COST_EVEN,      /* between the slowest of the usual processes and the mean */
    COST_FILES,     /* nine of ten files on other targets lie in there */
    COST_CLASS,     /* half of the runs of its class lie in there */
    COST_BEST,      /* at most what it lacks of the best of its class */
    COST_ALONE,     /* what it would have taken alone there is not known */
    COST_AWAY,      /* how much of its I/O fell into that time is not known */
    COST_EXCESS,    /* it took so much longer than its class; why, is not known */
    COST_THREADS,   /* the sums are longer than the run: threads did I/O at once */
    COST_REASONS,
};

struct cost {
    double low_s, high_s;
    enum cost_reason reason;
};

extern const struct cost cost_unknown;

static inline bool cost_is_known(const struct cost *cost)
{
    return cost->reason != COST_UNKNOWN;
}

/* Between both, in any order; nothing below 0. */
struct cost cost_between(double a_s, double b_s, enum cost_reason reason);

/* In the middle: what costs are ordered by; -1: unknown. */
double cost_middle(const struct cost *cost);

/* "the log has sums only of files that processes share"; "" of what is exact. */
const char *cost_reason_words(enum cost_reason reason);
/* For programs: "shared". */
const char *cost_reason_name(enum cost_reason reason);

/* "41 s", "0.12 s", "1.4 s": two digits and more. */
void cost_print_seconds(double seconds, struct strbuf *out);
/* "41 s", "38 to 44 s", "at most 41 s". */
void cost_print(const struct cost *cost, struct strbuf *out);

#endif
