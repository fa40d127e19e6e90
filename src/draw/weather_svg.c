/* SPDX-License-Identifier: Apache-2.0 */
/* weather_svg - the weather of a window as a picture.
 *
 *     read      ▁▂▅█▂▁   the file system's bytes a second, with a band of what is usual
 *     written   ▂▂▃▂▁▁
 *     targets   ░▒▓█░░   heat maps
 */
#include "draw/weather_svg.h"

#include "analysis/weather/weather.h"
#include "draw/heatmap.h"
#include "draw/svg.h"

#include "analysis/stats/stats.h"
#include "base/number.h"
#include "base/timetext.h"

#include <math.h>

#define WIDTH 1000.0
#define LEFT 130.0
#define PLOT_WIDTH 740.0
#define PLOT_HEIGHT 110.0
#define PLOT_GAP 56.0
#define TOP 40.0
#define POINTS_MAX 740

static int grid_read(struct lmt_series *const *series, size_t count,
                     enum lmt_measure measure, const struct weather *w,
                     struct lmt_grid *grid, struct err *err)
{
    lmt_grid_init(grid, w->from_s, w->to_s);
    for (size_t i = 0; i < count; i++) {
        int rc = lmt_series_read(series[i], measure, grid, err);
        if (rc < 0 && rc != -ENOENT)
            return rc;
    }
    return 0;
}

/* All that is known of the components together, by second; NaN: nothing is. */
static double step_sum(const struct lmt_grid *grid, size_t row)
{
    double sum = 0;
    size_t known = 0;
    for (size_t i = 0; i < grid->column_count; i++) {
        double value = lmt_grid_even(grid, row, i);
        known += !isnan(value);
        sum += isnan(value) ? 0 : value;
    }
    return known > 0 ? sum / (double)grid->step_s : NAN;
}

/* Where the middle half of other days' means lies. */
static void usual_draw(const struct weather_line *line, const struct axis *scale,
                       double top, struct strbuf *out)
{
    if (line->day_count < PERCENTILE_OTHERS_MIN)
        return;
    double low = quantile(line->days, line->day_count, 0.25) / scale->top;
    double high = quantile(line->days, line->day_count, 0.75) / scale->top;
    double y_low = top + PLOT_HEIGHT * (1 - fmin(low, 1));
    double y_high = top + PLOT_HEIGHT * (1 - fmin(high, 1));
    svg_box(out, LEFT, y_high, PLOT_WIDTH, fmax(1, y_low - y_high),
            "fill='#000' fill-opacity='0.10'");
    svg_text(out, LEFT + PLOT_WIDTH + 6, (y_low + y_high) / 2 + 3, "start",
             "font-size='9' fill='#666'", "usual mean");
}

/* The greatest and the least of the steps of each point, so that no peak is lost. */
static void curve_draw(const struct lmt_grid *grid, const struct axis *scale,
                       double top, struct strbuf *out)
{
    size_t points = grid->row_count < POINTS_MAX ? grid->row_count : POINTS_MAX;
    double width = PLOT_WIDTH / (double)points;
    strbuf_adds(out, "<path fill='#2b6ca3' d='");
    for (size_t p = 0; p < points; p++) {
        double most = NAN;
        size_t end = (p + 1) * grid->row_count / points;
        for (size_t row = p * grid->row_count / points; row < end; row++)
            most = fmax(most, step_sum(grid, row)); /* a number beats what is missing */
        if (isnan(most))
            continue;
        double height = fmin(1, most / scale->top) * PLOT_HEIGHT;
        strbuf_addf(out, "M%.1f %.1fv%.1fh%.1fv%.1fz", LEFT + width * (double)p,
                    top + PLOT_HEIGHT, -height, width + 0.05, height);
    }
    strbuf_adds(out, "'/>\n");
    for (size_t first = 0, p = 0; p <= points; p++) {
        bool is_missing =
            p < points && isnan(step_sum(grid, p * grid->row_count / points));
        if (!is_missing && p > first)
            svg_box(out, LEFT + width * (double)first, top, width * (double)(p - first),
                    PLOT_HEIGHT, "fill='url(#gone)'");
        if (!is_missing)
            first = p + 1;
    }
}

