/* SPDX-License-Identifier: Apache-2.0 */
/* node_table - nodes that differ from comparable ones, as a table. */
#include "report/unusual/node_table.h"

#include "base/figure.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <inttypes.h>
#include <math.h>

enum {
    NODE,
    PROBLEM,
    METRIC,
    VALUE,
    MEDIAN,
    UNIT,
    DEVIATIONS,
    SINCE,
    UNTIL,
    OUT,
    WINDOWS,
    OTHERS,
    JOB,
    CHANCE,
    COLUMN_COUNT,
};

static void node_columns_add(struct table *t)
{
    static const struct {
        const char *name;
        enum table_type type;
    } columns[COLUMN_COUNT] = {
        [NODE] = { "node", TABLE_TEXT },
        [PROBLEM] = { "problem", TABLE_TEXT },
        [METRIC] = { "metric", TABLE_TEXT },
        [VALUE] = { "value", TABLE_DOUBLE },
        [MEDIAN] = { "median", TABLE_DOUBLE },
        [UNIT] = { "unit", TABLE_TEXT },
        [DEVIATIONS] = { "deviations", TABLE_DOUBLE },
        [SINCE] = { "since", TABLE_TIME },
        [UNTIL] = { "until", TABLE_TIME },
        [OUT] = { "out", TABLE_U64 },
        [WINDOWS] = { "windows", TABLE_U64 },
        [OTHERS] = { "others", TABLE_U64 },
        [JOB] = { "job", TABLE_TEXT },
        [CHANCE] = { "chance", TABLE_DOUBLE },
    };
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        table_add_column(t, columns[i].name, columns[i].type, "");
}

static void double_set(struct table *t, size_t column, double value)
{
    if (isfinite(value))
        table_set_double(t, column, value);
}

static void row_add(const struct node_table_opts *opts, const struct node_finding *f,
                    struct table *t)
{
    table_add_row(t);
    table_set_text(t, NODE, span_of(opts->check->hosts[f->host].name));
    table_set_text(t, PROBLEM, span_of(node_problem_name(f->problem)));
    if (f->metric)
        table_set_text(t, METRIC, span_of(f->metric));
    double_set(t, VALUE, f->value);
    double_set(t, MEDIAN, f->median);
    if (f->unit && f->unit[0] && isfinite(f->value))
        table_set_text(t, UNIT, span_of(f->unit));
    double_set(t, DEVIATIONS, f->deviations);
    if (f->since_ns != INT64_MIN)
        table_set_i64(t, SINCE, f->since_ns / NS_PER_MS);
    if (f->is_over)
        table_set_i64(t, UNTIL, f->until_ns / NS_PER_MS);
    if (f->windows > 0) {
        table_set_u64(t, OUT, f->out);
        table_set_u64(t, WINDOWS, f->windows);
    }
    if (f->others > 0)
        table_set_u64(t, OTHERS, f->others);
    if (f->job < opts->job_count)
        table_set_text(t, JOB, span_of(opts->jobs[f->job]));
    double_set(t, CHANCE, f->chance);
}

static void compared_note(const struct node_table_opts *opts, struct table *t)
{
    const struct node_results *r = opts->results;
    const struct node_check_opts *check = opts->check;
    char window[FIGURE_SIZE];
    figure_print_duration(window, sizeof window, check->window_ns);
    if (r->comparisons > 0)
        table_add_note(t,
                       "%zu nodes, %zu metrics, %zu windows of %s: %" PRIu64
                       " comparisons; low and high are what chance would produce in "
                       "fewer than %g windows of all these (less than %.1g in each)",
                       r->compared, r->metrics, check->window_count, window,
                       r->comparisons, NODE_CHANCE_MAX, r->chance_each);
    if (r->compared < r->selected)
        table_add_note(t,
                       "%zu nodes are compared with no others: fewer than %d of their "
                       "kind sent values at the same time",
                       r->selected - r->compared, NODE_OTHERS_MIN + 1);
}

static void silence_notes(const struct node_table_opts *opts, struct table *t)
{
    const struct node_results *r = opts->results;
    const struct node_check_opts *check = opts->check;
    int64_t to_ns = check->from_ns + (int64_t)check->window_count * check->window_ns;
    char text[TIMETEXT_SIZE];
    if (r->unknown > 0)
        table_add_note(t, "%zu nodes are known by name, and have no samples in memory",
                       r->unknown);
    if (r->newest_ns == INT64_MIN || to_ns - r->newest_ns <= 2 * check->window_ns)
        return;
    text[timetext_print(text, r->newest_ns / NS_PER_S * NS_PER_S)] = '\0';
    table_add_note(t, "no node has sent anything since %s", text);
}

void node_table_make(const struct node_table_opts *opts, struct table *ret)
{
    const struct node_results *r = opts->results;
    size_t rows = opts->limit > 0 && opts->limit < r->count ? opts->limit : r->count;
    bool is_longer = false;
    node_columns_add(ret);
    for (size_t i = 0; i < rows; i++) {
        row_add(opts, &r->findings[i], ret);
        is_longer |= r->findings[i].is_longer;
    }
    table_add_note(ret, "%zu of %zu nodes stand out, %zu of them silent", r->found,
                   r->selected, r->silent);
    if (rows < r->count)
        table_add_note(ret, "%zu more findings: see --limit", r->count - rows);
    compared_note(opts, ret);
    silence_notes(opts, ret);
    if (is_longer)
        table_add_note(ret, "since the range's beginning: maybe for longer");
    if (opts->is_jobs_cut)
        table_add_note(ret, "there were more jobs than are read here: some nodes "
                            "are compared as if they had none");
}
