/* SPDX-License-Identifier: Apache-2.0 */
/* metric_plot - a table of samples, as /v1/query gives it, as lines of a picture. */
#include "report/metric_plot.h"

#include <stdlib.h>
#include <string.h>

#define GAP_STEPS 2
#define BANDS_MAX 400

enum { COLUMN_COMPONENT, COLUMN_METRIC, COLUMN_TIME, COLUMN_VALUE, _COLUMN_COUNT };

void metric_plot_done(struct metric_plot *plot)
{
    free(plot->points);
    free(plot->bands);
    arena_done(&plot->names);
    *plot = (struct metric_plot){ 0 };
}

static bool has_columns(const struct table *table)
{
    static const enum table_type types[] = { TABLE_TEXT, TABLE_TEXT, TABLE_TIME,
                                             TABLE_DOUBLE };
    bool has_all = table->column_count == _COLUMN_COUNT;
    for (size_t i = 0; has_all && i < _COLUMN_COUNT; i++)
        has_all = table->columns[i].type == types[i];
    return has_all;
}

static bool is_same_line(const struct table *table, size_t row, size_t other)
{
    static const size_t columns[] = { COLUMN_COMPONENT, COLUMN_METRIC };
    bool is_same = true;
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        const struct table_cell *a = table_at(table, row, columns[i]);
        const struct table_cell *b = table_at(table, other, columns[i]);
        is_same = is_same && a->is_null == b->is_null &&
                  (a->is_null || strcmp(a->text, b->text) == 0);
    }
    return is_same;
}

static void step_note(struct metric_plot *p, size_t row)
{
    int64_t step_ms = p->points[row].t_ms - p->points[row - 1].t_ms;
    if (step_ms > 0 && (p->step_ms == 0 || step_ms < p->step_ms))
        p->step_ms = step_ms;
}

static bool has_one_metric(const struct table *table)
{
    for (size_t row = 1; row < table->row_count; row++)
        if (strcmp(table_at(table, row, COLUMN_METRIC)->text,
                   table_at(table, 0, COLUMN_METRIC)->text) != 0)
            return false;
    return true;
}

/* The component, and the metric where there are several. */
static const char *line_name(struct metric_plot *p, const struct table *table,
                             size_t row, bool is_only_metric)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct table_cell *name = table_at(table, row, COLUMN_COMPONENT);
    strbuf_adds(&text, name->is_null ? "" : name->text);
    if (!is_only_metric)
        strbuf_addf(&text, " %s", table_at(table, row, COLUMN_METRIC)->text);
    return strbuf_error(&text) ? NULL : arena_dup(&p->names, strbuf_span(&text));
}

static int lines_make(const struct table *table, struct metric_plot *p)
{
    struct line_plot_line *line = NULL;
    bool is_only_metric = has_one_metric(table);
    for (size_t row = 0; row < table->row_count; row++) {
        p->points[row] =
            (struct line_plot_point){ table_at(table, row, COLUMN_TIME)->i64,
                                      table_at(table, row, COLUMN_VALUE)->dbl };
        bool is_new = row == 0 || !is_same_line(table, row - 1, row);
        if (!is_new)
            step_note(p, row);
        if (is_new && p->series_count++ < LINE_PLOT_LINES_MAX) {
            line = &p->lines[p->line_count++];
            *line = (struct line_plot_line){ line_name(p, table, row, is_only_metric),
                                             &p->points[row], 0 };
            if (!line->name)
                return -ENOMEM;
        }
        line->count++;
    }
    return 0;
}

/* An interval has a sample of each series that has one, and the picture no more bands
 * than it can show. */
static int bands_make(const struct table *table, struct metric_plot *p)
{
    int64_t first_ms = INT64_MAX, last_ms = INT64_MIN;
    for (size_t i = 0; i < table->row_count; i++) {
        first_ms = p->points[i].t_ms < first_ms ? p->points[i].t_ms : first_ms;
        last_ms = p->points[i].t_ms > last_ms ? p->points[i].t_ms : last_ms;
    }
    int64_t step_ms = p->step_ms > 0 ? p->step_ms : 1;
    int64_t steps = ((last_ms - first_ms) / step_ms + BANDS_MAX) / BANDS_MAX;
    p->line_count = 0;
    p->step_ms = steps * step_ms;
    return line_bands_make(p->points, table->row_count, p->step_ms, &p->bands,
                           &p->band_count);
}

int metric_plot_make(const struct table *table, struct metric_plot *ret,
                     struct err *err)
{
    AUTO(metric_plot_done) struct metric_plot plot = { 0 };
    if (!has_columns(table))
        return err_set(err, EBADMSG, "the result has other columns than samples have");
    arena_init(&plot.names, 0);
    plot.points = calloc(table->row_count + 1, sizeof *plot.points);
    int rc = plot.points ? lines_make(table, &plot) : -ENOMEM;
    if (rc == 0 && plot.series_count > LINE_PLOT_LINES_MAX)
        rc = bands_make(table, &plot);
    if (rc < 0)
        return err_set(err, ENOMEM, "out of memory");
    *ret = plot;
    plot = (struct metric_plot){ 0 };
    return 0;
}

void metric_plot_title(const char *metric, const struct table *samples,
                       struct strbuf *out)
{
    strbuf_adds(out, metric);
    if (has_columns(samples) && samples->columns[COLUMN_VALUE].unit[0])
        strbuf_addf(out, ", in %s", samples->columns[COLUMN_VALUE].unit);
}

int metric_plot_draw(const struct metric_plot *plot,
                     const struct metric_plot_opts *opts, struct strbuf *out,
                     struct err *err)
{
    const struct line_plot picture = { .title = opts->title,
                                       .lines = plot->lines,
                                       .line_count = plot->line_count,
                                       .gap_ms = GAP_STEPS * plot->step_ms,
                                       .bands = plot->bands,
                                       .band_count = plot->band_count,
                                       .series_count = plot->series_count };
    if (plot->series_count == 0)
        return err_set(err, ENODATA, "there are no samples in this range");
    int rc = opts->form == METRIC_PLOT_SVG
                 ? line_plot_svg(&picture, opts->width, opts->height, out)
                 : line_plot_braille(&picture, opts->width, opts->height, out);
    if (rc == -ENODATA)
        return err_set(err, ENODATA, "there are no samples in this range");
    return rc < 0 ? err_set(err, -rc, "out of memory") : 0;
}