static void frame_draw(const struct lmt_grid *grid, const struct axis *scale,
                       double top, struct strbuf *out)
{
    struct axis times;
    int64_t end_s = grid->start_s + (int64_t)grid->row_count * grid->step_s;
    for (size_t i = 0; i < scale->count; i++) {
        double y = top + PLOT_HEIGHT * (1 - scale->positions[i] / scale->top);
        svg_line(out, LEFT, y, LEFT + PLOT_WIDTH, y,
                 "stroke='#000' stroke-opacity='0.12'");
        svg_text(out, LEFT - 6, y + 3, "end", "font-size='9' fill='#333'",
                 scale->labels[i]);
    }
    axis_of_times(grid->start_s, end_s, 9, &times);
    for (size_t i = 0; i < times.count; i++) {
        double x = LEFT + (times.positions[i] - (double)grid->start_s) /
                              (double)(end_s - grid->start_s) * PLOT_WIDTH;
        svg_line(out, x, top + PLOT_HEIGHT, x, top + PLOT_HEIGHT + 4, "stroke='#333'");
        svg_text(out, x, top + PLOT_HEIGHT + 15, "middle", "font-size='10' fill='#333'",
                 times.labels[i]);
    }
    svg_box(out, LEFT, top, PLOT_WIDTH, PLOT_HEIGHT, "fill='none' stroke='#333'");
}

static void plot_draw(const struct weather_line *line, const struct lmt_grid *grid,
                      const char *title, double top, struct strbuf *out)
{
    struct axis scale;
    axis_of_values(line->peak, "bytes/s", 4, &scale);
    svg_text(out, LEFT, top - 8, "start", "font-size='13' font-weight='bold'", title);
    usual_draw(line, &scale, top, out);
    curve_draw(grid, &scale, top, out);
    frame_draw(grid, &scale, top, out);
}

static void begin(const struct weather *w, double height, struct strbuf *out)
{
    char from[TIMETEXT_SIZE], to[TIMETEXT_SIZE], title[128];
    (void)timetext_print(from, w->from_s * NS_PER_S);
    (void)timetext_print(to, w->to_s * NS_PER_S);
    (void)snprintf(title, sizeof title, "The weather from %s to %s", from, to);
    svg_begin(out, WIDTH, height, title);
    strbuf_adds(out,
                "<defs><pattern id='gone' width='5' height='5' "
                "patternUnits='userSpaceOnUse' patternTransform='rotate(45)'>"
                "<rect width='1.4' height='5' fill='#8a8a8a'/></pattern></defs>\n");
    svg_text(out, LEFT, 24, "start", "font-size='16' font-weight='bold'", title);
}

int weather_print_svg(const struct weather *w, struct lmt_series *const *series,
                      size_t count, struct strbuf *out, struct err *err)
{
    static const struct {
        enum lmt_measure measure;
        const char *plot, *map;
    } parts[] = { { LMT_READ_BYTES, "Read", "Read from each target" },
                  { LMT_WRITE_BYTES, "Written", "Written to each target" } };
    AUTO(lmt_grid_done) struct lmt_grid read = { 0 };
    AUTO(lmt_grid_done) struct lmt_grid write = { 0 };
    struct lmt_grid *const grids[] = { &read, &write };
    double height = TOP;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < COUNT_OF(parts); i++) {
        rc = grid_read(series, count, parts[i].measure, w, grids[i], err);
        if (rc == 0 && grids[i]->column_count > 0)
            height += PLOT_HEIGHT + PLOT_GAP + heatmap_height(grids[i]);
    }
    if (rc == 0 && height == TOP)
        return err_set(err, ENOENT, "no series has bytes of this time");
    if (rc < 0)
        return rc;
    begin(w, height + 8, out);
    double y = TOP + 24;
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        if (grids[i]->column_count == 0)
            continue;
        plot_draw(&w->lines[parts[i].measure], grids[i], parts[i].plot, y, out);
        y += PLOT_HEIGHT + PLOT_GAP;
    }
    y -= 30;
    for (size_t i = 0; rc == 0 && i < COUNT_OF(parts); i++) {
        const struct heatmap_opts opts = {
            .title = parts[i].map, .left = LEFT, .width = PLOT_WIDTH, .top = y
        };
        if (grids[i]->column_count > 0)
            rc = heatmap_draw(grids[i], parts[i].measure, &opts, out, &y);
    }
    svg_end(out);
    return rc < 0 ? err_set(err, -rc, "%s", strerror(-rc)) : 0;
}
