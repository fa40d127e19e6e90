/* SPDX-License-Identifier: Apache-2.0 */
/* weather_text - the weather of a window on one page, for a person. */
#include "report/weather_report.h"

#include "base/figure.h"
#include "base/number.h"
#include "base/timetext.h"
#include "report/unusual/unusual.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHOWN 5         /* of the busiest, the fullest, the largest */
#define FULL_PCT 90     /* above it a target is named as full */
#define MISSING_SIZE 16 /* of "96.7 %" */

/* In whole seconds: "-10m" reaches back from a nanosecond that means nothing to a
 * person.
 */
static void time_print(char out[static TIMETEXT_SIZE], int64_t t_ns)
{
    (void)timetext_print(out, t_ns / NS_PER_S * NS_PER_S);
}

/* ", more than on 12 of 14 other days" */
static void days_print(const struct weather_line *line, struct strbuf *out)
{
    struct percentile s = weather_line_percentile(line);
    if (s.count == 0)
        return;
    strbuf_adds(out, "; ");
    percentile_print(&s, "other days at these hours", out);
}

/* ", 60 MiB/s at most (2017-07-14T02:40:30Z)".  A peak below the average is none: what
 * came behind a hole was spread over the hole, which the average does not count. */
static void peak_print(const struct weather_line *line, const char *peak,
                       struct strbuf *out)
{
    char when[TIMETEXT_SIZE];
    time_print(when, line->peak_s * NS_PER_S);
    if (!(line->peak < line->mean))
        strbuf_addf(out, ", %s at most (%s)", peak, when);
    days_print(line, out);
    strbuf_addc(out, '\n');
}

static void bytes_print(const struct weather_report *r, enum lmt_measure measure,
                        const char *word, struct strbuf *out)
{
    const struct weather_line *line = &r->window->weather.lines[measure];
    char total[32], mean[40], peak[40];
    if (!line->is_known)
        return;
    figure_print_bytes(total, sizeof total, line->total);
    climate_value_print(mean, sizeof mean, "bytes/s", line->mean);
    climate_value_print(peak, sizeof peak, "bytes/s", line->peak);
    strbuf_addf(out, "%-9s %s, %s on average", word, total, mean);
    peak_print(line, peak, out);
}

static bool is_op(const struct weather_report *r, enum lmt_measure m)
{
    const struct weather_line *line = &r->window->weather.lines[m];
    return line->is_known && lmt_measure_info(m)->kind == LMT_COUNT &&
           line->total > 0 && m != LMT_READ_BYTES && m != LMT_WRITE_BYTES;
}

static void op_print(const struct weather_report *r, enum lmt_measure m,
                     struct strbuf *out)
{
    const struct weather_line *line = &r->window->weather.lines[m];
    char total[32], mean[32], peak[32];
    figure_print_count(total, sizeof total, line->total);
    figure_print_count(mean, sizeof mean, line->mean);
    figure_print_count(peak, sizeof peak, line->peak);
    size_t size = strlen(peak);
    (void)snprintf(peak + size, sizeof peak - size, "/s");
    strbuf_addf(out, "%-9s %s, %s/s on average", lmt_measure_info(m)->name, total,
                mean);
    peak_print(line, peak, out);
}

/* The most frequent ones. */
static void ops_print(const struct weather_report *r, struct strbuf *out)
{
    bool is_printed[LMT_MEASURES] = { false };
    for (size_t n = 0; n < SHOWN; n++) {
        unsigned most = LMT_MEASURES;
        for (unsigned m = 0; m < LMT_MEASURES; m++)
            if (is_op(r, m) && !is_printed[m] &&
                (most == LMT_MEASURES || r->window->weather.lines[m].total >
                                             r->window->weather.lines[most].total))
                most = m;
        if (most == LMT_MEASURES)
            return;
        is_printed[most] = true;
        op_print(r, most, out);
    }
}

static void loads_print(const struct weather_report *r, struct strbuf *out)
{
    static const struct {
        enum lmt_measure measure;
        const char *text;
    } loads[] = { { LMT_OSS_CPU, "Data servers" },
                  { LMT_MDS_CPU, "Metadata servers" } };
    for (size_t i = 0; i < COUNT_OF(loads); i++) {
        const struct weather_line *line = &r->window->weather.lines[loads[i].measure];
        char when[TIMETEXT_SIZE];
        if (!line->is_known)
            continue;
        time_print(when, line->peak_s * NS_PER_S);
        strbuf_addf(out, "%s were busy to %.0f %% on average, %s to %.0f %% (%s)",
                    loads[i].text, line->mean, line->peak_component, line->peak, when);
        days_print(line, out);
        strbuf_addc(out, '\n');
    }
}

