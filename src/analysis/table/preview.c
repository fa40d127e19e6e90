/* SPDX-License-Identifier: Apache-2.0 */
/* preview - the first rows of an undescribed table. */
#include "analysis/table/preview.h"

#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "base/utf8.h"

#include <math.h>

#define LOOK_ROWS 50 /* that tell what a table is like */

/* A row as it came, of any number of fields. */
struct raw_row {
    struct span *fields;
    size_t count;
    uint64_t line;
};

struct raw {
    struct raw_row rows[PREVIEW_ROWS_MAX + 2];
    size_t count;
};

/* ---- reading ---- */

/* A number, a time, a number with its unit: at least half of it digits. */
static bool is_number(struct span text)
{
    size_t digits = 0;
    for (size_t i = 0; i < text.size; i++)
        digits += text.data[i] >= '0' && text.data[i] <= '9';
    return digits > 0 && digits * 2 >= text.size;
}

/* Fields of a line divided by blanks. */
static size_t words_count(struct span line)
{
    size_t count = 0;
    bool was_blank = true;
    for (size_t i = 0; i < line.size; i++) {
        bool is_blank = line.data[i] == ' ' || line.data[i] == '\t';
        count += was_blank && !is_blank;
        was_blank = is_blank;
    }
    return count;
}

/* Lines that nothing else divides, of equally many words, of which some are numbers. */
static bool is_by_blanks(struct span ahead, char comment)
{
    size_t words = 0;
    size_t lines = 0;
    size_t digits = 0;
    while (lines < 6 && ahead.size > 0) {
        struct span line;
        (void)span_cut(&ahead, '\n', &line);
        line = span_trim(line);
        if (line.size == 0 || (comment && *line.data == comment))
            continue;
        if (memchr(line.data, ',', line.size) || memchr(line.data, ';', line.size) ||
            memchr(line.data, '|', line.size) || memchr(line.data, '\t', line.size))
            return false;
        if (lines++ > 0 && words != words_count(line))
            return false;
        words = words_count(line);
        digits += line.data[line.size - 1] >= '0' && line.data[line.size - 1] <= '9';
    }
    return words >= 3 && lines >= 2 && digits >= 1;
}

/* '#' or the like, where lines begin with it, unless it is one line of as many fields
 * as the next: names, with a sign in front. */
static char comment_guess(struct span ahead)
{
    struct span line;
    struct span rest = ahead;
    size_t commented = 0;
    struct span last = { 0 };
    char sign = ahead.size > 0 ? *ahead.data : '\0';
    if (sign == '\0' || !strchr("#;%", sign))
        return '\0';
    while (rest.size > 0 && *rest.data == sign) {
        (void)span_cut(&rest, '\n', &last);
        commented++;
    }
    (void)span_cut(&rest, '\n', &line);
    if (commented > 1 || sign != '#')
        return sign;
    for (const char *c = ",;\t| "; *c; c++) {
        size_t a = 0;
        size_t b = 0;
        for (size_t i = 0; i < last.size; i++)
            a += last.data[i] == *c;
        for (size_t i = 0; i < line.size; i++)
            b += line.data[i] == *c;
        if (a > 1 && a == b)
            return '\0';
    }
    return sign;
}

static int raw_keep(struct table_preview *s, const struct span *fields, size_t count,
                    uint64_t line, struct raw *raw)
{
    struct raw_row row = { .count = count, .line = line };
    row.fields = arena_alloc(&s->arena, count * sizeof *row.fields);
    for (size_t i = 0; row.fields && i < count; i++) {
        struct span field = span_trim(fields[i]);
        const char *copy = arena_dup(&s->arena, field);
        if (!copy)
            return -ENOMEM;
        row.fields[i] = (struct span){ copy, field.size };
    }
    if (!row.fields)
        return -ENOMEM;
    raw->rows[raw->count++] = row;
    return 0;
}

/* Opened twice: the second time with what the first pass found. */
static int raw_read(struct table_preview *s, const char *path, struct raw *raw,
                    struct err *err)
{
    AUTO(csv_close) struct csv *csv = NULL;
    const struct span *fields;
    size_t count;
    int rc = csv_open_form(path, &s->sheet.csv, &csv, err);
    if (rc < 0)
        return rc;
    s->sheet.csv.comment = comment_guess(csv_ahead(csv));
    if (is_by_blanks(csv_ahead(csv), s->sheet.csv.comment))
        s->sheet.csv.separator = ' ';
    csv_close(TAKE(csv));
    rc = csv_open_form(path, &s->sheet.csv, &csv, err);
    while (rc == 0 && raw->count < COUNT_OF(raw->rows) &&
           (rc = csv_next(csv, &fields, &count, err)) > 0)
        if (raw_keep(s, fields, count, csv_line(csv), raw) < 0) {
            s->is_cut = true; /* of memory: what is there will do */
            return 0;
        } else {
            rc = 0;
        }
    s->is_cut = rc == 0 && raw->count == COUNT_OF(raw->rows);
    return rc < 0 ? rc : 0;
}

/* ---- what the first rows are ---- */

