/* SPDX-License-Identifier: Apache-2.0 */
/* sheet - how a table is written. */
#include "analysis/table/sheet.h"

#include "base/number.h"
#include "base/span.h"

#include <math.h>

struct form_opts {
    const char *separator, *names, *comment, *encoding, *decimal, *thousands;
    const char *long_name, *long_value;
    struct config_list missing, wide, long_by;
    uint64_t skip_lines, skip_rows;
    bool quotes;
};

#define FORM(field) offsetof(struct form_opts, field)

static const struct config_key form_keys[] = {
    { "separator", CONFIG_TEXT, FORM(separator), "auto", 0, 0,
      "What divides fields: comma, semicolon, tab, bar, blank (any number), another "
      "character; auto: what divides the first lines evenly." },
    { "names", CONFIG_TEXT, FORM(names), NULL, 0, 0,
      "The columns' names, with commas, of a file whose first row is data." },
    { "skip_lines", CONFIG_COUNT, FORM(skip_lines), "0", 0, 1000000,
      "Lines before the names." },
    { "skip_rows", CONFIG_COUNT, FORM(skip_rows), "0", 0, 1000000,
      "Rows behind the names that are no data: of units." },
    { "comment", CONFIG_TEXT, FORM(comment), NULL, 0, 0,
      "Lines that begin with this character are no rows." },
    { "quotes", CONFIG_BOOL, FORM(quotes), "yes", 0, 0,
      "Fields may stand in double quotes; no: a quote is a character." },
    { "encoding", CONFIG_TEXT, FORM(encoding), "utf-8", 0, 0, "utf-8 or latin1." },
    { "decimal", CONFIG_TEXT, FORM(decimal), "point", 0, 0,
      "What stands before decimals: point or comma." },
    { "thousands", CONFIG_TEXT, FORM(thousands), "none", 0, 0,
      "What stands between groups of three digits: none, point, comma, blank, or "
      "another character." },
    { "missing", CONFIG_LIST, FORM(missing), NULL, 0, 0,
      "A field with this is missing: NA, -, -1. So is one that is empty or nan." },
    { "wide", CONFIG_LIST, FORM(wide), NULL, 0, 0,
      "Columns of such names (* ? []) are runs of their own: their name is in the "
      "column 'column', what stands there in 'cell'." },
    { "long_by", CONFIG_LIST, FORM(long_by), NULL, 0, 0,
      "A column; rows equal in all of these are one run together." },
    { "long_name", CONFIG_TEXT, FORM(long_name), NULL, 0, 0,
      "The column that names the measure of a row of such a table; each name is a "
      "column of the run." },
    { "long_value", CONFIG_TEXT, FORM(long_value), NULL, 0, 0,
      "The column with the value of that." },
};

const struct config_section sheet_section = { "table", false, form_keys,
                                              COUNT_OF(form_keys),
                                              "How the tables are written." };

const struct sheet sheet_default = { .csv = { .separator = CSV_GUESS },
                                     .number = { '.', '\0' } };

/* A word, or a character that stands for itself. */
static int character_read(const char *key, const char *text, char *ret, struct err *err)
{
    static const struct {
        const char *word;
        char character;
    } words[] = {
        { "auto", CSV_GUESS }, { "none", '\0' },     { "comma", ',' },
        { "point", '.' },      { "semicolon", ';' }, { "tab", '\t' },
        { "bar", '|' },        { "blank", ' ' },     { "\\t", '\t' },
    };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strcmp(text, words[i].word) == 0) {
            *ret = words[i].character;
            return 0;
        }
    unsigned char c = (unsigned char)text[0];
    bool is_digit = c >= '0' && c <= '9';
    bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (c <= ' ' || text[1] != '\0' || c >= 0x7F || is_digit || is_letter || c == '"')
        return err_set(
            err, EINVAL,
            "table.%s: '%s': write comma, semicolon, tab, bar, blank, point, "
            "none, or one character",
            key, text);
    *ret = text[0];
    return 0;
}

