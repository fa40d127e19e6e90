/* SPDX-License-Identifier: Apache-2.0 */
/* metric_plot - a table of samples, as /v1/query gives it, as lines of a picture. */
#include "report/metric_plot.h"

#include <stdlib.h>
#include <string.h>

#define GAP_STEPS 2

enum { COLUMN_COMPONENT, COLUMN_METRIC, COLUMN_TIME, COLUMN_VALUE, _COLUMN_COUNT };

void metric_plot_done(struct metric_plot *plot)
{
    free(plot->points);
    plot->points = NULL;
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

static void lines_make(const struct table *table, struct metric_plot *p)
{
    struct line_plot_line *line = NULL;
    for (size_t row = 0; row < table->row_count; row++) {
        const struct table_cell *name = table_at(table, row, COLUMN_COMPONENT);
        p->points[row] =
            (struct line_plot_point){ table_at(table, row, COLUMN_TIME)->i64,
                                      table_at(table, row, COLUMN_VALUE)->dbl };
        bool is_new = row == 0 || !is_same_line(table, row - 1, row);
        if (is_new && p->line_count == LINE_PLOT_LINES_MAX) {
            p->left_out++;
            line = NULL;
        } else if (is_new) {
            line = &p->lines[p->line_count++];
            *line = (struct line_plot_line){ name->is_null ? "" : name->text,
                                             &p->points[row], 0 };
        } else {
            step_note(p, row);
        }
        if (line)
            line->count++;
    }
}

int metric_plot_make(const struct table *table, struct metric_plot *ret,
                     struct err *err)
{
    struct metric_plot plot = { 0 };
    if (!has_columns(table))
        return err_set(err, EBADMSG, "the result has other columns than samples have");
    plot.points = calloc(table->row_count + 1, sizeof *plot.points);
    if (!plot.points)
        return err_set(err, ENOMEM, "out of memory");
    lines_make(table, &plot);
    *ret = plot;
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
    const struct line_plot picture = { opts->title, plot->lines, plot->line_count,
                                       GAP_STEPS * plot->step_ms };
    if (plot->line_count == 0)
        return err_set(err, ENODATA, "there are no samples in this range");
    int rc = opts->form == METRIC_PLOT_SVG
                 ? line_plot_svg(&picture, opts->width, opts->height, out)
                 : line_plot_braille(&picture, opts->width, opts->height, out);
    if (rc == -ENODATA)
        return err_set(err, ENODATA, "there are no samples in this range");
    return rc < 0 ? err_set(err, -rc, "out of memory") : 0;
}
