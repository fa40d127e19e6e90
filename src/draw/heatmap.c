/* SPDX-License-Identifier: Apache-2.0 */
/* heatmap - a measure of many components over time, as a picture. */
#include "draw/heatmap.h"

#include "draw/svg.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define LEVELS 24 /* can be distinguished, and suffice to merge neighbours */
#define MISSING (-1)
#define WIDTH 1000.0
#define LEFT 130.0
#define CELLS_WIDTH 740.0
#define STRIP_CELLS_MAX 370 /* two pixels each */
#define CELLS_MAX 100000    /* of the picture, at some 70 bytes each */
#define LABEL_PX 11.0       /* a name needs so much height */
#define LEGEND_GAP 24.0
#define LEGEND_WIDTH 16.0
#define HEAD 34.0 /* the title, above the cells */
#define FOOT 40.0 /* the times, below */

/* A row of the picture. */
struct strip {
    const char *name;
    size_t column; /* of the grid */
};

struct drawing {
    const struct lmt_grid *grid;
    enum lmt_measure measure;
    const struct heatmap_opts *opts;
    struct strip *strips;
    double *cells; /* strips x cell_count; NaN: missing */
    size_t cell_count;
    double by; /* values are divided by it */
    double top, strip_height;
    struct axis scale;
    struct strbuf *out;
};

static uint64_t digits_value(const char **text, const char *digits)
{
    uint64_t value = 0;
    for (const char *at; **text && (at = strchr(digits, **text)); (*text)++)
        value = value * 16 + (uint64_t)(at - digits);
    return value; /* of any base the same order */
}

/* Numbers within names by value: bb9 before bb10.  Those of targets are hexadecimal,
 * as Lustre prints them in small letters. */
static int natural_order(const void *a, const void *b)
{
    const char *const names[] = { ((const struct strip *)a)->name,
                                  ((const struct strip *)b)->name };
    const char *x = names[0];
    const char *y = names[1];
    while (*x && *y) {
        bool is_target = x - names[0] >= 3 &&
                         (memcmp(x - 3, "OST", 3) == 0 || memcmp(x - 3, "MDT", 3) == 0);
        const char *digits = is_target ? "0123456789abcdef" : "0123456789";
        if (strchr(digits, *x) && strchr(digits, *y)) {
            uint64_t x_value = digits_value(&x, digits);
            uint64_t y_value = digits_value(&y, digits);
            if (x_value != y_value)
                return x_value < y_value ? -1 : 1;
        } else if (*x != *y) {
            return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
        } else {
            x++;
            y++;
        }
    }
    return *x || *y ? (*x ? 1 : -1) : strcmp(names[0], names[1]);
}

