/* SPDX-License-Identifier: Apache-2.0 */
/* result_print - a result's table for people: trends as blocks, since as a time of day.
 */
#include "report/result_print.h"

#include "base/figure.h"
#include "base/number.h"
#include "base/span.h"
#include "base/suggest.h"
#include "base/timetext.h"
#include "base/user_time.h"

#include <stdio.h>
#include <string.h>

#define DAY_MS INT64_C(86400000)
#define NO_COLUMN (-1)

int result_form_init(struct result_form *ret, const char *output, bool raw,
                     const struct screen *screen, struct err *err)
{
    enum table_form form = TABLE_FORM_TABLE;
    if (output && table_form_parse(span_of(output), &form) < 0)
        return suggest_invalid(err, "--output", span_of(output), "table, json, csv");
    *ret =
        (struct result_form){ .form = form,
                              .print = { .raw_units = raw,
                                         .colour = screen->is_terminal,
                                         .width = screen->width,
                                         .zone = user_time_shown(screen->is_terminal),
                                         .zone_name = user_time_zone_name() },
                              .has_blocks = screen->has_utf8 };
    return 0;
}

/* "0258" as blocks of that height. */
static void add_blocks(const char *digits, struct strbuf *out)
{
    for (; *digits; digits++) {
        unsigned level = (unsigned)(*digits - '0');
        if (level == 0 || level > 8)
            strbuf_addc(out, ' ');
        else
            strbuf_addf(out, "\xe2\x96%c", (char)(0x80 + level));
    }
}

/* The time alone within a day of the newest one shown; "before" where looking ended. */
static void add_since(int64_t since_ms, bool is_cut, int64_t newest_ms,
                      const struct zone *zone, struct strbuf *out)
{
    char text[TIMETEXT_SIZE];
    int64_t since_ns = since_ms / MS_PER_S * NS_PER_S;
    size_t size =
        zone ? zone_print(text, zone, since_ns) : timetext_print(text, since_ns);
    struct span shown = { text, size };
    if (newest_ms - since_ms < DAY_MS && size > sizeof "2026-11-21T")
        shown = span_skip(shown, sizeof "2026-11-21T" - 1);
    strbuf_adds(out, is_cut ? "before " : "");
    strbuf_add_span(out, shown);
}

struct shown {
    const struct table *table;
    int trend, since, cut;
    int share, share_of; /* the latter is of the heading where it is one operation */
    const char *only_op; /* which; NULL: rows differ */
    int unit;            /* a column that says what the numbers beside it are */
    int64_t newest_ms;
    bool has_blocks;
    const struct zone *zone; /* NULL: UTC */
};

/* The column of the names of the numbers in column, or -1: alice beside 1001. */
static int names_of(const struct shown *s, size_t column)
{
    static const char *const pairs[][2] = { { "user", "user_name" },
                                            { "group", "group_name" } };
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        if (strcmp(s->table->columns[column].name, pairs[i][0]) == 0)
            return table_find_column(s->table, pairs[i][1]);
    return NO_COLUMN;
}

/* Names stand with their numbers: alice (1001). */
static bool is_shown(const struct shown *s, int column)
{
    if (column > 0 && names_of(s, (size_t)column - 1) == column)
        return false;
    return column != s->cut && (column != s->trend || s->has_blocks) &&
           (column != s->share_of || !s->only_op);
}

/* 1.2 GiB, 45.1 k/s: of a number whose unit stands in its row. */
static bool add_scaled(const struct shown *s, size_t row, size_t column,
                       struct strbuf *out)
{
    char text[48];
    const struct table_column *c = &s->table->columns[column];
    const struct table_cell *cell = table_at(s->table, row, column);
    if (s->unit == NO_COLUMN || c->unit[0] ||
        (c->type != TABLE_U64 && c->type != TABLE_DOUBLE))
        return false;
    double value = c->type == TABLE_U64 ? (double)cell->u64 : cell->dbl;
    const struct table_cell *unit = table_at(s->table, row, (size_t)s->unit);
    if (!unit->is_null && strcmp(unit->text, "bytes") == 0)
        figure_print_bytes(text, sizeof text, value);
    else
        figure_print_count(text, sizeof text, value);
    strbuf_adds(out, text);
    strbuf_adds(out, span_ends(span_of(c->name), "rate") ? "/s" : "");
    return true;
}

static bool is_text(const struct shown *s, size_t column)
{
    const struct table_column *c = &s->table->columns[column];
    return (int)column == s->since ||
           (s->unit != NO_COLUMN && !c->unit[0] &&
            (c->type == TABLE_U64 || c->type == TABLE_DOUBLE));
}

