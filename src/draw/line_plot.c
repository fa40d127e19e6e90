/* SPDX-License-Identifier: Apache-2.0 */
/* line_plot - lines over time as a picture: SVG. */
#include "draw/line_plot.h"

#include "base/number.h"
#include "base/timetext.h"
#include "draw/axis.h"
#include "draw/line_scale.h"
#include "draw/svg.h"

#include "base/cleanup.h"

#include <stddef.h>

#define SVG_LEFT 80
#define SVG_TOP 40
#define SVG_RIGHT 20
#define SVG_LINE_HEIGHT 18
#define LEGEND_WIDTH 40

static const char *const colours[] = { "#1f6feb", "#d1242f", "#1a7f37", "#9a6700",
                                       "#8250df", "#bf3989", "#0e8a92", "#57606a" };

static const char *colour_of(size_t line)
{
    return colours[line % (sizeof colours / sizeof colours[0])];
}

/* So that lines differ without their colours. */
static const char *dash_of(size_t line)
{
    static const char *const dashes[] = { "none", "7 3", "2 3",         "10 3 2 3",
                                          "12 5", "4 2", "8 3 2 3 2 3", "1 4" };
    /* Behind the last colour another one with each. */
    line += line / (sizeof colours / sizeof colours[0]);
    return dashes[line % (sizeof dashes / sizeof dashes[0])];
}

static void add_svg_text(struct strbuf *out, double x, double y, const char *anchor,
                         const char *text)
{
    strbuf_addf(out, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"%s\">", x, y, anchor);
    svg_add_escaped(out, text);
    strbuf_adds(out, "</text>\n");
}

static bool is_line(const struct line_plot *plot, const struct line_plot_line *line,
                    size_t i)
{
    return i > 0 &&
           line_is_joined(plot, line->points[i - 1].t_ms, line->points[i].t_ms);
}

static void add_svg_line(struct strbuf *out, const struct line_plot *plot,
                         const struct line_scale *b, size_t index, const double size[2])
{
    const struct line_plot_line *line = &plot->lines[index];
    strbuf_addf(out,
                "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" "
                "stroke-dasharray=\"%s\" d=\"",
                colour_of(index), dash_of(index));
    for (size_t i = 0; i < line->count; i++)
        strbuf_addf(out, "%c%.1f %.1f", is_line(plot, line, i) ? 'L' : 'M',
                    SVG_LEFT + line_scale_x(b, line->points[i].t_ms, size[0]),
                    SVG_TOP + line_scale_y(b, line->points[i].value, size[1]));
    strbuf_adds(out, "\"/>\n");
}

/* ---- bands ---- */

static const struct {
    const char *fill, *name;
    size_t low, high; /* members of a band */
} shades[] = {
    { "#cfe0fb", "least to greatest", offsetof(struct line_plot_band, least),
      offsetof(struct line_plot_band, greatest) },
    { "#8fb8f5", "middle half, between the quartiles",
      offsetof(struct line_plot_band, lower), offsetof(struct line_plot_band, upper) },
};

static double band_value(const struct line_plot_band *band, size_t offset)
{
    return *(const double *)(const void *)((const char *)band + offset);
}

static void band_point(const struct line_plot_band *band, const struct line_scale *b,
                       const double size[2], size_t offset, char command,
                       struct strbuf *out)
{
    strbuf_addf(out, "%c%.1f %.1f", command,
                SVG_LEFT + line_scale_x(b, band->t_ms, size[0]),
                SVG_TOP + line_scale_y(b, band_value(band, offset), size[1]));
}

/* An area for each piece without a gap: along its upper edge, and back. */
static void add_svg_shade(struct strbuf *out, const struct line_plot *plot,
                          const struct line_scale *b, size_t shade,
                          const double size[2])
{
    strbuf_addf(out, "<path fill=\"%s\" stroke=\"%s\" d=\"", shades[shade].fill,
                shades[shade].fill);
    for (size_t first = 0, end = 0; first < plot->band_count; first = end) {
        for (end = first + 1;
             end < plot->band_count &&
             line_is_joined(plot, plot->bands[end - 1].t_ms, plot->bands[end].t_ms);)
            end++;
        for (size_t i = first; i < end; i++)
            band_point(&plot->bands[i], b, size, shades[shade].high,
                       i == first ? 'M' : 'L', out);
        for (size_t i = end; i > first; i--)
            band_point(&plot->bands[i - 1], b, size, shades[shade].low, 'L', out);
        strbuf_addc(out, 'Z');
    }
    strbuf_adds(out, "\"/>\n");
}

