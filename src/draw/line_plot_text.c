/* SPDX-License-Identifier: Apache-2.0 */
/* line_plot_text - lines over time for a terminal: braille dots, a letter on each of
 * several lines; bands as shades.
 */
#include "base/cleanup.h"
#include "base/figure.h"
#include "base/number.h"
#include "base/timetext.h"
#include "draw/line_scale.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_COLUMNS 11
#define LETTER_COLUMNS 3 /* at least, from one letter on a line to that of the next */

/* Dots of lines, and above them what stands in a cell as it is. */
struct canvas {
    uint8_t *dots; /* a bit a dot */
    char *marks;   /* a letter or a MARK_*; NUL: dots */
    size_t columns, rows;
};

enum { MARK_RANGE = 1, MARK_HALF, MARK_MEDIAN };

static void canvas_done(struct canvas *c)
{
    free(c->dots);
    free(c->marks);
}
DEFINE_AUTO_DONE(struct canvas, canvas_done);

static void dot_set(struct canvas *c, size_t x, size_t y)
{
    static const uint8_t bits[4][2] = {
        { 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 }
    };
    if (x < 2 * c->columns && y < 4 * c->rows)
        c->dots[y / 4 * c->columns + x / 2] |= bits[y % 4][x % 2];
}

static void segment_draw(struct canvas *c, const double from[2], const double to[2])
{
    double steps = ceil(fmax(fabs(to[0] - from[0]), fabs(to[1] - from[1])));
    for (double i = 0; i <= steps; i++) {
        double part = steps > 0 ? i / steps : 0;
        dot_set(c, (size_t)lround(from[0] + part * (to[0] - from[0])),
                (size_t)lround(from[1] + part * (to[1] - from[1])));
    }
}

static void line_draw(struct canvas *c, const struct line_plot *plot,
                      const struct line_scale *scale, const struct line_plot_line *line)
{
    double width = (double)(2 * c->columns - 1), height = (double)(4 * c->rows - 1);
    double last[2] = { 0, 0 };
    for (size_t i = 0; i < line->count; i++) {
        const struct line_plot_point *p = &line->points[i];
        double at[2] = { line_scale_x(scale, p->t_ms, width),
                         line_scale_y(scale, p->value, height) };
        bool is_joined =
            i > 0 && line_is_joined(plot, line->points[i - 1].t_ms, p->t_ms);
        segment_draw(c, is_joined ? last : at, at);
        last[0] = at[0];
        last[1] = at[1];
    }
}

/* ---- letters ---- */

static char letter_of(size_t line)
{
    return (char)('a' + (char)line);
}

/* On the line in this column, where no other letter stands.  false: it has no dot. */
static bool letter_put(struct canvas *c, const struct canvas *own, size_t column,
                       char letter)
{
    for (size_t row = 0; row < c->rows; row++) {
        size_t cell = row * c->columns + column;
        if (!own->dots[cell] || c->marks[cell])
            continue;
        c->marks[cell] = letter;
        return true;
    }
    return false;
}

/* Every so many columns, each line elsewhere; a short one at least once. */
static void letters_put(struct canvas *c, const struct canvas *own, size_t line,
                        size_t line_count)
{
    size_t period = line_count * LETTER_COLUMNS, count = 0;
    for (size_t x = line * LETTER_COLUMNS + 1; x < c->columns; x += period)
        count += letter_put(c, own, x, letter_of(line));
    for (size_t x = c->columns; count == 0 && x > 0; x--)
        count += letter_put(c, own, x - 1, letter_of(line));
}

static int lines_draw(struct canvas *c, const struct line_plot *plot,
                      const struct line_scale *scale)
{
    for (size_t i = 0; i < plot->line_count; i++) {
        AUTO(canvas_done)
        struct canvas own = { .columns = c->columns, .rows = c->rows };
        own.dots = calloc(c->columns * c->rows, 1);
        if (!own.dots)
            return -ENOMEM;
        line_draw(&own, plot, scale, &plot->lines[i]);
        for (size_t j = 0; j < c->columns * c->rows; j++)
            c->dots[j] |= own.dots[j];
        if (plot->line_count > 1)
            letters_put(c, &own, i, plot->line_count);
    }
    return 0;
}

/* ---- bands ---- */

static size_t row_of(const struct canvas *c, const struct line_scale *scale,
                     double value)
{
    double row = line_scale_y(scale, value, (double)c->rows - 1);
    return (size_t)lround(fmin(fmax(row, 0), (double)c->rows - 1));
}

static void rows_mark(struct canvas *c, size_t column, size_t first, size_t last,
                      char mark)
{
    for (size_t row = first; row <= last; row++)
        c->marks[row * c->columns + column] = mark;
}

