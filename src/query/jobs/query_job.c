/* SPDX-License-Identifier: Apache-2.0 */
/* query_job - one job on one page: what it did, where and when. */
#include "query/jobs/query.h"
#include "query/jobs/user_names.h"

#include "base/number.h"
#include "base/span.h"

#define TREND_STEPS 40
#define PART_ROWS 10

static const char *const part_names[QUERY_JOB_PART_COUNT] = {
    [QUERY_JOB_SUMMARY] = "summary",
    [QUERY_JOB_OPERATIONS] = "operations",
    [QUERY_JOB_TARGETS] = "targets",
    [QUERY_JOB_NODES] = "nodes",
};

const char *query_job_part_name(enum query_job_part part)
{
    return part_names[part];
}

static const struct {
    const char *by, *ops;
} part_asks[QUERY_JOB_PART_COUNT] = {
    [QUERY_JOB_SUMMARY] = { "", "write_bytes,read_bytes,metadata" },
    [QUERY_JOB_OPERATIONS] = { "", "all" },
    [QUERY_JOB_TARGETS] = { "target", "write_bytes,read_bytes,metadata" },
    [QUERY_JOB_NODES] = { "node", "write_bytes,read_bytes,metadata" },
};

/* Four selections of one filter and window, and their accumulators. */
struct page {
    struct selection sels[QUERY_JOB_PART_COUNT];
    struct accumulator *accumulators[QUERY_JOB_PART_COUNT];
};

static void page_done(struct page *page)
{
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++) {
        accumulator_free(page->accumulators[i]);
        selection_done(&page->sels[i]);
    }
}
DEFINE_AUTO_DONE(struct page, page_done);

/* A selection like sel over a known window; it borrows sel's texts. */
static int settle_like(const struct selection *sel, int64_t from_ms, int64_t to_ms,
                       enum query_job_part part, struct selection *ret, struct err *err)
{
    const struct selection_defaults defaults = { .ops = part_asks[part].ops,
                                                 .by = part_asks[part].by,
                                                 .last_ms = 1 };
    ret->filter = sel->filter;
    ret->server = sel->server;
    ret->hold = sel->hold;
    ret->not_before_ms = sel->not_before_ms;
    ret->from_ms = from_ms;
    ret->to_ms = to_ms;
    int rc = selection_settle(ret, &defaults, T_NONE, err);
    if (rc == 0 && part == QUERY_JOB_OPERATIONS)
        selection_cut(ret, TREND_STEPS);
    return rc;
}

/* When the job was active, within the requested window. */
static int find_activity(const struct query_ctx *ctx, const struct selection *sel,
                         const struct records_extent *extent, int64_t *ret_from_ms,
                         int64_t *ret_to_ms, struct err *err)
{
    AUTO(selection_done) struct selection whole;
    AUTO(accumulator_free) struct accumulator *accumulator = NULL;
    selection_init(&whole, sel->now_ms);
    int64_t from_ms = sel->from_ms, to_ms = sel->to_ms;
    if (to_ms == T_NONE)
        to_ms = extent->last_ms > sel->now_ms ? extent->last_ms : sel->now_ms;
    if (from_ms == T_NONE)
        from_ms = sel->last_ms ? to_ms - sel->last_ms : 0;
    if (from_ms < sel->not_before_ms)
        from_ms = sel->not_before_ms;
    int rc = settle_like(sel, from_ms < 0 ? 0 : from_ms, to_ms, QUERY_JOB_OPERATIONS,
                         &whole, err);
    whole.step_ms = whole.skew_ms = 0;
    if (rc == 0)
        rc = accumulator_new(&whole, &accumulator, err);
    if (rc == 0)
        rc = history_accumulate(ctx->history, &whole, &accumulator, 1, err);
    if (rc == 0)
        rc = accumulator_finish(accumulator, err);
    if (rc < 0 || !accumulator)
        return rc;
    if (accumulator->notes.last_ms == T_NONE)
        return err_set(err, ENOENT,
                       "nothing is known of what job '" SPAN_FMT "' did in that time",
                       SPAN_ARG(sel->filter.job));
    /* A job whose only reading has no known beginning still has a page. */
    *ret_to_ms =
        accumulator->notes.last_ms < to_ms ? accumulator->notes.last_ms : to_ms;
    *ret_from_ms =
        accumulator->notes.first_ms > from_ms ? accumulator->notes.first_ms : from_ms;
    if (sel->from_ms != T_NONE)
        *ret_from_ms = from_ms;
    if (*ret_from_ms >= *ret_to_ms)
        *ret_from_ms = *ret_to_ms - 1;
    return 0;
}

