/* SPDX-License-Identifier: Apache-2.0 */
/* job_sheet - rows of jobs as a workbook of one sheet (xlsx), by libxlsxwriter. */
#include "report/job_sheet.h"

#include "base/span.h"

#include "analysis/job/job.h"
#include "base/utf8.h"
#include "model/model.h"

#include <xlsxwriter.h>

#define TEXT_BYTES_MAX ((size_t)32000)
#define WHOLE_MAX (INT64_C(1) << 53)    /* beyond it doubles leave whole numbers out */
#define EPOCH_DAYS 25569.0              /* of 1970-01-01, from the sheet's day 0 */
#define TIME_S_MIN INT64_C(-2203891200) /* 1900-03-01: before it days are wrong */
#define TIME_S_MAX INT64_C(253402300799)
#define NAME_WIDTH_MIN 12.0
#define TIME_WIDTH 20.0

struct job_sheet_column {
    const char *name;
    lxw_col_t at;
    bool is_time;
};

struct job_sheet {
    const char *path;
    struct strbuf beside; /* its name until it is whole */
    lxw_workbook *book;
    lxw_worksheet *page;
    lxw_format *bold;
    lxw_format *date;
    struct job_sheet_column columns[SUMMARY_COLUMN_COUNT];
    lxw_row_t rows;
    size_t cut;
    struct strbuf text; /* of the cell at hand */
};

int job_sheet_new(const char *path, struct job_sheet **ret, struct err *err)
{
    AUTO(job_sheet_free) struct job_sheet *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(err, ENOMEM, "out of memory");
    s->path = path;
    strbuf_addf(&s->beside, "%s.new", path);
    if (strbuf_error(&s->beside) < 0)
        return err_set(err, ENOMEM, "out of memory");
    lxw_workbook_options opts = { .constant_memory = LXW_TRUE,
                                  .tmpdir = getenv("TMPDIR"),
                                  .use_zip64 = LXW_FALSE };
    s->book = workbook_new_opt(strbuf_text(&s->beside), &opts);
    s->page = s->book ? workbook_add_worksheet(s->book, "jobs") : NULL;
    s->bold = s->book ? workbook_add_format(s->book) : NULL;
    s->date = s->book ? workbook_add_format(s->book) : NULL;
    if (!s->page || !s->bold || !s->date)
        return err_set(err, EIO, "%s: no temporary file can be made", path);
    format_set_bold(s->bold);
    format_set_num_format(s->date, "yyyy-mm-dd hh:mm:ss");
    *ret = TAKE(s);
    return 0;
}

void job_sheet_free(struct job_sheet *sheet)
{
    if (!sheet)
        return;
    if (sheet->book)
        lxw_workbook_free(sheet->book);
    strbuf_done(&sheet->beside);
    strbuf_done(&sheet->text);
    free(sheet);
}

/* ---- columns ---- */

static int title_put(struct job_sheet *s, lxw_col_t at, const char *title, double width)
{
    double by_name = (double)strlen(title) + 1;
    width = by_name > width ? by_name : width;
    return worksheet_set_column(s->page, at, at, width, NULL) != LXW_NO_ERROR ||
                   worksheet_write_string(s->page, 0, at, title, s->bold) !=
                       LXW_NO_ERROR
               ? -EIO
               : 0;
}

static int column_add(struct job_sheet *s, size_t i, lxw_col_t *at)
{
    struct job_sheet_column *column = &s->columns[i];
    char title[256];
    *column = (struct job_sheet_column){ .name = job_columns[i].name,
                                         .at = (*at)++,
                                         .is_time =
                                             strcmp(job_columns[i].unit, "time") == 0 };
    int rc = title_put(s, column->at, column->name, NAME_WIDTH_MIN);
    (void)snprintf(title, sizeof title, "%s UTC", column->name);
    return rc == 0 && column->is_time ? title_put(s, (*at)++, title, TIME_WIDTH) : rc;
}

int job_sheet_header(struct job_sheet *sheet, struct err *err)
{
    lxw_col_t at = 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < SUMMARY_COLUMN_COUNT; i++)
        rc = column_add(sheet, i, &at);
    if (rc < 0)
        return err_set(err, -rc, "%s: %s", sheet->path, strerror(-rc));
    worksheet_freeze_panes(sheet->page, 1, 1);
    sheet->rows = 1;
    return 0;
}

/* ---- rows ---- */

