/* SPDX-License-Identifier: Apache-2.0 */
/* result_top - one row a group, the biggest first: rates, total, share, since, trend.
 */
#include "base/span.h"
#include "query/counters/result_private.h"

struct top_columns {
    size_t user, first_measure, share, share_of, since, cut, jobs, targets, nodes,
        trend;
};

#define NO_COLUMN SIZE_MAX

static size_t add_column_if(struct table *table, bool wanted, const char *name,
                            enum table_type type)
{
    if (!wanted)
        return NO_COLUMN;
    table_add_column(table, name, type, type == TABLE_U64 ? "count" : "");
    return table->column_count - 1;
}

static void add_top_columns(const struct accumulator *accumulator, struct table *table,
                            struct top_columns *c)
{
    const struct selection *sel = accumulator->sel;
    bool by_job = result_is_grouped_by(sel, DIM_JOB);
    result_add_keys(accumulator, table);
    c->user = add_column_if(table, by_job && !result_is_grouped_by(sel, DIM_USER),
                            "user", TABLE_TEXT);
    c->first_measure = table->column_count;
    if (sel->by_op) {
        table_add_column(table, "op", TABLE_TEXT, "");
        table_add_column(table, "unit", TABLE_TEXT, "");
        table_add_column(table, "rate", TABLE_DOUBLE, "");
        table_add_column(table, "total", TABLE_U64, "");
    }
    for (size_t i = 0; !sel->by_op && i < sel->measure_count; i++) {
        const struct measure *m = &sel->measures[i];
        result_add_named(table, m, "_rate", TABLE_DOUBLE, measure_rate_unit(m));
        if (sel->has_ops)
            result_add_named(table, m, "", TABLE_U64, m->unit);
    }
    table_add_column(table, "share", TABLE_DOUBLE, "%");
    c->share = table->column_count - 1;
    c->share_of = add_column_if(table, !sel->by_op, "share_of", TABLE_TEXT);
    c->since = add_column_if(table, sel->lookback_ms > 0, "since", TABLE_TIME);
    c->cut = add_column_if(table, sel->lookback_ms > 0, "since_is_cut", TABLE_BOOL);
    c->jobs = add_column_if(table, !by_job, "jobs", TABLE_U64);
    c->targets = add_column_if(table, !result_is_grouped_by(sel, DIM_TARGET), "targets",
                               TABLE_U64);
    c->nodes =
        add_column_if(table, !result_is_grouped_by(sel, DIM_NODE), "nodes", TABLE_U64);
    c->trend = add_column_if(table, accumulator->step_count > 1, "trend", TABLE_TEXT);
}

/* The measure of which the group has the greatest share: whose trend is drawn. */
static size_t main_measure(const struct accumulator *accumulator,
                           const struct ranking *r,
                           const struct accumulator_group *group)
{
    size_t best = 0;
    double most = -1;
    for (size_t i = 0; i < accumulator->sel->measure_count; i++) {
        if (!r->whole[i])
            continue;
        double share =
            (double)accumulator_total(accumulator, group, i) / (double)r->whole[i];
        if (share > most) {
            most = share;
            best = i;
        }
    }
    return best;
}

static void set_count(struct table *table, size_t column, uint32_t count)
{
    if (column != NO_COLUMN)
        table_set_u64(table, column, count);
}

static void set_measures(const struct accumulator *accumulator,
                         const struct accumulator_group *group, size_t column,
                         struct table *table)
{
    const struct selection *sel = accumulator->sel;
    for (size_t i = 0; i < sel->measure_count; i++) {
        accumulator_sum total = accumulator_total(accumulator, group, i);
        table_set_double(table, column++,
                         result_rate(total, selection_rated_from_ms(sel), sel->to_ms));
        if (sel->has_ops)
            table_set_u64(table, column++, result_total(total));
    }
}

