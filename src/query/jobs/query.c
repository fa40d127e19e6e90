/* SPDX-License-Identifier: Apache-2.0 */
/* query - the queries about jobstats: what the commands and the routes both call. */
#include "query/jobs/query.h"

#include "base/number.h"
#include "base/span.h"
#include "query/jobs/unknown_names.h"
#include "query/jobs/user_names.h"

#define MINUTE_MS INT64_C(60000)
#define HOUR_MS (60 * MINUTE_MS)
#define TOP_STEPS 10

/* ---- where the result comes from ---- */

/* Hours are stored for longer than rows. */
static int64_t first_stored(const struct records_extent *extent)
{
    int64_t hour_ms = extent->rollup_first_ms;
    bool is_before = extent->first_ms != T_NONE && hour_ms != T_NONE &&
                     hour_ms < rollup_hour_of(extent->first_ms);
    return is_before ? hour_ms : extent->first_ms;
}

static int get_extent(const struct query_ctx *ctx, struct result_extent *ret,
                      struct err *err)
{
    *ret = (struct result_extent){ .first_ms = T_NONE, .latest_ms = T_NONE };
    if (ctx->live)
        ret->latest_ms = live_latest_ms(ctx->live);
    if (!ctx->history || ret->latest_ms != T_NONE)
        return 0;
    struct records_extent extent;
    int rc = ctx->history->extent(ctx->history->arg, &extent, err);
    if (rc < 0)
        return rc;
    ret->first_ms = first_stored(&extent);
    ret->latest_ms = extent.last_ms;
    return 0;
}

static int try_live(const struct query_ctx *ctx, const struct selection *sel,
                    struct accumulator **ret, struct err *err)
{
    if (!ctx->live)
        return -ERANGE;
    AUTO(accumulator_free) struct accumulator *accumulator = NULL;
    int rc = accumulator_new(sel, &accumulator, err);
    if (rc == 0)
        rc = live_accumulate(ctx->live, ctx->history, sel, accumulator, err);
    if (rc == 0)
        rc = accumulator_finish(accumulator, err);
    if (rc == 0)
        *ret = TAKE(accumulator);
    return rc;
}

/* A rate is over its whole window, also where observation began within it: that must be
 * said.  Memory does not know when it began, the database does; it is read only when
 * nothing that was added up reaches back to the window's beginning.  A database that is
 * away costs the note, not the result. */
static void find_first(const struct query_ctx *ctx,
                       const struct accumulator *accumulator,
                       struct result_extent *extent)
{
    const struct accumulator_notes *notes = &accumulator->notes;
    bool is_known = notes->last_ms != T_NONE &&
                    notes->first_ms <= selection_rated_from_ms(accumulator->sel);
    if (is_known || !ctx->history || extent->first_ms != T_NONE)
        return;
    struct records_extent stored;
    if (ctx->history->extent(ctx->history->arg, &stored, NULL) == 0)
        extent->first_ms = first_stored(&stored);
}

/* A long window: hours, and behind them what memory has of rows. */
static int try_both(const struct query_ctx *ctx, const struct selection *sel,
                    struct accumulator **ret, struct err *err)
{
    struct live_newest newest;
    struct history_memory memory = { .cells = ctx->cells };
    AUTO(accumulator_free) struct accumulator *accumulator = NULL;
    int rc = accumulator_new(sel, &accumulator, err);
    if (rc == 0 && ctx->live && live_stored_from_ms(ctx->live) != T_NONE) {
        rc = live_newest_begin(ctx->live, ctx->history, sel, &newest, err);
        memory.newest = &newest.newest;
    }
    if (rc == 0)
        rc = history_accumulate_with(ctx->history, &memory, sel, accumulator, err);
    if (rc == 0)
        rc = accumulator_finish(accumulator, err);
    if (rc == 0)
        *ret = TAKE(accumulator);
    return rc;
}

