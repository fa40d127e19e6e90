/* SPDX-License-Identifier: Apache-2.0 */
/* umami_svg - an UMAMI diagram as a picture.
 *
 * Colours are those of the paper; so that the picture says the same in grey, and to
 * everybody, the quarter also stands in words, and the worst one in bold.
 */
#include "draw/umami_svg.h"

#include "analysis/climate/climate.h"
#include "base/timetext.h"
#include "draw/row_range.h"
#include "draw/svg.h"

#include <math.h>

#define WIDTH 1000.0
#define TOP 64.0
#define ROW 72.0
#define LEFT 240.0        /* where the history begins */
#define BORDER 680.0      /* where it ends */
#define SCALE_RIGHT 722.0 /* where the numbers of its scale end */
#define BOX_LEFT 728.0    /* where the distribution begins */
#define BOX_RIGHT 840.0   /* and ends */
#define INNER 10.0        /* free above and below the values of a row */

static const char *const colours[] = {
    [UMAMI_WORST] = "#DA0017", [UMAMI_WORSE] = "#FD6A07", [UMAMI_BETTER] = "#40A43A",
    [UMAMI_BEST] = "#2C69A9",  [UMAMI_SAME] = "#777777",  [UMAMI_UNKNOWN] = "#777777",
};

/* Where values of a row lie in the picture. */
struct scale {
    struct row_range range;
    double top, bottom;
};

static double y_of(const struct scale *s, double value)
{
    const struct row_range *r = &s->range;
    double inside = row_range_limit(r, value);
    double part = r->high > r->low ? (inside - r->low) / (r->high - r->low) : 0.5;
    return s->bottom - INNER - part * (s->bottom - s->top - 2 * INNER);
}

static double x_of(const struct umami *u, size_t i)
{
    int64_t first = u->times[0];
    int64_t span = u->times[u->count - 1] - first;
    double part = span > 0 ? (double)(u->times[i] - first) / (double)span : 1;
    return LEFT + 10 + part * (BORDER - LEFT - 30);
}

/* A triangle that points to where the value is. */
static void outside_draw(double x, const struct scale *s, int side, struct strbuf *out)
{
    double edge = side > 0 ? s->top + 2 : s->bottom - 2;
    double base = edge + side * 6;
    strbuf_addf(out, "<path d='M%.1f %.1fL%.1f %.1fL%.1f %.1fZ' fill='#555'/>\n", x,
                edge, x - 4, base, x + 4, base);
}

static void history_draw(const struct umami *u, const struct umami_row *row,
                         const struct scale *s, struct strbuf *out)
{
    size_t last = u->count - 1;
    char style[96];
    for (size_t i = 0; i < u->count; i++) {
        int side = row_range_side(&s->range, row->history[i]);
        if (side != 0)
            outside_draw(x_of(u, i), s, side, out);
        else if (i < last && !isnan(row->history[i]))
            svg_cross(out, x_of(u, i), y_of(s, row->history[i]), 2.5,
                      "stroke='#555' fill='none'");
    }
    if (isnan(row->value))
        return;
    (void)snprintf(style, sizeof style,
                   "stroke='%s' stroke-width='1.5' stroke-dasharray='6 4'",
                   colours[row->quarter]);
    /* Not through the numbers of the scale, which stand between. */
    svg_line(out, LEFT, y_of(s, row->value), BORDER, y_of(s, row->value), style);
    svg_line(out, SCALE_RIGHT, y_of(s, row->value), BOX_RIGHT, y_of(s, row->value),
             style);
    (void)snprintf(style, sizeof style, "fill='%s' stroke='#000' stroke-width='0.8'",
                   colours[row->quarter]);
    svg_star(out, x_of(u, last), y_of(s, row->value), 8, style);
}

