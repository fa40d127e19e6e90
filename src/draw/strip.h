/* SPDX-License-Identifier: Apache-2.0 */
/* strip - parts of a time that follow one another, as a picture within a page.
 *
 *       1       2            3
 *     ░░░░░│▓▓▓▓▓▓▓▓▓▓▓▓▓│        │
 *     UTC 14:00      15:00
 *
 * It is as wide as a row_map, so that it stands below one with the same times.  Its
 * colours are the page's: classes part0, part1, ... (a fill, by what a part is) and lab
 * (text).
 */
#ifndef DRAW_STRIP_H
#define DRAW_STRIP_H

#include "base/strbuf.h"

#include <stddef.h>
#include <stdint.h>

#define STRIP_KINDS 4

struct strip_part {
    size_t from, to; /* columns: to is the first one that is not of it */
    unsigned kind;   /* below STRIP_KINDS */
    const char *title;
};

struct strip {
    const char *title; /* for people who cannot see it; from anywhere, as parts' */
    const struct strip_part *parts;
    size_t part_count;
    size_t columns;       /* of equal length */
    int64_t from_s, to_s; /* of all columns */
};

/* Parts are numbered from 1, where there is space for the number.  Errors: -ENODATA (no
 * part, no column), -ENOMEM; then out has nothing of it. */
int strip_svg(const struct strip *strip, struct strbuf *out);

#endif
