/* SPDX-License-Identifier: Apache-2.0 */
/* arrivals - has a sample of a host come into the store since the last scan? */
#include "daemon/health/arrivals.h"

#include "base/number.h"
#include "base/span.h"

#define SERIES_MAX 512
#define AHEAD_NS (5 * 60 * NS_PER_S) /* a newest sample further ahead may be alone */

struct arrivals_sum {
    int64_t last_ms;
    uint64_t late;
    const struct level_series *newest;
    int64_t newest_ns;
};

static void series_add(struct arrivals_sum *sum, const struct level_series *s,
                       int64_t now_ns)
{
    int64_t last_ns = series_last_ns(&s->series);
    if (last_ns == INT64_MIN)
        return;
    sum->last_ms += last_ns / NS_PER_MS;
    sum->late += series_late_count(&s->series);
    bool is_ahead = last_ns > now_ns + AHEAD_NS;
    if (!sum->newest || (!is_ahead && last_ns > sum->newest_ns)) {
        sum->newest = s;
        sum->newest_ns = is_ahead ? INT64_MIN : last_ns;
    }
}

static void series_remember(struct arrivals *a, const struct level_series *s)
{
    a->series = s;
    a->last_ns = s ? series_last_ns(&s->series) : INT64_MIN;
    a->late = s ? series_late_count(&s->series) : 0;
}

/* What a BMC measures comes while its host is silent, too. */
static bool is_of_bmc(const struct level *level)
{
    return span_starts(level_name(level), "bmc:");
}

bool arrivals_update(struct arrivals *a, struct level *host, int64_t now_ns)
{
    struct arrivals_sum sum = { 0 };
    size_t count = 0;
    if (a->series) {
        struct arrivals before = *a;
        series_remember(a, a->series);
        if (a->last_ns > before.last_ns || a->late > before.late) {
            a->is_outdated = true;
            return true;
        }
    }
    for (struct level *at = host; at && count < SERIES_MAX; at = level_next(at, host))
        for (const struct level_series *s = is_of_bmc(at) ? NULL
                                                          : atomic_load(&at->series);
             s && count < SERIES_MAX; s = s->next, count++)
            series_add(&sum, s, now_ns);
    /* What came since the sums were made was reported then. */
    bool has_more =
        !a->is_outdated && (sum.last_ms > a->last_ms_sum || sum.late > a->late_sum);
    a->is_outdated = false;
    a->last_ms_sum = sum.last_ms;
    a->late_sum = sum.late;
    series_remember(a, sum.newest);
    return has_more;
}
