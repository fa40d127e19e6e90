/* SPDX-License-Identifier: Apache-2.0 */
/* job_csv - jobs out of lines of comma-separated values (RFC 4180). */
#include "source/scheduler/job_csv.h"

#include "base/span.h"

#include <stdlib.h>

void job_csv_init(struct job_csv *csv, const struct job_text_opts *opts,
                  struct job_list *list)
{
    csv->opts = opts;
    csv->list = list;
    csv->cell = (struct strbuf)STRBUF_INIT;
    csv->delimiter = ',';
    csv->column_count = 0;
    job_fields_init(&csv->fields);
}

void job_csv_done(struct job_csv *csv)
{
    job_fields_done(&csv->fields);
    strbuf_done(&csv->cell);
}

/* Cut the next field off line; false when it was the last.  -1: quotes do not end. */
static int cut_cell(struct span *line, char delimiter, struct strbuf *cell)
{
    strbuf_clear(cell);
    if (line->size == 0 || line->data[0] != '"') {
        struct span plain;
        bool more = span_cut(line, delimiter, &plain);
        strbuf_add_span(cell, plain);
        return more;
    }
    for (size_t i = 1; i < line->size; i++) {
        if (line->data[i] != '"') {
            strbuf_addc(cell, line->data[i]);
        } else if (i + 1 < line->size && line->data[i + 1] == '"') {
            strbuf_addc(cell, '"');
            i++;
        } else if (i + 1 == line->size || line->data[i + 1] == delimiter) {
            bool more = i + 1 < line->size;
            *line = span_skip(*line, i + 2);
            return more;
        } else {
            return -1;
        }
    }
    return -1;
}

static char delimiter_of(struct span header)
{
    static const char delimiters[] = { ',', ';', '\t' };
    for (size_t i = 0; i < sizeof delimiters; i++)
        if (memchr(header.data, delimiters[i], header.size))
            return delimiters[i];
    return ',';
}

/* A mark at the beginning of a text says that it is UTF-8; some programs put it. */
static struct span without_mark(struct span line)
{
    return span_starts(line, "\xEF\xBB\xBF") ? span_skip(line, 3) : line;
}

static int read_header(struct job_csv *csv, struct span line, struct err *err)
{
    bool has_id = false, has_start = false;
    int more = 1;
    line = without_mark(line);
    csv->delimiter = delimiter_of(line);
    while (more == 1) {
        enum job_field field;
        unsigned rank = 0;
        if (csv->column_count == JOB_CSV_COLUMNS_MAX)
            return err_set(err, EINVAL, "the first line names over %d columns",
                           JOB_CSV_COLUMNS_MAX);
        more = cut_cell(&line, csv->delimiter, &csv->cell);
        if (!job_field_of(csv->opts->names, span_trim(strbuf_span(&csv->cell)), &field,
                          &rank))
            field = JOB_FIELD_COUNT;
        csv->columns[csv->column_count].field = field;
        csv->columns[csv->column_count++].rank = rank;
        has_id = has_id || field == JOB_FIELD_ID;
        has_start = has_start || field == JOB_FIELD_START;
    }
    if (more < 0 || strbuf_error(&csv->cell) < 0 || !has_id || !has_start)
        return err_set(err, EINVAL,
                       "the first line names no column for a job's id or start");
    return 0;
}

bool job_csv_is_header(struct span line, const struct job_names *names)
{
    const struct job_text_opts opts = { .names = names };
    struct job_csv *csv = malloc(sizeof *csv);
    if (!csv)
        return false;
    job_csv_init(csv, &opts, NULL);
    bool is_header = read_header(csv, line, NULL) == 0;
    job_csv_done(csv);
    free(csv);
    return is_header;
}

static int read_cells(struct job_csv *csv, struct span line, const char **reason)
{
    int more = 1;
    for (size_t i = 0; i < csv->column_count; i++) {
        if (more != 1)
            return *reason = "fields are missing", -EINVAL;
        more = cut_cell(&line, csv->delimiter, &csv->cell);
        if (more < 0)
            return *reason = "its quotes do not fit", -EINVAL;
        if (strbuf_error(&csv->cell) < 0)
            return -ENOMEM;
        if (csv->columns[i].field == JOB_FIELD_COUNT)
            continue;
        int rc = job_fields_set(&csv->fields, csv->columns[i].field,
                                csv->columns[i].rank, strbuf_span(&csv->cell));
        if (rc < 0)
            return rc;
    }
    if (more != 0)
        return *reason = "there are more fields than columns", -EINVAL;
    return 0;
}

int job_csv_line(struct job_csv *csv, struct span line, uint64_t number,
                 struct err *err)
{
    const char *reason = "it is too long";
    if (line.size > 0 && line.data[line.size - 1] == '\r')
        line.size--;
    if (number == 1)
        return read_header(csv, line, err);
    if (line.size == 0)
        return 0;
    job_fields_clear(&csv->fields);
    int rc = read_cells(csv, line, &reason);
    if (rc == 0)
        rc = job_fields_add(&csv->fields, &csv->opts->clock, csv->list, &reason);
    if (rc == -EINVAL || rc == -EMSGSIZE) {
        job_text_fault(csv->opts, csv->list, number, line, reason);
        rc = 0;
    }
    return rc;
}