/* How many fields most rows have. */
static size_t usual_count(const struct raw *raw)
{
    size_t best = 0;
    size_t best_votes = 0;
    size_t look = raw->count < LOOK_ROWS ? raw->count : LOOK_ROWS;
    for (size_t i = 0; i < look; i++) {
        size_t votes = 0;
        for (size_t j = 0; j < look; j++)
            votes += raw->rows[j].count == raw->rows[i].count;
        if (votes > best_votes) {
            best_votes = votes;
            best = raw->rows[i].count;
        }
    }
    return best;
}

static size_t numbers_count(const struct raw_row *row)
{
    size_t count = 0;
    for (size_t i = 0; i < row->count; i++)
        count += is_number(row->fields[i]);
    return count;
}

/* Words where the rows behind have numbers. */
static bool is_unit_row(const struct raw *raw, size_t first)
{
    if (first + 3 > raw->count || numbers_count(&raw->rows[first]) > 0)
        return false;
    size_t numbers = 0;
    for (size_t i = first + 1; i < raw->count && i < first + 6; i++) {
        size_t count = numbers_count(&raw->rows[i]);
        if (count == 0)
            return false;
        numbers += count;
    }
    return numbers > 0;
}

static bool is_utf8(const struct raw *raw)
{
    for (size_t i = 0; i < raw->count; i++)
        for (size_t j = 0; j < raw->rows[i].count; j++)
            if (!utf8_is_valid(raw->rows[i].fields[j]))
                return false;
    return true;
}

/* Where the names are; SIZE_MAX: there are none. */
static size_t names_find(const struct raw *raw, size_t count, size_t *ret_first)
{
    size_t at = 0;
    while (at + 1 < raw->count && raw->rows[at].count != count &&
           raw->rows[at].count + 1 != count)
        at++;
    const struct raw_row *row = &raw->rows[at];
    *ret_first = at;
    return numbers_count(row) * 3 > row->count ? SIZE_MAX : at;
}

static int names_take(struct table_preview *s, const struct raw_row *row, size_t count)
{
    s->names = arena_alloc(&s->arena, (count + 1) * sizeof *s->names);
    s->column_count = count;
    if (!s->names)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        char number[32];
        (void)snprintf(number, sizeof number, "c%zu", i + 1);
        const char *copy = row ? NULL : arena_dup(&s->arena, span_of(number));
        s->names[i] = row ? row->fields[i] : span_of(copy ? copy : "c");
    }
    return 0;
}

/* The rows of data, each without an index in front that has no name. */
static int rows_take(struct table_preview *s, const struct raw *raw, size_t first)
{
    s->rows = arena_alloc(&s->arena, (raw->count + 1) * sizeof *s->rows);
    if (!s->rows)
        return -ENOMEM;
    for (size_t i = first; i < raw->count; i++) {
        const struct raw_row *row = &raw->rows[i];
        size_t skip = row->count == s->column_count + 1;
        if (row->count - skip == s->column_count)
            s->rows[s->row_count++] = row->fields + skip;
    }
    return 0;
}

static int shape_guess(struct table_preview *s, const char *path, const struct raw *raw,
                       struct err *err)
{
    size_t first;
    if (raw->count == 0)
        return err_set(err, ENODATA, "%s: the file is empty", path);
    size_t names = names_find(raw, usual_count(raw), &first);
    s->has_names = names != SIZE_MAX;
    uint64_t line = raw->rows[first].line;
    if (first > 0)
        s->sheet.csv.skip_lines = line - 1;
    int rc =
        names_take(s, s->has_names ? &raw->rows[first] : NULL, raw->rows[first].count);
    if (s->has_names && is_unit_row(raw, first + 1))
        s->sheet.skip_rows = 1;
    first += s->has_names + s->sheet.skip_rows;
    if (rc == 0)
        rc = rows_take(s, raw, first);
    return rc < 0 ? err_set(err, -rc, "%s: out of memory", path) : 0;
}

/* ---- how numbers are written ---- */

static size_t cells_numeric(const struct table_preview *s,
                            const struct number_form *form)
{
    size_t count = 0;
    double number;
    for (size_t i = 0; i < s->row_count; i++)
        for (size_t j = 0; j < s->column_count; j++)
            count += s->rows[i][j].size > 0 &&
                     quantity_cell(s->rows[i][j], form, &number) == 0;
    return count;
}

static void numbers_guess(struct table_preview *s)
{
    static const struct number_form forms[] = {
        { '.', '\0' }, { '.', ',' }, { ',', '\0' },
        { ',', '.' },  { ',', ' ' }, { '.', '\'' },
    };
    size_t best = 0;
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        size_t count = cells_numeric(s, &forms[i]);
        if (count > best) {
            best = count;
            s->sheet.number = forms[i];
        }
    }
}

static void missing_add(struct table_preview *s, struct span text)
{
    for (size_t i = 0; i < s->missing_count; i++)
        if (span_eq(text, s->missing[i]))
            return;
    bool is_word = text.size > 0 && text.size < 16;
    for (size_t i = 0; i < text.size; i++)
        is_word = is_word && (unsigned char)text.data[i] >= ' ';
    if (s->missing_count < PREVIEW_MISSING_MAX && is_word)
        s->missing[s->missing_count++] = text;
}