/* Add up a settled selection, from memory where it reaches far enough. */
static int add_up(const struct query_ctx *ctx, const struct selection *sel,
                  struct result_extent *extent, struct accumulator **ret,
                  struct err *err)
{
    int rc = try_live(ctx, sel, ret, err);
    extent->is_live = rc == 0;
    if ((rc != -ERANGE && rc != -EAGAIN) || !ctx->history)
        return rc;
    rc = try_both(ctx, sel, ret, err);
    if (rc != -EAGAIN)
        return rc;
    AUTO(accumulator_free) struct accumulator *accumulator = NULL;
    rc = accumulator_new(sel, &accumulator, err);
    if (rc == 0)
        rc = history_accumulate(ctx->history, sel, &accumulator, 1, err);
    if (rc == 0)
        rc = accumulator_finish(accumulator, err);
    if (rc == 0)
        *ret = TAKE(accumulator);
    return rc;
}

/* ---- right now ---- */

static int find_rounds(const struct query_ctx *ctx, int64_t latest_ms,
                       struct rounds *rounds, struct err *err)
{
    if (ctx->round) {
        rounds->is_whole = true;
        return rounds_add(rounds, SPAN(""), ctx->round);
    }
    int rc = 0;
    if (ctx->live && live_stored_from_ms(ctx->live) != T_NONE)
        rc = live_add_rounds(ctx->live, rounds);
    if (rc < 0 || rounds->count || !ctx->history || latest_ms == T_NONE)
        return rc;
    return history_add_rounds(ctx->history, latest_ms, rounds, err);
}

/* How many rounds the trend may show: where memory holds the window, as many as it
 * holds. */
static int64_t steps_in_memory(const struct query_ctx *ctx, const struct selection *sel)
{
    int64_t from_ms = ctx->live ? live_stored_from_ms(ctx->live) : T_NONE;
    int64_t steps = (sel->to_ms - sel->from_ms) / sel->rated_ms;
    if (from_ms != T_NONE && from_ms > sel->from_ms &&
        from_ms <= selection_rated_from_ms(sel))
        steps = (sel->to_ms - from_ms) / sel->rated_ms;
    return steps > 0 ? steps : 1;
}

/* The window is the last round of all servers, where rows show when they were read. */
static int settle_rounds(const struct query_ctx *ctx, struct selection *sel,
                         int64_t latest_ms, struct rounds *rounds, struct table *table,
                         struct err *err)
{
    if (sel->from_ms != T_NONE || sel->to_ms != T_NONE || sel->last_ms)
        return 0;
    int rc = find_rounds(ctx, latest_ms, rounds, err);
    if (rc == 0 && rounds_settle(rounds, sel, TOP_STEPS))
        sel->from_ms = sel->to_ms - steps_in_memory(ctx, sel) * sel->rated_ms;
    else if (rc == 0 && latest_ms != T_NONE)
        table_add_note(table, "rows do not show when servers were read last: the "
                              "window is the default's");
    return rc;
}

/* Rates have steps of their own. */
static int settle_last_round(const struct query_ctx *ctx, struct selection *sel,
                             int64_t latest_ms, struct rounds *rounds,
                             struct table *table, struct err *err)
{
    int64_t step_ms = sel->step_ms;
    if (!sel->last_is_rounds)
        return 0;
    int rc = settle_rounds(ctx, sel, latest_ms, rounds, table, err);
    if (rc < 0 || !sel->rated_ms)
        return rc;
    sel->from_ms = selection_rated_from_ms(sel);
    sel->step_ms = step_ms;
    sel->rated_ms = 0;
    sel->last_is_rounds = false; /* it is this window now */
    return 0;
}

/* ---- sums ---- */

int query_latest(const struct query_ctx *ctx, int64_t *ret_ms, struct err *err)
{
    struct result_extent extent;
    int rc = get_extent(ctx, &extent, err);
    if (rc == 0)
        *ret_ms = extent.latest_ms;
    return rc;
}

