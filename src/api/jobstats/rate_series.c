/* SPDX-License-Identifier: Apache-2.0 */
/* rate_series - rates of file systems, targets, jobs: sums of a query, as gauges.
 *
 *     wanted      first ── step ── step ── step ── to
 *     windows   |───────|───────|───────|──|              up to the end of the last
 * round samples           r0      r1      r2 r3             each at the end of its
 * window
 *
 * A group that ended has a mark of its end behind its last sample that is not 0; a file
 * system, target or server is there as long as rows are.
 */
#include "api/jobstats/reading.h"
#include "base/span.h"

#include <stdlib.h>

#define MINUTE_MS INT64_C(60000)
#define HOUR_MS INT64_C(3600000)
/* From so long a range on windows are whole hours, which the database has added up. */
#define LONG_MS (48 * HOUR_MS)

struct windows {
    int64_t first_ms, step_ms; /* of the samples */
    int64_t end_ms;            /* up to which there are rows */
    bool is_long;
};

static int64_t hour_before(int64_t t_ms)
{
    return (t_ms - 1) / HOUR_MS * HOUR_MS;
}

static void windows_init(const struct promql_selection *s, int64_t end_ms,
                         int64_t round_ms, struct windows *ret)
{
    struct windows w = { s->first_ms, s->step_ms, end_ms < s->to_ms ? end_ms : s->to_ms,
                         false };
    if (w.first_ms <= w.step_ms) /* before there was time */
        w.first_ms =
            w.step_ms > 0 ? w.first_ms % w.step_ms + 2 * w.step_ms : MINUTE_MS + 1;
    if (w.step_ms == 0 && w.first_ms < s->to_ms) { /* samples of a range */
        w.step_ms = MINUTE_MS;
        w.first_ms += MINUTE_MS - 1 - (w.first_ms + MINUTE_MS - 1) % MINUTE_MS;
    }
    if (w.step_ms == 0)
        w.step_ms = end_ms <= s->to_ms ? round_ms : MINUTE_MS;
    w.is_long = w.step_ms < HOUR_MS && w.end_ms - w.first_ms >= LONG_MS &&
                (w.end_ms - w.first_ms) / HOUR_MS < SELECTION_STEPS_MAX - 2;
    while (!w.is_long && (w.end_ms - w.first_ms) / w.step_ms >= SELECTION_STEPS_MAX - 1)
        w.step_ms *= 2;
    if (w.first_ms > w.end_ms)
        w.first_ms = w.end_ms;
    *ret = w;
}

static int selection_fill(const struct reading *r, const struct windows *w,
                          struct selection *sel)
{
    static const struct selection_defaults defaults = { .ops = "write_bytes",
                                                        .by = "" };
    const struct series_level_info *info = &series_levels[r->level];
    int rc = reading_filter(r, sel);
    sel->hold = r->source->hold;
    sel->from_ms = w->is_long ? hour_before(w->first_ms - w->step_ms + 1)
                              : w->first_ms - w->step_ms;
    sel->to_ms = w->end_ms;
    sel->step_ms = w->is_long ? HOUR_MS : w->step_ms;
    sel->has_by = true;
    sel->is_sums = true;
    for (size_t i = 0; i < info->label_count; i++)
        sel->by[sel->by_count++] = (enum dim)info->labels[i];
    for (size_t i = 0; i < r->measure_count; i++)
        sel->measures[sel->measure_count++] = r->measures[i];
    return rc < 0 ? rc : selection_settle(sel, &defaults, T_NONE, r->err);
}

/* ---- samples of a group ---- */

struct rates {
    const struct accumulator *sums;
    const struct windows *windows;
    bool stays; /* it is there while nothing moves */
    double *of_steps;
    int64_t *times_ms;
    double *values;
    size_t count;
};

static void find_rates(struct rates *rates, const struct accumulator_group *group,
                       size_t measure)
{
    const struct selection *sel = rates->sums->sel;
    for (size_t i = 0; i < rates->sums->step_count; i++) {
        accumulator_sum sum = group->sums[i * sel->measure_count + measure];
        rates->of_steps[i] = 0;
        if (sum == 0)
            continue;
        int64_t length_ms = selection_step_to(sel, i) - selection_step_from(sel, i);
        rates->of_steps[i] = (double)sum * 1000 / (double)length_ms;
    }
}

static void rate_add_sample(struct rates *rates, int64_t t_ms, double value)
{
    rates->times_ms[rates->count] = t_ms;
    rates->values[rates->count++] = value;
}

