/* SPDX-License-Identifier: Apache-2.0 */
/* line_plot - lines over time as a picture. */
#include "draw/line_plot.h"

#include "base/number.h"
#include "base/timetext.h"
#include "draw/axis.h"
#include "draw/svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define LABEL_COLUMNS 11
#define SVG_LEFT 80
#define SVG_TOP 40
#define SVG_RIGHT 20
#define SVG_LINE_HEIGHT 18
#define LEGEND_WIDTH 40

struct bounds {
    int64_t from_ms, to_ms;
    double low, high;
};

static int find_bounds(const struct line_plot *plot, struct bounds *ret)
{
    struct bounds b = { INT64_MAX, INT64_MIN, INFINITY, -INFINITY };
    for (size_t i = 0; i < plot->line_count; i++) {
        for (size_t j = 0; j < plot->lines[i].count; j++) {
            const struct line_plot_point *p = &plot->lines[i].points[j];
            b.from_ms = p->t_ms < b.from_ms ? p->t_ms : b.from_ms;
            b.to_ms = p->t_ms > b.to_ms ? p->t_ms : b.to_ms;
            b.low = fmin(b.low, p->value);
            b.high = fmax(b.high, p->value);
        }
    }
    if (b.from_ms == INT64_MAX)
        return -ENODATA;
    /* A line that is level lies in the middle. */
    if (b.low == b.high) {
        double half = b.low == 0 ? 1 : fabs(b.low) / 2;
        b.low -= half;
        b.high += half;
    }
    b.to_ms += b.to_ms == b.from_ms;
    *ret = b;
    return 0;
}

/* Where a point lies in a picture of width × height, the origin above on the left. */
static double place_x(const struct bounds *b, int64_t t_ms, double width)
{
    return (double)(t_ms - b->from_ms) / (double)(b->to_ms - b->from_ms) * width;
}

static double place_y(const struct bounds *b, double value, double height)
{
    return (b->high - value) / (b->high - b->low) * height;
}

static bool is_joined(const struct line_plot *plot, const struct line_plot_line *line,
                      size_t i)
{
    return i > 0 && (plot->gap_ms == 0 ||
                     line->points[i].t_ms - line->points[i - 1].t_ms <= plot->gap_ms);
}

/* ---- braille ---- */

struct canvas {
    uint8_t *cells; /* a bit a dot */
    size_t columns, rows;
};

static void set_dot(struct canvas *c, size_t x, size_t y)
{
    static const uint8_t bits[4][2] = {
        { 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 }
    };
    if (x < 2 * c->columns && y < 4 * c->rows)
        c->cells[y / 4 * c->columns + x / 2] |= bits[y % 4][x % 2];
}

static void draw_segment(struct canvas *c, const double from[2], const double to[2])
{
    double steps = ceil(fmax(fabs(to[0] - from[0]), fabs(to[1] - from[1])));
    for (double i = 0; i <= steps; i++) {
        double part = steps > 0 ? i / steps : 0;
        set_dot(c, (size_t)lround(from[0] + part * (to[0] - from[0])),
                (size_t)lround(from[1] + part * (to[1] - from[1])));
    }
}

static void draw_line(struct canvas *c, const struct line_plot *plot,
                      const struct bounds *bounds, const struct line_plot_line *line)
{
    double width = (double)(2 * c->columns - 1), height = (double)(4 * c->rows - 1);
    double last[2] = { 0, 0 };
    for (size_t i = 0; i < line->count; i++) {
        const struct line_plot_point *p = &line->points[i];
        double at[2] = { place_x(bounds, p->t_ms, width),
                         place_y(bounds, p->value, height) };
        draw_segment(c, is_joined(plot, line, i) ? last : at, at);
        last[0] = at[0];
        last[1] = at[1];
    }
}

/* U+2800 and the dots. */
static void add_cell(struct strbuf *out, uint8_t dots)
{
    char text[3] = { (char)0xE2, (char)(0xA0 | dots >> 6), (char)(0x80 | (dots & 63)) };
    if (dots)
        strbuf_add(out, text, sizeof text);
    else
        strbuf_addc(out, ' ');
}

static void add_label(struct strbuf *out, const struct bounds *b, size_t row,
                      size_t rows)
{
    char text[32] = "";
    if (row == 0)
        number_print_count(text, sizeof text, b->high);
    else if (row == rows - 1)
        number_print_count(text, sizeof text, b->low);
    else if (row == rows / 2)
        number_print_count(text, sizeof text,
                           b->high -
                               (b->high - b->low) * (double)row / (double)(rows - 1));
    strbuf_addf(out, "%*s \xe2\x94\x82", LABEL_COLUMNS - 2, text);
}

