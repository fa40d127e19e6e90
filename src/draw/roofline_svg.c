/* SPDX-License-Identifier: Apache-2.0 */
/* roofline_svg - operations a second over operations for each byte. */
#include "draw/roofline_svg.h"

#include "base/figure.h"
#include "draw/svg.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define WIDTH 720.0
#define LEFT 128.0
#define RIGHT 712.0
#define TOP 8.0
#define BOTTOM 268.0
#define HEIGHT 308.0
#define DECADES_MAX 24.0 /* of an axis: beyond it points are left out */
#define PEAK_MAX 1e24    /* no node has more, and no quotient of such overflows */
#define LABELS_MAX 8.0
#define LABEL_PX 11.0
#define DOT_RADIUS 4.0
#define STAR_RADIUS 7.0

/* Decades that an axis has: whole ones. */
struct decades {
    double low, high;
};

struct roof_sheet {
    const struct roofline_picture *picture;
    struct decades x, y;
    struct strbuf *out;
    /* Where labels stand already. */
    double labels[ROOFLINE_POINTS_MAX][2];
    size_t label_count;
};

static bool is_drawn(const struct roofline_dot *dot)
{
    return isfinite(dot->intensity) && isfinite(dot->flops) && dot->intensity > 0 &&
           dot->flops > 0;
}

static bool has_roof(const struct roofline_picture *p)
{
    return p->peak_flops >= 1 && p->peak_flops <= PEAK_MAX && p->peak_bytes >= 1 &&
           p->peak_bytes <= PEAK_MAX;
}

static void decades_widen(struct decades *d, double value)
{
    d->low = fmin(d->low, floor(log10(value)));
    d->high = fmax(d->high, ceil(log10(value)));
}

/* At least one decade, and not more than there is space for: the upper ones. */
static void decades_settle(struct decades *d)
{
    if (d->high - d->low < 1)
        d->high = d->low + 1;
    if (d->high - d->low > DECADES_MAX)
        d->low = d->high - DECADES_MAX;
}

static int ranges_set(struct roof_sheet *s)
{
    const struct roofline_picture *p = s->picture;
    size_t count = 0;
    s->x = s->y = (struct decades){ INFINITY, -INFINITY };
    for (size_t i = 0; i < p->dot_count; i++) {
        if (!is_drawn(&p->dots[i]))
            continue;
        count++;
        decades_widen(&s->x, p->dots[i].intensity);
        decades_widen(&s->y, p->dots[i].flops);
    }
    if (count == 0)
        return -ENODATA;
    if (has_roof(p)) {
        /* Something of both parts of the roof is seen. */
        decades_widen(&s->x, p->peak_flops / p->peak_bytes / 2);
        decades_widen(&s->x, p->peak_flops / p->peak_bytes * 2);
        decades_widen(&s->y, p->peak_flops * 1.2);
    }
    decades_settle(&s->x);
    decades_settle(&s->y);
    return 0;
}

static double sheet_x(const struct roof_sheet *s, double decade)
{
    return LEFT + (RIGHT - LEFT) * (decade - s->x.low) / (s->x.high - s->x.low);
}

static double sheet_y(const struct roof_sheet *s, double decade)
{
    return BOTTOM - (BOTTOM - TOP) * (decade - s->y.low) / (s->y.high - s->y.low);
}

static void rate_label(char text[static FIGURE_SIZE + 8], double rate)
{
    char count[FIGURE_SIZE];
    figure_print_count(count, sizeof count, rate);
    size_t size = strlen(count);
    bool is_digit = size > 0 && count[size - 1] >= '0' && count[size - 1] <= '9';
    (void)snprintf(text, FIGURE_SIZE + 8, "%s%sF/s", count, is_digit ? " " : "");
}

/* So many decades lie between two labels. */
static int decades_every(const struct decades *d)
{
    return (int)ceil((d->high - d->low) / LABELS_MAX);
}

