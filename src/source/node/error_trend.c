/* SPDX-License-Identifier: Apache-2.0 */
/* error_trend - whether a part's corrected errors come more often than before. */
#include "source/node/error_trend.h"

#include "base/number.h"
#include "base/timetext.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HOUR_S 3600
#define DAY_HOURS 24
#define CALM_GAP_S \
    (6 * HOUR_S) /* a longer pause is no calm, whatever its counter has */
#define HOURS_MAX (ERROR_TREND_DAYS * DAY_HOURS)

/* ---- how many came when ---- */

static uint32_t sum_capped(uint32_t a, uint64_t b)
{
    return b > UINT32_MAX - a ? UINT32_MAX : a + (uint32_t)b;
}

/* Hours and days that have begun since the last one are empty. */
static void buckets_roll(struct error_trend *trend, int64_t hour)
{
    int64_t before = trend->t_s / HOUR_S, day = hour / DAY_HOURS;
    int64_t first =
        hour - before > ERROR_TREND_HOURS ? hour - ERROR_TREND_HOURS : before;
    for (int64_t h = first + 1; h <= hour; h++) {
        trend->hours[h % ERROR_TREND_HOURS] = 0;
        trend->hours_seen &= ~(UINT32_C(1) << (h % ERROR_TREND_HOURS));
    }
    before /= DAY_HOURS;
    first = day - before > ERROR_TREND_DAYS ? day - ERROR_TREND_DAYS : before;
    for (int64_t d = first + 1; d <= day; d++)
        trend->days[d % ERROR_TREND_DAYS] = trend->days_seen[d % ERROR_TREND_DAYS] = 0;
}

/* more of them came in the hours from..to, evenly; hours after seen were not
 * observed before. */
static void buckets_add(struct error_trend *trend, int64_t from, int64_t to,
                        int64_t seen, uint64_t more)
{
    uint64_t count = (uint64_t)(to - from + 1), done = 0;
    more = more > UINT32_MAX ? UINT32_MAX : more;
    for (int64_t h = to - from < HOURS_MAX ? from : to - HOURS_MAX + 1; h <= to; h++) {
        uint64_t share = more * (uint64_t)(h - from + 1) / count -
                         more * (uint64_t)(h - from) / count;
        int64_t day = h / DAY_HOURS;
        bool is_new = h > seen;
        done += share;
        if (to - h < ERROR_TREND_HOURS) {
            uint32_t *here = &trend->hours[h % ERROR_TREND_HOURS];
            *here = sum_capped(*here, share);
            trend->hours_seen |= UINT32_C(1) << (h % ERROR_TREND_HOURS);
        }
        if (to / DAY_HOURS - day >= ERROR_TREND_DAYS)
            continue;
        uint32_t *of_day = &trend->days[day % ERROR_TREND_DAYS];
        *of_day = sum_capped(*of_day, share);
        if (is_new && trend->days_seen[day % ERROR_TREND_DAYS] < DAY_HOURS)
            trend->days_seen[day % ERROR_TREND_DAYS]++;
    }
}

/* The first observation: what was counted before is no one's, but where all of it came
 * within this hour.  Otherwise it may be that, and may not. */
static void trend_begin(struct error_trend *trend, const struct error_trend_rule *rule,
                        const struct error_trend_observation *observation)
{
    int64_t hour = observation->t_s / HOUR_S;
    bool is_new =
        observation->since_s > 0 && observation->t_s - observation->since_s < HOUR_S;
    buckets_add(trend, hour, hour, hour - 1, is_new ? observation->counter : 0);
    if (!is_new && observation->counter > rule->hour_max)
        trend->unsure_s = observation->t_s + (int64_t)DAY_HOURS * HOUR_S;
}

/* Calm is what was observed: neither what came before its counter began anew, nor a
 * long pause, in which the node may have been off or the clock set. */
static void calm_shift(struct error_trend *trend, int64_t from_s, int64_t t_s)
{
    int64_t unseen_s = from_s - trend->t_s, pause_s = t_s - trend->t_s - CALM_GAP_S;
    if (pause_s > unseen_s)
        unseen_s = pause_s;
    if (trend->calm_s && unseen_s > 0)
        trend->calm_s += unseen_s;
}