/* A cell's text must be UTF-8, and has its length. */
static int text_put(struct job_sheet *s, lxw_col_t at, const char *text)
{
    struct span shown = span_of(text);
    strbuf_clear(&s->text);
    if (!utf8_is_valid(shown)) {
        entry_id_print(&s->text, shown);
        shown = strbuf_span(&s->text);
    }
    if (shown.size > TEXT_BYTES_MAX) {
        AUTO(strbuf_done) struct strbuf cut = STRBUF_INIT;
        size_t size = TEXT_BYTES_MAX;
        while (size > 0 && (shown.data[size] & 0xc0) == 0x80)
            size--;
        strbuf_add(&cut, shown.data, size);
        strbuf_adds(&cut, "...");
        s->cut++;
        return strbuf_error(&cut) < 0 ||
                       worksheet_write_string(s->page, s->rows, at, strbuf_text(&cut),
                                              NULL) != LXW_NO_ERROR
                   ? -EIO
                   : 0;
    }
    const char *whole = shown.data == text ? text : strbuf_text(&s->text);
    return worksheet_write_string(s->page, s->rows, at, whole, NULL) == LXW_NO_ERROR
               ? 0
               : -EIO;
}

static int number_put(struct job_sheet *s, lxw_col_t at, double value)
{
    return worksheet_write_number(s->page, s->rows, at, value, NULL) == LXW_NO_ERROR
               ? 0
               : -EIO;
}

static int whole_put(struct job_sheet *s, const struct job_sheet_column *column,
                     int64_t value)
{
    char digits[24];
    if (value > WHOLE_MAX || value < -WHOLE_MAX) {
        (void)snprintf(digits, sizeof digits, "%lld", (long long)value);
        return text_put(s, column->at, digits);
    }
    int rc = number_put(s, column->at, (double)value);
    if (rc < 0 || !column->is_time || value < TIME_S_MIN || value > TIME_S_MAX)
        return rc;
    double days = (double)value / 86400 + EPOCH_DAYS;
    lxw_col_t at = (lxw_col_t)(column->at + 1);
    return worksheet_write_number(s->page, s->rows, at, days, s->date) == LXW_NO_ERROR
               ? 0
               : -EIO;
}

static int cell_put(struct job_sheet *s, const struct job_sheet_column *column,
                    const struct job_cell *cell)
{
    switch (cell->type) {
    case JOB_CELL_TEXT:
        return text_put(s, column->at, cell->text);
    case JOB_CELL_I64:
        return whole_put(s, column, cell->i64);
    case JOB_CELL_DOUBLE:
        return number_put(s, column->at, cell->dbl);
    default:
        return 0;
    }
}

/* Both stand in the same order, so that the row is walked once. */
int job_sheet_add(struct job_sheet *sheet, const struct job_row *row, struct err *err)
{
    size_t at = 0;
    int rc = 0;
    if (sheet->rows == LXW_ROW_MAX)
        return err_set(err, EFBIG, "%s: a sheet has no more rows: choose csv",
                       sheet->path);
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT && at < row->count && rc == 0; i++)
        if (strcmp(row->cells[at].name, sheet->columns[i].name) == 0)
            rc = cell_put(sheet, &sheet->columns[i], &row->cells[at++]);
    if (rc == 0 && at < row->count)
        return err_set(err, EBADMSG, "%s: the sheet has no column '%s'", sheet->path,
                       row->cells[at].name);
    sheet->rows += rc == 0;
    return rc < 0 ? err_set(err, -rc, "%s: %s", sheet->path, strerror(-rc)) : 0;
}

int job_sheet_add_json(struct job_sheet *sheet, struct span object, struct err *err)
{
    AUTO(job_row_done) struct job_row row;
    job_row_init(&row);
    int rc = sheet->rows == 0 ? job_sheet_header(sheet, err) : 0;
    if (rc == 0)
        rc = job_row_read_json(&row, object, err);
    return rc == 0 ? job_sheet_add(sheet, &row, err) : rc;
}

int job_sheet_finish(struct job_sheet *sheet, size_t *ret_cut, struct err *err)
{
    const char *beside = strbuf_text(&sheet->beside);
    /* Whatever comes of it, the book is freed. */
    lxw_error failed = workbook_close(TAKE(sheet->book));
    if (failed != LXW_NO_ERROR) {
        (void)unlink(beside);
        return err_set(err, EIO, "%s: %s", sheet->path, lxw_strerror(failed));
    }
    if (rename(beside, sheet->path) < 0) {
        int rc = -errno;
        (void)unlink(beside);
        return err_set(err, -rc, "%s: %s", sheet->path, strerror(-rc));
    }
    *ret_cut = sheet->cut;
    return 0;
}
