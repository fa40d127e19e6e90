/* SPDX-License-Identifier: Apache-2.0 */
/* space_trend - how fast something fills, and when it is full. */
#include "analysis/space/space_trend.h"

#include "analysis/stats/stats.h"
#include "base/cleanup.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define Z_95 1.959963984540054
#define S_PER_NS 1e-9
#define HORIZON_S (SPACE_HORIZON_DAYS * 86400.0)

static bool opts_are_valid(const struct space_trend_opts *o)
{
    return o->count >= 1 && o->count <= SPACE_VALUES_MAX && o->step_ns > 0 &&
           o->step_ns <= INT64_MAX / (int64_t)o->count && isfinite(o->capacity) &&
           o->capacity > 0 && isfinite(o->available) && o->now_ns >= 0 &&
           o->now_ns <= INT64_MAX / 2;
}

const char *space_outlook_name(enum space_outlook outlook)
{
    static const char *const names[] = {
        [SPACE_NO_HISTORY] = "no history",
        [SPACE_UNCLEAR] = "unclear",
        [SPACE_SHRINKS] = "shrinks",
        [SPACE_GROWS] = "grows",
        [SPACE_FULL] = "full",
    };
    return names[outlook];
}

/* The slopes of all pairs of numbers of one part, a second. */
static size_t slopes_fill(const struct space_trend_opts *o, const size_t *parts,
                          double *slopes)
{
    size_t count = 0;
    for (size_t i = 0; i < o->count; i++)
        for (size_t j = i + 1; j < o->count; j++)
            if (parts[i] != SPACE_NO_PART && parts[i] == parts[j])
                slopes[count++] = (o->used[j] - o->used[i]) /
                                  ((double)(j - i) * (double)o->step_ns * S_PER_NS);
    return count;
}

/* Kendall's variance of S, reduced by groups of equal values. */
static double variance_of_s(const double *sorted, size_t count)
{
    double n = (double)count;
    double sum = n * (n - 1) * (2 * n + 5);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && sorted[next] <= sorted[i]; next++)
            ;
        double t = (double)(next - i);
        sum -= t * (t - 1) * (2 * t + 5);
    }
    return sum > 0 ? sum / 18 : 0;
}

/* That of all parts together: they are independent. */
static double variance_of_parts(const struct space_trend_opts *o, const size_t *parts,
                                size_t part_count, double *scratch)
{
    double variance = 0;
    for (size_t part = 0; part < part_count; part++) {
        size_t count = 0;
        for (size_t i = 0; i < o->count; i++)
            if (parts[i] == part)
                scratch[count++] = o->used[i];
        (void)numbers_sort(scratch, count);
        variance += variance_of_s(scratch, count);
    }
    return variance;
}

static double slope_at(const double *slopes, size_t count, double rank)
{
    double last = (double)(count - 1);
    return slopes[(size_t)(rank < 0 ? 0 : rank > last ? last : rank)];
}

/* Growth stays NaN where no part has two values. */
static int growth_find(const struct space_trend_opts *o, const size_t *parts,
                       struct space_trend *t)
{
    AUTO_FREE double *scratch = calloc(o->count, sizeof *scratch);
    AUTO_FREE double *slopes = calloc(o->count * o->count / 2 + 1, sizeof *slopes);
    if (!scratch || !slopes)
        return -ENOMEM;
    size_t pairs = numbers_sort(slopes, slopes_fill(o, parts, slopes));
    if (pairs == 0)
        return 0;
    double half = Z_95 * sqrt(variance_of_parts(o, parts, t->cleanups.count + 1, //
                                                scratch));
    t->growth = quantile(slopes, pairs, 0.5);
    t->growth_low = slope_at(slopes, pairs, floor(((double)pairs - half) / 2) - 1);
    t->growth_high = slope_at(slopes, pairs, ceil(((double)pairs + half) / 2));
    return 0;
}

static int64_t time_full(const struct space_trend_opts *o, double growth)
{
    double wait_s = o->available / growth;
    if (!(growth > 0) || !(wait_s <= HORIZON_S))
        return SPACE_FULL_NEVER;
    return o->now_ns + (int64_t)(wait_s / S_PER_NS);
}

static enum space_outlook outlook_of(const struct space_trend *t, double available)
{
    if (available <= 0)
        return SPACE_FULL;
    if (isnan(t->growth))
        return SPACE_NO_HISTORY;
    if (t->growth_low > 0)
        return SPACE_GROWS;
    return t->growth_high < 0 ? SPACE_SHRINKS : SPACE_UNCLEAR;
}

static void history_find(const struct space_trend_opts *o, struct space_trend *t)
{
    size_t first = 0, last = 0;
    for (size_t i = 0; i < o->count; i++) {
        if (!isfinite(o->used[i]))
            continue;
        first = t->values++ == 0 ? i : first;
        last = i;
    }
    t->history_ns = (int64_t)(last - first) * o->step_ns;
}

static int trend_find(const struct space_trend_opts *o, struct space_trend *t)
{
    AUTO_FREE size_t *parts = calloc(o->count, sizeof *parts);
    if (!parts)
        return -ENOMEM;
    int rc = space_parts_find(o->used, o->count, o->capacity, parts, &t->cleanups);
    return rc < 0 ? rc : growth_find(o, parts, t);
}

int space_trend_of(const struct space_trend_opts *opts, struct space_trend *ret)
{
    struct space_trend t = { .growth = NAN,
                             .growth_low = NAN,
                             .growth_high = NAN,
                             .full_ns = SPACE_FULL_NEVER,
                             .full_first_ns = SPACE_FULL_NEVER,
                             .full_last_ns = SPACE_FULL_NEVER };
    if (!opts_are_valid(opts))
        return -EINVAL;
    history_find(opts, &t);
    bool is_long = t.values >= SPACE_VALUES_MIN && t.history_ns >= opts->history_ns_min;
    int rc = is_long ? trend_find(opts, &t) : 0;
    if (rc < 0)
        return rc;
    t.outlook = outlook_of(&t, opts->available);
    if (t.outlook == SPACE_GROWS) {
        t.full_ns = time_full(opts, t.growth);
        t.full_first_ns = time_full(opts, t.growth_high);
        t.full_last_ns = time_full(opts, t.growth_low);
    }
    *ret = t;
    return 0;
}
