/* SPDX-License-Identifier: Apache-2.0 */
/* job_summary_out - where baro job summarize puts rows. */
#include "cmd/job/summary_out.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/terminal/terminal.h"

#include <stdio.h>
#include <unistd.h>

#define PROGRESS_NS (NS_PER_S / 4)
#define SERVER_NS (2 * NS_PER_S)

int job_summary_out_open(struct job_summary_out *out, const char *into, struct err *err)
{
    out->begun_ns = out->flushed_ns = clock_monotonic_ns();
    out->into = into;
    return into ? job_sheet_new(into, &out->sheet, err) : 0;
}

void job_summary_out_done(struct job_summary_out *out)
{
    job_sheet_free(out->sheet);
    out->sheet = NULL;
}

void job_summary_out_form(void *arg, const struct job_context *context,
                          struct strbuf *ret)
{
    const struct job_summary_out *out = arg;
    job_summary_print(out->form, context, ret);
}

/* On a terminal a line that is written over. */
static void progress_print(struct job_summary_out *out, size_t done)
{
    int64_t now_ns = clock_monotonic_ns();
    bool is_end = done == out->count;
    if (out->count < 2 || !isatty(STDERR_FILENO) ||
        (!is_end && now_ns - out->reported_ns < PROGRESS_NS))
        return;
    out->reported_ns = now_ns;
    double elapsed_s = (double)(now_ns - out->begun_ns) / NS_PER_S;
    double by_s = elapsed_s > 0 ? (double)done / elapsed_s : 0;
    fprintf(stderr, "%s%zu of %zu logs, %.0f a second",
            terminal_order(TERMINAL_LINE_START), done, out->count, by_s);
    if (is_end)
        fprintf(stderr, "          \n");
    else if (by_s > 0)
        fprintf(stderr, ", %.0f s left  ", (double)(out->count - done) / by_s);
}

/* What was built is stored soon, so that little is built again after an end. */
static int server_put(struct job_summary_out *out, struct span line, struct err *err)
{
    int rc = job_server_submit(out->server, JOB_SERVER_SUMMARIES, line, err);
    if (rc < 0 || clock_monotonic_ns() - out->flushed_ns < SERVER_NS)
        return rc;
    rc = job_server_flush(out->server, err);
    out->flushed_ns = clock_monotonic_ns();
    return rc;
}

static int stdout_put(struct job_summary_out *out, struct span row, struct err *err)
{
    AUTO(strbuf_done) struct strbuf before = STRBUF_INIT;
    job_summary_print_before(out->form, out->rows, &before);
    (void)fwrite(strbuf_text(&before), 1, before.size, stdout);
    (void)fwrite(row.data, 1, row.size, stdout);
    return ferror(stdout) ? err_set(err, EIO, "standard output: %s", strerror(errno))
                          : 0;
}

static int csv_put(struct job_summary_out *out, struct span row, struct err *err)
{
    AUTO(strbuf_done) struct strbuf header = STRBUF_INIT;
    summary_print_csv_header(&header);
    return strbuf_error(&header) < 0
               ? err_set(err, ENOMEM, "out of memory")
               : job_csv_file_add(out->table, strbuf_text(&header), row, err);
}

static int row_put(struct job_summary_out *out, struct span row, struct span line,
                   struct err *err)
{
    int rc = line.size > 0 ? server_put(out, line, err) : 0;
    if (rc == 0 && out->form != JOB_SUMMARY_NONE)
        rc = out->sheet   ? job_sheet_add_json(out->sheet, row, err)
             : out->table ? csv_put(out, row, err)
                          : stdout_put(out, row, err);
    out->rows += rc == 0;
    return rc;
}

static void notes_print(struct span notes)
{
    while (notes.size > 0) {
        struct span line;
        (void)span_cut(&notes, '\n', &line);
        fprintf(stderr, "baro: " SPAN_FMT "\n", SPAN_ARG(line));
    }
}

int job_summary_out_result(void *arg, const struct job_summarized *result)
{
    struct job_summary_out *out = arg;
    int rc = 0;
    notes_print(result->notes);
    if (result->is_lost)
        out->lost++;
    else
        rc = row_put(out, result->row, result->line, &out->why);
    progress_print(out, result->done);
    return rc;
}

int job_summary_out_stored(struct job_summary_out *out,
                           const struct job_context *stored, struct err *err)
{
    AUTO(strbuf_done) struct strbuf row = STRBUF_INIT;
    bool is_none = out->form == JOB_SUMMARY_NONE;
    job_summary_print(is_none ? JOB_SUMMARY_TABLE : out->form, stored, &row);
    if (strbuf_error(&row) < 0)
        return err_set(err, ENOMEM, "out of memory");
    return is_none ? stdout_put(out, strbuf_span(&row), err)
                   : row_put(out, strbuf_span(&row), (struct span){ 0 }, err);
}

/* All that was built is in the database then. */
static int server_end(struct job_summary_out *out, struct err *err)
{
    int rc = job_server_flush(out->server, err);
    const struct job_server_counts *counts = job_server_counts(out->server);
    fprintf(stderr, "baro: %llu new, %llu changed, %llu known, %llu refused\n",
            (unsigned long long)counts->accepted, (unsigned long long)counts->changed,
            (unsigned long long)counts->duplicate, (unsigned long long)counts->refused);
    out->lost += counts->refused;
    return rc;
}

/* A workbook without rows is none. */
static int sheet_end(struct job_summary_out *out, struct err *err)
{
    size_t cut = 0;
    if (out->rows == 0)
        return err_set(err, ENODATA, "%s: not written, for there is no row", out->into);
    int rc = job_sheet_finish(out->sheet, &cut, err);
    if (rc == 0 && cut > 0)
        fprintf(stderr, "baro: %s: %zu texts were longer than a cell may be\n",
                out->into, cut);
    return rc;
}

int job_summary_out_end(struct job_summary_out *out, int rc, struct err *err)
{
    AUTO(strbuf_done) struct strbuf end = STRBUF_INIT;
    struct err why = { 0 };
    if (rc < 0 && out->why.text[0])
        *err = out->why;
    int ended = out->server ? server_end(out, &why) : 0;
    if (rc == 0 && ended < 0)
        rc = err_set(err, -ended, "%s", why.text);
    if (rc == 0)
        job_summary_print_end(out->form, out->rows, &end);
    (void)fwrite(strbuf_text(&end), 1, end.size, stdout);
    if (rc == 0 && out->sheet)
        rc = sheet_end(out, err);
    if (rc == 0 && out->lost > 0 && out->count > 1)
        fprintf(stderr, "baro: %zu of %zu logs gave no row\n", out->lost, out->count);
    if (fflush(stdout) != 0 && rc == 0)
        rc = err_set(err, EIO, "standard output: %s", strerror(errno));
    return rc;
}
