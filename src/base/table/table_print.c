/* SPDX-License-Identifier: Apache-2.0 */
/* table_print - a table for people: aligned columns, scaled units; and as CSV. */
#include "base/decimal_text.h"
#include "base/figure.h"
#include "base/number.h"
#include "base/span.h"
#include "base/table/csv_field.h"
#include "base/table/table.h"
#include "base/terminal/terminal.h"
#include "base/terminal/wrap.h"
#include "base/timetext.h"
#include "base/utf8.h"
#include "base/zone.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define GAP 2
#define COMMENT_GAP 2 /* "# " */
/* To what width texts give way before whole columns do, and after. */
#define TEXT_WIDTH_READABLE 12
#define FIRST_WIDTH_READABLE 20 /* the first column names what a row is about */
#define TEXT_WIDTH_LEAST 8

/* The columns that fit, in their order, and their widths; behind them those that do
 * not.
 */
struct layout {
    size_t count;
    struct slot {
        size_t column;
        size_t width;
        size_t wanted; /* where nothing is cut */
    } slots[TABLE_COLUMNS_MAX];
};

static bool is_number(const struct table_column *column)
{
    return column->type == TABLE_U64 || column->type == TABLE_I64 ||
           column->type == TABLE_DOUBLE;
}

static bool is_scaled(const struct table_column *column)
{
    return strcmp(column->unit, "bytes") == 0 || strcmp(column->unit, "bytes/s") == 0 ||
           strcmp(column->unit, "1/s") == 0 || strcmp(column->unit, "count") == 0 ||
           strcmp(column->unit, "bytes/d") == 0 || strcmp(column->unit, "1/d") == 0;
}

static double cell_number(const struct table_column *column,
                          const struct table_cell *cell)
{
    switch (column->type) {
    case TABLE_U64:
        return (double)cell->u64;
    case TABLE_I64:
        return (double)cell->i64;
    default:
        return cell->dbl;
    }
}

/* 1.2 GiB/s, 45.1 k/s: what is read at a glance. */
static void add_scaled(const struct table_column *column, const struct table_cell *cell,
                       struct strbuf *out)
{
    char text[48];
    double value = cell_number(column, cell);
    if (strncmp(column->unit, "bytes", 5) == 0)
        figure_print_bytes(text, sizeof text, value);
    else
        figure_print_count(text, sizeof text, value);
    strbuf_adds(out, text);
    const char *by = strchr(column->unit, '/');
    if (by)
        strbuf_adds(out, by);
}

/* A cell in full, as CSV has it. */
static void add_exact(const struct table_column *column, const struct table_cell *cell,
                      struct strbuf *out)
{
    char text[TIMETEXT_SIZE];
    switch (column->type) {
    case TABLE_TEXT:
        strbuf_adds(out, cell->text);
        break;
    case TABLE_U64:
        strbuf_add_u64(out, cell->u64);
        break;
    case TABLE_I64:
        strbuf_add_i64(out, cell->i64);
        break;
    case TABLE_DOUBLE:
        if (isfinite(cell->dbl))
            decimal_add_shortest(out, cell->dbl);
        else
            strbuf_addf(out, "%g", cell->dbl);
        break;
    case TABLE_TIME:
        strbuf_add(out, text, timetext_print_ms(text, cell->i64));
        break;
    case TABLE_BOOL:
        strbuf_adds(out, cell->flag ? "true" : "false");
        break;
    }
}

/* Names come from anybody who starts a job: what would steer a terminal stands as \xHH.
 */
static void add_shown(struct span text, struct strbuf *out)
{
    while (text.size) {
        size_t size = utf8_shown_size(text);
        if (size)
            strbuf_add(out, text.data, size);
        else
            strbuf_addf(out, "\\x%02X", (unsigned char)text.data[0]);
        text = span_skip(text, size ? size : 1);
    }
}