static void quiet_print(const struct weather_report *r, struct strbuf *out)
{
    const struct weather_line *read = &r->window->weather.lines[LMT_READ_BYTES];
    const struct weather_line *write = &r->window->weather.lines[LMT_WRITE_BYTES];
    if (read->is_known)
        strbuf_addf(out, "Nothing was read in %.0f %% of all steps of targets",
                    read->quiet * 100);
    if (write->is_known)
        strbuf_addf(out, "%s in %.0f %%",
                    read->is_known ? ", written" : "Nothing was written",
                    write->quiet * 100);
    if (read->is_known || write->is_known)
        strbuf_addf(out, "; %.0f %% of the targets moved nothing at all.\n",
                    r->window->weather.idle * 100);
}

/* The share of a measure that is missing, as it is printed; empty: nothing of it, or
 * the measure is not known at all. */
static void missing_text(const struct weather_report *r, unsigned m,
                         char out[static MISSING_SIZE])
{
    const struct weather_line *line = &r->window->weather.lines[m];
    out[0] = '\0';
    if (line->is_known && line->missing > 0)
        (void)snprintf(out, MISSING_SIZE, "%.1f %%", line->missing * 100);
}

static bool has_same_share(const struct weather_report *r, unsigned m, unsigned other)
{
    char one[MISSING_SIZE], two[MISSING_SIZE];
    missing_text(r, m, one);
    missing_text(r, other, two);
    return one[0] && strcmp(one, two) == 0 &&
           strcmp(lmt_measure_info(m)->group, lmt_measure_info(other)->group) == 0;
}

/* A line for all measures of a group of which the same share is missing. */
static void missing_print(const struct weather_report *r, struct strbuf *out)
{
    bool is_printed[LMT_MEASURES] = { false };
    for (unsigned m = 0; m < LMT_MEASURES; m++) {
        char share[MISSING_SIZE];
        missing_text(r, m, share);
        if (!share[0] || is_printed[m])
            continue;
        strbuf_addf(out, "Of %s/", lmt_measure_info(m)->group);
        for (unsigned i = m; i < LMT_MEASURES; i++) {
            if (!has_same_share(r, m, i))
                continue;
            strbuf_addf(out, "%s%s", i > m ? ", " : "", lmt_measure_info(i)->name);
            is_printed[i] = true;
        }
        strbuf_addf(out, " %s was not measured.\n", share);
    }
}

/* "name (3 %), name (2 %)" out of two columns of the first rows of a table. */
static void first_print(const struct table *t, size_t name, size_t share, double scale,
                        struct strbuf *out)
{
    for (size_t i = 0; i < t->row_count && i < SHOWN; i++) {
        const struct table_cell *value = table_at(t, i, share);
        strbuf_addf(out, "%s%s", i > 0 ? ", " : "", table_at(t, i, name)->text);
        if (!value->is_null)
            strbuf_addf(out, " (%.1f %%)", value->dbl * scale);
    }
    strbuf_addc(out, '\n');
}

static void series_print(const struct weather_report *r, struct strbuf *out)
{
    if (r->window->weather.step_s == 0) {
        strbuf_adds(out, "No series has anything of this time.\n");
        return;
    }
    bytes_print(r, LMT_READ_BYTES, "read", out);
    bytes_print(r, LMT_WRITE_BYTES, "written", out);
    ops_print(r, out);
    loads_print(r, out);
    quiet_print(r, out);
    missing_print(r, out);
    if (r->tables[WEATHER_TARGETS].row_count > 0) {
        strbuf_adds(out, "The busiest targets: ");
        first_print(&r->tables[WEATHER_TARGETS], 0, 3, 100, out);
    }
}

static void fabrics_print(const struct weather_report *r, struct strbuf *out)
{
    for (size_t i = 0; i < r->window->fabric_count; i++) {
        const struct fabric *f = &r->window->fabrics[i].traffic;
        const struct percentile among = { f->days, f->days - f->as_much, 0 };
        char moved[32];
        if (!f->is_known)
            continue;
        figure_print_bytes(moved, sizeof moved, fmax(0, f->read) + fmax(0, f->written));
        strbuf_addf(out, "On the fabric %s %s moved %s", f->fabrics,
                    r->window->fabrics[i].name, moved);
        if (!isnan(f->times))
            strbuf_addf(out, ", %.2g times its usual bytes", f->times);
        if (f->days > 0) {
            strbuf_adds(out, "; ");
            percentile_print(&among, "other days at these hours", out);
        }
        strbuf_adds(out, ".\n");
    }
}