static int fill_page(const struct query_ctx *ctx, const struct selection *sel,
                     int64_t from_ms, int64_t to_ms, struct page *page, struct err *err)
{
    int rc = 0;
    for (int i = 0; rc == 0 && i < QUERY_JOB_PART_COUNT; i++) {
        rc = settle_like(sel, from_ms, to_ms, (enum query_job_part)i, &page->sels[i],
                         err);
        if (rc == 0)
            rc = accumulator_new(&page->sels[i], &page->accumulators[i], err);
    }
    if (rc == 0)
        rc = history_accumulate(ctx->history, &page->sels[0], page->accumulators,
                                QUERY_JOB_PART_COUNT, err);
    for (int i = 0; rc == 0 && i < QUERY_JOB_PART_COUNT; i++)
        rc = accumulator_finish(page->accumulators[i], err);
    return rc;
}

/* ---- the parts ---- */

/* The one text, or nothing when there are several. */
static void set_only(const struct accumulator *accumulator,
                     const struct accumulator_group *group, enum dim dim,
                     struct table *table, size_t column)
{
    struct span text = accumulator_text(accumulator, group->sample[dim]);
    if (group->distinct[dim] == 1 && text.data)
        table_set_text(table, column, text);
}

static void write_summary(const struct accumulator *accumulator, struct table *table)
{
    static const struct {
        const char *name;
        enum dim dim;
    } texts[] = { { "job", DIM_JOB },
                  { "user", DIM_USER },
                  { "group", DIM_GROUP },
                  { "fs", DIM_FS },
                  { "executable", DIM_EXECUTABLE } };
    static const struct {
        const char *name;
        enum dim dim;
    } counts[] = { { "nodes", DIM_NODE }, { "targets", DIM_TARGET } };
    const struct selection *sel = accumulator->sel;
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        table_add_column(table, texts[i].name, TABLE_TEXT, "");
    table_add_column(table, "from", TABLE_TIME, "");
    table_add_column(table, "to", TABLE_TIME, "");
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        table_add_column(table, counts[i].name, TABLE_U64, "count");
    for (size_t m = 0; m < sel->measure_count; m++)
        table_add_column(table, sel->measures[m].name, TABLE_U64,
                         sel->measures[m].unit);
    if (accumulator->group_count == 0)
        return;
    const struct accumulator_group *group = accumulator->groups[0];
    size_t column = 0;
    table_add_row(table);
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        set_only(accumulator, group, texts[i].dim, table, column++);
    table_set_i64(table, column++, sel->from_ms);
    table_set_i64(table, column++, sel->to_ms);
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        table_set_u64(table, column++, group->distinct[counts[i].dim]);
    for (size_t m = 0; m < sel->measure_count; m++)
        table_set_u64(table, column++,
                      result_total(accumulator_total(accumulator, group, m)));
}

static void write_operation(const struct accumulator *accumulator,
                            const struct accumulator_group *group, size_t measure,
                            struct table *table)
{
    const struct selection *sel = accumulator->sel;
    accumulator_sum total = accumulator_total(accumulator, group, measure), peak = 0;
    if (!total && !group->unknown[measure])
        return;
    for (size_t step = 0; step < accumulator->step_count; step++) {
        accumulator_sum sum = group->sums[step * sel->measure_count + measure];
        peak = sum > peak ? sum : peak;
    }
    char trend[TREND_STEPS + 2]; /* skewed, there is one more */
    result_trend(accumulator, group, measure, trend, sizeof trend);
    double seconds = (double)(sel->to_ms - sel->from_ms) / MS_PER_S;
    table_add_row(table);
    table_set_text(table, 0, span_of(sel->measures[measure].name));
    table_set_text(table, 1, span_of(sel->measures[measure].unit));
    table_set_u64(table, 2, result_total(total));
    result_set_at_most(table, 3, group, total, measure);
    table_set_double(table, 4, (double)total / seconds);
    table_set_double(table, 5, (double)peak * MS_PER_S / (double)sel->step_ms);
    table_set_text(table, 6, span_of(trend));
}

