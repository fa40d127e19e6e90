/* SPDX-License-Identifier: Apache-2.0 */
/* svg - pictures as text: lines, boxes, words.
 *
 * Coordinates are in pixels from the upper left corner; style is SVG's own attributes
 * ("fill='none' stroke='#333'") and comes from us, words may come from anywhere and are
 * escaped.
 */
#ifndef DRAW_SVG_H
#define DRAW_SVG_H

#include "base/strbuf.h"

/* Text as XML has it; control bytes, and all bytes beyond ASCII of what is no UTF-8,
 * become "?". */
void svg_add_escaped(struct strbuf *out, const char *text);
void svg_begin(struct strbuf *out, double width, double height, const char *title);
void svg_end(struct strbuf *out);
void svg_line(struct strbuf *out, double x1, double y1, double x2, double y2,
              const char *style);
void svg_box(struct strbuf *out, double x, double y, double width, double height,
             const char *style);
void svg_circle(struct strbuf *out, double x, double y, double radius,
                const char *style);
/* An x, as large as radius. */
void svg_cross(struct strbuf *out, double x, double y, double radius,
               const char *style);
/* A star of five points. */
void svg_star(struct strbuf *out, double x, double y, double radius, const char *style);
/* anchor: "start", "middle" or "end". */
void svg_text(struct strbuf *out, double x, double y, const char *anchor,
              const char *style, const char *text);

#endif
