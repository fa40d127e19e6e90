/* SPDX-License-Identifier: Apache-2.0 */
/* csv - rows of fields out of a file. */
#include "analysis/table/csv.h"

#include "base/span.h"

#include "base/strbuf.h"
#include "base/unpack.h"

#define READ_BYTES ((size_t)65536)

struct csv {
    struct unpack *unpack;
    const char *path;
    struct csv_form form;
    bool is_open;           /* a quote was not closed before the file ended */
    bool was_cr;            /* an LF that comes now ends no other line */
    bool stops[256];        /* bytes that mean something outside of quotes */
    bool stops_quoted[256]; /* and inside */
    size_t at, size;
    uint64_t line, row_line;
    struct strbuf row; /* the fields, unquoted, one after the other */
    unsigned char buffer[READ_BYTES];
    size_t starts[CSV_FIELDS_MAX + 1];
    struct span fields[CSV_FIELDS_MAX];
};

/* ---- bytes ---- */

/* Errors: as unpack_read(). */
static int buffer_fill(struct csv *csv, struct err *err)
{
    struct err here = { 0 };
    csv->at = csv->size = 0;
    ssize_t got = unpack_read(csv->unpack, csv->buffer, READ_BYTES, &here);
    if (got < 0)
        return err_set(err, (int)-got, "%s (at line %llu)", here.text,
                       (unsigned long long)csv->line);
    csv->size = (size_t)got;
    return 0;
}

/* The next byte, -1 at the end, or -errno - 1. */
static int byte_next(struct csv *csv, struct err *err)
{
    if (csv->at == csv->size) {
        int rc = buffer_fill(csv, err);
        if (rc < 0)
            return rc - 1;
        if (csv->size == 0)
            return -1;
    }
    return csv->buffer[csv->at++];
}

/* The next byte, with '\n' for every kind of line end. */
static int letter_next(struct csv *csv, struct err *err)
{
    int c = byte_next(csv, err);
    if (c == '\n' && csv->was_cr)
        c = byte_next(csv, err);
    csv->was_cr = c == '\r';
    if (c == '\r')
        c = '\n';
    csv->line += c == '\n';
    return c;
}

static void letter_add(struct csv *csv, int c)
{
    if (csv->form.is_latin1 && c >= 0x80) {
        strbuf_addc(&csv->row, (char)(0xC0 | c >> 6));
        c = 0x80 | (c & 0x3F);
    }
    strbuf_addc(&csv->row, (char)c);
}

/* Bytes that mean nothing, as many as there are in one piece. */
static void plain_take(struct csv *csv, const bool stops[static 256])
{
    size_t end = csv->at;
    while (end < csv->size && !stops[csv->buffer[end]])
        end++;
    if (end == csv->at)
        return;
    strbuf_add(&csv->row, csv->buffer + csv->at, end - csv->at);
    csv->at = end;
    csv->was_cr = false;
}

/* ---- opening ---- */

static void stops_set(struct csv *csv)
{
    const char *always = csv->form.separator == ' ' ? "\r\n \t" : "\r\n";
    for (const char *c = always; *c; c++)
        csv->stops[(unsigned char)*c] = true;
    csv->stops[(unsigned char)csv->form.separator] = true;
    csv->stops['"'] = !csv->form.no_quotes;
    csv->stops_quoted['"'] = csv->stops_quoted['\r'] = csv->stops_quoted['\n'] = true;
    for (int c = 0x80; csv->form.is_latin1 && c < 256; c++)
        csv->stops[c] = csv->stops_quoted[c] = true;
}

/* As much as the buffer holds, so that a guess sees whole lines. */
static int buffer_begin(struct csv *csv, struct err *err)
{
    while (csv->size < READ_BYTES) {
        ssize_t got = unpack_read(csv->unpack, csv->buffer + csv->size,
                                  READ_BYTES - csv->size, err);
        if (got < 0)
            return (int)got;
        if (got == 0)
            break;
        csv->size += (size_t)got;
    }
    return 0;
}

/* Separators outside of quotes in the line that *text begins with, which is cut off. */
static size_t separators_count(struct span *text, char separator, bool no_quotes)
{
    size_t count = 0;
    size_t i = 0;
    bool is_quoted = false;
    for (; i < text->size; i++) {
        char c = text->data[i];
        if (c == '"' && !no_quotes)
            is_quoted = !is_quoted;
        else if (!is_quoted && (c == '\n' || c == '\r'))
            break;
        else if (!is_quoted && c == separator)
            count++;
    }
    while (i < text->size && (text->data[i] == '\n' || text->data[i] == '\r'))
        i++;
    *text = span_skip(*text, i);
    return count;
}

