/* SPDX-License-Identifier: Apache-2.0 */
/* plan - which hours of a window are read as cells, and which as rows. */
#include "query/hours/plan.h"

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

static bool hour_is_usable(const struct selection *sel,
                           struct accumulator *const *accumulators, size_t count,
                           int64_t hour_ms)
{
    int64_t end_ms = hour_ms + ROLLUP_HOUR_MS;
    if (hour_ms < sel->from_ms || end_ms > sel->to_ms)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct selection *own = accumulators[i]->sel;
        if (!fits_step(own, hour_ms))
            return false;
        if (own->lookback_ms && end_ms > selection_follow_ms(own))
            return false;
    }
    return true;
}

/* Up to the window's end; what is rows at its end is left to the caller from *ret_at_ms
 * on. */
static int plan_window(const struct selection *sel,
                       struct accumulator *const *accumulators, size_t count,
                       const int64_t *clean, size_t clean_count, struct plan *plan,
                       int64_t *ret_at_ms)
{
    int64_t at_ms = selection_reach_ms(sel); /* rows are planned up to here */
    int rc = 0;
    for (size_t i = 0; i < clean_count && rc == 0 && plan_is_long(sel);) {
        size_t end = i;
        while (end < clean_count &&
               clean[end] == clean[i] + (int64_t)(end - i) * ROLLUP_HOUR_MS &&
               hour_is_usable(sel, accumulators, count, clean[end]))
            end++;
        if (end - i < PLAN_RUN_MIN) {
            i = end > i ? end : i + 1;
            continue;
        }
        struct plan_part cells = { PLAN_CELLS, clean[i],
                                   clean[end - 1] + ROLLUP_HOUR_MS };
        if (cells.from_ms > at_ms)
            rc = add_part(plan, (struct plan_part){ PLAN_ROWS, at_ms, cells.from_ms });
        if (rc == 0)
            rc = add_part(plan, cells);
        at_ms = cells.to_ms;
        i = end;
    }
    *ret_at_ms = at_ms;
    return rc;
}

/* The hours at_ms .. end_ms have no cells: rows, as far as limit_ms, and from there on
 * what says itself that it reaches back. */
static int add_rows(struct plan *plan, int64_t at_ms, int64_t end_ms, int64_t limit_ms)
{
    int64_t far_ms = at_ms > limit_ms ? at_ms : limit_ms;
    int64_t to_ms = end_ms < far_ms ? end_ms : far_ms;
    int rc = 0;
    if (at_ms < to_ms)
        rc = add_part(plan, (struct plan_part){ PLAN_ROWS, at_ms, to_ms });
    if (rc == 0 && to_ms < end_ms)
        rc = add_part(plan, (struct plan_part){ PLAN_LONG_ROWS, to_ms, end_ms });
    return rc;
}

/* The first hour is apart: of all later ones only long cells can reach back. */
static int add_long_cells(struct plan *plan, int64_t from_ms, int64_t to_ms,
                          int64_t window_to_ms)
{
    int64_t long_ms = window_to_ms + ROLLUP_LONG_MS;
    int64_t middle_ms = from_ms + ROLLUP_HOUR_MS;
    int rc = 0;
    if (from_ms >= long_ms || middle_ms >= to_ms)
        middle_ms = from_ms;
    if (middle_ms > from_ms)
        rc = add_part(plan, (struct plan_part){ PLAN_LONG_CELLS, from_ms, middle_ms });
    if (rc == 0)
        rc = add_part(plan, (struct plan_part){ PLAN_LONG_CELLS, middle_ms, to_ms });
    return rc;
}

/* From at_ms on, which is in the window or its end. */
static int plan_after(const struct selection *sel, const int64_t *clean,
                      size_t clean_count, int64_t at_ms, struct plan *plan)
{
    int64_t limit_ms = sel->to_ms + PLAN_AFTER_MS;
    int rc = 0;
    for (size_t i = 0, end; i < clean_count && rc == 0; i = end) {
        end = i + 1;
        if (clean[i] < sel->to_ms)
            continue;
        while (end < clean_count && clean[end] == clean[end - 1] + ROLLUP_HOUR_MS)
            end++;
        int64_t to_ms = clean[end - 1] + ROLLUP_HOUR_MS;
        rc = add_rows(plan, at_ms, clean[i], limit_ms);
        if (rc == 0)
            rc = add_long_cells(plan, clean[i], to_ms, sel->to_ms);
        at_ms = to_ms;
    }
    return rc < 0 ? rc : add_rows(plan, at_ms, PLAN_END_MS, limit_ms);
}

int plan_make(const struct selection *sel, struct accumulator *const *accumulators,
              size_t count, const int64_t *clean, size_t clean_count, struct plan *ret)
{
    AUTO(plan_done) struct plan plan = { 0 };
    int64_t at_ms = 0;
    int rc = plan_window(sel, accumulators, count, clean, clean_count, &plan, &at_ms);
    if (rc == 0)
        rc = plan_after(sel, clean, clean_count, at_ms, &plan);
    if (rc < 0)
        return rc;
    *ret = plan;
    plan = (struct plan){ 0 };
    return 0;
}