static void trend_go_on(struct error_trend *trend,
                        const struct error_trend_observation *observation)
{
    int64_t hour = observation->t_s / HOUR_S, seen = trend->t_s / HOUR_S,
            from_s = trend->t_s;
    uint64_t more = 0;
    if (observation->since_s > trend->t_s && observation->since_s != trend->since_s) {
        from_s = observation->since_s;
        more = observation->counter;
    } else if (observation->counter < trend->counter) {
        from_s = observation->t_s;
    } else {
        more = observation->counter - trend->counter;
    }
    calm_shift(trend, from_s, observation->t_s);
    buckets_roll(trend, hour);
    buckets_add(trend, from_s / HOUR_S, hour, seen, more);
}

/* A clock that was set back by more than an hour: of which hours the counts were is not
 * known any more, nor for how long it was calm. */
static void trend_forget(struct error_trend *trend)
{
    trend->t_s = trend->unsure_s = trend->calm_s = 0;
    trend->hours_seen = 0;
    memset(trend->hours, 0, sizeof trend->hours);
    memset(trend->days, 0, sizeof trend->days);
    memset(trend->days_seen, 0, sizeof trend->days_seen);
}

/* ---- what that means ---- */

struct trend_sums {
    uint64_t today, before;
    unsigned hours, hours_before;
    uint32_t an_hour; /* the larger of this and the last: observations may be seldom */
    bool is_repeated; /* on two of the last three days */
};

static void trend_sum(const struct error_trend *trend, struct trend_sums *ret)
{
    int64_t hour = trend->t_s / HOUR_S, day = hour / DAY_HOURS;
    unsigned days = 0, seen = 0;
    uint64_t all = 0;
    uint32_t now = trend->hours[hour % ERROR_TREND_HOURS];
    uint32_t last = trend->hours[(hour + ERROR_TREND_HOURS - 1) % ERROR_TREND_HOURS];
    *ret = (struct trend_sums){ .an_hour = now > last ? now : last };
    for (unsigned i = 0; i < ERROR_TREND_HOURS; i++)
        ret->today += trend->hours[i];
    ret->hours = (unsigned)__builtin_popcount(trend->hours_seen);
    for (unsigned i = 0; i < ERROR_TREND_DAYS; i++) {
        all += trend->days[i];
        seen += trend->days_seen[i];
    }
    for (int64_t d = day; d > day - 3 && d >= 0; d--)
        days += trend->days[d % ERROR_TREND_DAYS] > 0;
    ret->is_repeated = days >= 2;
    ret->before = all > ret->today ? all - ret->today : 0;
    ret->hours_before = seen > ret->hours ? seen - ret->hours : 0;
}

/* Given both, count of them are here by a binomial distribution: its upper tail, from
 * its largest term on. */
double error_trend_chance(uint64_t count, unsigned hours, uint64_t before,
                          unsigned hours_before, unsigned ratio)
{
    double here = (double)ratio * hours, n = (double)count + (double)before;
    double p = here / (here + hours_before), x = (double)count;
    if (count == 0 || p >= 1 || x <= n * p)
        return 1;
    int sign;
    double term = exp(lgamma_r(n + 1, &sign) - lgamma_r(x + 1, &sign) -
                      lgamma_r(n - x + 1, &sign) + x * log(p) + (n - x) * log1p(-p));
    double sum = term;
    for (; x < n && term > sum * 1e-9 && sum < 1; x++)
        sum += term *= (n - x) / (x + 1) * p / (1 - p);
    return sum < 1 ? sum : 1;
}

static bool sums_rise(const struct trend_sums *sums,
                      const struct error_trend_rule *rule)
{
    return sums->is_repeated && sums->today >= ERROR_TREND_FEW &&
           sums->hours_before >= ERROR_TREND_BEFORE_HOURS &&
           error_trend_chance(sums->today, sums->hours, sums->before,
                              sums->hours_before, rule->ratio) < ERROR_TREND_CHANCE;
}

