/* SPDX-License-Identifier: Apache-2.0 */
/* text_queue - texts of a sampling thread on disk until barod has them. */
#include "agent/sampling/text_queue.h"

#include "agent/packed.h"

#include <pthread.h>

#define TEXTS_MAX 64
#define BYTES_MAX (UINT32_C(8) << 20)

struct queued_text {
    struct strbuf text;
    uint32_t count;
    uint64_t number;
};

struct text_queue {
    const struct text_queue_opts *opts;
    const struct agent_report *report;
    struct post_queue *queue;
    uv_async_t more;
    pthread_mutex_t lock; /* of what follows */
    struct queued_text texts[TEXTS_MAX];
    size_t count, bytes;
    uint64_t lost;                 /* lines */
    uint64_t put, settled, failed; /* the numbers of the last ones */
    bool has_lost;                 /* since text_queue_has_lost() */
};

/* ---- from memory to the disk ---- */

static bool first_text(struct text_queue *q, struct queued_text *ret)
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

static int payload_write(const struct text_queue *q, struct strbuf *text,
                         struct strbuf *ret)
{
    if (q->opts->is_packed)
        return packed_write(strbuf_span(text), ret);
    *ret = *text;
    *text = (struct strbuf)STRBUF_INIT;
    return 0;
}

static void texts_store(struct text_queue *q)
{
    struct queued_text text;
    while (first_text(q, &text)) {
        AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
        int rc = payload_write(q, &text.text, &payload);
        strbuf_done(&text.text);
        /* It counts itself what it cannot store. */
        bool is_stored =
            rc == 0 && post_queue_put(q->queue, strbuf_span(&payload), text.count);
        LOCKED(&q->lock);
        q->settled = text.number;
        if (is_stored)
            continue;
        q->failed = text.number;
        q->has_lost = true;
        q->lost += rc == 0 ? 0 : text.count;
    }
}

static void on_more(uv_async_t *async)
{
    texts_store(async->data);
}

/* ---- the door ---- */

int text_queue_open(const struct text_queue_opts *opts, const struct agent_opts *agent,
                    const struct agent_report *report, uv_loop_t *loop,
                    struct text_queue **ret, struct err *err)
{
    const struct post_queue_opts queue = {
        .agent = agent,
        .report = report,
        .name = opts->name,
        .path = opts->path,
        .content_type = opts->content_type,
        .encoding = opts->is_packed ? "zstd" : NULL,
        .what = opts->what,
        .refused_event = opts->refused_event,
        .bytes_max = opts->bytes_max,
        .judge = opts->judge,
    };
    struct text_queue *q = calloc(1, sizeof *q);
    if (!q)
        return -ENOMEM;
    q->opts = opts;
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

void text_queue_close(struct text_queue *q)
{
    if (!q)
        return;
    texts_store(q);
    post_queue_close(q->queue);
    q->queue = NULL;
}

uint64_t text_queue_put(struct text_queue *q, struct strbuf *text, uint32_t count)
{
    uint64_t number = 0;
    const char *lost = strbuf_error(text) < 0   ? "out of memory"
                       : text->size > BYTES_MAX ? "they are more than 8 MiB at once"
                                                : NULL;
    {
        LOCKED(&q->lock);
        if (!lost && (q->count == TEXTS_MAX || q->bytes + text->size > BYTES_MAX))
            lost = "the disk of the spool is slow";
        if (lost) {
            q->has_lost = true;
            q->lost += count;
        } else {
            q->bytes += text->size;
            number = ++q->put;
            q->texts[q->count++] = (struct queued_text){ *text, count, number };
            *text = (struct strbuf)STRBUF_INIT;
        }
    }
    if (!lost) {
        (void)uv_async_send(&q->more);
        return number;
    }
    strbuf_done(text);
    agent_report(q->report, LOG_LEVEL_WARN, q->opts->lost_event, "%u %s are lost: %s",
                 count, q->opts->lines, lost);
    return 0;
}

enum text_state text_queue_state(struct text_queue *q, uint64_t number)
{
    LOCKED(&q->lock);
    return number == 0 || number <= q->failed ? TEXT_LOST
           : number <= q->settled             ? TEXT_STORED
                                              : TEXT_WAITS;
}

bool text_queue_has_lost(struct text_queue *q)
{
    LOCKED(&q->lock);
    bool has_lost = q->has_lost;
    q->has_lost = false;
    return has_lost;
}

void text_queue_count(struct text_queue *q, struct post_queue_counts *ret)
{
    *ret = (struct post_queue_counts){ 0 };
    if (!q)
        return;
    if (q->queue)
        post_queue_count(q->queue, ret);
    LOCKED(&q->lock);
    ret->lost += q->lost;
}