int query_last_round(const struct query_ctx *ctx, int64_t now_ms, int64_t *ret_end_ms,
                     int64_t *ret_length_ms, struct err *err)
{
    AUTO(rounds_done) struct rounds rounds = { 0 };
    AUTO(selection_done) struct selection sel;
    int64_t latest_ms = T_NONE;
    selection_init(&sel, now_ms);
    int rc = query_latest(ctx, &latest_ms, err);
    if (rc == 0)
        rc = find_rounds(ctx, latest_ms, &rounds, err);
    if (rc < 0)
        return rc;
    bool is_known = rounds_settle(&rounds, &sel, 1);
    *ret_end_ms = is_known ? sel.to_ms : latest_ms;
    *ret_length_ms = is_known ? sel.rated_ms : MINUTE_MS;
    return 0;
}

int query_sums(const struct query_ctx *ctx, const struct selection *sel,
               struct accumulator **ret, struct err *err)
{
    struct result_extent extent;
    return add_up(ctx, sel, &extent, ret, err);
}

/* ---- top, rates ---- */

static const struct selection_defaults top_defaults = {
    .ops = "write_bytes,read_bytes,metadata",
    .by = "job",
    .last_ms = 10 * MINUTE_MS,
    .lookback_ms = HOUR_MS,
    .limit = 20,
};

static const struct selection_defaults rates_defaults = {
    .ops = "write_bytes,read_bytes,metadata",
    .by = "",
    .last_ms = HOUR_MS,
};

/* Where memory holds the window but not the whole hour before it (it was short, or the
 * daemon is young), activity is followed as far as it goes: "before" says so. */
static void fit_lookback(const struct query_ctx *ctx, struct selection *sel)
{
    int64_t from_ms = ctx->live ? live_stored_from_ms(ctx->live) : T_NONE;
    if (from_ms != T_NONE && from_ms <= sel->from_ms &&
        from_ms > sel->to_ms - sel->lookback_ms)
        sel->lookback_ms = sel->to_ms - from_ms;
}

/* Who found something has no wrong name. */
static void note_names(const struct query_ctx *ctx,
                       const struct accumulator *accumulator, struct table *ret)
{
    if (accumulator->notes.series == 0 && ctx->history)
        unknown_names_note(ctx->history, accumulator->sel, ret);
}

int query_top(const struct query_ctx *ctx, struct selection *sel, struct table *ret,
              struct err *err)
{
    struct result_extent extent;
    AUTO(accumulator_free) struct accumulator *accumulator = NULL;
    AUTO(rounds_done) struct rounds rounds = { 0 };
    struct selection_defaults defaults = top_defaults;
    if (sel->by_op)
        defaults.ops = "all";
    if (sel->step_ms || sel->density)
        return err_set(err, EINVAL, "step and density are for rates, not for top");
    int rc = get_extent(ctx, &extent, err);
    if (rc == 0)
        rc = settle_rounds(ctx, sel, extent.latest_ms, &rounds, ret, err);
    if (rc == 0)
        rc = selection_settle(sel, &defaults, extent.latest_ms, err);
    if (rc == 0)
        rc = user_names_resolve(ctx->history, sel, ret, err);
    if (rc < 0)
        return rc;
    if (!sel->rated_ms)
        selection_cut(sel, TOP_STEPS);
    fit_lookback(ctx, sel);
    rc = add_up(ctx, sel, &extent, &accumulator, err);
    if (rc < 0)
        return rc;
    find_first(ctx, accumulator, &extent);
    rc = result_top(accumulator, &extent, ret);
    rounds_note_late(&rounds, ret);
    note_names(ctx, accumulator, ret);
    user_names_add(ctx->history, sel->to_ms, ret);
    return rc < 0 ? rc : table_error(ret);
}

