/* SPDX-License-Identifier: Apache-2.0 */
/* response_compare - where two stores' results of one query differ. */
#include "migrate/response_compare.h"

#include <math.h>

static bool is_near(double a, double b, const struct response_tolerance *t)
{
    double size = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    return fabs(a - b) <= t->absolute + t->relative * size;
}

static void note_first(struct response_difference *d, int64_t t_s, double ours,
                       double theirs)
{
    if (d->only_ours + d->only_theirs + d->differing > 0)
        return;
    d->first_s = t_s;
    d->ours = ours;
    d->theirs = theirs;
}

/* The point of a result that is nearest to a time; NaN: none within half a step.  One
 * that is just half a step away belongs to the time before it, from either side. */
static double find_near(const struct query_response *a,
                        const struct query_result *result, int64_t t_s, int64_t bias_s)
{
    int64_t distance_s = t_s - result->from_s + bias_s;
    if (result->step_s <= 0 || distance_s < 0 ||
        (uint64_t)(distance_s / result->step_s) >= result->count)
        return NAN;
    return a->values[result->first + (size_t)(distance_s / result->step_s)];
}

static const struct query_result *result_at(const struct query_response *a,
                                            size_t index)
{
    static const struct query_result none;
    return index < a->result_count ? &a->results[index] : &none;
}

static int64_t time_at(const struct query_result *result, size_t i)
{
    return result->from_s + (int64_t)i * result->step_s;
}

void response_compare(const struct query_response *ours,
                      const struct query_response *theirs, size_t index,
                      const struct response_tolerance *tolerance,
                      struct response_difference *ret)
{
    const struct query_result *mine = result_at(ours, index);
    const struct query_result *other = result_at(theirs, index);
    struct response_difference d = { 0 };
    for (size_t i = 0; i < mine->count; i++) {
        double a = ours->values[mine->first + i];
        double b = find_near(theirs, other, time_at(mine, i), other->step_s / 2);
        if (isnan(a))
            continue;
        d.compared += !isnan(b);
        if (isnan(b) || !is_near(a, b, tolerance))
            note_first(&d, time_at(mine, i), a, b);
        d.only_ours += isnan(b);
        d.differing += !isnan(b) && !is_near(a, b, tolerance);
    }
    for (size_t i = 0; i < other->count; i++) {
        double b = theirs->values[other->first + i];
        if (isnan(b) ||
            !isnan(find_near(ours, mine, time_at(other, i), (mine->step_s - 1) / 2)))
            continue;
        note_first(&d, time_at(other, i), NAN, b);
        d.only_theirs++;
    }
    d.is_shifted = d.compared > 0 && other->step_s > 0 &&
                   (other->from_s - mine->from_s) % other->step_s != 0;
    *ret = d;
}
