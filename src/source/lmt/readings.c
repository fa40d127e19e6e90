/* SPDX-License-Identifier: Apache-2.0 */
/* readings - a counter that was read now and then, as what happened in each step. */
#include "source/lmt/readings.h"

#include <math.h>

static void restart(struct lmt_readings *r, int64_t t_ms)
{
    r->known_from_ms = t_ms;
    r->part = 0;
}

static void step_put(struct lmt_readings *r, int64_t from_ms)
{
    int64_t row =
        r->known_from_ms <= from_ms ? lmt_grid_row(r->grid, from_ms / 1000) : -1;
    if (row >= 0) {
        double *cell = lmt_grid_at(r->grid, (size_t)row, r->column);
        *cell = isnan(*cell) ? r->part : *cell + r->part;
    }
    r->part = 0;
}

/* What happened from last_ms to t_ms, step by step. */
static void share(struct lmt_readings *r, int64_t t_ms, double sum)
{
    int64_t step_ms = r->grid->step_s * 1000;
    int64_t start_ms = r->grid->start_s * 1000;
    double given = 0;
    for (int64_t at_ms = r->last_ms; at_ms < t_ms;) {
        int64_t rest_ms = (at_ms - start_ms) % step_ms;
        int64_t from_ms = at_ms - (rest_ms < 0 ? rest_ms + step_ms : rest_ms);
        int64_t end_ms = from_ms + step_ms < t_ms ? from_ms + step_ms : t_ms;
        double share = (double)(end_ms - r->last_ms) / (double)(t_ms - r->last_ms);
        double until_now = end_ms == t_ms ? sum : floor(sum * share);
        r->part += until_now - given;
        given = until_now;
        if (end_ms == from_ms + step_ms)
            step_put(r, from_ms);
        at_ms = end_ms;
    }
}

void lmt_readings_put(struct lmt_readings *r, int64_t t_ms, double value)
{
    if (r->has_last && t_ms <= r->last_ms)
        return;
    if (r->has_last && t_ms - r->last_ms <= r->gap_ms && value >= r->last)
        share(r, t_ms, value - r->last);
    else
        restart(r, t_ms);
    r->has_last = true;
    r->last = value;
    r->last_ms = t_ms;
}