static int missing_read(const struct config_list *list, struct sheet *ret,
                        struct err *err)
{
    if (list->count > TABLE_MISSING_MAX)
        return err_set(err, EINVAL, "table.missing: at most %d", TABLE_MISSING_MAX);
    for (size_t i = 0; i < list->count; i++) {
        struct missing_sign *sign = &ret->missing[ret->missing_count++];
        *sign = (struct missing_sign){ span_of(list->items[i]), NAN };
        (void)number_parse_double(sign->text, &sign->number);
    }
    return 0;
}

static int long_check(const struct form_opts *opts, struct err *err)
{
    bool has_all = opts->long_by.count > 0 && opts->long_name && opts->long_value;
    bool has_any = opts->long_by.count > 0 || opts->long_name || opts->long_value;
    if (has_any && !has_all)
        return err_set(err, EINVAL,
                       "table.long_by, long_name and long_value want each other");
    if (has_any && opts->wide.count > 0)
        return err_set(err, EINVAL, "table.wide: a table is not wide and long at once");
    return 0;
}

static int characters_read(const struct form_opts *opts, struct sheet *ret,
                           struct err *err)
{
    int rc = character_read("separator", opts->separator, &ret->csv.separator, err);
    if (rc == 0)
        rc = character_read("decimal", opts->decimal, &ret->number.decimal, err);
    if (rc == 0)
        rc = character_read("thousands", opts->thousands, &ret->number.thousands, err);
    if (rc == 0 && opts->comment)
        rc = character_read("comment", opts->comment, &ret->csv.comment, err);
    if (rc < 0)
        return rc;
    if (ret->number.decimal != '.' && ret->number.decimal != ',')
        return err_set(err, EINVAL, "table.decimal: '%s': point or comma",
                       opts->decimal);
    if (ret->number.decimal == ret->number.thousands)
        return err_set(err, EINVAL, "table.thousands: is that of decimals too");
    ret->csv.is_latin1 = strcmp(opts->encoding, "latin1") == 0;
    if (!ret->csv.is_latin1 && strcmp(opts->encoding, "utf-8") != 0)
        return err_set(err, EINVAL,
                       "table.encoding: '%s': utf-8 or latin1; iconv(1) makes UTF-8 of "
                       "others",
                       opts->encoding);
    return 0;
}

int sheet_read(const struct config *config, struct sheet *ret, struct err *err)
{
    struct sheet form = sheet_default;
    struct form_opts opts = { 0 };
    int rc = config_fill(config, "table", NULL, &opts, err);
    if (rc == 0)
        rc = characters_read(&opts, &form, err);
    if (rc == 0)
        rc = missing_read(&opts.missing, &form, err);
    if (rc == 0)
        rc = long_check(&opts, err);
    if (rc < 0)
        return rc;
    form.csv.no_quotes = !opts.quotes;
    form.csv.skip_lines = opts.skip_lines;
    form.names = opts.names;
    form.skip_rows = opts.skip_rows;
    form.wide = opts.wide;
    form.long_by = opts.long_by;
    form.long_name = opts.long_name;
    form.long_value = opts.long_value;
    *ret = form;
    return 0;
}

static bool is_missing(const struct sheet *form, struct span text)
{
    for (size_t i = 0; i < form->missing_count; i++)
        if (span_eq(text, form->missing[i].text))
            return true;
    return text.size == 0 || span_is(text, "nan") || span_is(text, "NaN");
}

struct value sheet_value(const struct sheet *form, struct span text)
{
    double number;
    text = span_trim(text);
    if (is_missing(form, text))
        return (struct value){ .kind = VALUE_MISSING };
    if (quantity_cell(text, &form->number, &number) < 0)
        return (struct value){ .kind = VALUE_TEXT, .text = text };
    for (size_t i = 0; i < form->missing_count; i++)
        if (number == form->missing[i].number)
            return (struct value){ .kind = VALUE_MISSING };
    return (struct value){ .kind = VALUE_NUMBER, .number = number, .text = text };
}
