/* SPDX-License-Identifier: Apache-2.0 */
/* result - a finished accumulator as a table, with what a reader must know about it. */
#include "query/counters/result.h"

#include "base/number.h"
#include "base/timetext.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- ranking ---- */

struct ranked {
    struct accumulator_group *group;
    double share; /* of the whole, 0..1: the greatest over the measures */
};

struct ranking {
    struct ranked *items; /* groups with anything in the window, the biggest first */
    size_t count;
    accumulator_sum *whole; /* [measure]: over all groups */
};

static void ranking_done(struct ranking *r)
{
    free(r->items);
    free(r->whole);
}
DEFINE_AUTO_DONE(struct ranking, ranking_done);

static bool group_is_seen(const struct accumulator *accumulator,
                          const struct accumulator_group *group)
{
    if (group->is_unbounded)
        return true;
    for (size_t i = 0; i < accumulator->sel->measure_count; i++)
        if (group->unknown[i] || accumulator_total(accumulator, group, i))
            return true;
    return false;
}

static int compare_texts(struct span a, struct span b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size ? memcmp(a.data, b.data, size) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

/* By share, then by name, so that the order does not depend on where rows came from. */
static int compare_ranked(const void *a, const void *b, void *arg)
{
    const struct ranked *x = a, *y = b;
    const struct accumulator *accumulator = arg;
    if (x->share != y->share)
        return x->share < y->share ? 1 : -1;
    for (size_t i = 0; i < accumulator->sel->by_count; i++) {
        int order = compare_texts(accumulator_text(accumulator, x->group->key[i]),
                                  accumulator_text(accumulator, y->group->key[i]));
        if (order)
            return order;
    }
    return 0;
}

static double share_of(const struct accumulator *accumulator,
                       const struct accumulator_group *group,
                       const accumulator_sum *whole)
{
    double most = 0;
    for (size_t i = 0; i < accumulator->sel->measure_count; i++) {
        if (!whole[i])
            continue;
        double share =
            (double)accumulator_total(accumulator, group, i) / (double)whole[i];
        if (share > most)
            most = share;
    }
    return most;
}

static int rank(const struct accumulator *accumulator, struct ranking *ret)
{
    size_t measures = accumulator->sel->measure_count;
    AUTO(ranking_done) struct ranking r = { 0 };
    r.items = calloc(accumulator->group_count + 1, sizeof *r.items);
    r.whole = calloc(measures + 1, sizeof *r.whole);
    if (!r.items || !r.whole)
        return -ENOMEM;
    for (size_t i = 0; i < accumulator->group_count; i++) {
        struct accumulator_group *group = accumulator->groups[i];
        if (!group_is_seen(accumulator, group))
            continue;
        r.items[r.count++].group = group;
        for (size_t m = 0; m < measures; m++)
            r.whole[m] += accumulator_total(accumulator, group, m);
    }
    for (size_t i = 0; i < r.count; i++)
        r.items[i].share = share_of(accumulator, r.items[i].group, r.whole);
    struct accumulator unchanged = *accumulator; /* qsort_r takes no const */
    qsort_r(r.items, r.count, sizeof *r.items, compare_ranked, &unchanged);
    ret->count = r.count;
    ret->items = TAKE(r.items);
    ret->whole = TAKE(r.whole);
    return 0;
}

/* ---- cells ---- */

uint64_t result_total(accumulator_sum sum)
{
    return sum > UINT64_MAX ? UINT64_MAX : (uint64_t)sum;
}

void result_set_at_most(struct table *table, size_t column,
                        const struct accumulator_group *group, accumulator_sum sum,
                        size_t measure)
{
    sum += group->unknown[measure];
    if (!group->is_unbounded && sum <= UINT64_MAX)
        table_set_u64(table, column, (uint64_t)sum);
}

static double rate_of(accumulator_sum sum, int64_t from_ms, int64_t to_ms)
{
    return (double)((long double)sum * MS_PER_S / (long double)(to_ms - from_ms));
}

static void add_keys(const struct accumulator *accumulator, struct table *table)
{
    for (size_t i = 0; i < accumulator->sel->by_count; i++)
        table_add_column(table, dim_name(accumulator->sel->by[i]), TABLE_TEXT, "");
}

static size_t set_keys(const struct accumulator *accumulator,
                       const struct accumulator_group *group, size_t column,
                       struct table *table)
{
    for (size_t i = 0; i < accumulator->sel->by_count; i++, column++) {
        struct span text = accumulator_text(accumulator, group->key[i]);
        if (text.data)
            table_set_text(table, column, text);
    }
    return column;
}

static bool is_grouped_by(const struct selection *sel, enum dim dim)
{
    for (size_t i = 0; i < sel->by_count; i++)
        if (sel->by[i] == dim)
            return true;
    return false;
}

static void add_named(struct table *table, const struct measure *m, const char *suffix,
                      enum table_type type, const char *unit)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%s%s", m->name, suffix);
    table_add_column(table, name, type, unit);
}

