/* SPDX-License-Identifier: Apache-2.0 */
/* job_row_read - a row out of the object that it was printed as. */
#include "analysis/table/job_row.h"
#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>

struct reading {
    struct job_row *row;
    struct strbuf name; /* of the value that comes next */
    struct err *err;
};

static int text_put(struct reading *r, struct span text)
{
    AUTO_FREE char *copy = span_dup(text);
    if (!copy)
        return -ENOMEM;
    if (strlen(copy) != text.size)
        return err_set(r->err, EBADMSG, "'%s' holds a zero byte",
                       strbuf_text(&r->name));
    job_row_text(r->row, strbuf_text(&r->name), copy);
    return 0;
}

/* What is printed as a whole number is one, as long as it has 64 bits. */
static int number_put(struct reading *r, struct span text)
{
    int64_t whole;
    double value;
    if (number_parse_i64(text, &whole) == 0) {
        job_row_i64(r->row, strbuf_text(&r->name), whole);
        return 0;
    }
    if (number_parse_double(text, &value) < 0)
        return err_set(r->err, EBADMSG, "'%s' is a number out of range",
                       strbuf_text(&r->name));
    job_row_double(r->row, strbuf_text(&r->name), value);
    return 0;
}

static int name_take(struct reading *r, struct span text)
{
    strbuf_clear(&r->name);
    strbuf_add_span(&r->name, text);
    if (strbuf_error(&r->name) < 0)
        return -ENOMEM;
    if (r->row->count == JOB_ROW_CELLS_MAX || strlen(strbuf_text(&r->name)) == 0 ||
        strlen(strbuf_text(&r->name)) != text.size)
        return err_set(r->err, EBADMSG, "too many members, or one without a name");
    return 0;
}

static int on_event(void *arg, enum json_event event, struct span text, unsigned depth)
{
    struct reading *r = arg;
    if (event == JSON_OBJECT && depth == 0)
        return 0;
    if (event == JSON_OBJECT_END && depth == 0)
        return job_row_error(r->row);
    if (event == JSON_KEY)
        return name_take(r, text);
    if (depth == 1 && event == JSON_STRING)
        return text_put(r, text);
    if (depth == 1 && event == JSON_NUMBER)
        return number_put(r, text);
    if (depth == 1 && event == JSON_NULL) {
        job_row_missing(r->row, strbuf_text(&r->name));
        return 0;
    }
    return err_set(r->err, EBADMSG, "no object of numbers and texts");
}

int job_row_read_json(struct job_row *row, struct span text, struct err *err)
{
    struct err local = { 0 };
    struct reading r = { .row = row, .name = STRBUF_INIT, .err = err ? err : &local };
    int rc = json_read(text, on_event, &r, r.err);
    strbuf_done(&r.name);
    if (rc == 0)
        rc = job_row_error(row);
    return rc == -ENOMEM ? err_set(err, ENOMEM, "out of memory") : rc;
}
