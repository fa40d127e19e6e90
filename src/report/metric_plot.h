/* SPDX-License-Identifier: Apache-2.0 */
/* metric_plot - a table of samples, as /v1/query gives it, as lines of a picture. */
#ifndef REPORT_METRIC_PLOT_H
#define REPORT_METRIC_PLOT_H

#include "base/arena.h"
#include "base/table/table.h"
#include "draw/draw.h"

struct metric_plot {
    struct line_plot_point *points;
    struct line_plot_line lines[LINE_PLOT_LINES_MAX];
    size_t line_count;   /* 0: there are more than LINE_PLOT_LINES_MAX, hence bands */
    size_t series_count; /* as lines, or in the bands */
    struct line_plot_band *bands;
    size_t band_count;
    int64_t step_ms;    /* the shortest distance of two points, or bands; 0: none */
    struct arena names; /* of lines */
};

/* table: component, metric, time, value; the rows of one series stand together.  More
 * than LINE_PLOT_LINES_MAX series become bands over all of them, in intervals of their
 * step or a multiple of it.  *ret is the caller's, to metric_plot_done().
 * Errors: -EBADMSG (other columns), -ENOMEM. */
int metric_plot_make(const struct table *table, struct metric_plot *ret,
                     struct err *err);
void metric_plot_done(struct metric_plot *plot);
DEFINE_AUTO_DONE(struct metric_plot, metric_plot_done);

/* Append "mem_used, in GB": the metric, and the unit of its samples where they have
 * one.
 */
void metric_plot_title(const char *metric, const struct table *samples,
                       struct strbuf *out);

enum metric_plot_form {
    METRIC_PLOT_BRAILLE,
    METRIC_PLOT_SVG,
};

struct metric_plot_opts {
    const char *title;
    enum metric_plot_form form;
    size_t width, height; /* in characters (braille), in pixels (SVG) */
};

/* Append the picture; points further apart than two steps are not joined.
 * Errors: -ENODATA (there is no sample), -ENOMEM. */
int metric_plot_draw(const struct metric_plot *plot,
                     const struct metric_plot_opts *opts, struct strbuf *out,
                     struct err *err);

#endif
