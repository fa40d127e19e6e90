/* SPDX-License-Identifier: Apache-2.0 */
/* timeline_svg - a year of runs with both averages, and the regions where they part. */
#include "draw/timeline_svg.h"

#include "analysis/climate/climate.h"
#include "base/number.h"
#include "draw/axis.h"
#include "draw/study_svg.h"
#include "draw/svg.h"

#include <math.h>

#define WIDTH 960.0
#define LEFT 64.0
#define RIGHT 944.0
#define TOP 64.0
#define BOTTOM 304.0
#define FEW_RUNS 400
#define MANY_RUNS 20000
#define GREY "fill='#555'"

struct window {
    int64_t from_ns, to_ns;
    int64_t gap_ns; /* lines end at one that is longer */
};

static double x_of(const struct window *w, int64_t t_ns)
{
    return LEFT + (RIGHT - LEFT) * (double)(t_ns - w->from_ns) /
                      (double)(w->to_ns - w->from_ns);
}

static double y_of(double fraction)
{
    return BOTTOM - fraction * (BOTTOM - TOP);
}

static void axes_draw(const struct window *w, struct strbuf *out)
{
    struct axis axis;
    axis_of_values(1, "", 5, &axis);
    for (size_t i = 0; i < axis.count; i++) {
        double y = y_of(axis.positions[i]);
        svg_line(out, LEFT, y, RIGHT, y, "stroke='#ddd'");
        svg_text(out, LEFT - 8, y + 4, "end", GREY, axis.labels[i]);
    }
    axis_of_times(w->from_ns / NS_PER_S, w->to_ns / NS_PER_S, 14, &axis);
    for (size_t i = 0; i < axis.count; i++) {
        double x = x_of(w, (int64_t)axis.positions[i] * NS_PER_S);
        svg_line(out, x, BOTTOM, x, BOTTOM + 5, "stroke='#555'");
        svg_text(out, x, BOTTOM + 20, "middle", GREY, axis.labels[i]);
    }
    strbuf_addf(out,
                "<text transform='translate(18 %.0f) rotate(-90)' "
                "text-anchor='middle' " GREY ">fraction of peak</text>\n",
                (TOP + BOTTOM) / 2);
}

/* What ran in a region, without times in which nothing did: of these no average is
 * known, and they are not slower. */
static void hatch_draw(const struct run_series *c, const struct region *region,
                       const struct window *w, struct strbuf *out)
{
    size_t first = region->first;
    for (size_t i = first; i < region->end; i++) {
        bool is_last = i + 1 == region->end;
        bool is_apart = c->times[i + 1] - c->times[i] > w->gap_ns;
        if (!is_last && !is_apart)
            continue;
        double from = x_of(w, c->runs[first]->t_ns);
        double to = x_of(w, c->runs[is_apart ? i : i + 1]->t_ns);
        svg_box(out, from, TOP, fmax(to - from, 1), BOTTOM - TOP,
                "fill='url(#hatch)' stroke='none'");
        first = i + 1;
    }
}

/* Regions below the long average are hatched; all have their borders. */
static void regions_draw(const struct run_series *c, const double *near,
                         const double *far, const struct window *w, struct strbuf *out)
{
    for (size_t i = 0; i < c->region_count; i++) {
        const struct region *region = &c->regions[i];
        double from = x_of(w, c->runs[region->first]->t_ns);
        double to = x_of(w, c->runs[region->end]->t_ns);
        svg_line(out, from, TOP, from, BOTTOM, "stroke='#bbb' stroke-dasharray='2 3'");
        if (near[region->first] <= far[region->first])
            hatch_draw(c, region, w, out);
        if (i + 1 == c->region_count)
            svg_line(out, to, TOP, to, BOTTOM, "stroke='#bbb' stroke-dasharray='2 3'");
    }
}

/* Runs as dots of one path: a thousand of them are a few kilobytes. */
/* Of very many runs one for each two pixels is drawn: the others would lie below it. */
#define DOT_COLUMNS 441 /* (RIGHT - LEFT) / 2 + 1 */
#define DOT_ROWS 121    /* (BOTTOM - TOP) / 2 + 1 */

struct dots {
    bool taken[DOT_COLUMNS][DOT_ROWS];
};

static bool dot_take(struct dots *dots, double x, double y)
{
    if (!(x >= LEFT && x <= RIGHT && y >= TOP && y <= BOTTOM))
        return true;
    bool *taken = &dots->taken[(size_t)((x - LEFT) / 2)][(size_t)((y - TOP) / 2)];
    bool is_free = !*taken;
    *taken = true;
    return is_free;
}

