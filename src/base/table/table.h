/* SPDX-License-Identifier: Apache-2.0 */
/* table - a result: columns with units, and rows; printed for people or machines.
 *
 * query/ makes tables, api/ and the command line print them, so that every result has
 * the same forms everywhere.  Cells are typed by their column; a missing value is null.
 *
 * JSON form (what the server sends): {"columns":[{"name","type","unit"}...],
 * "rows":[[...]...], "notes":["..."]}; objects form: [{"name":value...}...].
 */
#ifndef BASE_TABLE_TABLE_H
#define BASE_TABLE_TABLE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

enum table_type {
    TABLE_TEXT,
    TABLE_U64,
    TABLE_I64,
    TABLE_DOUBLE,
    TABLE_TIME, /* ms since the epoch */
    TABLE_BOOL,
};

#define TABLE_COLUMNS_MAX 96

struct table_column {
    const char *name; /* as in JSON and CSV: "write_bytes" */
    enum table_type type;
    const char *unit; /* "bytes", "bytes/s", "1/s", "s", "" ; people see 1.2 GiB/s */
};

struct table_cell {
    bool is_null;
    union {
        const char *text;
        uint64_t u64;
        int64_t i64;
        double dbl;
        bool flag;
    };
};

struct table {
    struct arena arena; /* holds texts, cells and columns */
    struct table_column columns[TABLE_COLUMNS_MAX];
    size_t column_count;
    struct table_cell *cells; /* row after row */
    size_t row_count;
    size_t row_capacity;
    const char **notes; /* what a reader must know: gaps, interpolation, cut lists */
    size_t note_count;
    int error; /* remembered like strbuf's */
};

enum table_form {
    TABLE_FORM_TABLE,
    TABLE_FORM_JSON, /* an array of objects */
    TABLE_FORM_CSV,
};

void table_init(struct table *table);
void table_done(struct table *table);
DEFINE_AUTO_DONE(struct table, table_done);

/* The memory that it takes. */
size_t table_bytes(const struct table *table);

/* All columns come before the first row.  Names and units are copied. */
void table_add_column(struct table *table, const char *name, enum table_type type,
                      const char *unit);
/* A column of nulls before column at (column_count: behind the last), also where there
 * are rows. */
void table_insert_column(struct table *table, size_t at, const char *name,
                         enum table_type type, const char *unit);
/* A new row of nulls; its cells are set in place by the functions below. */
void table_add_row(struct table *table);
void table_set_text(struct table *table, size_t column, struct span text);
/* A cell of any row; text with data NULL changes nothing. */
void table_set_text_at(struct table *table, size_t row, size_t column,
                       struct span text);
void table_set_u64(struct table *table, size_t column, uint64_t value);
void table_set_i64(struct table *table, size_t column, int64_t value); /* also TIME */
void table_set_double(struct table *table, size_t column, double value);
void table_set_bool(struct table *table, size_t column, bool value);
void table_add_note(struct table *table, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
int table_error(const struct table *table);

const struct table_cell *table_at(const struct table *table, size_t row, size_t column);
/* Index of the column called name, or -1. */
int table_find_column(const struct table *table, const char *name);

/* "table", "json", "csv".  Errors: -EINVAL. */
int table_form_parse(struct span name, enum table_form *ret);

struct zone;

struct table_print_opts {
    /* Of the terminal: texts are cut, then columns left out from the right, which a
     * last line names; 0: as wide as it gets. */
    unsigned width;
    bool colour;    /* bold header */
    bool raw_units; /* numbers in full, no 1.2 GiB */
    bool no_header; /* CSV and table */
    /* By whose clocks a table has its times, named in their headings; NULL: UTC, as CSV
     * and JSON always. */
    const struct zone *zone;
    const char *zone_name;
};

void table_print(const struct table *table, enum table_form form,
                 const struct table_print_opts *opts, struct strbuf *out);
/* An array of objects, a row a line. */
void table_print_objects(const struct table *table, struct strbuf *out);
/* The server's form, there and back.
 * Errors: -EBADMSG (it is not an object with columns and rows, or a cell is not of its
 * column's type), -ENOMEM; then ret may hold a part. */
void table_to_json(const struct table *table, struct strbuf *out);
int table_from_json(struct span json, struct table *ret, struct err *err);

#endif