/* What divides the first lines alike; else what there is most of. */
static char separator_guess(const struct csv *csv)
{
    static const char candidates[] = { '\t', ';', '|', ',' }; /* commas are in texts */
    size_t best_score = 0;
    char best = ',';
    for (size_t i = 0; i < COUNT_OF(candidates); i++) {
        struct span ahead = csv_ahead(csv);
        while (csv->form.comment && ahead.size && *ahead.data == csv->form.comment)
            (void)separators_count(&ahead, '\n', true);
        size_t first = separators_count(&ahead, candidates[i], csv->form.no_quotes);
        bool is_same = first > 0;
        for (int line = 0; is_same && line < 5 && ahead.size > 0; line++)
            is_same =
                first == separators_count(&ahead, candidates[i], csv->form.no_quotes);
        size_t score = is_same ? first + CSV_FIELDS_MAX : first;
        if (score > best_score) {
            best_score = score;
            best = candidates[i];
        }
    }
    return best;
}

/* What stands before the first row. */
static void preamble_skip(struct csv *csv)
{
    struct span ahead = csv_ahead(csv);
    if (span_starts(ahead, "\xEF\xBB\xBF")) {
        csv->at += 3;
        ahead = span_skip(ahead, 3);
    }
    if (ahead.size > 5 && span_starts(ahead, "sep=") &&
        (ahead.data[5] == '\r' || ahead.data[5] == '\n')) {
        if (csv->form.separator == CSV_GUESS)
            csv->form.separator = ahead.data[4];
        csv->at += 5;
        csv->form.skip_lines++;
    }
}

/* The LF of a CR LF whose CR was taken for a line's end. */
static void line_end_take(struct csv *csv)
{
    if (csv->was_cr && csv->at < csv->size && csv->buffer[csv->at] == '\n') {
        csv->at++;
        csv->was_cr = false;
    }
}

/* What is ahead is looked at afterwards: it begins with a line, not with half an end.
 */
static int line_skip(struct csv *csv, struct err *err)
{
    int c;
    do
        c = letter_next(csv, err);
    while (c >= 0 && c != '\n');
    line_end_take(csv);
    return c < -1 ? c + 1 : 0;
}

int csv_open_form(const char *path, const struct csv_form *form, struct csv **ret,
                  struct err *err)
{
    AUTO(csv_close) struct csv *csv = calloc(1, sizeof *csv);
    if (!csv)
        return err_set(err, ENOMEM, "%s: out of memory", path);
    csv->path = path;
    csv->form = *form;
    csv->line = 1;
    int rc = unpack_open(path, &csv->unpack, err);
    if (rc == 0)
        rc = buffer_begin(csv, err);
    if (rc == 0)
        preamble_skip(csv);
    for (uint64_t i = 0; rc == 0 && csv->size > 0 && i < csv->form.skip_lines; i++)
        rc = line_skip(csv, err);
    if (rc < 0)
        return rc;
    if (csv->form.separator == CSV_GUESS)
        csv->form.separator = separator_guess(csv);
    stops_set(csv);
    *ret = TAKE(csv);
    return 0;
}

int csv_open(const char *path, struct csv **ret, struct err *err)
{
    static const struct csv_form form = { .separator = ',' };
    return csv_open_form(path, &form, ret, err);
}

void csv_close(struct csv *csv)
{
    if (!csv)
        return;
    unpack_close(csv->unpack);
    strbuf_done(&csv->row);
    free(csv);
}

uint64_t csv_line(const struct csv *csv)
{
    return csv->row_line;
}

bool csv_is_open(const struct csv *csv)
{
    return csv->is_open;
}

char csv_separator(const struct csv *csv)
{
    return csv->form.separator;
}

struct span csv_ahead(const struct csv *csv)
{
    return (struct span){ (const char *)csv->buffer + csv->at, csv->size - csv->at };
}

/* ---- rows ---- */

static int field_end(struct csv *csv, size_t *count, struct err *err)
{
    if (*count >= CSV_FIELDS_MAX)
        return err_set(err, EBADMSG, "%s:%llu: more than %d fields in a row", csv->path,
                       (unsigned long long)csv->row_line, CSV_FIELDS_MAX);
    csv->starts[++*count] = csv->row.size;
    return 0;
}

static int size_check(const struct csv *csv, bool is_quoted, struct err *err)
{
    if (csv->row.size <= CSV_ROW_BYTES_MAX)
        return 0;
    return err_set(err, EBADMSG, "%s:%llu: a row of more than %zu bytes%s", csv->path,
                   (unsigned long long)csv->row_line, CSV_ROW_BYTES_MAX,
                   is_quoted ? "; is a quote in it never closed?" : "");
}

