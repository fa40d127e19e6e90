/* SPDX-License-Identifier: Apache-2.0 */
/* weather_report - the weather of a window: tables. */
#include "report/weather_report.h"

#include "report/table_parts.h"

#include "base/number.h"
#include "base/span.h"
#include "report/unusual/unusual.h"

#include <math.h>

static const char *const part_names[WEATHER_PARTS] = {
    [WEATHER_FLOWS] = "flows",      [WEATHER_TARGETS] = "targets",
    [WEATHER_FABRICS] = "fabrics",  [WEATHER_FULLNESS] = "fullness",
    [WEATHER_SERVERS] = "servers",  [WEATHER_MOVES] = "moves",
    [WEATHER_JOBS] = "jobs",        [WEATHER_RUNS] = "runs",
    [WEATHER_USUAL_PART] = "usual",
};

const char *weather_part_name(enum weather_part part)
{
    return part_names[part];
}

struct column {
    const char *name;
    enum table_type type;
    const char *unit;
};

static void columns_add(struct table *t, const struct column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        table_add_column(t, columns[i].name, columns[i].type, columns[i].unit);
}

static void set_double(struct table *t, size_t column, double value)
{
    if (isfinite(value))
        table_set_double(t, column, value);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- what the servers did ---- */

static void flow_row(struct table *t, enum lmt_measure measure,
                     const struct weather_line *line)
{
    const struct lmt_measure_info *info = lmt_measure_info(measure);
    struct percentile among = weather_line_percentile(line);
    char name[64];
    (void)snprintf(name, sizeof name, "%s/%s", info->group, info->name);
    table_add_row(t);
    table_set_text(t, 0, span_of(name));
    table_set_text(t, 1, span_of(info->unit));
    set_double(t, 2, line->total);
    set_double(t, 3, line->mean);
    set_double(t, 4, line->peak);
    table_set_i64(t, 5, line->peak_s * MS_PER_S);
    if (line->peak_component)
        table_set_text(t, 6, span_of(line->peak_component));
    set_double(t, 7, line->quiet);
    set_double(t, 8, line->missing);
    table_set_u64(t, 9, line->day_count);
    set_double(t, 10, percentile_share(&among));
}

static void flows_make(struct weather_report *r)
{
    static const struct column columns[] = {
        { "measure", TABLE_TEXT, "" },     { "unit", TABLE_TEXT, "" },
        { "total", TABLE_DOUBLE, "" },     { "mean", TABLE_DOUBLE, "" },
        { "peak", TABLE_DOUBLE, "" },      { "peak_time", TABLE_TIME, "" },
        { "component", TABLE_TEXT, "" },   { "quiet", TABLE_DOUBLE, "" },
        { "missing", TABLE_DOUBLE, "" },   { "other_days", TABLE_U64, "" },
        { "less_share", TABLE_DOUBLE, "" }
    };
    struct table *t = &r->tables[WEATHER_FLOWS];
    columns_add(t, columns, COUNT_OF(columns));
    for (unsigned m = 0; r->window->has_series && m < LMT_MEASURES; m++)
        if (r->window->weather.lines[m].is_known)
            flow_row(t, m, &r->window->weather.lines[m]);
}

static void targets_make(struct weather_report *r)
{
    static const struct column columns[] = { { "target", TABLE_TEXT, "" },
                                             { "read", TABLE_DOUBLE, "bytes" },
                                             { "written", TABLE_DOUBLE, "bytes" },
                                             { "share", TABLE_DOUBLE, "" },
                                             { "missing", TABLE_DOUBLE, "" } };
    const struct weather *w = &r->window->weather;
    struct table *t = &r->tables[WEATHER_TARGETS];
    double all = weather_bytes(w);
    columns_add(t, columns, COUNT_OF(columns));
    for (size_t i = 0; i < least(w->target_count, r->top); i++) {
        const struct weather_target *target = &w->targets[i];
        table_add_row(t);
        table_set_text(t, 0, span_of(target->name));
        table_set_double(t, 1, target->read);
        table_set_double(t, 2, target->written);
        set_double(t, 3, (target->read + target->written) / all);
        set_double(t, 4, 1 - (double)target->measured / (double)target->cells);
    }
    if (w->target_count > r->top)
        table_add_note(t, "%zu more targets", w->target_count - r->top);
}

/* ---- fabrics ---- */

static void fabrics_make(struct weather_report *r)
{
    static const struct column columns[] = {
        { "fabric", TABLE_TEXT, "" },        { "file_system", TABLE_TEXT, "" },
        { "read", TABLE_DOUBLE, "bytes" },   { "written", TABLE_DOUBLE, "bytes" },
        { "mean", TABLE_DOUBLE, "" },        { "usual", TABLE_DOUBLE, "" },
        { "times_usual", TABLE_DOUBLE, "" }, { "other_days", TABLE_U64, "" },
        { "as_much", TABLE_U64, "" },        { "missing", TABLE_DOUBLE, "" }
    };
    struct table *t = &r->tables[WEATHER_FABRICS];
    columns_add(t, columns, COUNT_OF(columns));
    for (size_t i = 0; i < r->window->fabric_count; i++) {
        const struct fabric *f = &r->window->fabrics[i].traffic;
        const double numbers[] = { f->read, f->written, f->rate, f->usual, f->times };
        if (!f->is_known)
            continue;
        table_add_row(t);
        table_set_text(t, 0, span_of(f->fabrics));
        table_set_text(t, 1, span_of(r->window->fabrics[i].name));
        for (size_t n = 0; n < COUNT_OF(numbers); n++)
            set_double(t, 2 + n, numbers[n]);
        table_set_u64(t, 7, f->days);
        table_set_u64(t, 8, f->as_much);
        set_double(t, 9, f->missing);
    }
}

/* ---- health ---- */

static void health_make(struct weather_report *r)
{
    static const struct column full[] = { { "target", TABLE_TEXT, "" },
                                          { "full_pct", TABLE_DOUBLE, "%" },
                                          { "read_at", TABLE_TIME, "" } };
    static const struct column servers[] = { { "file_system", TABLE_TEXT, "" },
                                             { "server", TABLE_TEXT, "" },
                                             { "targets", TABLE_U64, "" },
                                             { "usual", TABLE_U64, "" } };
    static const struct column moves[] = { { "time", TABLE_TIME, "" },
                                           { "target", TABLE_TEXT, "" },
                                           { "from", TABLE_TEXT, "" },
                                           { "to", TABLE_TEXT, "" } };
    const struct health_history *h = &r->window->health;
    struct table *t = &r->tables[WEATHER_FULLNESS];
    columns_add(t, full, COUNT_OF(full));
    for (size_t i = 0; i < least(h->full_count, r->top); i++) {
        table_add_row(t);
        table_set_text(t, 0, span_of(h->full[i].name));
        table_set_double(t, 1, h->full[i].pct);
        table_set_i64(t, 2, h->full[i].t_ns / NS_PER_MS);
    }
    t = &r->tables[WEATHER_SERVERS];
    columns_add(t, servers, COUNT_OF(servers));
    for (size_t i = 0; i < h->server_count; i++) {
        table_add_row(t);
        table_set_text(t, 0, span_of(h->servers[i].fs));
        table_set_text(t, 1, span_of(h->servers[i].nid));
        table_set_u64(t, 2, h->servers[i].targets);
        table_set_u64(t, 3, h->servers[i].usual);
    }
    t = &r->tables[WEATHER_MOVES];
    columns_add(t, moves, COUNT_OF(moves));
    for (size_t i = 0; i < h->move_count; i++) {
        table_add_row(t);
        table_set_i64(t, 0, h->moves[i].t_ns / NS_PER_MS);
        table_set_text(t, 1, span_of(h->moves[i].target));
        table_set_text(t, 2, span_of(h->moves[i].from));
        table_set_text(t, 3, span_of(h->moves[i].to));
    }
    if (h->moves_left_out > 0)
        table_add_note(t, "%llu more", (unsigned long long)h->moves_left_out);
}

/* ---- jobs ---- */

static void job_row_add(struct table *t, const struct window_job *of)
{
    const struct job *job = of->job;
    table_add_row(t);
    cell_set_bytes(t, 0, job->cluster);
    cell_set_bytes(t, 1, job->id);
    cell_set_bytes(t, 2, job->user);
    cell_set_bytes(t, 3, job->name);
    table_set_i64(t, 4, job->start_ns / NS_PER_MS);
    if (job->end_ns != JOB_TIME_NONE)
        table_set_i64(t, 5, job->end_ns / NS_PER_MS);
    if (job->node_count > 0) {
        table_set_u64(t, 6, job->node_count);
        table_set_double(t, 7, of->node_hours);
    }
}

static void jobs_make(struct weather_report *r)
{
    static const struct column columns[] = {
        { "cluster", TABLE_TEXT, "" }, { "job", TABLE_TEXT, "" },
        { "user", TABLE_TEXT, "" },    { "name", TABLE_TEXT, "" },
        { "start", TABLE_TIME, "" },   { "end", TABLE_TIME, "" },
        { "nodes", TABLE_U64, "" },    { "node_hours", TABLE_DOUBLE, "" }
    };
    struct table *t = &r->tables[WEATHER_JOBS];
    columns_add(t, columns, COUNT_OF(columns));
    if (!r->window->has_jobs)
        return;
    for (size_t i = 0; i < least(r->window->jobs.count, r->top); i++)
        job_row_add(t, &r->window->jobs.jobs[i]);
    table_add_note(t, "%zu jobs in all, %.4g node-hours of them in the window",
                   r->window->jobs.count, r->window->jobs.node_hours);
}

/* ---- runs of the climate's tables ---- */

static void runs_make(struct weather_report *r)
{
    static const struct column columns[] = {
        { "class", TABLE_TEXT, "" },         { "run", TABLE_TEXT, "" },
        { "time", TABLE_TIME, "" },          { "performance", TABLE_DOUBLE, "" },
        { "fraction", TABLE_DOUBLE, "" },    { "others", TABLE_U64, "" },
        { "slower_share", TABLE_DOUBLE, "" }
    };
    struct table *t = &r->tables[WEATHER_RUNS];
    columns_add(t, columns, COUNT_OF(columns));
    for (size_t i = 0; i < r->window->runs.count; i++) {
        const struct window_run *w = &r->window->runs.runs[i];
        table_add_row(t);
        table_set_text(t, 0, span_of(w->set_name));
        table_set_text(t, 1, span_of(w->run->id));
        table_set_i64(t, 2, w->run->t_ns / NS_PER_MS);
        table_set_double(t, 3, w->run->raw);
        table_set_double(t, 4, w->run->fraction);
        table_set_u64(t, 5, w->among.count);
        set_double(t, 6, percentile_share(&w->among));
    }
}

int weather_report_make(const struct window_context *window, size_t top,
                        struct weather_report *ret)
{
    struct weather_report *report = ret;
    *report = (struct weather_report){ .window = window, .top = top };
    for (size_t i = 0; i < WEATHER_PARTS; i++)
        table_init(&report->tables[i]);
    flows_make(report);
    targets_make(report);
    fabrics_make(report);
    health_make(report);
    jobs_make(report);
    runs_make(report);
    weather_usual_table(&report->window->weather, &report->tables[WEATHER_USUAL_PART]);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < WEATHER_PARTS; i++)
        rc = table_error(&report->tables[i]);
    return rc;
}

void weather_report_done(struct weather_report *report)
{
    for (size_t i = 0; i < WEATHER_PARTS; i++)
        table_done(&report->tables[i]);
}

void weather_report_parts(const struct weather_report *report, struct table_part *ret)
{
    for (size_t i = 0; i < WEATHER_PARTS; i++)
        ret[i] = (struct table_part){ weather_part_name((enum weather_part)i),
                                      &report->tables[i] };
}