/* From nearly white to nearly black blue; the lightness falls evenly. */
static void colour_of(int level, char ret[static 8])
{
    static const double light[] = { 0xf4, 0xf8, 0xfc };
    static const double middle[] = { 0x4f, 0x93, 0xc6 };
    static const double dark[] = { 0x06, 0x1f, 0x4a };
    double part = (double)level / (LEVELS - 1);
    unsigned rgb[3];
    for (size_t i = 0; i < 3; i++) {
        double value = part < 0.5
                           ? light[i] + (middle[i] - light[i]) * part * 2
                           : middle[i] + (dark[i] - middle[i]) * (part - 0.5) * 2;
        rgb[i] = (unsigned)lrint(value);
    }
    (void)snprintf(ret, 8, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

static int level_of(const struct drawing *d, double value)
{
    if (isnan(value))
        return MISSING;
    double part = value / d->scale.top * (LEVELS - 1);
    /* What is not nothing is not drawn as nothing. */
    if (value > 0 && part < 1)
        return 1;
    return part < 0 ? 0 : (int)fmin(part, LEVELS - 1);
}

static double cell_mean(const struct drawing *d, size_t column, size_t cell)
{
    const struct lmt_grid *grid = d->grid;
    bool is_count = lmt_measure_info(d->measure)->kind == LMT_COUNT;
    size_t first = cell * grid->row_count / d->cell_count;
    size_t end = (cell + 1) * grid->row_count / d->cell_count;
    double sum = 0;
    size_t known = 0;
    for (size_t row = first; row < end; row++) {
        double value = is_count ? lmt_grid_even(grid, row, column)
                                : *lmt_grid_at(grid, row, column);
        if (isnan(value))
            continue;
        sum += value;
        known++;
    }
    return known > 0 ? sum / (double)known / d->by : NAN;
}

static int cells_make(struct drawing *d)
{
    const struct lmt_grid *grid = d->grid;
    const struct lmt_measure_info *info = lmt_measure_info(d->measure);
    double greatest = 0;
    char unit[32];
    d->by = info->kind == LMT_COUNT ? (double)grid->step_s : 1;
    size_t most = CELLS_MAX / (grid->column_count + 1);
    most = most < STRIP_CELLS_MAX ? most : STRIP_CELLS_MAX;
    d->cell_count = grid->row_count < most ? grid->row_count : most;
    d->strips = calloc(grid->column_count + 1, sizeof *d->strips);
    d->cells = calloc(grid->column_count * d->cell_count + 1, sizeof(double));
    if (!d->strips || !d->cells)
        return -ENOMEM;
    for (size_t i = 0; i < grid->column_count; i++)
        d->strips[i] = (struct strip){ grid->columns[i], i };
    if (grid->column_count > 1)
        qsort(d->strips, grid->column_count, sizeof *d->strips, natural_order);
    for (size_t i = 0; i < grid->column_count; i++)
        for (size_t c = 0; c < d->cell_count; c++) {
            double value = cell_mean(d, d->strips[i].column, c);
            d->cells[i * d->cell_count + c] = value;
            if (value > greatest)
                greatest = value;
        }
    (void)snprintf(unit, sizeof unit, "%s%s", info->unit,
                   info->kind == LMT_COUNT ? "/s" : "");
    axis_of_values(greatest, unit, 5, &d->scale);
    return 0;
}

static double x_of_time(const struct drawing *d, double t_s)
{
    const struct lmt_grid *grid = d->grid;
    double span = (double)grid->row_count * (double)grid->step_s;
    return d->opts->left + (t_s - (double)grid->start_s) / span * d->opts->width;
}

static double x_of_cell(const struct drawing *d, size_t cell)
{
    size_t row = cell * d->grid->row_count / d->cell_count;
    return x_of_time(d,
                     (double)d->grid->start_s + (double)row * (double)d->grid->step_s);
}

/* Cells of one level that touch are one box. */
static void strip_draw(const struct drawing *d, size_t strip)
{
    const double *cells = d->cells + strip * d->cell_count;
    double y = d->top + (double)strip * d->strip_height;
    for (size_t first = 0, end = 0; first < d->cell_count; first = end) {
        int level = level_of(d, cells[first]);
        char colour[8];
        char style[48];
        while (end < d->cell_count && level_of(d, cells[end]) == level)
            end++;
        if (level == 0)
            continue; /* the ground */
        if (level == MISSING) {
            (void)snprintf(style, sizeof style, "fill='url(#missing)'");
        } else {
            colour_of(level, colour);
            (void)snprintf(style, sizeof style, "fill='%s'", colour);
        }
        double x = x_of_cell(d, first);
        svg_box(d->out, x, y, x_of_cell(d, end) - x, d->strip_height, style);
    }
}

static void names_draw(const struct drawing *d)
{
    size_t every = (size_t)ceil(LABEL_PX / d->strip_height);
    for (size_t i = 0; i < d->grid->column_count; i += every) {
        double y = d->top + ((double)i + 0.5) * d->strip_height + 3;
        svg_text(d->out, d->opts->left - 6, y, "end", "font-size='9' fill='#333'",
                 d->strips[i].name);
    }
}

static void times_draw(const struct drawing *d, double bottom)
{
    const struct lmt_grid *grid = d->grid;
    struct axis times;
    int64_t end_s = grid->start_s + (int64_t)grid->row_count * grid->step_s;
    axis_of_times(grid->start_s, end_s, 9, &times);
    for (size_t i = 0; i < times.count; i++) {
        double x = x_of_time(d, times.positions[i]);
        svg_line(d->out, x, bottom, x, bottom + 4, "stroke='#333'");
        svg_text(d->out, x, bottom + 16, "middle", "font-size='10' fill='#333'",
                 times.labels[i]);
    }
    svg_text(d->out, d->opts->left + d->opts->width, bottom + 30, "end",
             "font-size='9' fill='#666'", "UTC");
}

static void legend_draw(const struct drawing *d, double height)
{
    double x = d->opts->left + d->opts->width + LEGEND_GAP;
    double step = height / LEVELS;
    for (int level = 0; level < LEVELS; level++) {
        char colour[8], style[48];
        colour_of(level, colour);
        (void)snprintf(style, sizeof style, "fill='%s'", colour);
        svg_box(d->out, x, d->top + height - step * (level + 1), LEGEND_WIDTH,
                step + 0.3, style);
    }
    svg_box(d->out, x, d->top, LEGEND_WIDTH, height, "fill='none' stroke='#333'");
    for (size_t i = 0; i < d->scale.count; i++) {
        double y = d->top + height * (1 - d->scale.positions[i] / d->scale.top);
        svg_line(d->out, x + LEGEND_WIDTH, y, x + LEGEND_WIDTH + 4, y, "stroke='#333'");
        svg_text(d->out, x + LEGEND_WIDTH + 7, y + 3, "start",
                 "font-size='9' fill='#333'", d->scale.labels[i]);
    }
    svg_box(d->out, x, d->top + height + 8, LEGEND_WIDTH, 10,
            "fill='url(#missing)' stroke='#333'");
    svg_text(d->out, x + LEGEND_WIDTH + 7, d->top + height + 16, "start",
             "font-size='9' fill='#333'", "missing");
}

static double strip_height(const struct lmt_grid *grid)
{
    double height = 400.0 / (double)(grid->column_count ? grid->column_count : 1);
    return fmax(1.5, fmin(18, height));
}

static double cells_height(const struct lmt_grid *grid)
{
    return fmax(120, strip_height(grid) * (double)grid->column_count);
}

double heatmap_height(const struct lmt_grid *grid)
{
    return HEAD + cells_height(grid) + FOOT;
}

int heatmap_draw(const struct lmt_grid *grid, enum lmt_measure measure,
                 const struct heatmap_opts *opts, struct strbuf *out,
                 double *ret_bottom)
{
    struct drawing d = { .grid = grid,
                         .measure = measure,
                         .opts = opts,
                         .top = opts->top + HEAD,
                         .out = out };
    double height = cells_height(grid);
    if (grid->column_count > HEATMAP_TARGETS_MAX)
        return -E2BIG;
    d.strip_height = height / (double)(grid->column_count ? grid->column_count : 1);
    int rc = cells_make(&d);
    if (rc == 0) {
        char ground[8], style[32];
        colour_of(0, ground);
        (void)snprintf(style, sizeof style, "fill='%s'", ground);
        strbuf_adds(out, "<defs><pattern id='missing' width='5' height='5' "
                         "patternUnits='userSpaceOnUse' "
                         "patternTransform='rotate(45)'><rect width='5' height='5' "
                         "fill='#fff'/><rect width='1.4' height='5' "
                         "fill='#8a8a8a'/></pattern></defs>\n");
        svg_text(out, opts->left, opts->top + 20, "start",
                 "font-size='13' font-weight='bold'", opts->title);
        svg_box(out, opts->left, d.top, opts->width, height, style);
        for (size_t i = 0; i < grid->column_count; i++)
            strip_draw(&d, i);
        svg_box(out, opts->left, d.top, opts->width, height,
                "fill='none' stroke='#333'");
        names_draw(&d);
        times_draw(&d, d.top + height);
        legend_draw(&d, height);
        *ret_bottom = d.top + height + FOOT;
    }
    free(d.strips);
    free(d.cells);
    return rc;
}

int heatmap_print_svg(const struct lmt_grid *grid, enum lmt_measure measure,
                      const char *title, struct strbuf *out)
{
    const struct heatmap_opts opts = {
        .title = title, .left = LEFT, .width = CELLS_WIDTH, .top = 4
    };
    double bottom;
    svg_begin(out, WIDTH, heatmap_height(grid) + 8, title);
    int rc = heatmap_draw(grid, measure, &opts, out, &bottom);
    svg_end(out);
    return rc;
}