static void roof_axes_draw(const struct roof_sheet *s)
{
    char text[FIGURE_SIZE + 8];
    int end_x = (int)(s->x.high - s->x.low), end_y = (int)(s->y.high - s->y.low);
    svg_box(s->out, LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP, "class='row'");
    for (int i = 0; i <= end_x; i += decades_every(&s->x)) {
        double x = sheet_x(s, s->x.low + i);
        svg_line(s->out, x, TOP, x, BOTTOM, "class='grid'");
        figure_print_number(text, FIGURE_SIZE, pow(10, s->x.low + i));
        svg_text(s->out, x, BOTTOM + 15, i == end_x ? "end" : "middle", "class='lab'",
                 text);
    }
    for (int i = 0; i <= end_y; i += decades_every(&s->y)) {
        double y = sheet_y(s, s->y.low + i);
        svg_line(s->out, LEFT, y, RIGHT, y, "class='grid'");
        rate_label(text, pow(10, s->y.low + i));
        svg_text(s->out, LEFT - 6, y + 4, "end", "class='lab'", text);
    }
    svg_text(s->out, (LEFT + RIGHT) / 2, BOTTOM + 32, "middle", "class='lab'",
             "floating point operations for each byte of memory (flop/byte)");
}

/* From the left or lower edge to the ridge, and on to the right edge. */
static void roof_draw(const struct roof_sheet *s)
{
    const struct roofline_picture *p = s->picture;
    if (!has_roof(p))
        return;
    double bytes = log10(p->peak_bytes), top = log10(p->peak_flops);
    double from = fmax(s->x.low, s->y.low - bytes);
    double ridge = fmax(from, top - bytes);
    strbuf_addf(s->out, "<path class='roof' d='M%.1f %.1fL%.1f %.1fH%.1f'/>\n",
                sheet_x(s, from), sheet_y(s, from + bytes), sheet_x(s, ridge),
                sheet_y(s, top), RIGHT);
}

/* Below those that stand there already. */
static double label_y(struct roof_sheet *s, double x, double y)
{
    for (size_t i = 0; i < s->label_count; i++)
        if (fabs(s->labels[i][0] - x) < 2 * LABEL_PX &&
            fabs(s->labels[i][1] - y) < LABEL_PX) {
            y = s->labels[i][1] + LABEL_PX;
            i = SIZE_MAX; /* again from the first: y grows each time */
        }
    if (s->label_count < ROOFLINE_POINTS_MAX) {
        s->labels[s->label_count][0] = x;
        s->labels[s->label_count++][1] = y;
    }
    return y;
}

static void dot_draw(struct roof_sheet *s, const struct roofline_dot *dot)
{
    double x = sheet_x(s, log10(dot->intensity)), y = sheet_y(s, log10(dot->flops));
    if (x < LEFT || y > BOTTOM)
        return;
    if (dot->is_star)
        svg_star(s->out, x, y, STAR_RADIUS, "class='star'");
    else
        svg_circle(s->out, x, y, DOT_RADIUS, "class='dot'");
    bool is_right = x > RIGHT - 4 * LABEL_PX;
    double beside = is_right ? -9 : 9;
    svg_text(s->out, x + beside, label_y(s, x + beside, y + 4),
             is_right ? "end" : "start", "class='lab'", dot->label);
}

int roofline_svg(const struct roofline_picture *picture, struct strbuf *out)
{
    struct roof_sheet s = { .picture = picture, .out = out };
    int rc = ranges_set(&s);
    if (rc < 0)
        return rc;
    strbuf_addf(out,
                "<svg xmlns='http://www.w3.org/2000/svg' role='img' "
                "viewBox='0 0 %.0f %.0f'>\n<title>",
                WIDTH, HEIGHT);
    svg_add_escaped(out, picture->title);
    strbuf_adds(out, "</title>\n");
    roof_axes_draw(&s);
    roof_draw(&s);
    for (int is_star = 0; is_star < 2; is_star++)
        for (size_t i = 0; i < picture->dot_count && i < ROOFLINE_POINTS_MAX; i++)
            if (is_drawn(&picture->dots[i]) &&
                picture->dots[i].is_star == (is_star == 1))
                dot_draw(&s, &picture->dots[i]);
    svg_end(out);
    return strbuf_error(out);
}