/* 12.3 %, 0.0123, 46.4. */
static void add_double(const struct table_column *column, double value,
                       struct strbuf *out)
{
    char text[FIGURE_SIZE];
    figure_print_number(text, sizeof text, value);
    if (strcmp(column->unit, "%") == 0)
        strbuf_addf(out, "%.1f %%", value);
    else
        strbuf_adds(out, text);
}

static void add_for_people(const struct table_column *column,
                           const struct table_cell *cell,
                           const struct table_print_opts *opts, struct strbuf *out)
{
    char text[TIMETEXT_SIZE];
    if (cell->is_null) {
        strbuf_addc(out, '-');
    } else if (!opts->raw_units && is_number(column) && is_scaled(column)) {
        add_scaled(column, cell, out);
    } else if (column->type == TABLE_TIME) {
        int64_t t_ns = cell->i64 / MS_PER_S * NS_PER_S;
        strbuf_add(out, text,
                   opts->zone ? zone_print(text, opts->zone, t_ns)
                              : timetext_print(text, t_ns));
    } else if (column->type == TABLE_DOUBLE && !opts->raw_units) {
        add_double(column, cell->dbl, out);
    } else if (column->type == TABLE_BOOL) {
        strbuf_adds(out, cell->flag ? "yes" : "no");
    } else if (column->type == TABLE_TEXT) {
        add_shown(span_of(cell->text), out);
    } else {
        add_exact(column, cell, out);
    }
}

/* The name, and the unit where the cells do not say it themselves. */
static void add_heading(const struct table_column *column,
                        const struct table_print_opts *opts, struct strbuf *out)
{
    add_shown(span_of(column->name), out);
    bool says =
        !opts->raw_units && (is_scaled(column) || strcmp(column->unit, "%") == 0);
    if (column->type == TABLE_TIME && opts->zone)
        strbuf_addf(out, " (%s)", opts->zone_name);
    if (column->unit[0] && !says) {
        strbuf_adds(out, " [");
        add_shown(span_of(column->unit), out);
        strbuf_addc(out, ']');
    }
}

static size_t heading_width(const struct table_column *column,
                            const struct table_print_opts *opts)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    add_heading(column, opts, &text);
    return utf8_width(strbuf_span(&text));
}

static void measure(const struct table *table, const struct table_print_opts *opts,
                    struct layout *layout)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    layout->count = table->column_count;
    for (size_t c = 0; c < table->column_count; c++) {
        size_t most = opts->no_header ? 0 : heading_width(&table->columns[c], opts);
        for (size_t r = 0; r < table->row_count; r++) {
            strbuf_clear(&text);
            add_for_people(&table->columns[c], table_at(table, r, c), opts, &text);
            size_t width = utf8_width(strbuf_span(&text));
            if (width > most)
                most = width;
        }
        layout->slots[c] = (struct slot){ c, most, most };
    }
}

static const struct table_column *slot_column(const struct table *table,
                                              const struct layout *layout, size_t slot)
{
    return &table->columns[layout->slots[slot].column];
}

static size_t layout_width(const struct layout *layout)
{
    size_t total = 0;
    for (size_t c = 0; c < layout->count; c++)
        total += layout->slots[c].width + (c ? GAP : 0);
    return total;
}

/* The widest text gives way, as long as one is wider than it must be. */
static void shrink_texts(const struct table *table, size_t width, size_t first_least,
                         size_t least, struct layout *layout)
{
    for (size_t total = layout_width(layout); total > width; total--) {
        size_t widest = SIZE_MAX;
        for (size_t c = 0; c < layout->count; c++)
            if (slot_column(table, layout, c)->type == TABLE_TEXT &&
                layout->slots[c].width > (c ? least : first_least) &&
                (widest == SIZE_MAX ||
                 layout->slots[c].width > layout->slots[widest].width))
                widest = c;
        if (widest == SIZE_MAX)
            return;
        layout->slots[widest].width--;
    }
}

