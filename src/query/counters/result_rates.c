/* SPDX-License-Identifier: Apache-2.0 */
/* result_rates - one row a window and group, or how many groups by decade of rate. */
#include "query/counters/result_private.h"

#include "base/number.h"
#include "base/span.h"

#include <math.h>
#include <stdio.h>

static bool step_is_empty(const struct accumulator *accumulator,
                          const struct accumulator_group *group, size_t step)
{
    size_t measures = accumulator->sel->measure_count;
    for (size_t i = 0; i < measures; i++)
        if (group->sums[step * measures + i])
            return false;
    return true;
}

static void add_rates_columns(const struct accumulator *accumulator,
                              struct table *table)
{
    const struct selection *sel = accumulator->sel;
    bool has_bounds = sel->step_ms == 0;
    table_add_column(table, "from", TABLE_TIME, "");
    table_add_column(table, "to", TABLE_TIME, "");
    result_add_keys(accumulator, table);
    if (sel->by_op) {
        table_add_column(table, "op", TABLE_TEXT, "");
        table_add_column(table, "unit", TABLE_TEXT, "");
        table_add_column(table, "total", TABLE_U64, "");
        table_add_column(table, "rate", TABLE_DOUBLE, "");
        if (has_bounds)
            table_add_column(table, "total_at_most", TABLE_U64, "");
        return;
    }
    for (size_t i = 0; i < sel->measure_count; i++) {
        const struct measure *m = &sel->measures[i];
        result_add_named(table, m, "", TABLE_U64, m->unit);
        result_add_named(table, m, "_rate", TABLE_DOUBLE, measure_rate_unit(m));
        if (has_bounds)
            result_add_named(table, m, "_at_most", TABLE_U64, m->unit);
    }
}

/* Was nothing observed in the step, so that it is unknown what happened there?  What
 * reaches into it is shown all the same. */
static bool step_is_unobserved(const struct accumulator *accumulator,
                               const struct result_extent *extent, size_t step)
{
    int64_t from_ms = selection_step_from(accumulator->sel, step);
    int64_t to_ms = selection_step_to(accumulator->sel, step);
    const struct accumulator_notes *notes = &accumulator->notes;
    if (extent->latest_ms == T_NONE || from_ms >= extent->latest_ms)
        return true;
    if (extent->first_ms == T_NONE || to_ms > extent->first_ms)
        return false;
    return notes->last_ms == T_NONE || to_ms <= notes->first_ms;
}

/* Is there an upper bound to show, or that there is none? */
static bool group_is_unsure(const struct accumulator *accumulator,
                            const struct accumulator_group *group)
{
    for (size_t i = 0; i < accumulator->sel->measure_count; i++)
        if (group->unknown[i])
            return true;
    return group->is_unbounded;
}

static void note_unobserved(const struct accumulator *accumulator,
                            const struct result_extent *extent, struct table *table)
{
    size_t count = 0;
    for (size_t step = 0; step < accumulator->step_count; step++)
        count += step_is_unobserved(accumulator, extent, step);
    if (count)
        table_add_note(
            table,
            "%zu of %zu steps were not observed: they have no numbers, which "
            "is not 0",
            count, accumulator->step_count);
}

static size_t set_rate_cells(const struct accumulator *accumulator,
                             const struct accumulator_group *group, size_t step,
                             size_t measure, size_t column, struct table *table)
{
    const struct selection *sel = accumulator->sel;
    accumulator_sum sum = group->sums[step * sel->measure_count + measure];
    table_set_u64(table, column++, result_total(sum));
    table_set_double(
        table, column++,
        result_rate(sum, selection_step_from(sel, step), selection_step_to(sel, step)));
    if (sel->step_ms)
        return column;
    result_set_at_most(table, column, group, sum, measure);
    return column + 1;
}

static size_t start_rates_row(const struct accumulator *accumulator,
                              const struct accumulator_group *group, size_t step,
                              struct table *table)
{
    table_add_row(table);
    table_set_i64(table, 0, selection_step_from(accumulator->sel, step));
    table_set_i64(table, 1, selection_step_to(accumulator->sel, step));
    return result_set_keys(accumulator, group, 2, table);
}

