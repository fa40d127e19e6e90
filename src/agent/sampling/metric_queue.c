/* SPDX-License-Identifier: Apache-2.0 */
/* metric_queue - lines of metrics on disk until barod's store has them. */
#include "agent/sampling/metric_queue.h"

#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"
#include "net/net.h"

struct write_reading {
    uint64_t lines, refused, written;
    uint64_t *at; /* the number that comes next; NULL: another value */
    bool has_lines, has_error, has_written;
};

static int on_write_json(void *arg, enum json_event event, struct span text,
                         unsigned depth)
{
    struct write_reading *r = arg;
    if (depth == 0 && event == JSON_KEY) {
        bool is_lines = span_is(text, "lines");
        bool is_written = span_is(text, "samples_written");
        r->has_lines |= is_lines;
        r->has_written |= is_written;
        r->has_error |= span_is(text, "error");
        r->at = is_lines                   ? &r->lines
                : is_written               ? &r->written
                : span_is(text, "refused") ? &r->refused
                                           : NULL;
    } else if (depth == 1 && event == JSON_NUMBER && r->at) {
        (void)number_parse_u64(text, r->at);
    }
    return 0;
}

static enum post_verdict judge_write(const struct net_response *response,
                                     uint32_t count, struct post_accepted *ret)
{
    struct write_reading r = { 0 };
    struct batch_response none;
    struct span body = strbuf_span(&response->body);
    unsigned status = response->status;
    if (status == 200 && body.size == 0) {
        *ret = (struct post_accepted){ .sent = count };
        return POST_ACCEPTED;
    }
    if (json_read(body, on_write_json, &r, NULL) < 0)
        return POST_LATER;
    if ((status == 200 && r.has_lines) || (status == 400 && r.has_written)) {
        uint64_t refused = status == 200 ? r.refused : count - r.written;
        *ret = (struct post_accepted){ count - refused, refused };
        return refused <= count ? POST_ACCEPTED : POST_LATER;
    }
    bool is_refused = (status == 400 && r.has_error) ||
                      delivery_judge(status, body, 1, &none) == VERDICT_REFUSED;
    return is_refused ? POST_REFUSED : POST_LATER;
}

int metric_queue_open(const struct agent_opts *opts, const struct agent_report *report,
                      uv_loop_t *loop, struct text_queue **ret, struct err *err)
{
    static const struct text_queue_opts queue = {
        .name = "metrics",
        .path = "/api/write?open=1&precision=ns",
        .content_type = "text/plain; charset=utf-8",
        .what = "metrics of this node",
        .lines = "samples of this node",
        .is_packed = true,
        .refused_event = AGENT_EVENT_METRICS_REFUSED,
        .lost_event = AGENT_EVENT_METRICS_LOST,
        .bytes_max = METRIC_QUEUE_BYTES_MAX,
        .judge = judge_write,
    };
    return text_queue_open(&queue, opts, report, loop, ret, err);
}
