/* SPDX-License-Identifier: Apache-2.0 */
/* job_text - jobs out of the text of any batch system, distinguished by its content. */
#include "source/scheduler/job_text.h"

#include "base/span.h"

#include "source/scheduler/job_csv.h"
#include "source/scheduler/job_json.h"
#include "source/scheduler/pbs_log.h"
#include "source/scheduler/sacct.h"

#include <stdlib.h>

#define HEAD_BYTES_MAX ((size_t)64 << 10)

struct job_text {
    const struct job_text_opts *opts;
    struct job_list *list;
    enum job_form form; /* JOB_FORM_ANY: not known yet, all of the text is in head */
    struct strbuf head;
    struct strbuf line;   /* the beginning of one whose end has not come */
    uint64_t line_number; /* of the line that is being gathered, from 1 */
    uint64_t lines;       /* whole lines that have come */
    bool is_too_long;     /* the line is passed over up to its end */
    bool is_quoted;       /* CSV: within quotes, where lines go on */
    struct sacct sacct;
    struct job_csv csv;
    struct job_json json;
    struct job_fields fields;
};

int job_text_new(const struct job_text_opts *opts, struct job_list *list,
                 struct job_text **ret)
{
    struct job_text *text = calloc(1, sizeof *text);
    if (!text)
        return -ENOMEM;
    text->opts = opts;
    text->list = list;
    text->form = opts->form;
    text->line_number = 1;
    sacct_init(&text->sacct, opts, list);
    job_csv_init(&text->csv, opts, list);
    job_json_init(&text->json, opts, list);
    job_fields_init(&text->fields);
    *ret = text;
    return 0;
}

void job_text_free(struct job_text *text)
{
    if (!text)
        return;
    sacct_done(&text->sacct);
    job_csv_done(&text->csv);
    job_json_done(&text->json);
    job_fields_done(&text->fields);
    strbuf_done(&text->head);
    strbuf_done(&text->line);
    free(text);
}

/* ---- which form it is ---- */

static int no_event(void *arg, enum json_event event, struct span text, unsigned depth)
{
    (void)arg;
    (void)event;
    (void)text;
    (void)depth;
    return 0;
}

/* Whether the first line alone is a value: then each line is one. */
static enum job_form json_form(struct span head)
{
    struct span line;
    head = span_trim(head);
    bool has_more = span_cut(&head, '\n', &line);
    if (!has_more || json_read(line, no_event, NULL, NULL) < 0)
        return JOB_FORM_JSON;
    return JOB_FORM_JSON_LINES;
}

static enum job_form form_of(const struct job_text *text)
{
    struct span head = strbuf_span(&text->head), line;
    struct span trimmed = span_trim(head);
    const struct job_names *names = text->opts->names;
    if (trimmed.size > 0 && (trimmed.data[0] == '{' || trimmed.data[0] == '['))
        return json_form(head);
    (void)span_cut(&head, '\n', &line);
    if (pbs_log_is_record(line))
        return JOB_FORM_PBS_LOG;
    if (names && names->count > 0 && job_csv_is_header(line, names))
        return JOB_FORM_CSV;
    if (sacct_is_header(line))
        return JOB_FORM_SACCT;
    return job_csv_is_header(line, names) ? JOB_FORM_CSV : JOB_FORM_ANY;
}

/* ---- lines ---- */

static int line_read(struct job_text *text, struct span line, struct err *err)
{
    uint64_t number = text->line_number;
    switch (text->form) {
    case JOB_FORM_SACCT:
        return sacct_line(&text->sacct, line, number, err);
    case JOB_FORM_CSV:
        return job_csv_line(&text->csv, line, number, err);
    case JOB_FORM_PBS_LOG:
        return pbs_log_line(line, number, text->opts, &text->fields, text->list);
    default:
        line = span_trim(line);
        return line.size > 0 ? job_json_line(&text->json, line, number) : 0;
    }
}

/* A piece of a line that has no end yet. */
static int line_gather(struct job_text *text, struct span piece)
{
    for (size_t i = 0; i < piece.size && text->form == JOB_FORM_CSV; i++)
        text->is_quoted ^= piece.data[i] == '"';
    if (text->is_too_long || piece.size > JOB_TEXT_LINE_BYTES_MAX - text->line.size) {
        text->is_too_long = true;
        text->is_quoted = false; /* somebody forgot to close them */
        strbuf_clear(&text->line);
        return 0;
    }
    strbuf_add_span(&text->line, piece);
    return strbuf_error(&text->line);
}