/* Of each column the last band at or before it, unless it is too long ago. */
static void bands_draw(struct canvas *c, const struct line_plot *plot,
                       const struct line_scale *scale)
{
    double length_ms = (double)(scale->to_ms - scale->from_ms);
    size_t at = 0;
    for (size_t x = 0; x < c->columns; x++) {
        double share = c->columns > 1 ? (double)x / (double)(c->columns - 1) : 0;
        int64_t t_ms = scale->from_ms + (int64_t)(share * length_ms);
        while (at + 1 < plot->band_count && plot->bands[at + 1].t_ms <= t_ms)
            at++;
        const struct line_plot_band *b = &plot->bands[at];
        if (!line_is_joined(plot, b->t_ms, t_ms))
            continue;
        rows_mark(c, x, row_of(c, scale, b->greatest), row_of(c, scale, b->least),
                  MARK_RANGE);
        rows_mark(c, x, row_of(c, scale, b->upper), row_of(c, scale, b->lower),
                  MARK_HALF);
        rows_mark(c, x, row_of(c, scale, b->median), row_of(c, scale, b->median),
                  MARK_MEDIAN);
    }
}

/* ---- the whole ---- */

static const char *mark_text(char mark)
{
    static const char *const texts[] = { "", "\xe2\x96\x91", "\xe2\x96\x92",
                                         "\xe2\x94\x81" }; /* ░ ▒ ━ */
    return texts[(size_t)mark];
}

/* The mark, or U+2800 and the dots. */
static void cell_add(struct strbuf *out, const struct canvas *c, size_t cell)
{
    uint8_t dots = c->dots[cell];
    char text[3] = { (char)0xE2, (char)(0xA0 | dots >> 6), (char)(0x80 | (dots & 63)) };
    if (c->marks[cell] > MARK_MEDIAN)
        strbuf_addc(out, c->marks[cell]);
    else if (c->marks[cell])
        strbuf_adds(out, mark_text(c->marks[cell]));
    else if (dots)
        strbuf_add(out, text, sizeof text);
    else
        strbuf_addc(out, ' ');
}

static void label_add(struct strbuf *out, const struct line_scale *s, size_t row,
                      size_t rows)
{
    char text[32] = "";
    if (row == 0)
        figure_print_count(text, sizeof text, s->high);
    else if (row == rows - 1)
        figure_print_count(text, sizeof text, s->low);
    else if (row == rows / 2)
        figure_print_count(text, sizeof text,
                           s->high -
                               (s->high - s->low) * (double)row / (double)(rows - 1));
    strbuf_addf(out, "%*s \xe2\x94\x82", LABEL_COLUMNS - 2, text);
}

static void times_add(struct strbuf *out, const struct line_scale *s, size_t columns)
{
    char from[TIMETEXT_SIZE], to[TIMETEXT_SIZE];
    size_t from_size = timetext_print(from, s->from_ms * NS_PER_MS);
    size_t to_size = timetext_print(to, s->to_ms * NS_PER_MS);
    size_t between = columns > from_size + to_size ? columns - from_size - to_size : 1;
    strbuf_addf(out, "%*s%.*s%*s%.*s\n", LABEL_COLUMNS, "", (int)from_size, from,
                (int)between, "", (int)to_size, to);
}

static void legend_add(struct strbuf *out, const struct line_plot *plot)
{
    if (plot->band_count > 0)
        strbuf_addf(out,
                    "%*s%zu series: %s median, %s middle half (quartiles), %s least to "
                    "greatest\n",
                    LABEL_COLUMNS, "", plot->series_count, mark_text(MARK_MEDIAN),
                    mark_text(MARK_HALF), mark_text(MARK_RANGE));
    for (size_t i = 0; i < plot->line_count; i++) {
        strbuf_addf(out, "%*s", LABEL_COLUMNS, "");
        if (plot->line_count > 1)
            strbuf_addf(out, "%c  ", letter_of(i));
        strbuf_addf(out, "%s\n", plot->lines[i].name);
    }
}

int line_plot_braille(const struct line_plot *plot, size_t width, size_t height,
                      struct strbuf *out)
{
    struct line_scale scale;
    AUTO(canvas_done)
    struct canvas canvas = { .columns = width > 30 ? width - LABEL_COLUMNS : 20,
                             .rows = height > 2 ? height : 2 };
    int rc = line_scale_find(plot, &scale);
    if (rc < 0)
        return rc;
    canvas.dots = calloc(canvas.columns * canvas.rows, 1);
    canvas.marks = calloc(canvas.columns * canvas.rows, 1);
    if (!canvas.dots || !canvas.marks)
        return -ENOMEM;
    if (plot->band_count > 0)
        bands_draw(&canvas, plot, &scale);
    rc = lines_draw(&canvas, plot, &scale);
    if (rc < 0)
        return rc;
    strbuf_addf(out, "%s\n", plot->title);
    for (size_t row = 0; row < canvas.rows; row++) {
        label_add(out, &scale, row, canvas.rows);
        for (size_t i = 0; i < canvas.columns; i++)
            cell_add(out, &canvas, row * canvas.columns + i);
        while (out->size > 0 && out->data[out->size - 1] == ' ')
            out->size--;
        strbuf_addc(out, '\n');
    }
    times_add(out, &scale, canvas.columns);
    legend_add(out, plot);
    return strbuf_error(out);
}