/* Inside of quotes, up to the one that closes.  Returns 0, -1 at the end of the file,
 * or -errno - 1. */
static int quoted_take(struct csv *csv, struct err *err)
{
    for (;;) {
        plain_take(csv, csv->stops_quoted);
        int c = letter_next(csv, err);
        if (c < 0)
            return c;
        if (c == '"') {
            if (csv->at == csv->size && (c = buffer_fill(csv, err)) < 0)
                return c - 1;
            if (csv->size == 0 || csv->buffer[csv->at] != '"')
                return 0;
            csv->at++;
            c = '"';
        }
        letter_add(csv, c);
        int rc = size_check(csv, true, err);
        if (rc < 0)
            return rc - 1;
    }
}

static bool is_blank_from(const struct csv *csv, size_t start)
{
    for (size_t i = start; i < csv->row.size; i++)
        if (csv->row.data[i] != ' ' && csv->row.data[i] != '\t')
            return false;
    return true;
}

/* A quote opens where nothing but blanks stands before it in the field. */
static int quote_take(struct csv *csv, size_t count, bool *was_quoted, struct err *err)
{
    if (*was_quoted || !is_blank_from(csv, csv->starts[count])) {
        letter_add(csv, '"');
        return 0;
    }
    csv->row.size = csv->starts[count];
    *was_quoted = true;
    int c = quoted_take(csv, err);
    csv->is_open = c == -1;
    return c;
}

static bool is_separator(const struct csv *csv, int c)
{
    return c == (unsigned char)csv->form.separator ||
           (c == '\t' && csv->form.separator == ' ');
}

/* Of blanks that divide, several are one, and those at the ends none. */
static bool is_no_field(const struct csv *csv, size_t count, bool was_quoted)
{
    return csv->form.separator == ' ' && !was_quoted &&
           csv->row.size == csv->starts[count];
}

/* Put the bytes of one row into csv->row.  Returns the last byte as byte_next(). */
static int row_gather(struct csv *csv, size_t *count, struct err *err)
{
    bool was_quoted = false;
    for (;;) {
        plain_take(csv, csv->stops);
        int rc = size_check(csv, false, err);
        int c = rc < 0 ? rc - 1 : letter_next(csv, err);
        if (c < -1)
            return c;
        bool is_end = c == -1 || c == '\n';
        if (is_end || is_separator(csv, c)) {
            if (!is_no_field(csv, *count, was_quoted) || (is_end && *count == 0))
                rc = field_end(csv, count, err);
            was_quoted = false;
            if (rc < 0 || is_end)
                return rc < 0 ? rc - 1 : c;
        } else if (c == '"' && !csv->form.no_quotes) {
            rc = quote_take(csv, *count, &was_quoted, err);
            if (rc < -1)
                return rc;
        } else {
            letter_add(csv, c);
        }
    }
}

/* 1: a comment was passed over; 0: none is here. */
static int comment_skip(struct csv *csv, struct err *err)
{
    line_end_take(csv);
    if (csv->at == csv->size) {
        int rc = buffer_fill(csv, err);
        if (rc < 0)
            return rc;
    }
    if (csv->size == 0 || !csv->form.comment ||
        csv->buffer[csv->at] != (unsigned char)csv->form.comment)
        return 0;
    int rc = line_skip(csv, err);
    return rc < 0 ? rc : 1;
}

int csv_next(struct csv *csv, const struct span **ret, size_t *ret_count,
             struct err *err)
{
    size_t count = 0;
    int last;
    do {
        int rc;
        while ((rc = comment_skip(csv, err)) > 0)
            ;
        if (rc < 0)
            return rc;
        count = 0;
        strbuf_clear(&csv->row);
        csv->row_line = csv->line;
        last = row_gather(csv, &count, err);
        if (last < -1)
            return last + 1;
    } while (last == '\n' && count == 1 && csv->row.size == 0);
    if (last == -1 && count == 1 && csv->row.size == 0)
        return 0;
    if (strbuf_error(&csv->row) < 0)
        return err_set(err, ENOMEM, "%s: out of memory", csv->path);
    for (size_t i = 0; i < count; i++)
        csv->fields[i] = (struct span){ strbuf_text(&csv->row) + csv->starts[i],
                                        csv->starts[i + 1] - csv->starts[i] };
    *ret = csv->fields;
    *ret_count = count;
    return 1;
}
