/* SPDX-License-Identifier: Apache-2.0 */
/* barod_slice - a measure of a piece of time, out of a barod's metric store.
 *
 *     asked for    [ gap )[      the piece      )[ gap )
 *                   the reading before it          and behind it
 *
 * A piece needs no other: what was read shortly before and after it is asked for again.
 */
#include "base/span.h"
#include "source/lmt/answer.h"
#include "source/lmt/barod_private.h"
#include "source/lmt/readings.h"

#include <math.h>

/* One component's counter in a piece. */
struct first_reading {
    int64_t t_ms; /* INT64_MAX: none */
    double value;
    bool is_alive;   /* its target was read in the piece */
    bool was_before; /* it had been counting before the piece */
};

struct slicing {
    struct barod *b;
    const struct barod_source *source;
    const struct barod_columns *columns;
    struct lmt_grid *grid;
    enum barod_kind kind;
    int64_t offset_ms; /* from the server's time to the grid's */
    int64_t from_ms;   /* asked for, of the grid's time */
    /* Of the series being read. */
    size_t component; /* of firsts */
    int64_t shift_ms;
    struct lmt_readings readings;
    /* Of counters: which stands where. */
    struct hashmap known; /* path -> place in firsts + 1 */
    struct first_reading *firsts;
    size_t first_count;
    struct err *err;
};

static void slicing_done(struct slicing *s)
{
    hashmap_done(&s->known);
    free(s->firsts);
}
DEFINE_AUTO_DONE(struct slicing, slicing_done);

static const char *pattern_of(enum barod_class class)
{
    static const char *const patterns[] = {
        [BAROD_OST] = "*/*/ost:*",
        [BAROD_MDT] = "*/*/mdt:*",
        [BAROD_OSS] = "*/*",
        [BAROD_MDS] = "*/*",
    };
    return patterns[class];
}

/* A file system's name that no pattern can misread. */
static bool is_plain(const char *text)
{
    for (; *text; text++)
        if (strchr("*?[]\\", *text))
            return false;
    return true;
}

static void component_add(struct barod *b, enum barod_class class)
{
    char pattern[256];
    bool is_target = class == BAROD_OST || class == BAROD_MDT;
    if (!is_target || !b->fs || !is_plain(b->fs) ||
        snprintf(pattern, sizeof pattern, "*/*/%s:%s-*",
                 class == BAROD_OST ? "ost" : "mdt", b->fs) >= (int)sizeof pattern)
        (void)snprintf(pattern, sizeof pattern, "%s", pattern_of(class));
    barod_path_add(b, "component", pattern);
}

static int64_t floor_to(int64_t t, int64_t step)
{
    int64_t rest = t % step;
    return t - (rest < 0 ? rest + step : rest);
}

static int64_t end_s(const struct lmt_grid *grid)
{
    return grid->start_s + (int64_t)grid->row_count * grid->step_s;
}

/* Around the piece, on a time that samples have: what lies between two of them would be
 * moved to the nearest. */
static void window_add(struct slicing *s, int64_t around_s)
{
    struct barod *b = s->b;
    int64_t from_s = s->grid->start_s - b->opts.clock_offset_s - around_s;
    from_s = floor_to(from_s, b->align_s);
    barod_path_add_time(b, "from", from_s);
    barod_path_add_time(b, "to",
                        end_s(s->grid) - b->opts.clock_offset_s + around_s + 1);
    s->from_ms = (from_s + b->opts.clock_offset_s) * 1000;
}

static int64_t around_s(const struct slicing *s)
{
    int64_t step_s = s->grid->step_s > s->b->step_s ? s->grid->step_s : s->b->step_s;
    return s->kind == BAROD_COUNTER ? LMT_BAROD_GAP_STEPS * step_s : step_s;
}

static int ask(struct slicing *s, const char *metric,
               const struct lmt_answer_opts *opts)
{
    struct span body;
    barod_path_begin(s->b, "/v1/query");
    barod_path_add(s->b, "metric", metric);
    component_add(s->b, s->source->class);
    window_add(s, around_s(s));
    int rc = barod_get(s->b, &body, s->err);
    return rc < 0 ? rc : lmt_answer_read(body, opts, s->err);
}

static void on_fault(void *arg, const struct lmt_answer_series *series,
                     struct span text)
{
    AUTO(strbuf_done) struct strbuf note = STRBUF_INIT;
    const struct slicing *s = arg;
    strbuf_addf(&note, SPAN_FMT " " SPAN_FMT ": " SPAN_FMT, SPAN_ARG(series->component),
                SPAN_ARG(series->metric), SPAN_ARG(text));
    s->b->opts.note(s->b->opts.arg, strbuf_text(&note));
}

