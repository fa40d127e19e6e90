/* SPDX-License-Identifier: Apache-2.0 */
/* table_parts - an answer that is several tables with names. */
#include "cmd/table_parts.h"

#include <string.h>
#include <sys/ioctl.h>

static void part_print(const char *who, const struct table_part *part,
                       enum table_form form, struct strbuf *out)
{
    struct winsize size = { 0 };
    bool is_terminal =
        isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    const struct table_print_opts opts = { .width = is_terminal ? size.ws_col : 0,
                                           .colour = is_terminal,
                                           .raw_units = form != TABLE_FORM_TABLE };
    if (form == TABLE_FORM_TABLE)
        strbuf_addf(out, "%s\n", part->name);
    table_print(part->table, form, &opts, out);
    for (size_t i = 0; form == TABLE_FORM_CSV && i < part->table->note_count; i++)
        fprintf(stderr, "%s: %s\n", who, part->table->notes[i]);
    if (form == TABLE_FORM_TABLE)
        strbuf_addc(out, '\n');
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
    return err_set(err, EINVAL, "--table: '%s' is none of %s", name,
                   strbuf_text(&names));
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

int table_parts_print(const char *who, const struct table_part *parts, size_t count,
                      const struct table_parts_args *args, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    enum table_form form = TABLE_FORM_TABLE;
    bool wanted[TABLE_PARTS_MAX] = { false };
    if (args->output && table_form_parse(span_of(args->output), &form) < 0)
        return err_set(err, EINVAL, "--output: '%s' is none of table, json, csv",
                       args->output);
    int rc = parts_want(parts, count, args, form, wanted, err);
    if (rc < 0)
        return rc;
    if (form == TABLE_FORM_JSON)
        json_print(parts, count, wanted, &out);
    for (size_t i = 0; form != TABLE_FORM_JSON && i < count; i++)
        if (wanted[i] && (parts[i].table->row_count > 0 || form == TABLE_FORM_CSV))
            part_print(who, &parts[i], form, &out);
    return output_print(&out, err);
}

int output_print(const struct strbuf *out, struct err *err)
{
    if (strbuf_error(out) < 0)
        return err_set(err, ENOMEM, "out of memory");
    if (fwrite(strbuf_text(out), 1, out->size, stdout) != out->size ||
        fflush(stdout) != 0)
        return err_set(err, EIO, "standard output: %s", strerror(errno));
    return 0;
}