/* One operation in the cells of a row of its own. */
static void set_op(const struct accumulator *accumulator,
                   const struct accumulator_group *group, size_t measure, size_t column,
                   struct table *table)
{
    const struct selection *sel = accumulator->sel;
    accumulator_sum total = accumulator_total(accumulator, group, measure);
    table_set_text(table, column++, span_of(sel->measures[measure].name));
    table_set_text(table, column++, span_of(sel->measures[measure].unit));
    table_set_double(table, column++,
                     result_rate(total, selection_rated_from_ms(sel), sel->to_ms));
    table_set_u64(table, column, result_total(total));
}

/* What the row shows: all measures, or the one that a row of by=op is about. */
struct top_row {
    struct accumulator_group *group;
    double share;
    size_t measure; /* of which the trend is */
};

static void add_top_row(const struct accumulator *accumulator,
                        const struct top_row *row, const struct top_columns *c,
                        struct table *table)
{
    struct accumulator_group *group = row->group;
    table_add_row(table);
    (void)result_set_keys(accumulator, group, 0, table);
    struct span user = accumulator_text(accumulator, group->sample[DIM_USER]);
    if (c->user != NO_COLUMN && user.data && group->distinct[DIM_USER] == 1)
        table_set_text(table, c->user, user);
    if (accumulator->sel->by_op)
        set_op(accumulator, group, row->measure, c->first_measure, table);
    else
        set_measures(accumulator, group, c->first_measure, table);
    table_set_double(table, c->share, row->share * 100);
    if (c->share_of != NO_COLUMN)
        table_set_text(table, c->share_of,
                       span_of(accumulator->sel->measures[row->measure].name));
    if (c->since != NO_COLUMN) {
        bool is_cut = false;
        int64_t since_ms = accumulator_active_since(accumulator, group, &is_cut);
        if (since_ms != T_NONE) {
            table_set_i64(table, c->since, since_ms);
            table_set_bool(table, c->cut, is_cut);
        }
    }
    set_count(table, c->jobs, group->distinct[DIM_JOB]);
    set_count(table, c->targets, group->distinct[DIM_TARGET]);
    set_count(table, c->nodes, group->distinct[DIM_NODE]);
    if (c->trend != NO_COLUMN) {
        char trend[128];
        result_trend(accumulator, group, row->measure, trend, sizeof trend);
        table_set_text(table, c->trend, span_of(trend));
    }
}

/* A group's row, or with by=op its rows: an operation each that it did. */
static void add_top_rows(const struct accumulator *accumulator, const struct ranking *r,
                         const struct ranked *item, const struct top_columns *c,
                         struct table *table)
{
    struct top_row row = { item->group, item->share, 0 };
    if (!accumulator->sel->by_op) {
        row.measure = main_measure(accumulator, r, item->group);
        add_top_row(accumulator, &row, c, table);
        return;
    }
    for (size_t i = 0; i < accumulator->sel->measure_count; i++) {
        accumulator_sum total = accumulator_total(accumulator, item->group, i);
        if (!total)
            continue;
        row.measure = i;
        row.share = (double)total / (double)r->whole[i];
        add_top_row(accumulator, &row, c, table);
    }
}

int result_top(const struct accumulator *accumulator,
               const struct result_extent *extent, struct table *ret)
{
    AUTO(ranking_done) struct ranking r = { 0 };
    int rc = ranking_make(accumulator, &r);
    if (rc < 0)
        return rc;
    /* A group of which nothing is known but that more may be missing has no rank. */
    while (r.count && r.items[r.count - 1].share <= 0)
        r.count--;
    struct top_columns columns;
    add_top_columns(accumulator, ret, &columns);
    size_t shown = r.count;
    if (accumulator->sel->limit && shown > accumulator->sel->limit)
        shown = accumulator->sel->limit;
    for (size_t i = 0; i < shown; i++)
        add_top_rows(accumulator, &r, &r.items[i], &columns, ret);
    result_add_notes(accumulator, extent, ret);
    result_note_nameless(accumulator, &r, shown, ret);
    if (r.count == 0 && extent->latest_ms != T_NONE)
        table_add_note(ret, "nothing selected moved in this window");
    result_note_cut(&r, shown, ret);
    return table_error(ret);
}