/* What a column that was left out has freed goes back to texts, from the left. */
static void widen_texts(size_t width, struct layout *layout)
{
    size_t total = layout_width(layout);
    for (size_t c = 0; c < layout->count; c++)
        for (; total < width && layout->slots[c].width < layout->slots[c].wanted;
             total++)
            layout->slots[c].width++;
}

static bool is_empty(const struct table *table, size_t column)
{
    for (size_t r = 0; r < table->row_count; r++)
        if (!table_at(table, r, column)->is_null)
            return false;
    return table->row_count > 0;
}

static int by_column(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    return (x->column > y->column) - (x->column < y->column);
}

/* Columns without any value behind those with one; the first names the row, and stays.
 */
static void empty_last(const struct table *table, struct layout *layout)
{
    struct slot empty[TABLE_COLUMNS_MAX];
    size_t full_count = 0, empty_count = 0;
    for (size_t c = 0; c < layout->count; c++)
        if (c > 0 && is_empty(table, layout->slots[c].column))
            empty[empty_count++] = layout->slots[c];
        else
            layout->slots[full_count++] = layout->slots[c];
    for (size_t c = 0; c < empty_count; c++)
        layout->slots[full_count + c] = empty[c];
}

/* "share" before "share_of": without what it is of, the first means nothing. */
static bool lacks_next(const struct table *table, const struct layout *layout)
{
    size_t last = layout->slots[layout->count - 1].column;
    if (last == 0 || last + 1 == table->column_count)
        return false;
    struct span name = span_of(table->columns[last].name);
    struct span next = span_of(table->columns[last + 1].name);
    return next.size == name.size + 3 && span_starts(next, table->columns[last].name) &&
           span_ends(next, "_of");
}

/* Too wide for the terminal: a line that wraps is hard to read, and carries the
 * header of --follow off the screen.  Texts are cut as far as they stay readable, then
 * columns are left out, first those without a value, then from the right, where the
 * less important ones stand; the last resort is to cut what a row is about. */
static void fit(const struct table *table, size_t width, struct layout *layout)
{
    size_t all = layout->count;
    if (!width || layout_width(layout) <= width)
        return;
    shrink_texts(table, width, FIRST_WIDTH_READABLE, TEXT_WIDTH_READABLE, layout);
    if (layout_width(layout) > width)
        empty_last(table, layout);
    while (layout->count > 1 && layout_width(layout) > width)
        layout->count--;
    qsort(layout->slots, layout->count, sizeof layout->slots[0], by_column);
    if (layout->count < all && lacks_next(table, layout))
        layout->count--;
    qsort(layout->slots + layout->count, all - layout->count, sizeof layout->slots[0],
          by_column);
    widen_texts(width, layout);
    shrink_texts(table, width, TEXT_WIDTH_LEAST, TEXT_WIDTH_LEAST, layout);
}

/* A line behind "# ", broken where it is wider than the terminal. */
static void add_comment(struct span text, const struct table_print_opts *opts,
                        struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf wrapped = STRBUF_INIT;
    struct span line;
    if (opts->width >= COMMENT_GAP + WRAP_COLUMNS_MIN) {
        wrap_lines(text, opts->width - COMMENT_GAP, &wrapped);
        if (strbuf_error(&wrapped) == 0)
            text = span_trim(strbuf_span(&wrapped));
    }
    do {
        (void)span_cut(&text, '\n', &line);
        strbuf_addf(out, "# " SPAN_FMT "\n", SPAN_ARG(line));
    } while (text.size > 0);
}

static void add_left_out(const struct table *table, const struct layout *layout,
                         const struct table_print_opts *opts, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (layout->count == table->column_count)
        return;
    strbuf_addf(&text, "left out of %u columns:", opts->width);
    for (size_t c = layout->count; c < table->column_count; c++) {
        strbuf_adds(&text, c == layout->count ? " " : ", ");
        add_shown(span_of(slot_column(table, layout, c)->name), &text);
    }
    add_comment(strbuf_span(&text), opts, out);
}