/* ---- gauges ---- */

static bool gauge_series(void *arg, const struct lmt_answer_series *series)
{
    struct slicing *s = arg;
    const uintptr_t *column = hashmap_get(&s->columns->components, series->component);
    if (!column)
        return false;
    s->readings.column = *column - 1;
    int64_t step_ms = series->step_ms > 0 ? series->step_ms : s->b->step_s * 1000;
    s->shift_ms = s->kind == BAROD_GAUGE_END ? step_ms : 0;
    return true;
}

static void gauge_value(void *arg, int64_t t_ms, double value)
{
    const struct slicing *s = arg;
    int64_t at_ms = floor_to(t_ms + s->offset_ms - s->shift_ms, 1000);
    int64_t row = lmt_grid_row(s->grid, at_ms / 1000);
    if (row >= 0)
        *lmt_grid_at(s->grid, (size_t)row, s->readings.column) = value;
}

static int gauge_read(struct slicing *s, const char *metric, struct lmt_grid *grid)
{
    const struct lmt_answer_opts opts = {
        .arg = s, .series = gauge_series, .value = gauge_value, .fault = on_fault
    };
    struct lmt_grid *before = s->grid;
    s->grid = grid;
    int rc = ask(s, metric, &opts);
    s->grid = before;
    return rc;
}

/* What two metrics say together. */
static int pair_read(struct slicing *s)
{
    struct lmt_grid *grid = s->grid;
    size_t cells = grid->row_count * grid->column_count;
    struct lmt_grid other = *grid; /* the same names and times, values of its own */
    AUTO_FREE double *values = calloc(cells + 1, sizeof *values);
    if (!values)
        return err_set(s->err, ENOMEM, "out of memory");
    for (size_t i = 0; i < cells; i++)
        values[i] = NAN;
    other.values = values;
    int rc = gauge_read(s, s->source->metric, grid);
    if (rc == 0)
        rc = gauge_read(s, s->source->other, &other);
    for (size_t i = 0; rc == 0 && i < cells; i++) {
        double less = grid->values[i] - values[i];
        grid->values[i] = s->source->kind == BAROD_LESS ? less
                          : grid->values[i] > 0         ? 100 * less / grid->values[i]
                                                        : NAN;
    }
    return rc;
}

/* ---- counters ---- */

static void readings_begin(struct slicing *s, size_t column, int64_t step_ms)
{
    int64_t longest_ms = s->grid->step_s * 1000;
    longest_ms = step_ms > longest_ms ? step_ms : longest_ms;
    s->readings = (struct lmt_readings){ .grid = s->grid,
                                         .column = column,
                                         .gap_ms = LMT_BAROD_GAP_STEPS * longest_ms };
}

static bool counter_series(void *arg, const struct lmt_answer_series *series)
{
    struct slicing *s = arg;
    const uintptr_t *column = hashmap_get(&s->columns->components, series->component);
    const uintptr_t *place = hashmap_get(&s->known, series->component);
    if (!column || !place)
        return false;
    s->component = *place - 1;
    readings_begin(s, *column - 1, series->step_ms);
    return true;
}

static void counter_value(void *arg, int64_t t_ms, double value)
{
    struct slicing *s = arg;
    struct first_reading *first = &s->firsts[s->component];
    if (first->t_ms == INT64_MAX)
        *first = (struct first_reading){ .t_ms = t_ms, .value = value };
    lmt_readings_put(&s->readings, t_ms + s->offset_ms, value);
}

static int firsts_make(struct slicing *s)
{
    size_t cursor = 0;
    struct span path;
    uintptr_t *column;
    s->firsts = calloc(s->columns->components.count + 1, sizeof *s->firsts);
    if (!s->firsts)
        return -ENOMEM;
    while (hashmap_next(&s->columns->components, &cursor, &path, &column)) {
        uintptr_t *place = hashmap_put(&s->known, path, NULL);
        if (!place)
            return -ENOMEM;
        s->firsts[s->first_count] = (struct first_reading){ .t_ms = INT64_MAX };
        *place = ++s->first_count;
    }
    return 0;
}

/* ---- counters that Lustre does not print before they count ---- */

#define ALIVE_METRIC "lustre_capacity_bytes" /* read of every target, always */

static void on_alive(void *arg, const struct lmt_answer_series *series)
{
    struct slicing *s = arg;
    const uintptr_t *place = hashmap_get(&s->known, series->component);
    if (place && series->numbers > 0)
        s->firsts[*place - 1].is_alive = true;
}