static void add_svg_bands(struct strbuf *out, const struct line_plot *plot,
                          const struct line_scale *b, const double size[2],
                          double below)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    double text_x = SVG_LEFT + LEGEND_WIDTH + 8;
    for (size_t i = 0; i < COUNT_OF(shades); i++) {
        double y = below + SVG_LINE_HEIGHT * (double)i;
        add_svg_shade(out, plot, b, i, size);
        strbuf_addf(out,
                    "<rect x=\"%d\" y=\"%.0f\" width=\"%d\" height=\"10\" "
                    "fill=\"%s\"/>\n",
                    SVG_LEFT, y + 1, LEGEND_WIDTH, shades[i].fill);
        strbuf_clear(&text);
        strbuf_adds(&text, shades[i].name);
        if (i == 0)
            strbuf_addf(&text, " of %zu series", plot->series_count);
        add_svg_text(out, text_x, y + 10, "start", strbuf_text(&text));
    }
    double y = below + SVG_LINE_HEIGHT * (double)COUNT_OF(shades);
    strbuf_adds(out,
                "<path fill=\"none\" stroke=\"#0b3d91\" stroke-width=\"1.6\" d=\"");
    for (size_t i = 0; i < plot->band_count; i++)
        band_point(
            &plot->bands[i], b, size, offsetof(struct line_plot_band, median),
            i > 0 && line_is_joined(plot, plot->bands[i - 1].t_ms, plot->bands[i].t_ms)
                ? 'L'
                : 'M',
            out);
    strbuf_addf(out,
                "\"/>\n<line x1=\"%d\" x2=\"%d\" y1=\"%.0f\" y2=\"%.0f\" "
                "stroke=\"#0b3d91\" stroke-width=\"2\"/>\n",
                SVG_LEFT, SVG_LEFT + LEGEND_WIDTH, y + 6, y + 6);
    add_svg_text(out, text_x, y + 10, "start", "median");
}

/* ---- the picture ---- */

/* Round levels and round times of UTC, and where the picture begins and ends. */
static void add_svg_axes(struct strbuf *out, const struct line_scale *b,
                         const double size[2])
{
    char text[TIMETEXT_SIZE + 1];
    struct axis axis;
    axis_of_range(b->low, b->high, 5, &axis);
    for (size_t i = 0; i < axis.count; i++) {
        double y = SVG_TOP + line_scale_y(b, axis.positions[i], size[1]);
        strbuf_addf(out,
                    "<line x1=\"%d\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\" "
                    "stroke=\"#d0d7de\"/>\n",
                    SVG_LEFT, SVG_LEFT + size[0], y, y);
        add_svg_text(out, SVG_LEFT - 6, y + 4, "end", axis.labels[i]);
    }
    axis_of_times(b->from_ms / 1000, b->to_ms / 1000, (size_t)(size[0] / 90) + 2,
                  &axis);
    for (size_t i = 0; i < axis.count; i++) {
        double x =
            SVG_LEFT + line_scale_x(b, (int64_t)(axis.positions[i] * 1000), size[0]);
        double y = SVG_TOP + size[1];
        if (x < SVG_LEFT)
            continue;
        strbuf_addf(out,
                    "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" "
                    "stroke=\"#57606a\"/>\n",
                    x, x, y, y + 4);
        add_svg_text(out, x, y + SVG_LINE_HEIGHT, "middle", axis.labels[i]);
    }
    strbuf_adds(out, "<g fill=\"#57606a\">\n");
    text[timetext_print(text, b->from_ms * NS_PER_MS)] = '\0';
    add_svg_text(out, SVG_LEFT, SVG_TOP + size[1] + 2 * SVG_LINE_HEIGHT, "start", text);
    text[timetext_print(text, b->to_ms * NS_PER_MS)] = '\0';
    add_svg_text(out, SVG_LEFT + size[0], SVG_TOP + size[1] + 2 * SVG_LINE_HEIGHT,
                 "end", text);
    strbuf_adds(out, "</g>\n");
}

int line_plot_svg(const struct line_plot *plot, size_t width, size_t height,
                  struct strbuf *out)
{
    struct line_scale bounds;
    int rc = line_scale_find(plot, &bounds);
    if (rc < 0)
        return rc;
    const double size[2] = { (double)width, (double)height };
    double below = SVG_TOP + size[1] + 3 * SVG_LINE_HEIGHT;
    strbuf_addf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
                "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"12\">\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                SVG_LEFT + size[0] + SVG_RIGHT,
                below +
                    SVG_LINE_HEIGHT *
                        (double)(plot->line_count +
                                 (plot->band_count ? COUNT_OF(shades) + 1 : 0) + 1));
    add_svg_text(out, SVG_LEFT, SVG_TOP / 2.0, "start", plot->title);
    add_svg_axes(out, &bounds, size);
    if (plot->band_count > 0)
        add_svg_bands(out, plot, &bounds, size, below);
    for (size_t i = 0; i < plot->line_count; i++) {
        double y = below + SVG_LINE_HEIGHT * (double)i;
        add_svg_line(out, plot, &bounds, i, size);
        strbuf_addf(out,
                    "<line x1=\"%d\" x2=\"%d\" y1=\"%.0f\" y2=\"%.0f\" "
                    "stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\"/>\n",
                    SVG_LEFT, SVG_LEFT + LEGEND_WIDTH, y + 6, y + 6, colour_of(i),
                    dash_of(i));
        add_svg_text(out, SVG_LEFT + LEGEND_WIDTH + 8, y + 10, "start",
                     plot->lines[i].name);
    }
    strbuf_adds(out, "</svg>\n");
    return strbuf_error(out);
}