void result_trend(const struct accumulator *accumulator,
                  const struct accumulator_group *group, size_t measure, char *out,
                  size_t size)
{
    size_t measures = accumulator->sel->measure_count;
    accumulator_sum most = 0;
    for (size_t s = 0; s < accumulator->step_count; s++)
        if (group->sums[s * measures + measure] > most)
            most = group->sums[s * measures + measure];
    size_t n = 0;
    for (size_t s = 0; s < accumulator->step_count && n + 1 < size; s++) {
        accumulator_sum sum = group->sums[s * measures + measure];
        /* Rounded up, so that little is told from nothing. */
        unsigned level =
            sum ? (unsigned)ceill((long double)sum * 8 / (long double)most) : 0;
        out[n++] = (char)('0' + (level > 8 ? 8 : level));
    }
    out[n] = '\0';
}

/* ---- notes ---- */

/* Older than this, "now" is a word that misleads. */
#define STALE_MS INT64_C(600000)

static void note_age(const struct accumulator *accumulator,
                     const struct result_extent *extent, struct table *table)
{
    char at[TIMETEXT_SIZE], age[32];
    const struct selection *sel = accumulator->sel;
    (void)timetext_print(at, extent->latest_ms * NS_PER_MS);
    if (extent->latest_ms < sel->to_ms) {
        table_add_note(
            table, "the newest observation is of %s: what came after is not in it", at);
    } else if (extent->latest_ms == sel->to_ms &&
               sel->now_ms - extent->latest_ms > STALE_MS) {
        int64_t age_ms = (sel->now_ms - extent->latest_ms) / 60000 * 60000;
        number_print_duration(age, sizeof age, age_ms * NS_PER_MS);
        table_add_note(table, "nothing was observed for %s: this is of %s, not of now",
                       age, at);
    }
}

static void note_window(const struct accumulator *accumulator,
                        const struct result_extent *extent, struct table *table)
{
    char from[TIMETEXT_SIZE], to[TIMETEXT_SIZE], at[TIMETEXT_SIZE];
    const struct selection *sel = accumulator->sel;
    (void)timetext_print(from, sel->from_ms * NS_PER_MS);
    (void)timetext_print(to, sel->to_ms * NS_PER_MS);
    table_add_note(table, "window %s to %s%s", from, to,
                   extent->is_live ? ", answered from memory" : "");
    if (extent->latest_ms == T_NONE) {
        table_add_note(table, "nothing was ever observed");
        return;
    }
    note_age(accumulator, extent, table);
    /* The first rows tell of the time before them as far as their increments reach. */
    bool is_told = accumulator->notes.last_ms != T_NONE &&
                   accumulator->notes.first_ms <= sel->from_ms;
    if (extent->first_ms != T_NONE && extent->first_ms > sel->from_ms && !is_told) {
        (void)timetext_print(at, extent->first_ms * NS_PER_MS);
        table_add_note(
            table, "nothing is kept from before %s; rates are over the whole window",
            at);
    }
}

/* One sentence for each kind of increment that was guessed or lost. */
static const struct {
    unsigned flag;
    const char *text;
} flag_notes[] = {
    { INCREMENT_UNKNOWN,
      "beginnings are not known: what was done before the first reading is not in the "
      "totals" },
    { INCREMENT_INTERPOLATED,
      "readings follow lost ones: their increments are spread evenly over the gap" },
    { INCREMENT_LOST_TAIL,
      "lives ended, or may have ended, unseen between two readings: the totals are at "
      "least what they say" },
    { INCREMENT_HIDDEN_RESET, "resets were found by start time or server" },
    { INCREMENT_DECREASED, "readings went backwards and were taken for resets" },
    { INCREMENT_USECS_BACK,
      "sums of time went backwards and were taken for no increase" },
    { INCREMENT_MISSING, "readings lack a counter that their neighbour has" },
};

/* A saturated total is less than the truth, and no upper bound is. */
static void note_saturated(const struct accumulator *accumulator, struct table *table)
{
    size_t count = 0;
    for (size_t i = 0; i < accumulator->group_count; i++)
        for (size_t m = 0; m < accumulator->sel->measure_count; m++)
            count +=
                accumulator_total(accumulator, accumulator->groups[i], m) > UINT64_MAX;
    if (count)
        table_add_note(table,
                       "%zu totals are more than 64 bits hold: they are at least "
                       "18446744073709551615",
                       count);
}

void result_add_notes(const struct accumulator *accumulator,
                      const struct result_extent *extent, struct table *ret)
{
    note_window(accumulator, extent, ret);
    for (size_t i = 0; i < COUNT_OF(flag_notes); i++) {
        int bit = __builtin_ctz(flag_notes[i].flag);
        uint64_t count = accumulator->notes.flags[bit];
        if (count)
            table_add_note(ret, "%" PRIu64 " %s", count, flag_notes[i].text);
    }
    if (accumulator->notes.spread)
        table_add_note(ret,
                       "%" PRIu64 " increments of more than five minutes reach over an "
                       "edge of the window or of a step: they are spread evenly",
                       accumulator->notes.spread);
    note_saturated(accumulator, ret);
}

