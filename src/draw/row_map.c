/* SPDX-License-Identifier: Apache-2.0 */
/* row_map - rows over time as a picture within a page. */
#include "draw/row_map.h"

#include "base/cleanup.h"
#include "draw/axis.h"
#include "draw/svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 720.0
#define LEFT 128.0
#define CELLS_WIDTH 584.0
#define ROW_PX_MAX 16.0
#define ROW_PX_MIN 7.0
#define ROWS_PX 260.0 /* rows become lower so that they fit in */
#define LABEL_PX 11.0
#define HEAD 4.0 /* of the first row's name, which is higher than its row */
#define FOOT 20.0
#define TICKS 6
#define TIME_HALF 26.0 /* of a time's width */
#define NAME_BYTES 18

void row_map_range(const struct row_map *map, double *ret_low, double *ret_high)
{
    double low = INFINITY;
    double high = -INFINITY;
    for (size_t r = 0; r < map->row_count; r++)
        for (size_t c = 0; c < map->columns; c++) {
            double value = map->rows[r].values[c];
            if (!isfinite(value))
                continue;
            low = fmin(low, value);
            high = fmax(high, value);
        }
    *ret_low = *ret_high = 0;
    if (!(low <= high))
        return;
    *ret_high = high;
    *ret_low = low < 0 ? low : low > high / 2 ? fmin(low, ROW_MAP_FLAT * high) : 0;
}

/* ---- which rows ---- */

static double row_mean(const struct row_map *map, size_t row)
{
    double sum = 0;
    size_t known = 0;
    for (size_t c = 0; c < map->columns; c++) {
        double value = map->rows[row].values[c];
        if (!isfinite(value))
            continue;
        sum += value;
        known++;
    }
    return known > 0 ? sum / (double)known : NAN;
}

