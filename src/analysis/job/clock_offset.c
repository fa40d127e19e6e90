/* SPDX-License-Identifier: Apache-2.0 */
/* clock_offset - by how much the clock of servers differs from that of jobs. */
#include "analysis/job/clock_offset.h"

#include "analysis/stats/stats.h"

#include <math.h>

#define OFFSETS_MAX 100000
#define NEAR_STEPS 2 /* offsets as near say the same */

int clock_estimate_init(struct clock_estimate *estimate, int64_t step_s,
                        int64_t reach_s)
{
    if (step_s < 1 || reach_s < 0 || reach_s / step_s > OFFSETS_MAX / 2 - 1)
        return -EINVAL;
    struct clock_estimate e = { .step_s = step_s, .reach = (size_t)(reach_s / step_s) };
    e.sums = calloc(2 * e.reach + 1, sizeof *e.sums);
    e.counts = calloc(2 * e.reach + 1, sizeof *e.counts);
    if (!e.sums || !e.counts) {
        clock_estimate_done(&e);
        return -ENOMEM;
    }
    *estimate = e;
    return 0;
}

void clock_estimate_done(struct clock_estimate *estimate)
{
    free(estimate->sums);
    free(estimate->counts);
    *estimate = (struct clock_estimate){ 0 };
}

static int64_t floor_to(int64_t value, int64_t step)
{
    int64_t rest = value % step;
    return value - (rest < 0 ? rest + step : rest);
}

/* The job with as long before and after it, at least a minute. */
static void job_window(const struct clock_estimate *e, const struct job_traffic *job,
                       int64_t *ret_from_s, size_t *ret_steps)
{
    int64_t around = (int64_t)job->count > 60 ? (int64_t)job->count : 60;
    int64_t from = floor_to(job->start_s - around, e->step_s);
    int64_t to = job->start_s + (int64_t)job->count + around;
    *ret_from_s = from;
    *ret_steps = (size_t)((to - from + e->step_s - 1) / e->step_s);
}

void clock_estimate_window(const struct clock_estimate *estimate,
                           const struct job_traffic *job, int64_t *ret_from_s,
                           int64_t *ret_to_s)
{
    size_t steps;
    int64_t reach_s = (int64_t)estimate->reach * estimate->step_s;
    job_window(estimate, job, ret_from_s, &steps);
    *ret_to_s = *ret_from_s + (int64_t)steps * estimate->step_s + reach_s;
    *ret_from_s -= reach_s;
}

int clock_estimate_add(struct clock_estimate *estimate, const struct job_traffic *job,
                       int64_t from_s, const double *servers, size_t count)
{
    struct clock_estimate *e = estimate;
    int64_t start;
    size_t steps;
    bool has_part = false;
    job_window(e, job, &start, &steps);
    AUTO_FREE double *mine = calloc(steps + 1, sizeof *mine);
    AUTO_FREE double *theirs = calloc(steps + 1, sizeof *theirs);
    if (!mine || !theirs)
        return -ENOMEM;
    for (size_t i = 0; i < job->count; i++)
        mine[(job->start_s + (int64_t)i - start) / e->step_s] += job->bytes[i];
    /* The servers' steps may begin at other seconds than ours: less than a step. */
    int64_t shift = (start - from_s) / e->step_s;
    for (size_t k = 0; k <= 2 * e->reach; k++) {
        int64_t first = shift + (int64_t)k - (int64_t)e->reach;
        for (size_t i = 0; i < steps; i++) {
            int64_t at = first + (int64_t)i;
            theirs[i] = at >= 0 && at < (int64_t)count ? servers[at] : NAN;
        }
        struct correlation c = correlate(mine, theirs, steps);
        /* Of a window that is mostly missing r says little. */
        if (isnan(c.r) || 2 * c.count < steps)
            continue;
        e->sums[k] += c.r;
        e->counts[k]++;
        has_part = true;
    }
    e->jobs += has_part;
    return 0;
}

/* The mean at an offset that at least half of the jobs say something of. */
static double mean_at(const struct clock_estimate *e, size_t k)
{
    return e->counts[k] > 0 && 2 * e->counts[k] >= e->jobs
               ? e->sums[k] / (double)e->counts[k]
               : NAN;
}

int clock_estimate_get(const struct clock_estimate *estimate, struct clock_answer *ret)
{
    const struct clock_estimate *e = estimate;
    struct clock_answer answer = { .r = NAN, .next_r = NAN };
    size_t best = 0;
    for (size_t k = 0; k <= 2 * e->reach; k++)
        if (!(mean_at(e, k) <= answer.r) && !isnan(mean_at(e, k))) {
            answer.r = mean_at(e, k);
            best = k;
        }
    if (isnan(answer.r))
        return -ENODATA;
    for (size_t k = 0; k <= 2 * e->reach; k++)
        if (k + NEAR_STEPS < best || k > best + NEAR_STEPS)
            answer.next_r = fmax(answer.next_r, mean_at(e, k));
    answer.offset_s = ((int64_t)best - (int64_t)e->reach) * e->step_s;
    answer.is_clear =
        answer.r >= CLOCK_R_MIN &&
        (isnan(answer.next_r) || answer.r - answer.next_r >= CLOCK_MARGIN_MIN);
    *ret = answer;
    return 0;
}