static bool sums_are_calm(const struct trend_sums *sums,
                          const struct error_trend *trend,
                          const struct error_trend_rule *rule)
{
    double a_day = (double)sums->today * DAY_HOURS / (sums->hours ? sums->hours : 1);
    return sums->today < ERROR_TREND_FEW ||
           a_day * 1000 < (double)rule->ratio * trend->usual_milli;
}

static void trend_warn(struct error_trend *trend, enum error_trend_warning warning,
                       const struct trend_sums *sums)
{
    uint64_t count = warning == ERROR_TREND_BURST ? sums->an_hour : sums->today;
    if (trend->warning == ERROR_TREND_NONE) {
        double a_day = sums->hours_before ? (double)sums->before * 1000 * DAY_HOURS /
                                                sums->hours_before
                                          : 0;
        trend->usual_milli = a_day < UINT32_MAX ? (uint32_t)(a_day + 0.5) : UINT32_MAX;
        trend->usual_hours = sums->hours_before;
    }
    if (trend->warning != warning || count > trend->count)
        trend->count = sum_capped(0, count);
    trend->warning = warning;
    trend->calm_s = 0;
}

static void trend_judge(struct error_trend *trend, const struct error_trend_rule *rule)
{
    struct trend_sums sums;
    trend_sum(trend, &sums);
    if (sums.an_hour > rule->hour_max)
        trend_warn(trend, ERROR_TREND_BURST, &sums);
    else if (trend->warning == ERROR_TREND_NONE) {
        if (sums_rise(&sums, rule))
            trend_warn(trend, ERROR_TREND_RISE, &sums);
    } else if (!sums_are_calm(&sums, trend, rule)) {
        if (trend->warning == ERROR_TREND_RISE)
            trend_warn(trend, ERROR_TREND_RISE, &sums);
        trend->calm_s = 0;
    } else if (trend->calm_s == 0) {
        trend->calm_s = trend->t_s;
    } else if (trend->t_s - trend->calm_s >= rule->quiet_s) {
        trend->warning = ERROR_TREND_NONE;
        trend->calm_s = trend->count = trend->usual_milli = trend->usual_hours = 0;
    }
}

void error_trend_observe(struct error_trend *trend, const struct error_trend_rule *rule,
                         const struct error_trend_observation *observation)
{
    struct error_trend_observation now = *observation;
    if (now.t_s < 1)
        now.t_s = 1;
    if (now.since_s > now.t_s)
        now.since_s = 0;
    if (now.t_s < trend->t_s - HOUR_S)
        trend_forget(trend);
    if (now.t_s < trend->t_s)
        now.t_s = trend->t_s;
    if (trend->t_s == 0)
        trend_begin(trend, rule, &now);
    else
        trend_go_on(trend, &now);
    trend->counter = now.counter;
    trend->t_s = now.t_s;
    if (now.since_s)
        trend->since_s = now.since_s;
    if (trend->unsure_s && trend->t_s >= trend->unsure_s)
        trend->unsure_s = 0;
    trend_judge(trend, rule);
}

/* ---- in words ---- */

void error_trend_reason(const struct error_trend *trend,
                        const struct error_trend_rule *rule, const char *part,
                        char out[static ERROR_TREND_REASON_BYTES])
{
    char since[TIMETEXT_SIZE + 1] = "", calm[64] = "";
    double usual = trend->usual_milli / 1000.0;
    bool has_tenths = usual < 10 && trend->usual_milli % 1000 >= 50;
    unsigned days = trend->usual_hours / DAY_HOURS;
    if (trend->calm_s) {
        since[timetext_print(since, trend->calm_s * NS_PER_S)] = '\0';
        (void)snprintf(calm, sizeof calm, "; few since %s", since);
    }
    if (trend->warning == ERROR_TREND_BURST)
        (void)snprintf(out, ERROR_TREND_REASON_BYTES,
                       "%.71s: %u corrected errors in an hour, more than %u%s", part,
                       trend->count, rule->hour_max, calm);
    else
        (void)snprintf(out, ERROR_TREND_REASON_BYTES,
                       "%.71s: %u corrected errors in 24 hours, %.*f a day in the %u "
                       "days before%s",
                       part, trend->count, has_tenths, usual, days < 7 ? days : 7,
                       calm);
}
