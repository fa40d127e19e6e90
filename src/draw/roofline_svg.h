/* SPDX-License-Identifier: Apache-2.0 */
/* roofline_svg - operations a second over operations for each byte, both in powers of
 * ten, under the roof of a node, as a picture within a page.
 *
 *     1 TF/s ┤       ╱──────────
 *            │     ╱  2●
 *   100 GF/s ┤   ╱   ☆
 *            │ ╱  1●
 *            └───┬────┬────┬────
 *              0.1    1   10  flop/byte
 *
 * Its colours are the page's: classes roof, grid (strokes), row, dot, star (fills) and
 * lab (text).
 */
#ifndef DRAW_ROOFLINE_SVG_H
#define DRAW_ROOFLINE_SVG_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

#define ROOFLINE_POINTS_MAX 16

struct roofline_dot {
    double intensity, flops; /* what is not above 0 is not drawn */
    char label[8];
    bool is_star; /* of the whole job */
};

struct roofline_picture {
    const char *title;               /* for people who cannot see it */
    double peak_flops, peak_bytes;   /* 0: there is no roof */
    const struct roofline_dot *dots; /* ROOFLINE_POINTS_MAX at most */
    size_t dot_count;
};

/* Errors: -ENODATA (no point can be drawn), -ENOMEM; then out has nothing of it. */
int roofline_svg(const struct roofline_picture *picture, struct strbuf *out);

#endif
