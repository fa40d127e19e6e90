/* SPDX-License-Identifier: Apache-2.0 */
/* table_parts - a result that is several tables with names. */
#include "report/table_parts.h"

#include "base/span.h"
#include "base/suggest.h"

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
                                           .raw_units = o->form != TABLE_FORM_TABLE };
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