/* Which targets were read at all: those that moved to another server were not. */
static int alive_ask(struct slicing *s)
{
    const struct lmt_answer_opts opts = { .arg = s, .end = on_alive };
    struct span body;
    barod_path_begin(s->b, "/v1/query");
    barod_path_add(s->b, "metric", ALIVE_METRIC);
    component_add(s->b, s->source->class);
    window_add(s, around_s(s));
    barod_path_add(s->b, "statistics", "only");
    int rc = barod_get(s->b, &body, s->err);
    return rc < 0 ? rc : lmt_answer_read(body, &opts, s->err);
}

static void on_before(void *arg, const struct lmt_answer_series *series)
{
    struct slicing *s = arg;
    const uintptr_t *place = hashmap_get(&s->known, series->component);
    if (place && series->numbers > 0)
        s->firsts[*place - 1].was_before = true;
}

/* Which of them had been counting before the piece. */
static int before_ask(struct slicing *s)
{
    const struct lmt_answer_opts opts = { .arg = s, .end = on_before };
    struct span body;
    barod_path_begin(s->b, "/v1/query");
    barod_path_add(s->b, "metric", s->source->metric);
    component_add(s->b, s->source->class);
    barod_path_add(s->b, "from", "@0");
    barod_path_add_time(s->b, "to", (s->from_ms - s->offset_ms) / 1000);
    barod_path_add(s->b, "statistics", "only");
    int rc = barod_get(s->b, &body, s->err);
    return rc < 0 ? rc : lmt_answer_read(body, &opts, s->err);
}

static void none_value(void *arg, int64_t t_ms, double value)
{
    struct slicing *s = arg;
    const struct first_reading *first = &s->firsts[s->component];
    (void)value;
    if (t_ms < first->t_ms)
        lmt_readings_put(&s->readings, t_ms + s->offset_ms, 0);
}

/* It began to count in the piece, from nothing. */
static void none_end(void *arg, const struct lmt_answer_series *series)
{
    struct slicing *s = arg;
    const uintptr_t *place = hashmap_get(&s->known, series->component);
    if (!place || *place - 1 != s->component)
        return; /* it had no values */
    const struct first_reading *first = &s->firsts[s->component];
    if (first->t_ms != INT64_MAX && !first->was_before)
        lmt_readings_put(&s->readings, first->t_ms + s->offset_ms, first->value);
    s->component = SIZE_MAX;
}

enum late_of { LATE_OF_ALL, LATE_OF_ALIVE };

/* Whether a counter begins within the piece, or is not there. */
static bool is_late(const struct slicing *s, enum late_of of)
{
    int64_t start_ms = s->grid->start_s * 1000 - s->offset_ms;
    for (size_t i = 0; i < s->first_count; i++) {
        bool is_asked = of == LATE_OF_ALL || s->firsts[i].is_alive;
        if (is_asked && s->firsts[i].t_ms > start_ms)
            return true;
    }
    return false;
}

/* A target that was read while its counter was not there has not moved anything. */
static int none_read(struct slicing *s)
{
    const struct lmt_answer_opts opts = { .arg = s,
                                          .series = counter_series,
                                          .value = none_value,
                                          .end = none_end,
                                          .fault = on_fault };
    if (!is_late(s, LATE_OF_ALL))
        return 0;
    s->component = SIZE_MAX;
    int rc = alive_ask(s);
    if (rc == 0 && is_late(s, LATE_OF_ALIVE)) {
        rc = before_ask(s);
        if (rc == 0)
            rc = ask(s, ALIVE_METRIC, &opts);
    }
    return rc == -ENOENT ? 0 : rc;
}

static int counter_read(struct slicing *s)
{
    const struct lmt_answer_opts opts = {
        .arg = s, .series = counter_series, .value = counter_value, .fault = on_fault
    };
    if (firsts_make(s) < 0)
        return err_set(s->err, ENOMEM, "out of memory");
    int rc = ask(s, s->source->metric, &opts);
    return rc == 0 ? none_read(s) : rc;
}

int barod_slice_read(struct barod *b, const struct barod_source *source,
                     struct lmt_grid *grid, struct err *err)
{
    AUTO(slicing_done)
    struct slicing s = {
        .b = b,
        .source = source,
        .columns = &b->columns[source->class],
        .grid = grid,
        .kind = source->kind,
        .offset_ms = b->opts.clock_offset_s * 1000,
        .err = err,
    };
    switch (source->kind) {
    case BAROD_COUNTER:
        return counter_read(&s);
    case BAROD_GAUGE:
    case BAROD_GAUGE_END:
        return gauge_read(&s, source->metric, grid);
    default:
        return pair_read(&s);
    }
}
