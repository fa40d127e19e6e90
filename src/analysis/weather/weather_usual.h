/* SPDX-License-Identifier: Apache-2.0 */
/* weather_usual - whether a window was as usual: its mean against the same hours of
 * other days.
 *
 *     other days   · · ··:···· ·          ×  this window
 *                   low median high       │← deviations →│
 *
 * low and high are the quartiles of the other days.  A window is far from usual when it
 * is beyond at least 19 of 20 other days and by more than three of the deviations that
 * the quartile of that side implies, of at least a tenth of the median: a day that is
 * the busiest of 30 by little happens every month.
 */
#ifndef ANALYSIS_WEATHER_WEATHER_USUAL_H
#define ANALYSIS_WEATHER_WEATHER_USUAL_H

#include "analysis/weather/fs_weather.h"

enum weather_verdict {
    WEATHER_NOT_COMPARED, /* not observed, or fewer than PERCENTILE_OTHERS_MIN days */
    WEATHER_AS_USUAL,
    WEATHER_MORE,
    WEATHER_LESS,
};

struct weather_usual {
    enum weather_verdict verdict;
    struct percentile among;  /* the other days */
    double low, median, high; /* of the other days; NaN: none */
    double ratio;             /* to the median; NaN: none, or the median is 0 */
    double deviations;        /* from the median; NaN: not compared */
};

struct weather_usual weather_line_usual(const struct weather_line *line);

#endif
