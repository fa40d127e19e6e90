/* SPDX-License-Identifier: Apache-2.0 */
/* error_trend - whether a part's corrected errors come more often than before.
 *
 *     counter, now ─▶ what came since ─┬▶ hours: the last 24
 *                                      └▶ days: this one and the 8 before it
 *
 *      8 days before ............... | the last 24 hours |
 *      how many are usual a day      | how many today     | of them within an hour
 *
 * It warns where
 *   an hour of the clock has more than hour_max of them, or
 *   they come on two of the last three days, and the rate of the last 24 hours is over
 *   ratio times that of the days before: the chance to see so many, were it just that,
 *   is below ERROR_TREND_CHANCE.  Fewer than ERROR_TREND_FEW are never enough, nor are
 *   days before of which less than ERROR_TREND_BEFORE_HOURS were observed.
 * It does so until they were calm for quiet_s: few in 24 hours, or less than ratio
 * times what was usual before it warned.  Only observed time is calm: a pause of over
 * six hours, and what came before a counter began anew, is none.
 *
 * A part whose rate is constant and below one an hour warns less than once in 1,000
 * years (test_error_trend, doc/measured/error-trend.md).
 *
 * A counter that fell is a new beginning, and nothing came.  What came while it was
 * not observed is spread evenly over that time: it is no burst.
 *
 * Where since_s is behind the last observation all of the counter is new: once for each
 * since_s.  One that is to come is of a clock that was set back, and not known.
 *
 * Units    seconds since 1970; counts stop at UINT32_MAX.
 * Threads  any: pure functions.
 */
#ifndef SOURCE_NODE_ERROR_TREND_H
#define SOURCE_NODE_ERROR_TREND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ERROR_TREND_HOURS 24
#define ERROR_TREND_DAYS 9
#define ERROR_TREND_CHANCE 0.001
#define ERROR_TREND_FEW 6
#define ERROR_TREND_BEFORE_HOURS 24
#define ERROR_TREND_REASON_BYTES 200

struct error_trend_rule {
    uint32_t hour_max;
    uint32_t ratio;
    int64_t quiet_s;
};

enum error_trend_warning { ERROR_TREND_NONE, ERROR_TREND_BURST, ERROR_TREND_RISE };

/* All 0: a part that was never observed. */
struct error_trend {
    int64_t t_s; /* of the last observation; 0: none */
    uint64_t counter;
    uint32_t hours[ERROR_TREND_HOURS]; /* by hour of 1970, modulo */
    uint32_t days[ERROR_TREND_DAYS];
    uint32_t hours_seen;                 /* bits, as hours: it was observed */
    uint8_t days_seen[ERROR_TREND_DAYS]; /* hours of each that were */
    int64_t unsure_s; /* until then it may have warned before the first one; 0: no */
    enum error_trend_warning warning;
    uint32_t count;       /* what it warns of: in its period, at the most */
    uint32_t usual_milli; /* a day before it, in thousandths */
    uint32_t usual_hours; /* so many hours before it were observed */
    int64_t calm_s;       /* since then, later by what was not observed; 0: it is not */
    int64_t since_s;      /* the last one that was known; no part of its text */
};

struct error_trend_observation {
    int64_t t_s;
    uint64_t counter;
    int64_t since_s; /* the counter began at 0 then; 0: not known */
};

void error_trend_observe(struct error_trend *trend, const struct error_trend_rule *rule,
                         const struct error_trend_observation *observation);

/* "DIMM_A1: 38 corrected errors in 24 hours, 4 a day in the 7 days before". */
void error_trend_reason(const struct error_trend *trend,
                        const struct error_trend_rule *rule, const char *part,
                        char out[static ERROR_TREND_REASON_BYTES]);

/* The chance that count errors or more come in hours, where all together came in both
 * and the rate here is ratio times that of the hours before. */
double error_trend_chance(uint64_t count, unsigned hours, uint64_t before,
                          unsigned hours_before, unsigned ratio);

#endif