static void health_print(const struct weather_report *r, struct strbuf *out)
{
    const struct health_history *h = &r->window->health;
    size_t full = 0;
    if (h->readings == 0) {
        strbuf_adds(out, "No reading of health is of this time.\n");
        return;
    }
    for (size_t i = 0; i < h->full_count; i++)
        full += h->full[i].pct >= FULL_PCT;
    if (h->full_count > 0) {
        strbuf_adds(out, "The fullest targets: ");
        first_print(&r->tables[WEATHER_FULLNESS], 0, 1, 1, out);
        strbuf_addf(out, "%zu of %zu targets are above %d %%.\n", full, h->full_count,
                    FULL_PCT);
    }
    for (size_t i = 0; i < h->move_count && i < SHOWN; i++) {
        char when[TIMETEXT_SIZE];
        time_print(when, h->moves[i].t_ns);
        strbuf_addf(out, "%s: %s went from %s to %s.\n", when, h->moves[i].target,
                    h->moves[i].from, h->moves[i].to);
    }
    if (h->move_count > SHOWN)
        strbuf_addf(out, "%zu more targets changed their server.\n",
                    h->move_count - SHOWN);
    if (h->move_count == 0)
        strbuf_addf(out, "No target changed its server, in %llu readings.\n",
                    (unsigned long long)h->readings);
    for (size_t i = 0; i < h->server_count && i < SHOWN; i++)
        strbuf_addf(out, "%s serves %zu targets of %s; usual is %zu.\n",
                    h->servers[i].nid, h->servers[i].targets, h->servers[i].fs,
                    h->servers[i].usual);
}

static const char *cell_text(const struct table *t, size_t row, size_t column)
{
    const struct table_cell *cell = table_at(t, row, column);
    return cell->is_null ? "?" : cell->text;
}

static void jobs_print(const struct weather_report *r, struct strbuf *out)
{
    const struct table *t = &r->tables[WEATHER_JOBS];
    strbuf_addf(out, "%zu jobs ran, with %.4g node-hours in this time",
                r->window->jobs.count, r->window->jobs.node_hours);
    for (size_t i = 0; i < t->row_count && i < SHOWN; i++) {
        const struct table_cell *nodes = table_at(t, i, 6);
        strbuf_addf(out, "%s%s of %s", i == 0 ? "; the largest: " : ", ",
                    cell_text(t, i, 1), cell_text(t, i, 2));
        if (!nodes->is_null)
            strbuf_addf(out, " on %llu nodes", (unsigned long long)nodes->u64);
    }
    strbuf_adds(out, ".\n");
}

static void runs_print(const struct weather_report *r, struct strbuf *out)
{
    const struct window_runs *runs = &r->window->runs;
    strbuf_addf(out, "%zu runs of the climate's tables began in this time",
                runs->count);
    if (runs->judged > 0)
        strbuf_addf(out,
                    ": of %zu with others of their class %zu were in the slowest "
                    "quarter, %zu in the fastest",
                    runs->judged, runs->slow, runs->fast);
    strbuf_adds(out, ".\n");
}

void weather_text_print(const struct weather_report *report, struct strbuf *out)
{
    char from[TIMETEXT_SIZE], to[TIMETEXT_SIZE];
    time_print(from, report->window->from_ns);
    time_print(to, report->window->to_ns);
    strbuf_addf(out, "The weather from %s to %s\n", from, to);
    if (report->window->against_ns > 0) {
        strbuf_addc(out, '\n');
        weather_usual_print(&report->window->weather, out);
    }
    const struct {
        bool is_there;
        void (*print)(const struct weather_report *r, struct strbuf *out);
    } parts[] = {
        { report->window->has_series, series_print },
        { report->tables[WEATHER_FABRICS].row_count > 0, fabrics_print },
        { report->window->has_health, health_print },
        { report->window->has_jobs, jobs_print },
        { report->window->has_runs, runs_print },
    };
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        if (!parts[i].is_there)
            continue;
        strbuf_addc(out, '\n');
        parts[i].print(report, out);
    }
    if (report->window->clocks)
        strbuf_addf(out, "\nClocks were corrected: %s.\n", report->window->clocks);
}
