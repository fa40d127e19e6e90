/* SPDX-License-Identifier: Apache-2.0 */
/* umami - one run among comparable runs: a row a measure, its history left, where the
 * run stands among the others right.
 *
 *     Performance   x x x  x x xx x x x x  x *  │  o  ├──▐███│██▌──┤        worst
 * quarter Contention    x x xx x x  x x xx x x x *  │     ├▐█│█▌─┤       o      usual
 *
 * The run is starred and not among the others.  Boxes: quartiles, whiskers from the 5th
 * to the 95th percentile, what lies outside as circles; type 7 quantiles.  The quarter
 * is that of the other values in which the run's lies, turned to "worst" ... "best" by
 * what is good; a value equal to a border is in the better quarter of the two.
 *
 * Source: Lockwood et al., UMAMI, PDSW-DISCS 2017.
 */
#ifndef ANALYSIS_CLIMATE_UMAMI_H
#define ANALYSIS_CLIMATE_UMAMI_H

#include "analysis/climate/runs.h"

enum umami_quarter {
    UMAMI_WORST,
    UMAMI_WORSE,
    UMAMI_BETTER,
    UMAMI_BEST,
    UMAMI_SAME,    /* every other value is this one */
    UMAMI_UNKNOWN, /* the value is missing, or fewer than UMAMI_OTHERS_MIN others are */
};

#define UMAMI_OTHERS_MIN 4

struct umami_row {
    const char *name, *label;
    bool is_big_good;
    double value;          /* NaN: missing */
    const double *history; /* umami.count of them, the run last; NaN: missing */
    size_t other_count;    /* numbers among the others */
    const double *others;  /* sorted */
    double q05, q25, q50, q75, q95;
    enum umami_quarter quarter;
};

struct umami_request {
    const char *id;
    const char *set;    /* a pattern; NULL: any */
    size_t history_max; /* 0: all */
};

struct umami {
    struct arena arena;
    const char *set, *id;
    int64_t t_ns;
    const int64_t *times; /* UTC, ascending, the run last */
    size_t count;
    struct umami_row *rows; /* the fraction of the peak up to the run, then the measures
                             * that exist */
    size_t row_count;
};

/* The run that is asked for, with at most history_max runs of its set before it; runs
 * after it are not looked at.  runs and mapping must outlive *ret.
 * Errors: -ENOENT (no such run), -EEXIST (more than one: err names their sets),
 * -ENOMEM.
 */
int umami_make(const struct mapping *mapping, const struct runs *runs,
               const struct umami_request *request, struct umami *ret, struct err *err);
void umami_done(struct umami *umami);
DEFINE_AUTO_DONE(struct umami, umami_done);

const char *umami_quarter_name(enum umami_quarter quarter);

#endif
