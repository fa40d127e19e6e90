/* SPDX-License-Identifier: Apache-2.0 */
/* plan - which hours of a window are read as cells, and which as rows. */
#include "query/plan.h"

void plan_done(struct plan *plan)
{
    free(plan->parts);
    *plan = (struct plan){ 0 };
}

bool plan_is_long(const struct selection *sel)
{
    return sel->to_ms - sel->from_ms >= PLAN_WINDOW_MIN_MS;
}

static int add_part(struct plan *plan, struct plan_part part)
{
    if (plan->count == plan->capacity) {
        size_t capacity = plan->capacity ? plan->capacity * 2 : 16;
        struct plan_part *grown = realloc(plan->parts, capacity * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        plan->parts = grown;
        plan->capacity = capacity;
    }
    plan->parts[plan->count++] = part;
    return 0;
}

static bool fits_step(const struct selection *sel, int64_t hour_ms)
{
    return selection_step_of(sel, hour_ms + 1) ==
           selection_step_of(sel, hour_ms + ROLLUP_HOUR_MS);
}

static bool hour_is_usable(const struct selection *sel, struct tally *const *tallies,
                           size_t count, int64_t hour_ms)
{
    int64_t end_ms = hour_ms + ROLLUP_HOUR_MS;
    if (hour_ms < sel->from_ms || end_ms > sel->to_ms)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct selection *own = tallies[i]->sel;
        if (!fits_step(own, hour_ms))
            return false;
        if (own->lookback_ms && end_ms > selection_follow_ms(own))
            return false;
    }
    return true;
}

int plan_make(const struct selection *sel, struct tally *const *tallies, size_t count,
              const int64_t *clean, size_t clean_count, struct plan *ret)
{
    AUTO(plan_done) struct plan plan = { 0 };
    int64_t at_ms = selection_reach_ms(sel); /* rows are planned up to here */
    int rc = 0;
    for (size_t i = 0; i < clean_count && rc == 0;) {
        size_t end = i;
        while (end < clean_count &&
               clean[end] == clean[i] + (int64_t)(end - i) * ROLLUP_HOUR_MS &&
               hour_is_usable(sel, tallies, count, clean[end]))
            end++;
        if (end - i < PLAN_RUN_MIN) {
            i = end > i ? end : i + 1;
            continue;
        }
        struct plan_part cells = { true, clean[i], clean[end - 1] + ROLLUP_HOUR_MS };
        if (cells.from_ms > at_ms)
            rc = add_part(&plan, (struct plan_part){ false, at_ms, cells.from_ms });
        if (rc == 0)
            rc = add_part(&plan, cells);
        at_ms = cells.to_ms;
        i = end;
    }
    if (rc == 0)
        rc = add_part(&plan, (struct plan_part){ false, at_ms, sel->to_ms });
    if (rc < 0)
        return rc;
    *ret = plan;
    plan = (struct plan){ 0 };
    return 0;
}
