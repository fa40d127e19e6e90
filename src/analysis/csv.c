/* SPDX-License-Identifier: Apache-2.0 */
/* csv - rows of fields out of a file. */
#include "analysis/csv.h"

#include "base/strbuf.h"

#include <zlib.h>

#define READ_BYTES 65536

struct csv {
    gzFile file;
    const char *path;
    unsigned char buffer[READ_BYTES];
    size_t at, size;
    uint64_t line, row_line;
    struct strbuf row; /* the fields, unquoted, one after the other */
    size_t starts[CSV_FIELDS_MAX + 1];
    struct span fields[CSV_FIELDS_MAX];
};

int csv_open(const char *path, struct csv **ret, struct err *err)
{
    struct csv *csv = calloc(1, sizeof *csv);
    if (!csv)
        return err_set(err, ENOMEM, "%s: out of memory", path);
    errno = 0;
    csv->file = gzopen(path, "rb");
    if (!csv->file) {
        int errnum = errno ? errno : ENOMEM;
        free(csv);
        return err_set(err, errnum, "%s: %s", path, strerror(errnum));
    }
    csv->path = path;
    csv->line = 1;
    *ret = csv;
    return 0;
}

void csv_close(struct csv *csv)
{
    if (!csv)
        return;
    (void)gzclose(csv->file);
    strbuf_done(&csv->row);
    free(csv);
}

uint64_t csv_line(const struct csv *csv)
{
    return csv->row_line;
}

/* The next byte, -1 at the end, or -errno - 1. */
static int byte_next(struct csv *csv, struct err *err)
{
    if (csv->at < csv->size)
        return csv->buffer[csv->at++];
    int size = gzread(csv->file, csv->buffer, READ_BYTES);
    int code = Z_OK;
    const char *why = size <= 0 ? gzerror(csv->file, &code) : "";
    if (code == Z_BUF_ERROR)
        why = "the file is cut short";
    if (size < 0 || code != Z_OK)
        return err_set(err, code == Z_ERRNO ? EIO : EBADMSG, "%s:%llu: %s", csv->path,
                       (unsigned long long)csv->line, why) -
               1;
    csv->at = 0;
    csv->size = (size_t)size;
    return size == 0 ? -1 : csv->buffer[csv->at++];
}

static int field_end(struct csv *csv, size_t *count, struct err *err)
{
    if (*count >= CSV_FIELDS_MAX)
        return err_set(err, EBADMSG, "%s:%llu: more than %d fields in a row", csv->path,
                       (unsigned long long)csv->row_line, CSV_FIELDS_MAX);
    csv->starts[++*count] = csv->row.size;
    return 0;
}

/* Put the bytes of one row into csv->row.  Returns the last byte as byte_next(). */
static int row_gather(struct csv *csv, size_t *count, struct err *err)
{
    bool quoted = false;
    bool was_quote = false; /* inside quotes: the byte before was one */
    for (;;) {
        int c = byte_next(csv, err);
        if (c < -1)
            return c;
        if (c == '\n')
            csv->line++;
        if (quoted && was_quote && c != '"')
            quoted = false;
        if (c == -1 || (!quoted && c == '\n')) {
            int rc = field_end(csv, count, err);
            return rc < 0 ? rc - 1 : c;
        }
        if (c == '"' && !(quoted && was_quote)) {
            was_quote = quoted;
            quoted = true;
            continue;
        }
        was_quote = false;
        if (!quoted && c == ',') {
            int rc = field_end(csv, count, err);
            if (rc < 0)
                return rc - 1;
        } else if (quoted || c != '\r') {
            strbuf_addc(&csv->row, (char)c);
        }
        if (csv->row.size > CSV_ROW_BYTES_MAX)
            return err_set(err, EBADMSG, "%s:%llu: a row of more than %zu bytes",
                           csv->path, (unsigned long long)csv->row_line,
                           CSV_ROW_BYTES_MAX) -
                   1;
    }
}

int csv_next(struct csv *csv, const struct span **ret, size_t *ret_count,
             struct err *err)
{
    size_t count = 0;
    int last;
    do {
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
