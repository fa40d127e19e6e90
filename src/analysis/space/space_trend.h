/* SPDX-License-Identifier: Apache-2.0 */
/* space_trend - how fast something fills, and when it is full.
 *
 *     growth    median of the slopes between all pairs of values of one part
 *               (Theil 1950, Sen 1968); a clean-up divides parts (space_parts)
 *     interval  the slopes of ranks (pairs -+ z s) / 2, with the variance s^2 of
 *               Kendall's S corrected for equal values (Sen, Journal of the American
 *               Statistical Association 63, 1968, section 6), summed over the parts
 *               (Hirsch, Slack and Smith, Water Resources Research 18, 1982); 95 %,
 *               ranks rounded outwards
 *     full      what is available now by the growth, and by both ends of the interval
 *
 * The interval supposes independent errors; those of a file system are not, so it is
 * rather too narrow than too wide.  A date supposes that there is no other clean-up.
 */
#ifndef ANALYSIS_SPACE_SPACE_TREND_H
#define ANALYSIS_SPACE_SPACE_TREND_H

#include "analysis/space/space_parts.h"

#include <stddef.h>
#include <stdint.h>

#define SPACE_VALUES_MIN 8
#define SPACE_VALUES_MAX 1024 /* memory and time grow with its square */
#define SPACE_FULL_NEVER INT64_MAX
#define SPACE_HORIZON_DAYS 3653 /* a date beyond it is none */

enum space_outlook {
    SPACE_NO_HISTORY, /* fewer values, or a shorter history, than needed */
    SPACE_UNCLEAR,    /* the interval of the growth contains 0 */
    SPACE_SHRINKS,
    SPACE_GROWS,
    SPACE_FULL, /* nothing is available now */
};

struct space_trend_opts {
    const double *used; /* at the end of each piece of time; NaN: not observed */
    size_t count;       /* 1 .. SPACE_VALUES_MAX */
    int64_t step_ns;    /* above 0 */
    double capacity;    /* now, of the same unit: finite and above 0 */
    double available;   /* now, and when that was */
    int64_t now_ns;
    int64_t history_ns_min; /* between the first and the last value */
};

struct space_trend {
    enum space_outlook outlook;
    size_t values;      /* numbers among used */
    int64_t history_ns; /* between the first and the last of them; 0: fewer than 2 */
    struct space_cleanups cleanups;
    /* A second; NaN of SPACE_NO_HISTORY, and of SPACE_FULL without a history. */
    double growth, growth_low, growth_high;
    /* Of SPACE_GROWS: full_first_ns <= full_ns <= full_last_ns.  Beyond the horizon,
     * and of the others: SPACE_FULL_NEVER. */
    int64_t full_ns, full_first_ns, full_last_ns;
};

/* Errors: -EINVAL (options out of their limits), -ENOMEM; then ret is untouched. */
int space_trend_of(const struct space_trend_opts *opts, struct space_trend *ret);

/* "grows", "no history": one word or two for a person. */
const char *space_outlook_name(enum space_outlook outlook);

#endif
