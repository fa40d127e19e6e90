/* SPDX-License-Identifier: Apache-2.0 */
/* table_parts - a result that is several tables with names. */
#include "report/table_parts.h"

#include "base/span.h"
#include "base/suggest.h"
#include "base/user_time.h"

#include <string.h>

struct output {
    const char *who;
    const struct screen *screen;
    enum table_form form;
    struct strbuf *out, *notes;
};

static void part_print(const struct output *o, const struct table_part *part)
{
    const struct table_print_opts opts = { .width = o->screen->width,
                                           .colour = o->screen->is_terminal,
                                           .raw_units = o->form != TABLE_FORM_TABLE,
                                           .zone =
                                               user_time_shown(o->screen->is_terminal),
                                           .zone_name = user_time_zone_name() };
    if (o->form == TABLE_FORM_TABLE)
        strbuf_addf(o->out, "%s\n", part->name);
    table_print(part->table, o->form, &opts, o->out);
    for (size_t i = 0; o->form == TABLE_FORM_CSV && i < part->table->note_count; i++)
        strbuf_addf(o->notes, "%s: %s\n", o->who, part->table->notes[i]);
    if (o->form == TABLE_FORM_TABLE)
        strbuf_addc(o->out, '\n');
}

/* {"summary":[...],"sets":[...],...} */
static void json_print(const struct table_part *parts, size_t count, const bool *wanted,
                       struct strbuf *out)
{
    const char *between = "{";
    for (size_t i = 0; i < count; i++) {
        if (!wanted[i])
            continue;
        strbuf_addf(out, "%s\"%s\":", between, parts[i].name);
        table_print_objects(parts[i].table, out);
        between = ",\n";
    }
    strbuf_adds(out, "}\n");
}

static int name_unknown(const char *name, const struct table_part *parts, size_t count,
                        struct err *err)
{
    AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
    for (size_t i = 0; i < count; i++)
        strbuf_addf(&names, "%s%s", i > 0 ? ", " : "", parts[i].name);
    return suggest_invalid(err, "--table", span_of(name), strbuf_text(&names));
}

static int parts_want(const struct table_part *parts, size_t count,
                      const struct table_parts_args *args, enum table_form form,
                      bool *wanted, struct err *err)
{
    for (size_t i = 0; i < count; i++)
        wanted[i] = args->wanted.count == 0;
    for (size_t w = 0; w < args->wanted.count; w++) {
        size_t i = 0;
        while (i < count && strcmp(parts[i].name, args->wanted.items[w]) != 0)
            i++;
        if (i == count)
            return name_unknown(args->wanted.items[w], parts, count, err);
        wanted[i] = true;
    }
    size_t several = args->wanted.count > 0 ? args->wanted.count : count;
    if (form == TABLE_FORM_CSV && several != 1)
        return err_set(err, EINVAL, "--output csv wants one --table");
    return 0;
}

/* ---- one table ---- */

/* The column of that name and type, or -1. */
static int typed_column_find(const struct table *table, const char *name,
                             enum table_type type)
{
    int found = table_find_column(table, name);
    return found >= 0 && table->columns[found].type == type ? found : -1;
}

/* Where a part's column is in the joined table. */
static int joined_column(const struct table *joined, const struct table_part *part,
                         const struct table_column *column, struct strbuf *name)
{
    int found = typed_column_find(joined, column->name, column->type);
    if (found >= 0)
        return found;
    strbuf_clear(name);
    strbuf_addf(name, "%s_%s", part->name, column->name);
    return strbuf_error(name) < 0
               ? -1
               : typed_column_find(joined, strbuf_text(name), column->type);
}

static int columns_join(const struct table_part *part, struct table *ret,
                        struct strbuf *name)
{
    for (size_t c = 0; c < part->table->column_count; c++) {
        const struct table_column *column = &part->table->columns[c];
        if (joined_column(ret, part, column, name) >= 0)
            continue;
        bool is_free = table_find_column(ret, column->name) < 0;
        table_add_column(ret, is_free ? column->name : strbuf_text(name), column->type,
                         column->unit);
    }
    return strbuf_error(name) < 0 ? -ENOMEM : table_error(ret);
}

static void cell_copy(struct table *to, size_t column, enum table_type type,
                      const struct table_cell *cell)
{
    if (cell->is_null)
        return;
    switch (type) {
    case TABLE_TEXT:
        table_set_text(to, column, span_of(cell->text));
        break;
    case TABLE_U64:
        table_set_u64(to, column, cell->u64);
        break;
    case TABLE_I64:
    case TABLE_TIME:
        table_set_i64(to, column, cell->i64);
        break;
    case TABLE_DOUBLE:
        table_set_double(to, column, cell->dbl);
        break;
    case TABLE_BOOL:
        table_set_bool(to, column, cell->flag);
        break;
    }
}

static int rows_join(const struct table_part *part, struct table *ret,
                     struct strbuf *name)
{
    const struct table *from = part->table;
    int columns[TABLE_COLUMNS_MAX];
    for (size_t c = 0; c < from->column_count; c++)
        columns[c] = joined_column(ret, part, &from->columns[c], name);
    for (size_t r = 0; r < from->row_count; r++) {
        table_add_row(ret);
        table_set_text(ret, 0, span_of(part->name));
        for (size_t c = 0; c < from->column_count; c++)
            if (columns[c] >= 0)
                cell_copy(ret, (size_t)columns[c], from->columns[c].type,
                          table_at(from, r, c));
    }
    for (size_t i = 0; i < from->note_count; i++)
        table_add_note(ret, "%s", from->notes[i]);
    return strbuf_error(name) < 0 ? -ENOMEM : table_error(ret);
}

int table_parts_join(const struct table_part *parts, size_t count, struct table *ret)
{
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    int rc = 0;
    table_add_column(ret, "part", TABLE_TEXT, "");
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = columns_join(&parts[i], ret, &name);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = rows_join(&parts[i], ret, &name);
    return rc;
}

int table_parts_form(const char *who, const struct table_part *parts, size_t count,
                     const struct table_parts_args *args, const struct screen *screen,
                     struct strbuf *out, struct strbuf *notes, struct err *err)
{
    struct output o = { who, screen, TABLE_FORM_TABLE, out, notes };
    bool wanted[TABLE_PARTS_MAX] = { false };
    if (args->output && table_form_parse(span_of(args->output), &o.form) < 0)
        return suggest_invalid(err, "--output", span_of(args->output),
                               "table, json, csv");
    int rc = parts_want(parts, count, args, o.form, wanted, err);
    if (rc < 0)
        return rc;
    if (o.form == TABLE_FORM_JSON)
        json_print(parts, count, wanted, out);
    for (size_t i = 0; o.form != TABLE_FORM_JSON && i < count; i++)
        if (wanted[i] && (parts[i].table->row_count > 0 || o.form == TABLE_FORM_CSV))
            part_print(&o, &parts[i]);
    return strbuf_error(out) < 0 ? err_set(err, ENOMEM, "out of memory") : 0;
}