static void runs_draw(const struct run_series *c, const struct window *w,
                      struct strbuf *out)
{
    struct dots dots = { { { 0 } } };
    /* Few are seen only when they are big. */
    strbuf_addf(out,
                "<path fill='none' stroke='#7aa0c4' stroke-width='%s' "
                "stroke-linecap='round' d='",
                c->count <= FEW_RUNS ? "5" : "2.6");
    for (size_t i = 0; i < c->count; i++) {
        double x = x_of(w, c->runs[i]->t_ns);
        double y = y_of(c->fractions[i]);
        if (c->count <= MANY_RUNS || dot_take(&dots, x, y))
            strbuf_addf(out, "M%.1f %.1fh0", x, y);
    }
    strbuf_adds(out, "'/>\n");
}

/* At most a point a pixel, since there are as many averages as runs.  Where nothing ran
 * for longer than the short window there is no average to draw. */
static void line_draw(const struct run_series *c, const double *values,
                      const struct window *w, const char *style, struct strbuf *out)
{
    double last = -1;
    strbuf_addf(out, "<path fill='none' %s d='", style);
    for (size_t i = 0; i < c->count; i++) {
        double x = x_of(w, c->runs[i]->t_ns);
        bool is_apart = i == 0 || c->times[i] - c->times[i - 1] > w->gap_ns;
        bool is_last = i + 1 == c->count || c->times[i + 1] - c->times[i] > w->gap_ns;
        if (!is_apart && !is_last && x - last < 1)
            continue;
        strbuf_addf(out, "%c%.1f %.1f", is_apart ? 'M' : 'L', x, y_of(values[i]));
        last = x;
    }
    strbuf_adds(out, "'/>\n");
}

static const char near_style[] = "stroke='#000' stroke-width='2.2'";
static const char far_style[] = "stroke='#c2410c' stroke-width='2.2' "
                                "stroke-dasharray='7 4'";

static void legend_draw(const struct mapping *m, struct strbuf *out)
{
    const double day_ns = 86400e9;
    const double y = BOTTOM + 42;
    char text[96];
    svg_circle(out, LEFT + 6, y - 4, 2, "fill='#7aa0c4'");
    svg_text(out, LEFT + 16, y, "start", GREY, "a run");
    svg_line(out, LEFT + 90, y - 4, LEFT + 120, y - 4, near_style);
    (void)snprintf(text, sizeof text, "average of %.3g days",
                   (double)m->short_ns / day_ns);
    svg_text(out, LEFT + 126, y, "start", GREY, text);
    svg_line(out, LEFT + 290, y - 4, LEFT + 320, y - 4, far_style);
    (void)snprintf(text, sizeof text, "average of %.3g days",
                   (double)m->long_ns / day_ns);
    svg_text(out, LEFT + 326, y, "start", GREY, text);
    svg_box(out, LEFT + 490, y - 12, 28, 14, "fill='url(#hatch)' stroke='#bbb'");
    svg_text(out, LEFT + 524, y, "start", GREY, "region below the long average");
}

static void begin_draw(const struct run_series *c, const char *group,
                       struct strbuf *out)
{
    char text[256];
    (void)snprintf(text, sizeof text, "%s: %zu runs, %zu divergence regions",
                   group ? group : "all runs", c->count, c->region_count);
    svg_begin(out, WIDTH, BOTTOM + 60, text);
    strbuf_adds(out, "<defs><pattern id='hatch' width='6' height='6' "
                     "patternUnits='userSpaceOnUse' patternTransform='rotate(45)'>"
                     "<path d='M0 0v6' stroke='#c9a48f' stroke-width='2'/>"
                     "</pattern></defs>\n");
    svg_text(out, LEFT, 24, "start", "font-size='16' font-weight='bold'", text);
    svg_text(out, LEFT, 46, "start", GREY, "times in UTC");
}

int study_timeline_svg(const struct study *study, const char *group, struct strbuf *out)
{
    const struct mapping *m = study->mapping;
    AUTO(run_series_done) struct run_series c = { 0 };
    int rc = run_series_init(&c, study->runs);
    if (rc < 0)
        return rc;
    run_series_of_group(&c, study->runs, group);
    run_series_fill(&c, m, RUN_CLOCK_SITE);
    double *near = calloc(c.count + 1, sizeof *near);
    double *far = calloc(c.count + 1, sizeof *far);
    if (near && far && c.count > 0) {
        struct window w = { c.runs[0]->t_ns, c.runs[c.count - 1]->t_ns, m->short_ns };
        w.to_ns += w.to_ns == w.from_ns;
        moving_average(c.times, c.fractions, c.count, m->short_ns, near);
        moving_average(c.times, c.fractions, c.count, m->long_ns, far);
        begin_draw(&c, group, out);
        regions_draw(&c, near, far, &w, out);
        axes_draw(&w, out);
        runs_draw(&c, &w, out);
        line_draw(&c, far, &w, far_style, out);
        line_draw(&c, near, &w, near_style, out);
        legend_draw(m, out);
        svg_end(out);
    }
    rc = near && far ? 0 : -ENOMEM;
    free(near);
    free(far);
    return rc;
}
