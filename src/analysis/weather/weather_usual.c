/* SPDX-License-Identifier: Apache-2.0 */
/* weather_usual - whether a window was as usual. */
#include "analysis/weather/weather_usual.h"

#include <math.h>

#define DEVIATE_QUARTILE 0.6744897501960817
#define DEVIATIONS_MIN 3
#define DIFFERENCE_MIN 0.1 /* of the median */
#define DEVIATION_MIN 0.01 /* likewise: days that are all the same */
#define BEYOND_MIN 0.95    /* of the other days */

static enum weather_verdict verdict_of(const struct weather_usual *u, double mean)
{
    const struct percentile *among = &u->among;
    size_t above = among->count - among->below - among->equal;
    bool is_more = mean > u->median;
    size_t beyond = is_more ? among->below : above;
    if ((double)beyond < BEYOND_MIN * (double)among->count ||
        fabs(mean - u->median) < DIFFERENCE_MIN * fabs(u->median) ||
        !(fabs(u->deviations) > DEVIATIONS_MIN))
        return WEATHER_AS_USUAL;
    return is_more ? WEATHER_MORE : WEATHER_LESS;
}

struct weather_usual weather_line_usual(const struct weather_line *line)
{
    struct weather_usual u = {
        .low = quantile(line->days, line->day_count, 0.25),
        .median = quantile(line->days, line->day_count, 0.5),
        .high = quantile(line->days, line->day_count, 0.75),
        .ratio = NAN,
        .deviations = NAN,
    };
    if (!line->is_known || isnan(line->mean) || line->day_count == 0)
        return u;
    u.among = weather_line_percentile(line);
    if (u.median != 0)
        u.ratio = line->mean / u.median;
    if (line->day_count < PERCENTILE_OTHERS_MIN)
        return u;
    double spread = line->mean > u.median ? u.high - u.median : u.median - u.low;
    double deviation = fmax(spread / DEVIATE_QUARTILE, DEVIATION_MIN * fabs(u.median));
    double difference = line->mean - u.median;
    u.deviations = difference == 0 ? 0 : difference / deviation; /* or infinite */
    u.verdict = verdict_of(&u, line->mean);
    return u;
}