static void copy_cell(const struct shown *s, size_t row, size_t column,
                      struct table *out, size_t out_column)
{
    const struct table_cell *cell = table_at(s->table, row, column);
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (cell->is_null)
        return;
    if ((int)column == s->trend) {
        add_blocks(cell->text, &text);
    } else if ((int)column == s->since) {
        const struct table_cell *cut =
            s->cut == NO_COLUMN ? NULL : table_at(s->table, row, (size_t)s->cut);
        add_since(cell->i64, cut && !cut->is_null && cut->flag, s->newest_ms, s->zone,
                  &text);
    } else if (names_of(s, column) >= 0 &&
               !table_at(s->table, row, (size_t)names_of(s, column))->is_null) {
        strbuf_addf(&text, "%s (%s)",
                    table_at(s->table, row, (size_t)names_of(s, column))->text,
                    cell->text);
    } else if (!add_scaled(s, row, column, &text)) {
        struct table_cell *copy =
            &out->cells[(out->row_count - 1) * out->column_count + out_column];
        if (s->table->columns[column].type == TABLE_TEXT)
            table_set_text(out, out_column, span_of(cell->text));
        else
            *copy = *cell;
        return;
    }
    table_set_text(out, out_column, strbuf_span(&text));
}

static int64_t newest_time(const struct table *table, int column)
{
    int64_t newest = 0;
    for (size_t r = 0; column >= 0 && r < table->row_count; r++) {
        const struct table_cell *cell = table_at(table, r, (size_t)column);
        if (!cell->is_null && cell->i64 > newest)
            newest = cell->i64;
    }
    return newest;
}

/* "write_bytes" for "write_bytes_rate": its cells say "/s", and terminals are narrow.
 */
static void add_shown_column(const struct shown *s, size_t column, struct table *out)
{
    const struct table_column *c = &s->table->columns[column];
    char name[64];
    struct span shown = span_of(c->name);
    if (span_ends(shown, "_rate") && span_ends(span_of(c->unit), "/s")) {
        shown.size -= strlen("_rate");
        (void)snprintf(name, sizeof name, SPAN_FMT, SPAN_ARG(shown));
        if (table_find_column(s->table, name) >= 0)
            shown = span_of(c->name); /* its total stands beside it */
    }
    (void)snprintf(name, sizeof name, SPAN_FMT, SPAN_ARG(shown));
    if ((int)column == s->share && s->only_op)
        (void)snprintf(name, sizeof name, "share of %s", s->only_op);
    table_add_column(out, name, is_text(s, column) ? TABLE_TEXT : c->type, c->unit);
}

/* The operation that all shares are of; NULL: there are several, or none. */
static const char *only_share(const struct table *table, int share_of)
{
    const char *only = NULL;
    for (size_t r = 0; share_of >= 0 && r < table->row_count; r++) {
        const struct table_cell *cell = table_at(table, r, (size_t)share_of);
        if (cell->is_null || (only && strcmp(only, cell->text) != 0))
            return NULL;
        only = cell->text;
    }
    return only;
}

static void make_shown(const struct table *table, const struct result_form *form,
                       struct table *out)
{
    struct shown s = { .table = table,
                       .trend = table_find_column(table, "trend"),
                       .since = table_find_column(table, "since"),
                       .cut = table_find_column(table, "since_is_cut"),
                       .share = table_find_column(table, "share"),
                       .share_of = table_find_column(table, "share_of"),
                       .unit = form->print.raw_units ? NO_COLUMN
                                                     : table_find_column(table, "unit"),
                       .has_blocks = form->has_blocks,
                       .zone = form->print.zone };
    s.newest_ms = newest_time(table, s.since);
    s.only_op = only_share(table, s.share_of);
    for (size_t c = 0; c < table->column_count; c++)
        if (is_shown(&s, (int)c))
            add_shown_column(&s, c, out);
    for (size_t r = 0; r < table->row_count; r++) {
        size_t at = 0;
        table_add_row(out);
        for (size_t c = 0; !table_error(out) && c < table->column_count; c++)
            if (is_shown(&s, (int)c))
                copy_cell(&s, r, c, out, at++);
    }
    for (size_t i = 0; i < table->note_count; i++)
        table_add_note(out, "%s", table->notes[i]);
    /* Its heading has no place for a name: it is one of the narrow columns. */
    if (s.since >= 0 && s.zone)
        table_add_note(out, "since is by the clocks of %s", form->print.zone_name);
}

void result_print(const struct table *table, const struct result_form *form,
                  struct strbuf *out, struct strbuf *notes)
{
    if (form->form != TABLE_FORM_TABLE) {
        table_print(table, form->form, &form->print, out);
        if (out->size && out->data[out->size - 1] != '\n')
            strbuf_addc(out, '\n');
        for (size_t i = 0; i < table->note_count; i++)
            strbuf_addf(notes, "# %s\n", table->notes[i]);
        return;
    }
    AUTO(table_done) struct table shown;
    table_init(&shown);
    make_shown(table, form, &shown);
    if (table_error(&shown))
        out->error = table_error(&shown);
    else
        table_print(&shown, form->form, &form->print, out);
}
