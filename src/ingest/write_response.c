/* SPDX-License-Identifier: Apache-2.0 */
/* write_response - what a sender of metrics hears, in its own server's words. */
#include "ingest/write_response.h"

#include "base/json_writer.h"
#include "base/span.h"

#include <inttypes.h>

static void add_error(struct json_writer *w, enum write_dialect dialect,
                      unsigned status, struct span text)
{
    if (dialect == WRITE_CLUSTERCOCKPIT) {
        json_key(w, "status");
        json_text(w, status_reason(status));
    } else if (dialect == WRITE_INFLUX_2) {
        json_key(w, "code");
        json_text(w, status < 500 ? "invalid" : "unavailable");
    }
    json_key(w, dialect == WRITE_INFLUX_2 ? "message" : "error");
    AUTO(strbuf_done) struct strbuf quoted = STRBUF_INIT;
    json_add_html_safe(&quoted, text);
    json_raw(w, strbuf_span(&quoted));
}

static void add_problems(struct json_writer *w, const struct line_result *result)
{
    json_key(w, "problems");
    json_array(w);
    for (size_t i = 0; i < result->problem_count; i++) {
        const struct line_problem *problem = &result->problems[i];
        json_object(w);
        json_key(w, "line");
        json_u64(w, problem->line);
        json_key(w, "column");
        json_u64(w, problem->column);
        json_key(w, "reason");
        json_text(w, problem->reason);
        json_object_end(w);
    }
    json_array_end(w);
}

/* What a line did not do, by name and number; nothing where it did all. */
static void add_left_out(struct json_writer *w, const struct line_result *result)
{
    if (result->too_old == 0 && result->collapsed == 0)
        return;
    json_key(w, "samples_written");
    json_u64(w, result->accepted);
    if (result->too_old > 0) {
        json_key(w, "samples_older_than_retention");
        json_u64(w, result->too_old);
    }
    if (result->collapsed > 0) {
        json_key(w, "samples_differing_in_unknown_tags_only");
        json_u64(w, result->collapsed);
    }
}

static void answer_stopped(struct net_request *request,
                           const struct line_result *result)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct json_writer w;
    json_writer_init(&w, &out);
    json_object(&w);
    add_error(&w, WRITE_CLUSTERCOCKPIT, 400, span_of(result->problems[0].reason));
    if (result->too_old > 0)
        add_left_out(&w, result);
    json_object_end(&w);
    strbuf_addc(&out, '\n');
    net_reply_json(request, 400, &out);
}

static void answer_clustercockpit(struct net_request *request,
                                  const struct line_result *result)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct json_writer w;
    if (result->problem_count > 0 || result->too_old > 0 ||
        (result->collapsed > 0 && !result->is_strict)) {
        json_writer_init(&w, &out);
        json_object(&w);
        json_key(&w, "lines");
        json_u64(&w, result->lines);
        json_key(&w, "refused");
        json_u64(&w, result->bad + result->too_old);
        add_left_out(&w, result);
        add_problems(&w, result);
        json_object_end(&w);
        strbuf_addc(&out, '\n');
    }
    net_reply_json(request, 200, &out);
}

/* "partial write" is what InfluxDB's clients take as a word not to send it again. */
static void answer_influx(struct net_request *request, enum write_dialect dialect,
                          const struct line_result *result)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct json_writer w;
    if (result->problem_count == 0 && result->too_old == 0) {
        net_reply(request, 204, NULL, NULL);
        return;
    }
    const struct line_problem *first = &result->problems[0];
    if (result->problem_count > 0)
        strbuf_addf(
            &text,
            "partial write: line %" PRIu64 ", column %" PRIu64 ": %s dropped=%" PRIu64,
            first->line, first->column, first->reason, result->bad + result->too_old);
    else
        strbuf_addf(&text,
                    "partial write: points beyond retention policy dropped=%" PRIu64,
                    result->too_old);
    json_writer_init(&w, &out);
    json_object(&w);
    add_error(&w, dialect, 400, strbuf_span(&text));
    add_left_out(&w, result);
    add_problems(&w, result);
    json_object_end(&w);
    strbuf_addc(&out, '\n');
    net_reply_json(request, 400, &out);
}

static void add_refusals(struct json_writer *w, const struct line_result *result)
{
    struct sink_refusal refusal;
    json_key(w, "samples_written");
    json_u64(w, result->accepted);
    json_key(w, "samples_refused");
    json_object(w);
    for (size_t i = 0; sink_refusal_at(&result->refused, i, &refusal); i++) {
        if (refusal.count == 0)
            continue;
        json_key(w, refusal.key);
        json_u64(w, refusal.count);
    }
    json_object_end(w);
}

/* The rest is stored.  Some clients send all of it again at a 503, which changes
 * nothing about what is. */
static void answer_refused(struct net_request *request, enum write_dialect dialect,
                           const struct line_result *result, unsigned retry_after_s)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    unsigned status = result->refused.rate ? 503 : 400;
    struct json_writer w;
    strbuf_adds(&text, "partial write: refused: ");
    sink_refusals_print(&result->refused, &text);
    json_writer_init(&w, &out);
    json_object(&w);
    add_error(&w, dialect, status, strbuf_span(&text));
    add_refusals(&w, result);
    if (result->too_old > 0) {
        json_key(&w, "samples_older_than_retention");
        json_u64(&w, result->too_old);
    }
    if (result->problem_count > 0) {
        json_key(&w, "refused");
        json_u64(&w, result->bad);
        add_problems(&w, result);
    }
    json_object_end(&w);
    strbuf_addc(&out, '\n');
    if (status == 503) {
        char seconds[16];
        (void)snprintf(seconds, sizeof seconds, "%u", retry_after_s);
        net_reply_header(request, "Retry-After", seconds);
    }
    net_reply_json(request, status, &out);
}

void write_response(struct net_request *request, enum write_dialect dialect,
                    const struct line_result *result, unsigned retry_after_s)
{
    if (sink_refused(&result->refused) > 0)
        answer_refused(request, dialect, result, retry_after_s);
    else if (result->is_stopped)
        answer_stopped(request, result);
    else if (dialect == WRITE_CLUSTERCOCKPIT)
        answer_clustercockpit(request, result);
    else
        answer_influx(request, dialect, result);
}

void write_response_failed(struct net_request *request, enum write_dialect dialect,
                           int rc, const struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct json_writer w;
    unsigned status = (unsigned)err_http_status(rc);
    json_writer_init(&w, &out);
    json_object(&w);
    add_error(&w, dialect, status, span_of(err->text));
    json_object_end(&w);
    strbuf_addc(&out, '\n');
    if (status == 503)
        net_reply_header(request, "Retry-After", "5");
    net_reply_json(request, status, &out);
}