static void add_times(struct strbuf *out, const struct bounds *b, size_t columns)
{
    char from[TIMETEXT_SIZE], to[TIMETEXT_SIZE];
    size_t from_size = timetext_print(from, b->from_ms * NS_PER_MS);
    size_t to_size = timetext_print(to, b->to_ms * NS_PER_MS);
    size_t between = columns > from_size + to_size ? columns - from_size - to_size : 1;
    strbuf_addf(out, "%*s%.*s%*s%.*s\n", LABEL_COLUMNS, "", (int)from_size, from,
                (int)between, "", (int)to_size, to);
}

int line_plot_braille(const struct line_plot *plot, size_t width, size_t height,
                      struct strbuf *out)
{
    struct bounds bounds;
    struct canvas canvas = { .columns = width > 30 ? width - LABEL_COLUMNS : 20,
                             .rows = height > 2 ? height : 2 };
    int rc = find_bounds(plot, &bounds);
    if (rc < 0)
        return rc;
    canvas.cells = calloc(canvas.columns * canvas.rows, 1);
    if (!canvas.cells)
        return -ENOMEM;
    for (size_t i = 0; i < plot->line_count; i++)
        draw_line(&canvas, plot, &bounds, &plot->lines[i]);
    strbuf_addf(out, "%s\n", plot->title);
    for (size_t row = 0; row < canvas.rows; row++) {
        add_label(out, &bounds, row, canvas.rows);
        for (size_t i = 0; i < canvas.columns; i++)
            add_cell(out, canvas.cells[row * canvas.columns + i]);
        while (out->size > 0 && out->data[out->size - 1] == ' ')
            out->size--;
        strbuf_addc(out, '\n');
    }
    add_times(out, &bounds, canvas.columns);
    for (size_t i = 0; i < plot->line_count; i++)
        strbuf_addf(out, "%*s%s\n", LABEL_COLUMNS, "", plot->lines[i].name);
    free(canvas.cells);
    return strbuf_error(out);
}

/* ---- SVG ---- */

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
    return dashes[line % (sizeof dashes / sizeof dashes[0])];
}

static void add_svg_text(struct strbuf *out, double x, double y, const char *anchor,
                         const char *text)
{
    strbuf_addf(out, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"%s\">", x, y, anchor);
    svg_add_escaped(out, text);
    strbuf_adds(out, "</text>\n");
}

static void add_svg_line(struct strbuf *out, const struct line_plot *plot,
                         const struct bounds *b, size_t index, const double size[2])
{
    const struct line_plot_line *line = &plot->lines[index];
    strbuf_addf(out,
                "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" "
                "stroke-dasharray=\"%s\" d=\"",
                colour_of(index), dash_of(index));
    for (size_t i = 0; i < line->count; i++)
        strbuf_addf(out, "%c%.1f %.1f", is_joined(plot, line, i) ? 'L' : 'M',
                    SVG_LEFT + place_x(b, line->points[i].t_ms, size[0]),
                    SVG_TOP + place_y(b, line->points[i].value, size[1]));
    strbuf_adds(out, "\"/>\n");
}

/* Round levels and round times of UTC, and where the picture begins and ends. */
static void add_svg_axes(struct strbuf *out, const struct bounds *b,
                         const double size[2])
{
    char text[TIMETEXT_SIZE + 1];
    struct axis axis;
    axis_of_range(b->low, b->high, 5, &axis);
    for (size_t i = 0; i < axis.count; i++) {
        double y = SVG_TOP + place_y(b, axis.places[i], size[1]);
        strbuf_addf(out,
                    "<line x1=\"%d\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\" "
                    "stroke=\"#d0d7de\"/>\n",
                    SVG_LEFT, SVG_LEFT + size[0], y, y);
        add_svg_text(out, SVG_LEFT - 6, y + 4, "end", axis.labels[i]);
    }
    axis_of_times(b->from_ms / 1000, b->to_ms / 1000, (size_t)(size[0] / 90) + 2,
                  &axis);
    for (size_t i = 0; i < axis.count; i++) {
        double x = SVG_LEFT + place_x(b, (int64_t)(axis.places[i] * 1000), size[0]);
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
    struct bounds bounds;
    int rc = find_bounds(plot, &bounds);
    if (rc < 0)
        return rc;
    const double size[2] = { (double)width, (double)height };
    double below = SVG_TOP + size[1] + 3 * SVG_LINE_HEIGHT;
    strbuf_addf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
                "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"12\">\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                SVG_LEFT + size[0] + SVG_RIGHT,
                below + SVG_LINE_HEIGHT * (double)(plot->line_count + 1));
    add_svg_text(out, SVG_LEFT, SVG_TOP / 2.0, "start", plot->title);
    add_svg_axes(out, &bounds, size);
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