static void add_rates_row(const struct accumulator *accumulator,
                          const struct result_extent *extent,
                          const struct accumulator_group *group, size_t step,
                          struct table *table)
{
    const struct selection *sel = accumulator->sel;
    if (!sel->by_op && !group_is_unsure(accumulator, group) &&
        step_is_empty(accumulator, group, step) &&
        step_is_unobserved(accumulator, extent, step)) {
        (void)start_rates_row(accumulator, group, step, table);
        return;
    }
    if (!sel->by_op) {
        size_t column = start_rates_row(accumulator, group, step, table);
        for (size_t i = 0; i < sel->measure_count; i++)
            column = set_rate_cells(accumulator, group, step, i, column, table);
        return;
    }
    for (size_t i = 0; i < sel->measure_count; i++) {
        if (!group->sums[step * sel->measure_count + i] && !group->unknown[i])
            continue;
        size_t column = start_rates_row(accumulator, group, step, table);
        table_set_text(table, column++, span_of(sel->measures[i].name));
        table_set_text(table, column++, span_of(sel->measures[i].unit));
        (void)set_rate_cells(accumulator, group, step, i, column, table);
    }
}

/* ---- densities ---- */

#define DECADES_MAX 32 /* 10^-8 .. 10^24 a second */
#define DECADE_LEAST (-8)

static void add_density_rows(const struct accumulator *accumulator,
                             const struct ranking *r, size_t step, struct table *table)
{
    uint64_t groups[DECADES_MAX] = { 0 };
    accumulator_sum sums[DECADES_MAX] = { 0 };
    int64_t from_ms = selection_step_from(accumulator->sel, step);
    int64_t to_ms = selection_step_to(accumulator->sel, step);
    size_t measures = accumulator->sel->measure_count;
    for (size_t i = 0; i < r->count; i++) {
        accumulator_sum sum = r->items[i].group->sums[step * measures];
        if (!sum)
            continue;
        int decade = (int)floor(log10(result_rate(sum, from_ms, to_ms))) - DECADE_LEAST;
        decade = decade < 0 ? 0 : decade >= DECADES_MAX ? DECADES_MAX - 1 : decade;
        groups[decade]++;
        sums[decade] += sum;
    }
    for (int d = 0; d < DECADES_MAX; d++) {
        if (!groups[d])
            continue;
        table_add_row(table);
        table_set_i64(table, 0, from_ms);
        table_set_i64(table, 1, to_ms);
        table_set_double(table, 2, pow(10, d + DECADE_LEAST));
        table_set_double(table, 3, pow(10, d + DECADE_LEAST + 1));
        table_set_u64(table, 4, groups[d]);
        table_set_u64(table, 5, result_total(sums[d]));
    }
}

static void add_density(const struct accumulator *accumulator, const struct ranking *r,
                        struct table *table)
{
    const struct measure *m = &accumulator->sel->measures[0];
    table_add_column(table, "from", TABLE_TIME, "");
    table_add_column(table, "to", TABLE_TIME, "");
    table_add_column(table, "rate_from", TABLE_DOUBLE, measure_rate_unit(m));
    table_add_column(table, "rate_to", TABLE_DOUBLE, measure_rate_unit(m));
    table_add_column(table, "groups", TABLE_U64, "count");
    result_add_named(table, m, "", TABLE_U64, m->unit);
    for (size_t step = 0; step < accumulator->step_count; step++)
        add_density_rows(accumulator, r, step, table);
}

static void add_rates(const struct accumulator *accumulator,
                      const struct result_extent *extent, const struct ranking *r,
                      size_t shown, struct table *table)
{
    bool is_one = accumulator->sel->by_count == 0;
    add_rates_columns(accumulator, table);
    for (size_t step = 0; step < accumulator->step_count; step++)
        for (size_t i = 0; i < shown; i++)
            if (is_one || accumulator->step_count == 1 ||
                !step_is_empty(accumulator, r->items[i].group, step))
                add_rates_row(accumulator, extent, r->items[i].group, step, table);
}

int result_rates(const struct accumulator *accumulator,
                 const struct result_extent *extent, struct table *ret)
{
    AUTO(ranking_done) struct ranking r = { 0 };
    int rc = ranking_make(accumulator, &r);
    if (rc < 0)
        return rc;
    size_t shown = r.count;
    if (accumulator->sel->density) {
        add_density(accumulator, &r, ret);
    } else {
        if (accumulator->sel->limit && shown > accumulator->sel->limit)
            shown = accumulator->sel->limit;
        add_rates(accumulator, extent, &r, shown, ret);
    }
    result_add_notes(accumulator, extent, ret);
    note_unobserved(accumulator, extent, ret);
    if (!accumulator->sel->density)
        result_note_nameless(accumulator, &r, shown, ret);
    if (ret->row_count == 0 && extent->latest_ms != T_NONE)
        table_add_note(ret, "nothing selected moved in this window");
    result_note_cut(&r, shown, ret);
    return table_error(ret);
}
