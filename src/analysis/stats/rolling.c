/* SPDX-License-Identifier: Apache-2.0 */
/* rolling - quantiles of the latest values, kept while values come in. */
#include "analysis/stats/rolling.h"

#include "analysis/stats/statistics.h"

#include <errno.h>
#include <math.h>
#include <string.h>

struct held {
    int64_t t_ns;
    double value;
};

struct rolling {
    int64_t window_ns;
    int64_t newest_ns;
    uint64_t crowded;
    size_t capacity;
    size_t first, count; /* of the ring */
    struct held *ring;
    double *sorted;
};

int rolling_new(size_t capacity, int64_t window_ns, struct rolling **ret)
{
    if (capacity == 0 || capacity > ROLLING_CAPACITY_MAX || window_ns < 0)
        return -EINVAL;
    AUTO(rolling_free) struct rolling *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    r->ring = calloc(capacity, sizeof *r->ring);
    r->sorted = calloc(capacity, sizeof *r->sorted);
    if (!r->ring || !r->sorted)
        return -ENOMEM;
    r->capacity = capacity;
    r->window_ns = window_ns;
    r->newest_ns = INT64_MIN;
    *ret = TAKE(r);
    return 0;
}

void rolling_free(struct rolling *rolling)
{
    if (!rolling)
        return;
    free(rolling->ring);
    free(rolling->sorted);
    free(rolling);
}

/* Of values that are equal any will do. */
static void oldest_forget(struct rolling *r)
{
    double value = r->ring[r->first].value;
    size_t place = percentile_of(r->sorted, r->count, value).below;
    r->first = (r->first + 1) % r->capacity;
    r->count--;
    memmove(r->sorted + place, r->sorted + place + 1,
            (r->count - place) * sizeof *r->sorted);
}

int rolling_put(struct rolling *rolling, int64_t t_ns, double value)
{
    struct rolling *r = rolling;
    if (t_ns < r->newest_ns)
        return -EINVAL;
    r->newest_ns = t_ns;
    /* Ages as unsigned: times may be as far apart as there are. */
    while (r->count > 0 && r->window_ns > 0 &&
           (uint64_t)t_ns - (uint64_t)r->ring[r->first].t_ns > (uint64_t)r->window_ns)
        oldest_forget(r);
    if (isnan(value))
        return 0;
    if (r->count == r->capacity) {
        oldest_forget(r);
        r->crowded++;
    }
    size_t place = percentile_of(r->sorted, r->count, value).below;
    memmove(r->sorted + place + 1, r->sorted + place,
            (r->count - place) * sizeof *r->sorted);
    r->sorted[place] = value;
    r->ring[(r->first + r->count) % r->capacity] = (struct held){ t_ns, value };
    r->count++;
    return 0;
}

size_t rolling_count(const struct rolling *rolling)
{
    return rolling->count;
}

double rolling_quantile(const struct rolling *rolling, double q)
{
    return quantile(rolling->sorted, rolling->count, q);
}

struct percentile rolling_percentile(const struct rolling *rolling, double value)
{
    return percentile_of(rolling->sorted, rolling->count, value);
}

uint64_t rolling_crowded(const struct rolling *rolling)
{
    return rolling->crowded;
}