static void add_cut(struct span text, size_t width, struct strbuf *out)
{
    for (size_t used = 0; text.size && used + 1 < width; used++) {
        size_t size = utf8_size(text);
        size = size ? size : 1;
        strbuf_add(out, text.data, size);
        text = span_skip(text, size);
    }
    strbuf_adds(out, "\xe2\x80\xa6"); /* an ellipsis */
}

static void add_padded(struct span text, size_t width, bool to_right, bool is_last,
                       struct strbuf *out)
{
    size_t size = utf8_width(text);
    size_t pad = size < width ? width - size : 0;
    if (to_right)
        strbuf_addf(out, "%*s", (int)pad, "");
    if (size > width)
        add_cut(text, width, out);
    else
        strbuf_add_span(out, text);
    if (!to_right && !is_last)
        strbuf_addf(out, "%*s", (int)pad, "");
}

static void add_header(const struct table *table, const struct table_print_opts *opts,
                       const struct layout *layout, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    strbuf_adds(out, opts->colour ? terminal_order(TERMINAL_BOLD) : "");
    for (size_t c = 0; c < layout->count; c++) {
        strbuf_clear(&text);
        add_heading(slot_column(table, layout, c), opts, &text);
        strbuf_addf(out, "%*s", c ? GAP : 0, "");
        add_padded(strbuf_span(&text), layout->slots[c].width,
                   is_number(slot_column(table, layout, c)), c + 1 == layout->count,
                   out);
    }
    strbuf_adds(out, opts->colour ? terminal_order(TERMINAL_PLAIN) : "");
    strbuf_addc(out, '\n');
}

static void print_for_people(const struct table *table,
                             const struct table_print_opts *opts, struct strbuf *out)
{
    struct layout layout;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    measure(table, opts, &layout);
    fit(table, opts->width, &layout);
    if (!opts->no_header)
        add_header(table, opts, &layout, out);
    for (size_t r = 0; r < table->row_count; r++) {
        for (size_t c = 0; c < layout.count; c++) {
            strbuf_clear(&text);
            const struct table_column *column = slot_column(table, &layout, c);
            add_for_people(column, table_at(table, r, layout.slots[c].column), opts,
                           &text);
            strbuf_addf(out, "%*s", c ? GAP : 0, "");
            add_padded(strbuf_span(&text), layout.slots[c].width, is_number(column),
                       c + 1 == layout.count, out);
        }
        strbuf_addc(out, '\n');
    }
    add_left_out(table, &layout, opts, out);
    for (size_t i = 0; i < table->note_count; i++)
        add_comment(span_of(table->notes[i]), opts, out);
}

/* RFC 4180, but with bare newlines; a missing value is empty, an empty text is "". */
static void print_csv(const struct table *table, const struct table_print_opts *opts,
                      struct strbuf *out)
{
    for (size_t c = 0; c < table->column_count && !opts->no_header; c++) {
        strbuf_adds(out, c ? "," : "");
        csv_field_add(out, span_of(table->columns[c].name));
    }
    strbuf_adds(out, opts->no_header ? "" : "\n");
    for (size_t r = 0; r < table->row_count; r++) {
        for (size_t c = 0; c < table->column_count; c++) {
            const struct table_cell *cell = table_at(table, r, c);
            strbuf_adds(out, c ? "," : "");
            if (cell->is_null)
                continue;
            if (table->columns[c].type == TABLE_TEXT)
                csv_field_add(out, span_of(cell->text));
            else
                add_exact(&table->columns[c], cell, out);
        }
        strbuf_addc(out, '\n');
    }
}

void table_print(const struct table *table, enum table_form form,
                 const struct table_print_opts *opts, struct strbuf *out)
{
    static const struct table_print_opts plain = { 0 };
    opts = opts ? opts : &plain;
    switch (form) {
    case TABLE_FORM_TABLE:
        print_for_people(table, opts, out);
        break;
    case TABLE_FORM_CSV:
        print_csv(table, opts, out);
        break;
    case TABLE_FORM_JSON:
        table_print_objects(table, out);
        break;
    }
}