static double mark_of_end(void)
{
    double value;
    const uint64_t bits = STALE_BITS;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The sample at the end of the window that t_ms ends, or lies in. */
static void add_rate(struct rates *rates, int64_t t_ms, size_t step, size_t last)
{
    if (step <= last || rates->stays)
        rate_add_sample(rates, t_ms, rates->of_steps[step]);
    else if (step > last && rates->count > 0 &&
             !is_stale(rates->values[rates->count - 1]))
        rate_add_sample(rates, t_ms, mark_of_end());
}

/* The first of the samples that lies at from_ms or later, and behind at_ms. */
static int64_t first_sample_ms(const struct windows *w, int64_t from_ms, int64_t at_ms)
{
    int64_t least_ms = from_ms > at_ms + 1 ? from_ms : at_ms + 1;
    if (least_ms <= w->first_ms)
        return w->first_ms;
    int64_t steps = (least_ms - w->first_ms + w->step_ms - 1) / w->step_ms;
    return w->first_ms + steps * w->step_ms;
}

/* From the first window that is not 0 up to the end, or to the mark of it. */
static void add_rates(struct rates *rates, int64_t from_ms, size_t first, size_t last)
{
    const struct windows *w = rates->windows;
    const struct selection *sel = rates->sums->sel;
    size_t step = first;
    int64_t t_ms = first_sample_ms(w, from_ms, selection_step_from(sel, first));
    for (; t_ms < w->end_ms; t_ms += w->step_ms) {
        while (t_ms > selection_step_to(sel, step))
            step++;
        if (step > last && !rates->stays && rates->count > 0 &&
            is_stale(rates->values[rates->count - 1]))
            return;
        add_rate(rates, t_ms, step, last);
    }
    if (w->end_ms >= from_ms)
        add_rate(rates, w->end_ms, selection_step_of(sel, w->end_ms), last);
}

static void find_samples(struct rates *rates, int64_t from_ms)
{
    size_t first = SIZE_MAX, last = 0;
    for (size_t i = 0; i < rates->sums->step_count; i++) {
        if (rates->of_steps[i] <= 0)
            continue;
        first = first == SIZE_MAX ? i : first;
        last = i;
    }
    rates->count = 0;
    if (first == SIZE_MAX)
        return;
    add_rates(rates, from_ms, first, last);
}

/* ---- groups ---- */

static int put_group(struct reading *r, struct rates *rates,
                     const struct accumulator_group *group)
{
    const struct series_level_info *info = &series_levels[r->level];
    struct reading_labels labels;
    const struct label *own = NULL;
    int rc = 0;
    reading_labels_init(&labels);
    for (size_t i = 0; i < info->label_count; i++) {
        reading_labels_add(&labels, info->labels[i],
                           accumulator_text(rates->sums, group->key[i]));
        if (span_is(labels.pairs[labels.count - 1].name, info->name))
            own = &labels.pairs[labels.count - 1];
    }
    /* Rows of no user, of no job, are no user's, no job's. */
    if (!own || !reading_fits(r, &labels))
        return 0;
    for (size_t m = 0; rc >= 0 && m < r->measure_count; m++) {
        find_rates(rates, group, m);
        find_samples(rates, r->selection->from_ms);
        const struct promql_samples samples = { rates->count, rates->times_ms,
                                                rates->values };
        rc = reading_put(r, &labels, &r->measures[m], &samples);
    }
    return rc < 0 ? rc : 0;
}

static int put_groups(struct reading *r, const struct windows *w,
                      const struct accumulator *sums)
{
    size_t count = (size_t)((w->end_ms - w->first_ms) / w->step_ms) + 2;
    AUTO_FREE int64_t *times_ms = calloc(count, sizeof *times_ms);
    AUTO_FREE double *values = calloc(count, sizeof *values);
    AUTO_FREE double *of_steps = calloc(sums->step_count + 1, sizeof *of_steps);
    struct rates rates = { .sums = sums,
                           .windows = w,
                           .stays = r->level == LEVEL_FS || r->level == LEVEL_TARGET ||
                                    r->level == LEVEL_SERVER,
                           .of_steps = of_steps,
                           .times_ms = times_ms,
                           .values = values };
    int rc = times_ms && values && of_steps ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < sums->group_count; i++)
        rc = put_group(r, &rates, sums->groups[i]);
    return rc;
}

int rate_series_read(struct reading *r)
{
    AUTO(selection_done) struct selection sel;
    AUTO(accumulator_free) struct accumulator *sums = NULL;
    int64_t end_ms = T_NONE, round_ms = MINUTE_MS;
    struct windows w;
    selection_init(&sel, r->source->now_ms);
    int rc = query_last_round(r->ctx, r->source->now_ms, &end_ms, &round_ms, r->err);
    if (rc < 0 || end_ms == T_NONE || end_ms < r->selection->from_ms)
        return rc;
    windows_init(r->selection, end_ms, round_ms, &w);
    if (w.first_ms <= w.step_ms) /* there was nothing so early */
        return 0;
    rc = selection_fill(r, &w, &sel);
    if (rc == 0)
        rc = query_sums(r->ctx, &sel, &sums, r->err);
    return rc < 0 ? rc : put_groups(r, &w, sums);
}