/* Texts among numbers; and -1, -9999 and the like where nothing else is below 0. */
static void missing_guess(struct table_preview *s)
{
    static const double signs[] = { -1, -9, -99, -999, -9999, -99999 };
    for (size_t j = 0; j < s->column_count; j++) {
        size_t numbers = 0;
        size_t below = 0;
        size_t signs_at[COUNT_OF(signs)] = { 0 };
        for (size_t i = 0; i < s->row_count; i++) {
            struct value v = sheet_value(&s->sheet, s->rows[i][j]);
            numbers += v.kind == VALUE_NUMBER;
            below += v.kind == VALUE_NUMBER && v.number < 0;
            for (size_t k = 0; v.kind == VALUE_NUMBER && k < COUNT_OF(signs); k++)
                signs_at[k] += v.number == signs[k];
        }
        bool is_numeric = numbers * 2 > s->row_count;
        for (size_t i = 0; is_numeric && i < s->row_count; i++)
            if (sheet_value(&s->sheet, s->rows[i][j]).kind == VALUE_TEXT)
                missing_add(s, s->rows[i][j]);
        for (size_t k = 0; is_numeric && k < COUNT_OF(signs); k++) {
            char text[16];
            (void)snprintf(text, sizeof text, "%.0f", signs[k]);
            const char *copy = below > 1 && signs_at[k] == below
                                   ? arena_dup(&s->arena, span_of(text))
                                   : NULL;
            if (copy)
                missing_add(s, span_of(copy));
        }
    }
    for (size_t i = 0; i < s->missing_count; i++) {
        struct missing_sign *sign = &s->sheet.missing[s->sheet.missing_count++];
        *sign = (struct missing_sign){ s->missing[i], NAN };
        (void)number_parse_double(sign->text, &sign->number);
    }
}

int preview_read(const char *path, struct table_preview *ret, struct err *err)
{
    AUTO_FREE struct raw *raw = calloc(1, sizeof *raw);
    AUTO(preview_done) struct table_preview s = { .sheet = sheet_default };
    if (!raw)
        return err_set(err, ENOMEM, "out of memory");
    arena_init(&s.arena, PREVIEW_BYTES_MAX);
    int rc = raw_read(&s, path, raw, err);
    if (rc == 0 && !is_utf8(raw)) {
        s.sheet.csv.is_latin1 = true;
        raw->count = 0;
        rc = raw_read(&s, path, raw, err);
    }
    if (rc == 0)
        rc = shape_guess(&s, path, raw, err);
    if (rc < 0)
        return rc;
    numbers_guess(&s);
    missing_guess(&s);
    *ret = s;
    s = (struct table_preview){ 0 };
    return 0;
}

void preview_done(struct table_preview *sample)
{
    arena_done(&sample->arena);
    *sample = (struct table_preview){ 0 };
}

struct value preview_value(const struct table_preview *s, size_t row, size_t column)
{
    return sheet_value(&s->sheet, s->rows[row][column]);
}

/* ---- as a section ---- */

static void names_print(const struct table_preview *s, struct strbuf *out)
{
    strbuf_adds(out, "# The first row is data: give the columns better names here.\n"
                     "names = ");
    for (size_t i = 0; i < s->column_count; i++)
        strbuf_addf(out, "%s" SPAN_FMT, i > 0 ? ", " : "", SPAN_ARG(s->names[i]));
    strbuf_addc(out, '\n');
}

void preview_print(const struct table_preview *s, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf keys = STRBUF_INIT;
    const struct number_form *number = &s->sheet.number;
    if (s->sheet.csv.separator == ' ')
        strbuf_adds(&keys, "separator = blank\n");
    if (s->sheet.csv.comment)
        strbuf_addf(&keys, "comment = %c\n", s->sheet.csv.comment);
    if (s->sheet.csv.is_latin1)
        strbuf_adds(&keys, "encoding = latin1\n");
    if (s->sheet.csv.skip_lines > 0)
        strbuf_addf(&keys, "skip_lines = %llu\n",
                    (unsigned long long)s->sheet.csv.skip_lines);
    if (!s->has_names)
        names_print(s, &keys);
    if (s->sheet.skip_rows > 0)
        strbuf_adds(&keys, "# The row of units.\nskip_rows = 1\n");
    if (number->decimal == ',')
        strbuf_adds(&keys, "decimal = comma\n");
    if (number->thousands == ' ')
        strbuf_adds(&keys, "thousands = blank\n");
    else if (number->thousands)
        strbuf_addf(&keys, "thousands = %c\n", number->thousands);
    if (s->missing_count > 0)
        strbuf_adds(&keys, "# Of columns that are numbers else.\n");
    for (size_t i = 0; i < s->missing_count; i++)
        strbuf_addf(&keys, "missing = " SPAN_FMT "\n", SPAN_ARG(s->missing[i]));
    if (keys.size > 0)
        strbuf_addf(out, "[table]\n%s\n", strbuf_text(&keys));
}