static void note_cut(const struct ranking *r, size_t shown, struct table *table)
{
    if (shown >= r->count)
        return;
    table_add_note(table, "%zu of %zu shown; a higher limit shows more", shown,
                   r->count);
}

/* An empty cell of a name is no fault: say why, once for each column. */
static void note_nameless(const struct accumulator *accumulator,
                          const struct ranking *r, size_t shown, struct table *table)
{
    for (size_t k = 0; k < accumulator->sel->by_count; k++)
        for (size_t i = 0; i < shown; i++) {
            if (accumulator_text(accumulator, r->items[i].group->key[k]).data)
                continue;
            const char *dim = dim_name(accumulator->sel->by[k]);
            table_add_note(table, "a row without %s is of entries that do not say it",
                           dim);
            break;
        }
}

/* ---- top ---- */

struct top_columns {
    size_t user, first_measure, share, since, cut, jobs, targets, nodes, trend;
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
    bool by_job = is_grouped_by(sel, DIM_JOB);
    add_keys(accumulator, table);
    c->user = add_column_if(table, by_job && !is_grouped_by(sel, DIM_USER), "user",
                            TABLE_TEXT);
    c->first_measure = table->column_count;
    if (sel->by_op) {
        table_add_column(table, "op", TABLE_TEXT, "");
        table_add_column(table, "unit", TABLE_TEXT, "");
        table_add_column(table, "rate", TABLE_DOUBLE, "");
        table_add_column(table, "total", TABLE_U64, "");
    }
    for (size_t i = 0; !sel->by_op && i < sel->measure_count; i++) {
        const struct measure *m = &sel->measures[i];
        add_named(table, m, "_rate", TABLE_DOUBLE, measure_rate_unit(m));
        if (sel->has_ops)
            add_named(table, m, "", TABLE_U64, m->unit);
    }
    table_add_column(table, "share", TABLE_DOUBLE, "%");
    c->share = table->column_count - 1;
    c->since = add_column_if(table, sel->lookback_ms > 0, "since", TABLE_TIME);
    c->cut = add_column_if(table, sel->lookback_ms > 0, "since_is_cut", TABLE_BOOL);
    c->jobs = add_column_if(table, !by_job, "jobs", TABLE_U64);
    c->targets =
        add_column_if(table, !is_grouped_by(sel, DIM_TARGET), "targets", TABLE_U64);
    c->nodes = add_column_if(table, !is_grouped_by(sel, DIM_NODE), "nodes", TABLE_U64);
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
        table_set_double(table, column++, rate_of(total, sel->from_ms, sel->to_ms));
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
    table_set_double(table, column++, rate_of(total, sel->from_ms, sel->to_ms));
    table_set_u64(table, column, result_total(total));
}

/* What the row tells: all measures, or the one that a row of by=op is about. */
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
    (void)set_keys(accumulator, group, 0, table);
    struct span user = accumulator_text(accumulator, group->sample[DIM_USER]);
    if (c->user != NO_COLUMN && user.data && group->distinct[DIM_USER] == 1)
        table_set_text(table, c->user, user);
    if (accumulator->sel->by_op)
        set_op(accumulator, group, row->measure, c->first_measure, table);
    else
        set_measures(accumulator, group, c->first_measure, table);
    table_set_double(table, c->share, row->share * 100);
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
    int rc = rank(accumulator, &r);
    if (rc < 0)
        return rc;
    /* Of whom nothing is known but that more may be missing is no answer to "who". */
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
    note_nameless(accumulator, &r, shown, ret);
    if (r.count == 0 && extent->latest_ms != T_NONE)
        table_add_note(ret, "nothing that was asked for moved in this window");
    note_cut(&r, shown, ret);
    return table_error(ret);
}

/* ---- rates ---- */

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
    add_keys(accumulator, table);
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
        add_named(table, m, "", TABLE_U64, m->unit);
        add_named(table, m, "_rate", TABLE_DOUBLE, measure_rate_unit(m));
        if (has_bounds)
            add_named(table, m, "_at_most", TABLE_U64, m->unit);
    }
}

/* Was nothing observed in the step, so that nobody knows what happened there?  What
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
        rate_of(sum, selection_step_from(sel, step), selection_step_to(sel, step)));
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
    return set_keys(accumulator, group, 2, table);
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
        int decade = (int)floor(log10(rate_of(sum, from_ms, to_ms))) - DECADE_LEAST;
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
    add_named(table, m, "", TABLE_U64, m->unit);
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
    int rc = rank(accumulator, &r);
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
        note_nameless(accumulator, &r, shown, ret);
    note_cut(&r, shown, ret);
    return table_error(ret);
}
