/* SPDX-License-Identifier: Apache-2.0 */
/* strip - parts of a time that follow one another, as a picture within a page. */
#include "draw/strip.h"

#include "draw/axis.h"
#include "draw/svg.h"

#include <errno.h>
#include <stdio.h>

/* As in row_map. */
#define WIDTH 720.0
#define LEFT 128.0
#define CELLS_WIDTH 584.0
#define TICKS 6
#define TIME_HALF 26.0
#define NUMBERS_PX 14.0
#define PARTS_PX 22.0
#define FOOT 20.0
#define NUMBER_WIDTH 14.0

static double strip_x(const struct strip *s, size_t column)
{
    return LEFT + CELLS_WIDTH * (double)column / (double)s->columns;
}

static void part_draw(const struct strip *s, const struct strip_part *part,
                      struct strbuf *out)
{
    double x = strip_x(s, part->from), end = strip_x(s, part->to);
    strbuf_addf(out,
                "<rect class='part%u' x='%.1f' y='%.1f' width='%.1f' height='%.1f'>"
                "<title>",
                part->kind % STRIP_KINDS, x, NUMBERS_PX, end - x, PARTS_PX);
    svg_add_escaped(out, part->title);
    strbuf_adds(out, "</title></rect>\n");
}

static void numbers_draw(const struct strip *s, struct strbuf *out)
{
    double free_from = 0;
    for (size_t i = 0; i < s->part_count; i++) {
        char text[24];
        double x = (strip_x(s, s->parts[i].from) + strip_x(s, s->parts[i].to)) / 2;
        (void)snprintf(text, sizeof text, "%zu", i + 1);
        if (x - NUMBER_WIDTH / 2 < free_from)
            continue;
        svg_text(out, x, NUMBERS_PX - 4, "middle", "class='lab'", text);
        free_from = x + NUMBER_WIDTH / 2;
    }
}

static void strip_times_draw(const struct strip *s, double height, struct strbuf *out)
{
    struct axis axis;
    double span = (double)(s->to_s - s->from_s);
    axis_of_times(s->from_s, s->to_s, TICKS, &axis);
    svg_text(out, LEFT - 40, height - 6, "end", "class='lab'", "UTC");
    for (size_t i = 0; i < axis.count && span > 0; i++) {
        double x = LEFT + CELLS_WIDTH * (axis.positions[i] - (double)s->from_s) / span;
        bool is_last = x > WIDTH - TIME_HALF;
        svg_text(out, is_last ? WIDTH : x, height - 6, is_last ? "end" : "middle",
                 "class='lab'", axis.labels[i]);
    }
}

int strip_svg(const struct strip *strip, struct strbuf *out)
{
    double height = NUMBERS_PX + PARTS_PX + FOOT;
    if (strip->part_count == 0 || strip->columns == 0)
        return -ENODATA;
    strbuf_addf(out,
                "<svg xmlns='http://www.w3.org/2000/svg' role='img' "
                "viewBox='0 0 %.0f %.0f'>\n<title>",
                WIDTH, height);
    svg_add_escaped(out, strip->title);
    strbuf_adds(out, "</title>\n");
    svg_text(out, LEFT - 6, NUMBERS_PX + PARTS_PX / 2 + 4, "end", "class='lab'",
             "phases");
    for (size_t i = 0; i < strip->part_count; i++)
        part_draw(strip, &strip->parts[i], out);
    numbers_draw(strip, out);
    strip_times_draw(strip, height, out);
    svg_end(out);
    return strbuf_error(out);
}
