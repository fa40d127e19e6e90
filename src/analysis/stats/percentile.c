/* SPDX-License-Identifier: Apache-2.0 */
/* percentile - where a value lies among others. */
#include "analysis/stats/percentile.h"

#include <math.h>

/* How many of the sorted numbers are less than value, or less or equal. */
static size_t place_of(const double *sorted, size_t count, double value, size_t equal)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < value || (equal && sorted[middle] == value))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct percentile percentile_of(const double *sorted, size_t count, double value)
{
    if (isnan(value))
        return (struct percentile){ 0 };
    size_t below = place_of(sorted, count, value, 0);
    return (struct percentile){
        .count = count,
        .below = below,
        .equal = place_of(sorted, count, value, 1) - below,
    };
}

double percentile_share(const struct percentile *s)
{
    if (s->count == 0)
        return NAN;
    return ((double)s->below + (double)s->equal / 2) / (double)s->count;
}

double percentile_chance(const struct percentile *s)
{
    if (s->count < PERCENTILE_OTHERS_MIN)
        return NAN;
    size_t above = s->count - s->below - s->equal;
    size_t farther = s->equal + (above < s->below ? above : s->below);
    return fmin(1, 2 * (double)(farther + 1) / (double)(s->count + 1));
}

void percentile_print(const struct percentile *s, const char *what, struct strbuf *out)
{
    size_t above = s->count - s->below - s->equal;
    size_t more = s->below >= above ? s->below : above;
    const char *than = s->below >= above ? "more than" : "less than";
    if (s->count == 0)
        strbuf_addf(out, "there are no %s to hold it against", what);
    else if (s->equal >= more)
        strbuf_addf(out, "as in %zu of %zu %s", s->equal, s->count, what);
    else if (more == s->count)
        strbuf_addf(out, "%s in all %zu %s", than, s->count, what);
    else if (s->count >= 100)
        strbuf_addf(out, "%s in %.0f of 100 %s", than,
                    floor(100 * (double)more / (double)s->count), what);
    else
        strbuf_addf(out, "%s in %zu of %zu %s", than, more, s->count, what);
}