static void write_operations(const struct accumulator *accumulator, struct table *table)
{
    table_add_column(table, "op", TABLE_TEXT, "");
    table_add_column(table, "unit", TABLE_TEXT, "");
    table_add_column(table, "total", TABLE_U64, "");
    table_add_column(table, "total_at_most", TABLE_U64, "");
    table_add_column(table, "rate", TABLE_DOUBLE, "");
    table_add_column(table, "peak_rate", TABLE_DOUBLE, "");
    table_add_column(table, "trend", TABLE_TEXT, "");
    for (size_t m = 0; accumulator->group_count && m < accumulator->sel->measure_count;
         m++)
        write_operation(accumulator, accumulator->groups[0], m, table);
}

/* The busiest group against the mean of those that did any of it. */
static void note_imbalance_of(const struct accumulator *accumulator, size_t measure,
                              const char *what, struct table *table)
{
    accumulator_sum whole = 0, most = 0;
    size_t count = 0;
    for (size_t i = 0; i < accumulator->group_count; i++) {
        accumulator_sum total =
            accumulator_total(accumulator, accumulator->groups[i], measure);
        whole += total;
        most = total > most ? total : most;
        count += total > 0;
    }
    if (count < 2)
        return;
    double mean = (double)whole / (double)count;
    table_add_note(table, "%s over %zu %s: the busiest has %.1f times the mean",
                   accumulator->sel->measures[measure].name, count, what,
                   (double)most / mean);
}

static void note_imbalance(const struct accumulator *accumulator, const char *what,
                           struct table *table)
{
    for (size_t m = 0; m < accumulator->sel->measure_count; m++)
        note_imbalance_of(accumulator, m, what, table);
}

static int write_groups(struct page *page, enum query_job_part part, const char *what,
                        struct table *table)
{
    struct result_extent extent = { .first_ms = T_NONE,
                                    .latest_ms = page->sels[part].to_ms };
    page->sels[part].limit = PART_ROWS;
    page->sels[part].has_ops = true; /* totals beside the rates */
    int rc = result_top(page->accumulators[part], &extent, table);
    if (rc < 0)
        return rc;
    /* The page's notes stand once, with the summary. */
    table->note_count = 0;
    if (page->accumulators[part]->group_count > PART_ROWS)
        table_add_note(table, "the %d busiest of %zu %s", PART_ROWS,
                       page->accumulators[part]->group_count, what);
    note_imbalance(page->accumulators[part], what, table);
    return table_error(table);
}

int query_job(const struct query_ctx *ctx, struct selection *sel, struct table *parts,
              struct err *err)
{
    struct records_extent extent;
    int64_t from_ms = 0, to_ms = 0;
    if (!ctx->history)
        return err_set(err, EINVAL, "there is no database to read");
    if (sel->has_by || sel->has_ops || sel->step_ms || sel->density)
        return err_set(err, EINVAL, "by, op, step and density are for rates");
    int rc = ctx->history->extent(ctx->history->arg, &extent, err);
    if (rc < 0)
        return rc;
    if (extent.last_ms == T_NONE)
        return err_set(err, ENOENT, "nothing was ever observed");
    rc = user_names_resolve(ctx->history, sel, &parts[QUERY_JOB_SUMMARY], err);
    if (rc < 0)
        return rc;
    rc = find_activity(ctx, sel, &extent, &from_ms, &to_ms, err);
    if (rc < 0)
        return rc;
    AUTO(page_done) struct page page = { 0 };
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        selection_init(&page.sels[i], sel->now_ms);
    rc = fill_page(ctx, sel, from_ms, to_ms, &page, err);
    if (rc < 0)
        return rc;
    struct result_extent known = { extent.first_ms, extent.last_ms, false };
    write_summary(page.accumulators[QUERY_JOB_SUMMARY], &parts[QUERY_JOB_SUMMARY]);
    result_add_notes(page.accumulators[QUERY_JOB_OPERATIONS], &known,
                     &parts[QUERY_JOB_SUMMARY]);
    write_operations(page.accumulators[QUERY_JOB_OPERATIONS],
                     &parts[QUERY_JOB_OPERATIONS]);
    rc = write_groups(&page, QUERY_JOB_TARGETS, "targets", &parts[QUERY_JOB_TARGETS]);
    if (rc == 0)
        rc = write_groups(&page, QUERY_JOB_NODES, "nodes", &parts[QUERY_JOB_NODES]);
    user_names_add(ctx->history, to_ms, &parts[QUERY_JOB_SUMMARY]);
    for (int i = 0; rc == 0 && i < QUERY_JOB_PART_COUNT; i++)
        rc = table_error(&parts[i]);
    return rc;
}
