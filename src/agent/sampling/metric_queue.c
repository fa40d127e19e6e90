/* SPDX-License-Identifier: Apache-2.0 */
/* metric_queue - lines of metrics on disk until barod's store has them. */
#include "agent/sampling/metric_queue.h"

#include "agent/packed.h"
#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"
#include "net/net.h"

#include <pthread.h>

#define TEXTS_MAX 64
#define BYTES_MAX (UINT32_C(8) << 20)

struct metric_text {
    struct strbuf text;
    uint32_t count;
};

struct metric_queue {
    const struct agent_report *report;
    struct post_queue *queue;
    uv_async_t more;
    pthread_mutex_t lock; /* of what follows */
    struct metric_text texts[TEXTS_MAX];
    size_t count, bytes;
    uint64_t lost; /* lines */
};

/* ---- the response ---- */

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

/* ---- from memory to the disk ---- */

static bool first_text(struct metric_queue *q, struct metric_text *ret)
{
    LOCKED(&q->lock);
    if (q->count == 0)
        return false;
    *ret = q->texts[0];
    q->bytes -= ret->text.size;
    q->count--;
    memmove(q->texts, q->texts + 1, q->count * sizeof q->texts[0]);
    return true;
}

static void texts_store(struct metric_queue *q)
{
    struct metric_text text;
    while (first_text(q, &text)) {
        AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
        int rc = packed_write(strbuf_span(&text.text), &payload);
        strbuf_done(&text.text);
        if (rc == 0) {
            (void)post_queue_put(q->queue, strbuf_span(&payload), text.count);
            continue;
        }
        LOCKED(&q->lock);
        q->lost += text.count;
    }
}

static void on_more(uv_async_t *async)
{
    texts_store(async->data);
}

/* ---- the door ---- */

int metric_queue_open(const struct agent_opts *opts, const struct agent_report *report,
                      uv_loop_t *loop, struct metric_queue **ret, struct err *err)
{
    const struct post_queue_opts queue = {
        .agent = opts,
        .report = report,
        .name = "metrics",
        .path = "/api/write?open=1&precision=ns",
        .content_type = "text/plain; charset=utf-8",
        .encoding = "zstd",
        .what = "metrics of this node",
        .refused_event = AGENT_EVENT_METRICS_REFUSED,
        .bytes_max = METRIC_QUEUE_BYTES_MAX,
        .judge = judge_write,
    };
    struct metric_queue *q = calloc(1, sizeof *q);
    if (!q)
        return -ENOMEM;
    q->report = report;
    int rc = post_queue_open(&queue, &q->queue, err);
    if (rc < 0) {
        free(q);
        return rc;
    }
    (void)pthread_mutex_init(&q->lock, NULL);
    q->more.data = q;
    (void)uv_async_init(loop, &q->more, on_more);
    *ret = q; /* as long as the loop, whose handle it has */
    return 0;
}

void metric_queue_close(struct metric_queue *q)
{
    if (!q)
        return;
    texts_store(q);
    post_queue_close(q->queue);
    q->queue = NULL;
}

void metric_queue_put(struct metric_queue *q, struct strbuf *text, uint32_t count)
{
    const char *lost = strbuf_error(text) < 0   ? "out of memory"
                       : text->size > BYTES_MAX ? "they are more than 8 MiB at once"
                                                : NULL;
    {
        LOCKED(&q->lock);
        if (!lost && (q->count == TEXTS_MAX || q->bytes + text->size > BYTES_MAX))
            lost = "the disk of the spool is slow";
        if (lost) {
            q->lost += count;
        } else {
            q->bytes += text->size;
            q->texts[q->count++] = (struct metric_text){ *text, count };
            *text = (struct strbuf)STRBUF_INIT;
        }
    }
    if (!lost) {
        (void)uv_async_send(&q->more);
        return;
    }
    strbuf_done(text);
    agent_report(q->report, LOG_LEVEL_WARN, AGENT_EVENT_METRICS_LOST,
                 "%u samples of this node are lost: %s", count, lost);
}

void metric_queue_count(struct metric_queue *q, struct post_queue_counts *ret)
{
    *ret = (struct post_queue_counts){ 0 };
    if (q->queue)
        post_queue_count(q->queue, ret);
    LOCKED(&q->lock);
    ret->lost += q->lost;
}