static void box_draw(const struct umami_row *row, const struct scale *s,
                     struct strbuf *out)
{
    double middle = (BOX_LEFT + BOX_RIGHT) / 2;
    const char *thin = "stroke='#333'";
    if (row->other_count == 0)
        return;
    for (size_t i = 0; i < row->other_count; i++)
        if ((row->others[i] < row->q05 || row->others[i] > row->q95) &&
            row_range_side(&s->range, row->others[i]) == 0)
            svg_circle(out, middle, y_of(s, row->others[i]), 2.5,
                       "stroke='#777' fill='none'");
    svg_line(out, middle, y_of(s, row->q05), middle, y_of(s, row->q25), thin);
    svg_line(out, middle, y_of(s, row->q75), middle, y_of(s, row->q95), thin);
    svg_line(out, middle - 14, y_of(s, row->q05), middle + 14, y_of(s, row->q05), thin);
    svg_line(out, middle - 14, y_of(s, row->q95), middle + 14, y_of(s, row->q95), thin);
    svg_box(out, middle - 30, y_of(s, row->q75), 60,
            y_of(s, row->q25) - y_of(s, row->q75),
            "stroke='#333' fill='#000' fill-opacity='0.06'");
    svg_line(out, middle - 30, y_of(s, row->q50), middle + 30, y_of(s, row->q50),
             "stroke='#333' stroke-width='2'");
}

static void words_draw(const struct umami_row *row, const struct scale *s,
                       struct strbuf *out)
{
    double middle = (s->top + s->bottom) / 2;
    char text[64] = "";
    char style[64];
    svg_text(out, LEFT - 12, middle - 2, "end", "font-weight='bold'", row->label);
    svg_text(out, LEFT - 12, middle + 13, "end", "fill='#666' font-size='10'",
             row->is_big_good ? "more is better" : "less is better");
    const struct row_range *r = &s->range;
    if (r->low <= r->high)
        (void)snprintf(text, sizeof text, "%.4g", r->high);
    svg_text(out, BORDER + 4, r->low < r->high ? s->top + INNER + 4 : middle + 3,
             "start", "fill='#666' font-size='9'", text);
    if (r->low < r->high) {
        (void)snprintf(text, sizeof text, "%.4g", r->low);
        svg_text(out, BORDER + 4, s->bottom - INNER + 3, "start",
                 "fill='#666' font-size='9'", text);
    }
    (void)snprintf(text, sizeof text, "%.4g", row->value);
    svg_text(out, BOX_RIGHT + 14, middle - 2, "start", "font-weight='bold'",
             isnan(row->value) ? "missing" : text);
    (void)snprintf(style, sizeof style, "fill='%s'", colours[row->quarter]);
    svg_box(out, BOX_RIGHT + 14, middle + 6, 8, 8, style);
    /* Dark, since orange and green are hard to read on white. */
    svg_text(out, BOX_RIGHT + 28, middle + 14, "start",
             row->quarter == UMAMI_WORST ? "fill='#222' font-weight='bold'"
                                         : "fill='#222'",
             umami_quarter_name(row->quarter));
}

static void row_draw(const struct umami *u, const struct umami_row *row, double top,
                     struct strbuf *out)
{
    const struct scale s = { row_range_of(row, u->count), top, top + ROW };
    svg_box(out, LEFT, top, BORDER - LEFT, ROW, "fill='none' stroke='#bbb'");
    svg_box(out, BORDER, top, BOX_RIGHT - BORDER, ROW, "fill='none' stroke='#bbb'");
    box_draw(row, &s, out);
    history_draw(u, row, &s, out);
    words_draw(row, &s, out);
}

void umami_print_svg(const struct umami *u, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf title = STRBUF_INIT;
    char first[TIMETEXT_SIZE], last[TIMETEXT_SIZE];
    double bottom = TOP + ROW * (double)u->row_count;
    (void)timetext_print(first, u->times[0]);
    (void)timetext_print(last, u->t_ns);
    strbuf_addf(&title, "%s among %zu runs of %s", u->id, u->count - 1, u->set);
    svg_begin(out, WIDTH, bottom + 40, strbuf_text(&title));
    svg_text(out, LEFT, 28, "start", "font-size='16' font-weight='bold'",
             strbuf_text(&title));
    svg_text(out, LEFT, 50, "start", "fill='#666'", "history");
    svg_text(out, (BOX_LEFT + BOX_RIGHT) / 2, 50, "middle", "fill='#666'",
             "the others");
    for (size_t i = 0; i < u->row_count; i++)
        row_draw(u, &u->rows[i], TOP + ROW * (double)i, out);
    svg_text(out, LEFT, bottom + 18, "start", "fill='#666'", first);
    svg_text(out, BORDER, bottom + 18, "end", "fill='#666'", last);
    svg_end(out);
}