int query_rates(const struct query_ctx *ctx, struct selection *sel, struct table *ret,
                struct err *err)
{
    struct result_extent extent;
    AUTO(accumulator_free) struct accumulator *accumulator = NULL;
    AUTO(rounds_done) struct rounds rounds = { 0 };
    struct selection_defaults defaults = rates_defaults;
    if (sel->by_op)
        defaults.ops = "all";
    if (sel->density)
        defaults.by = "job";
    int rc = get_extent(ctx, &extent, err);
    if (rc == 0)
        rc = settle_last_round(ctx, sel, extent.latest_ms, &rounds, ret, err);
    if (rc == 0)
        rc = selection_settle(sel, &defaults, extent.latest_ms, err);
    if (rc == 0)
        rc = user_names_resolve(ctx->history, sel, ret, err);
    if (rc == 0)
        rc = add_up(ctx, sel, &extent, &accumulator, err);
    if (rc < 0)
        return rc;
    find_first(ctx, accumulator, &extent);
    rc = result_rates(accumulator, &extent, ret);
    rounds_note_late(&rounds, ret);
    note_names(ctx, accumulator, ret);
    user_names_add(ctx->history, sel->to_ms, ret);
    return rc < 0 ? rc : table_error(ret);
}

/* ---- series ---- */

enum { SERIES_LIMIT = 1000 };

static const char *const series_columns[] = {
    "id",   "fs",    "target", "kind",       "entry",     "format", "job",
    "user", "group", "node",   "executable", "processes", "flags",
};

struct listing {
    struct table *table;
    struct strbuf *text;
    struct budget_meter meter;
};

static void set_text(struct table *table, size_t column, struct span text)
{
    if (text.data)
        table_set_text(table, column, text);
}

static void set_flags(struct table *table, size_t column, const struct series *series,
                      struct strbuf *text)
{
    strbuf_clear(text);
    for (unsigned flag = 1; flag <= SPLIT_MAYBE_REPLACED; flag <<= 1)
        if (series->flags & flag)
            strbuf_addf(text, "%s%s", text->size ? " " : "",
                        entry_split_flag_name(flag));
    if (series->is_login)
        strbuf_addf(text, "%slogin", text->size ? " " : "");
    table_set_text(table, column, strbuf_span(text));
}

static int list_series(void *arg, const struct series *series)
{
    struct listing *listing = arg;
    struct table *table = listing->table;
    char id[UUID_TEXT_SIZE];
    uuid_print(id, &series->id);
    table_add_row(table);
    table_set_text(table, 0, span_of(id));
    set_text(table, 1, series->fs);
    set_text(table, 2, series->target);
    table_set_text(table, 3, span_of(target_kind_name(series->kind)));
    strbuf_clear(listing->text);
    entry_id_print(listing->text, series->entry_id);
    table_set_text(table, 4, strbuf_span(listing->text));
    const struct span texts[] = { series->format, series->job,  series->user,
                                  series->group,  series->node, series->executable,
                                  series->pid };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        set_text(table, 5 + i, texts[i]);
    set_flags(table, 5 + COUNT_OF(texts), series, listing->text);
    int rc = table_error(table);
    return rc < 0 ? rc : budget_meter_follow(&listing->meter, table_bytes(table));
}

int query_series(const struct query_ctx *ctx, struct selection *sel, struct table *ret,
                 struct err *err)
{
    if (!ctx->history)
        return err_set(err, EINVAL, "there is no database to list series from");
    if (sel->limit == 0)
        sel->limit = SERIES_LIMIT;
    int rc = user_names_resolve(ctx->history, sel, ret, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < COUNT_OF(series_columns); i++)
        table_add_column(ret, series_columns[i], TABLE_TEXT, "");
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    /* The table stays charged: it is the response. */
    struct listing listing = { ret, &text, { .hold = sel->hold } };
    struct series_filter filter = sel->filter;
    filter.limit = sel->limit + 1;
    rc = ctx->history->find_series(ctx->history->arg, &filter, list_series, &listing,
                                   err);
    if (rc < 0)
        return rc;
    if (ret->row_count == 0 && !selection_is_open(sel))
        table_add_note(ret, "no series fits what was selected; without a filter all "
                            "are listed");
    if (ret->row_count > sel->limit) {
        ret->row_count = sel->limit;
        table_add_note(ret,
                       "only the first %zu are shown: narrow the filter, or raise "
                       "the limit",
                       sel->limit);
    }
    user_names_add(ctx->history, sel->now_ms, ret);
    return table_error(ret);
}