static int line_end(struct job_text *text, struct err *err)
{
    int rc = 0;
    text->lines++;
    if (text->is_quoted && text->form == JOB_FORM_CSV && !text->is_too_long)
        return line_gather(text, SPAN("\n"));
    if (text->is_too_long)
        job_text_fault(text->opts, text->list, text->line_number, SPAN(""),
                       "the line is too long");
    else
        rc = line_read(text, strbuf_span(&text->line), err);
    strbuf_clear(&text->line);
    text->is_too_long = text->is_quoted = false;
    text->line_number = text->lines + 1;
    return rc;
}

static int feed_lines(struct job_text *text, struct span rest, struct err *err)
{
    int rc = 0;
    while (rc == 0 && rest.size > 0) {
        struct span piece;
        bool is_end = span_cut(&rest, '\n', &piece);
        rc = line_gather(text, piece);
        if (rc == 0 && is_end)
            rc = line_end(text, err);
    }
    return rc;
}

static int feed_form(struct job_text *text, struct span data, struct err *err)
{
    if (text->form == JOB_FORM_JSON)
        return job_json_feed(&text->json, data.data, data.size, err);
    return feed_lines(text, data, err);
}

/* What is wrong, in words, where the reader has not said it. */
static int said(int rc, struct err *err)
{
    if (rc == -E2BIG)
        return err_set(err, E2BIG, "there are more than %zu jobs", JOB_LIST_JOBS_MAX);
    return rc == -ENOMEM ? err_set(err, ENOMEM, "memory is out") : rc;
}

/* The head is long enough, or all there is. */
static int head_end(struct job_text *text, struct err *err)
{
    text->form = form_of(text);
    if (text->form == JOB_FORM_ANY)
        return err_set(err, EINVAL,
                       "it is not a list of jobs that is known: not of sacct, JSON, an "
                       "accounting log of PBS, nor CSV whose first line names id and "
                       "start");
    int rc = feed_form(text, strbuf_span(&text->head), err);
    strbuf_done(&text->head);
    return rc;
}

int job_text_feed(struct job_text *text, const void *data, size_t size, struct err *err)
{
    struct span piece = { data, size };
    if (text->form != JOB_FORM_ANY)
        return said(feed_form(text, piece, err), err);
    strbuf_add_span(&text->head, piece);
    if (strbuf_error(&text->head) < 0)
        return said(-ENOMEM, err);
    struct span head = span_trim(strbuf_span(&text->head));
    bool has_line = head.size > 0 && memchr(head.data, '\n', head.size);
    if (!has_line && text->head.size < HEAD_BYTES_MAX)
        return 0;
    return said(head_end(text, err), err);
}

int job_text_finish(struct job_text *text, struct err *err)
{
    int rc = text->form == JOB_FORM_ANY ? head_end(text, err) : 0;
    if (rc == 0 && text->form == JOB_FORM_JSON)
        return said(job_json_finish(&text->json, err), err);
    if (rc == 0 && text->form == JOB_FORM_SACCT && text->lines == 0)
        rc = err_set(err, EINVAL, "it is empty, or its first line is cut");
    if (rc == 0)
        rc = sacct_end(&text->sacct);
    if (rc == 0 && text->form == JOB_FORM_JSON_LINES && text->line.size > 0)
        rc = line_end(text, err); /* a value says itself whether it is whole */
    else if (rc == 0 && (text->line.size > 0 || text->is_too_long))
        job_text_fault(text->opts, text->list, text->line_number,
                       strbuf_span(&text->line), "the line is cut");
    return said(rc, err);
}

int job_text_read(struct span text, const struct job_text_opts *opts,
                  struct job_list *list, struct err *err)
{
    AUTO(job_text_free) struct job_text *reader = NULL;
    int rc = job_text_new(opts, list, &reader);
    if (rc < 0)
        return said(rc, err);
    rc = job_text_feed(reader, text.data, text.size, err);
    return rc < 0 ? rc : job_text_finish(reader, err);
}