static int double_order(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A row without numbers is nearest: it has nothing to show. */
static int distances_make(const struct row_map *map, double *distances, double *sorted)
{
    size_t known = 0;
    for (size_t r = 0; r < map->row_count; r++) {
        distances[r] = row_mean(map, r);
        if (!isnan(distances[r]))
            sorted[known++] = distances[r];
    }
    if (known == 0)
        return -ENODATA;
    qsort(sorted, known, sizeof *sorted, double_order);
    double median = sorted[known / 2];
    for (size_t r = 0; r < map->row_count; r++) {
        distances[r] = isnan(distances[r]) ? -1 : fabs(distances[r] - median);
        sorted[r] = distances[r];
    }
    qsort(sorted, map->row_count, sizeof *sorted, double_order);
    return 0;
}

/* Fill shown, ROW_MAP_ROWS_MAX positions, in the order of the rows. */
static int rows_choose(const struct row_map *map, size_t *shown, size_t *ret_count)
{
    size_t count = map->row_count;
    size_t n = 0;
    AUTO_FREE double *distances = calloc(count + 1, sizeof *distances);
    AUTO_FREE double *sorted = calloc(count + 1, sizeof *sorted);
    if (!distances || !sorted)
        return -ENOMEM;
    int rc = distances_make(map, distances, sorted);
    if (rc < 0)
        return rc;
    double least = count > ROW_MAP_ROWS_MAX ? sorted[count - ROW_MAP_ROWS_MAX] : -2;
    for (size_t r = 0; r < count; r++) /* farther ones before those as far */
        if (distances[r] > least)
            n++;
    size_t equals = count > ROW_MAP_ROWS_MAX ? ROW_MAP_ROWS_MAX - n : 0;
    n = 0;
    for (size_t r = 0; r < count; r++) {
        bool is_equal = distances[r] == least && equals > 0;
        if (!(distances[r] > least) && !is_equal)
            continue;
        equals -= is_equal;
        shown[n++] = r;
    }
    *ret_count = n;
    return 0;
}

/* ---- the picture ---- */

struct sheet {
    const struct row_map *map;
    const size_t *shown;
    size_t count;
    double low, high, row_px;
    const signed char *levels; /* of each cell, row by row */
    struct strbuf *out;
};

/* 0: nothing; -1: not measured. */
static int level_of(const struct sheet *s, double value)
{
    if (!isfinite(value))
        return -1;
    double span = s->high - s->low;
    double part = span > 0 ? (value - s->low) / span : s->high > 0 ? 1 : 0;
    int level = (int)lrint(part * ROW_MAP_LEVELS);
    return level == 0 && value > s->low ? 1 : level;
}

static signed char *levels_make(const struct sheet *s)
{
    size_t columns = s->map->columns;
    signed char *levels = malloc(s->count * columns + 1);
    if (!levels)
        return NULL;
    for (size_t i = 0; i < s->count; i++)
        for (size_t c = 0; c < columns; c++)
            levels[i * columns + c] =
                (signed char)level_of(s, s->map->rows[s->shown[i]].values[c]);
    return levels;
}

static double column_x(const struct sheet *s, size_t column)
{
    return LEFT + CELLS_WIDTH * (double)column / (double)s->map->columns;
}

/* "12.5", of what is not below 0: a page has tens of thousands of them, and printf
 * takes most of its time. */
static void tenths_add(struct strbuf *out, char before, double value)
{
    long tenths = lrint(value * 10);
    strbuf_addc(out, before);
    strbuf_add_i64(out, tenths / 10);
    strbuf_addc(out, '.');
    strbuf_addc(out, (char)('0' + tenths % 10));
}

/* All cells of one level as one path: a stroke as thick as the row. */
static void level_draw(const struct sheet *s, int level)
{
    for (size_t i = 0; i < s->count; i++) {
        const signed char *levels = s->levels + i * s->map->columns;
        double y = ((double)i + 0.5) * s->row_px;
        for (size_t c = 0; c < s->map->columns;) {
            size_t end = c;
            while (end < s->map->columns && levels[end] == level)
                end++;
            if (end > c) {
                tenths_add(s->out, 'M', column_x(s, c));
                tenths_add(s->out, ' ', y);
                tenths_add(s->out, 'H', column_x(s, end));
            }
            c = end > c ? end : c + 1;
        }
    }
}

static void cells_draw(const struct sheet *s)
{
    strbuf_adds(s->out, "<path class='gap' d='M0 0");
    level_draw(s, -1);
    strbuf_adds(s->out, "'/>\n");
    for (int level = 1; level <= ROW_MAP_LEVELS; level++) {
        strbuf_addf(s->out,
                    "<path class='heat' stroke-width='%.1f' stroke-opacity='%.2f' "
                    "d='M0 0",
                    s->row_px - 1, (double)level / ROW_MAP_LEVELS);
        level_draw(s, level);
        strbuf_adds(s->out, "'/>\n");
    }
}

/* Names of the first and of every so many rows that there is height for. */
static void names_draw(const struct sheet *s)
{
    size_t every = (size_t)ceil(LABEL_PX / s->row_px);
    for (size_t i = 0; i < s->count; i += every) {
        const char *name = s->map->rows[s->shown[i]].name;
        char text[NAME_BYTES + 3] = "..";
        size_t size = strlen(name);
        if (size <= NAME_BYTES)
            (void)snprintf(text, sizeof text, "%s", name);
        else
            (void)snprintf(text + 2, sizeof text - 2, "%s", name + size - NAME_BYTES);
        svg_text(s->out, LEFT - 6, ((double)i + 0.5) * s->row_px + 4, "end",
                 "class='lab'", text);
    }
}

static void times_draw(const struct sheet *s, double height)
{
    struct axis axis;
    double span = (double)(s->map->to_s - s->map->from_s);
    axis_of_times(s->map->from_s, s->map->to_s, TICKS, &axis);
    svg_text(s->out, LEFT - 40, height - 6, "end", "class='lab'", "UTC");
    for (size_t i = 0; i < axis.count && span > 0; i++) {
        double x =
            LEFT + CELLS_WIDTH * (axis.positions[i] - (double)s->map->from_s) / span;
        bool is_last = x > WIDTH - TIME_HALF;
        svg_text(s->out, is_last ? WIDTH : x, height - 6, is_last ? "end" : "middle",
                 "class='lab'", axis.labels[i]);
    }
}

int row_map_svg(const struct row_map *map, struct strbuf *out)
{
    size_t shown[ROW_MAP_ROWS_MAX];
    struct sheet s = { .map = map, .shown = shown, .out = out };
    int rc = rows_choose(map, shown, &s.count);
    if (rc < 0)
        return rc;
    row_map_range(map, &s.low, &s.high);
    s.row_px = fmax(ROW_PX_MIN, fmin(ROW_PX_MAX, ROWS_PX / (double)s.count));
    AUTO_FREE signed char *levels = levels_make(&s);
    s.levels = levels;
    if (!levels)
        return -ENOMEM;
    double rows_px = s.row_px * (double)s.count;
    double height = rows_px + FOOT;
    strbuf_addf(out,
                "<svg xmlns='http://www.w3.org/2000/svg' role='img' "
                "viewBox='0 -%.0f %.0f %.0f'>\n<title>",
                HEAD, WIDTH, height + HEAD);
    svg_add_escaped(out, map->title);
    strbuf_adds(out, "</title>\n");
    svg_box(out, LEFT, 0, CELLS_WIDTH, rows_px, "class='row'");
    cells_draw(&s);
    names_draw(&s);
    times_draw(&s, height);
    svg_end(out);
    return strbuf_error(out);
}
