/* SPDX-License-Identifier: Apache-2.0 */
/* table_json - a table as JSON, there and back. */
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "base/table/table.h"
#include "base/timetext.h"

#include <errno.h>

static const char *const type_names[] = {
    [TABLE_TEXT] = "text",     [TABLE_U64] = "u64",   [TABLE_I64] = "i64",
    [TABLE_DOUBLE] = "double", [TABLE_TIME] = "time", [TABLE_BOOL] = "bool",
};

static void add_cell(struct json_writer *w, const struct table_column *column,
                     const struct table_cell *cell)
{
    if (cell->is_null) {
        json_null(w);
        return;
    }
    switch (column->type) {
    case TABLE_TEXT:
        json_text(w, cell->text);
        break;
    case TABLE_U64:
        json_u64(w, cell->u64);
        break;
    case TABLE_I64:
        json_i64(w, cell->i64);
        break;
    case TABLE_DOUBLE:
        json_double(w, cell->dbl);
        break;
    case TABLE_TIME:
        json_time_ms(w, cell->i64);
        break;
    case TABLE_BOOL:
        json_bool(w, cell->flag);
        break;
    }
}

void table_print_objects(const struct table *table, struct strbuf *out)
{
    strbuf_adds(out, "[");
    for (size_t r = 0; r < table->row_count; r++) {
        struct json_writer w;
        strbuf_adds(out, r ? ",\n " : "\n ");
        json_writer_init(&w, out);
        json_object(&w);
        for (size_t c = 0; c < table->column_count; c++) {
            json_key(&w, table->columns[c].name);
            add_cell(&w, &table->columns[c], table_at(table, r, c));
        }
        json_object_end(&w);
    }
    strbuf_adds(out, "\n]\n");
}

void table_to_json(const struct table *table, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    json_key(&w, "columns");
    json_array(&w);
    for (size_t c = 0; c < table->column_count; c++) {
        json_object(&w);
        json_key(&w, "name");
        json_text(&w, table->columns[c].name);
        json_key(&w, "type");
        json_text(&w, type_names[table->columns[c].type]);
        json_key(&w, "unit");
        json_text(&w, table->columns[c].unit);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_key(&w, "rows");
    json_array(&w);
    for (size_t r = 0; r < table->row_count; r++) {
        json_array(&w);
        for (size_t c = 0; c < table->column_count; c++)
            add_cell(&w, &table->columns[c], table_at(table, r, c));
        json_array_end(&w);
    }
    json_array_end(&w);
    json_key(&w, "notes");
    json_array(&w);
    for (size_t i = 0; i < table->note_count; i++)
        json_text(&w, table->notes[i]);
    json_array_end(&w);
    json_object_end(&w);
}

/* ---- back ---- */

enum part { PART_OTHER, PART_COLUMNS, PART_ROWS, PART_NOTES };

struct loader {
    struct table *table;
    enum part part;
    char key[16]; /* of the column's object */
    char name[64], unit[32];
    enum table_type type;
    size_t column; /* of the row's next cell */
    bool has_columns, has_rows;
};

static int load_cell(struct loader *l, enum json_event event, struct span text)
{
    if (l->column >= l->table->column_count)
        return -EBADMSG;
    size_t at = l->column++;
    if (event == JSON_NULL)
        return 0;
    enum table_type type = l->table->columns[at].type;
    uint64_t u64 = 0;
    int64_t i64 = 0;
    double dbl = 0;
    int rc = -EBADMSG;
    if (type == TABLE_TEXT && event == JSON_STRING) {
        table_set_text(l->table, at, text);
        rc = 0;
    } else if (type == TABLE_BOOL && (event == JSON_TRUE || event == JSON_FALSE)) {
        table_set_bool(l->table, at, event == JSON_TRUE);
        rc = 0;
    } else if (type == TABLE_TIME && event == JSON_STRING) {
        rc = timetext_parse(text, &i64);
        table_set_i64(l->table, at, i64 / NS_PER_MS);
    } else if (type == TABLE_U64 && event == JSON_NUMBER) {
        rc = number_parse_u64(text, &u64);
        table_set_u64(l->table, at, u64);
    } else if (type == TABLE_I64 && event == JSON_NUMBER) {
        rc = number_parse_i64(text, &i64);
        table_set_i64(l->table, at, i64);
    } else if (type == TABLE_DOUBLE && event == JSON_NUMBER) {
        rc = number_parse_double(text, &dbl);
        table_set_double(l->table, at, dbl);
    }
    return rc;
}

static void copy_short(char *out, size_t size, struct span text)
{
    size_t n = text.size < size - 1 ? text.size : size - 1;
    memcpy(out, text.data, n);
    out[n] = '\0';
}

static int load_column(struct loader *l, enum json_event event, struct span text)
{
    if (event == JSON_KEY) {
        copy_short(l->key, sizeof l->key, text);
    } else if (event == JSON_STRING && strcmp(l->key, "name") == 0) {
        copy_short(l->name, sizeof l->name, text);
    } else if (event == JSON_STRING && strcmp(l->key, "unit") == 0) {
        copy_short(l->unit, sizeof l->unit, text);
    } else if (event == JSON_STRING && strcmp(l->key, "type") == 0) {
        size_t at = 0;
        while (at < COUNT_OF(type_names) && !span_is(text, type_names[at]))
            at++;
        if (at == COUNT_OF(type_names))
            return -EBADMSG;
        l->type = (enum table_type)at;
    } else if (event == JSON_OBJECT_END) {
        if (l->table->row_count > 0)
            return -EBADMSG;
        table_add_column(l->table, l->name, l->type, l->unit);
    }
    return 0;
}

static int load_event(void *arg, enum json_event event, struct span text,
                      unsigned depth)
{
    struct loader *l = arg;
    if (depth == 0 && event == JSON_KEY) {
        l->part = span_is(text, "columns") ? PART_COLUMNS
                  : span_is(text, "rows")  ? PART_ROWS
                  : span_is(text, "notes") ? PART_NOTES
                                           : PART_OTHER;
        return 0;
    }
    if (depth == 1 && event == JSON_ARRAY) {
        l->has_columns = l->has_columns || l->part == PART_COLUMNS;
        l->has_rows = l->has_rows || l->part == PART_ROWS;
    }
    if (depth < 2)
        return 0;
    if (l->part == PART_COLUMNS)
        return load_column(l, event, text);
    if (l->part == PART_NOTES && event == JSON_STRING)
        table_add_note(l->table, SPAN_FMT, SPAN_ARG(text));
    if (l->part != PART_ROWS)
        return 0;
    if (depth == 2 && event == JSON_ARRAY) {
        table_add_row(l->table);
        l->column = 0;
    } else if (depth == 3) {
        return load_cell(l, event, text);
    }
    return 0;
}

int table_from_json(struct span json, struct table *ret, struct err *err)
{
    struct loader l = { .table = ret };
    int rc = json_read(json, load_event, &l, err);
    if (rc == 0 && (!l.has_columns || !l.has_rows))
        rc = -EBADMSG;
    /* Cells have errors of their own, such as a number that is too large. */
    if (rc < 0 && rc != -ENOMEM && err && !err->text[0])
        return err_set(err, EBADMSG, "the response is not a table");
    return rc < 0 ? rc : table_error(ret);
}
