/* SPDX-License-Identifier: Apache-2.0 */
/* svg - pictures as text. */
#include "draw/svg.h"

#include "base/span.h"

#include "base/utf8.h"

#include <math.h>

void svg_add_escaped(struct strbuf *out, const char *text)
{
    bool is_text = utf8_is_valid(span_of(text));
    for (const char *c = text; *c; c++) {
        switch (*c) {
        case '&':
            strbuf_adds(out, "&amp;");
            break;
        case '<':
            strbuf_adds(out, "&lt;");
            break;
        case '>':
            strbuf_adds(out, "&gt;");
            break;
        default:
            /* Control bytes have no place in XML, nor has what is no text. */
            strbuf_addc(out, (unsigned char)*c < 0x20 || *c == 0x7F ||
                                     (!is_text && (unsigned char)*c > 0x7F)
                                 ? '?'
                                 : *c);
        }
    }
}

void svg_begin(struct strbuf *out, double width, double height, const char *title)
{
    strbuf_addf(out,
                "<svg xmlns='http://www.w3.org/2000/svg' role='img' width='%.0f' "
                "height='%.0f' viewBox='0 0 %.0f %.0f' font-family='sans-serif' "
                "font-size='12'>\n"
                "<title>",
                width, height, width, height);
    svg_add_escaped(out, title);
    strbuf_adds(out, "</title>\n<rect width='100%' height='100%' fill='#fff'/>\n");
}

void svg_end(struct strbuf *out)
{
    strbuf_adds(out, "</svg>\n");
}

void svg_line(struct strbuf *out, double x1, double y1, double x2, double y2,
              const char *style)
{
    strbuf_addf(out, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' %s/>\n", x1, y1, x2,
                y2, style);
}

void svg_box(struct strbuf *out, double x, double y, double width, double height,
             const char *style)
{
    strbuf_addf(out, "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' %s/>\n", x, y,
                width, height, style);
}

void svg_circle(struct strbuf *out, double x, double y, double radius,
                const char *style)
{
    strbuf_addf(out, "<circle cx='%.1f' cy='%.1f' r='%.1f' %s/>\n", x, y, radius,
                style);
}

void svg_cross(struct strbuf *out, double x, double y, double radius, const char *style)
{
    strbuf_addf(out, "<path d='M%.1f %.1fl%.1f %.1fm0 %.1fl%.1f %.1f' %s/>\n",
                x - radius, y - radius, 2 * radius, 2 * radius, -2 * radius,
                -2 * radius, 2 * radius, style);
}

void svg_star(struct strbuf *out, double x, double y, double radius, const char *style)
{
    strbuf_adds(out, "<path d='");
    for (int i = 0; i < 10; i++) {
        double angle = (i - 2.5) * M_PI / 5;
        double r = i % 2 ? radius * 0.45 : radius;
        strbuf_addf(out, "%c%.1f %.1f", i ? 'L' : 'M', x + r * cos(angle),
                    y + r * sin(angle));
    }
    strbuf_addf(out, "Z' %s/>\n", style);
}

void svg_text(struct strbuf *out, double x, double y, const char *anchor,
              const char *style, const char *text)
{
    strbuf_addf(out, "<text x='%.1f' y='%.1f' text-anchor='%s' %s>", x, y, anchor,
                style);
    svg_add_escaped(out, text);
    strbuf_adds(out, "</text>\n");
}
