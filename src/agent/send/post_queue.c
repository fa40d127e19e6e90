/* SPDX-License-Identifier: Apache-2.0 */
/* post_queue - texts on disk until barod has acknowledged them. */
#include "agent/send/post_queue.h"

#include "agent/send/sender.h"
#include "base/number.h"
#include "base/span.h"
#include "net/net.h"

#include <pthread.h>

#define REPLY_BYTES_MAX (1 << 20)
#define BODY_SHOWN 300

struct post_queue {
    struct post_queue_opts opts;
    struct spool *spool;
    struct sender *sender;
    _Atomic uint64_t committed;
    uint64_t not_stored;
    /* Of the sender's thread: */
    struct net_client *client;
    struct net_response response;
    struct refused *refused_files;
    int64_t retry_after_s;
    bool was_away;
    _Atomic uint64_t sent, refused;
};

/* ---- the response ---- */

static int body_shown(const struct post_queue *q)
{
    size_t size = q->response.body.size;
    return (int)(size < BODY_SHOWN ? size : BODY_SHOWN);
}

static enum delivery_outcome text_accepted(struct post_queue *q,
                                           const struct post_accepted *accepted)
{
    atomic_fetch_add(&q->sent, accepted->sent);
    atomic_fetch_add(&q->refused, accepted->refused);
    if (accepted->refused > 0)
        agent_report(q->opts.report, LOG_LEVEL_WARN, q->opts.refused_event,
                     "barod does not accept some %s: %.*s", q->opts.what, body_shown(q),
                     strbuf_text(&q->response.body));
    if (q->was_away)
        agent_report(q->opts.report, LOG_LEVEL_NOTICE, AGENT_EVENT_ONCE,
                     "%s are accepted again", q->opts.what);
    q->was_away = false;
    return DELIVERY_DONE;
}

static enum delivery_outcome text_set_aside(struct post_queue *q, struct span text,
                                            uint32_t count)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    struct err err = { 0 };
    int rc = refused_store(q->refused_files, text, &path, &err);
    bool is_stored = rc == 0;
    agent_report(q->opts.report, LOG_LEVEL_ERROR, q->opts.refused_event,
                 "barod refused %u %s (%u): %.*s; %s %s", count, q->opts.what,
                 q->response.status, body_shown(q), strbuf_text(&q->response.body),
                 is_stored ? "they are stored in" : "they wait, and cannot be stored:",
                 is_stored ? strbuf_text(&path) : err.text);
    if (!is_stored)
        return DELIVERY_LATER;
    atomic_fetch_add(&q->refused, count);
    return DELIVERY_DONE;
}

static enum delivery_outcome text_waits(struct post_queue *q, const char *why)
{
    if (!q->was_away)
        agent_report(q->opts.report, LOG_LEVEL_WARN, AGENT_EVENT_ONCE,
                     "%s; %s wait in the spool", why, q->opts.what);
    q->was_away = true;
    return DELIVERY_LATER;
}

/* ---- on the sender's thread ---- */

static enum delivery_outcome text_send(void *arg, uint64_t sequence,
                                       struct span payload, uint32_t count)
{
    struct post_queue *q = arg;
    struct err err = { 0 };
    struct post_accepted accepted = { 0 };
    char status[128];
    (void)sequence;
    q->retry_after_s = -1;
    int rc = net_client_post(q->client, q->opts.path, q->opts.content_type,
                             q->opts.encoding, payload, &q->response, &err);
    if (rc < 0)
        return text_waits(q, err.text[0] ? err.text : strerror(-rc));
    q->retry_after_s = q->response.retry_after_s;
    switch (q->opts.judge(&q->response, count, &accepted)) {
    case POST_ACCEPTED:
        return text_accepted(q, &accepted);
    case POST_REFUSED:
        return text_set_aside(q, payload, count);
    case POST_LATER:
        break;
    }
    (void)snprintf(status, sizeof status, "the server responds with %u to %.*s",
                   q->response.status, (int)strcspn(q->opts.path, "?"), q->opts.path);
    return text_waits(q, status);
}

static int64_t text_retry_after_s(const void *arg)
{
    return ((const struct post_queue *)arg)->retry_after_s;
}

/* ---- the door ---- */

static void queue_free(struct post_queue *q)
{
    spool_close(q->spool);
    net_client_free(q->client);
    net_response_done(&q->response);
    refused_free(q->refused_files);
    free(q);
}

static int spool_of(const struct agent_opts *opts, struct post_queue *q,
                    struct err *err)
{
    AUTO(strbuf_done) struct strbuf dir = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf refused = STRBUF_INIT;
    strbuf_addf(&dir, "%s/%s", opts->spool, q->opts.name);
    strbuf_addf(&refused, "%s/%s/refused", opts->spool, q->opts.name);
    if (strbuf_error(&dir) < 0 || strbuf_error(&refused) < 0)
        return -ENOMEM;
    const struct spool_opts spool = {
        .dir = strbuf_text(&dir),
        .bytes_max = opts->spool_bytes_max < q->opts.bytes_max ? opts->spool_bytes_max
                                                               : q->opts.bytes_max,
        .sync = opts->spool_sync,
    };
    int rc = spool_open(&spool, &q->spool, err);
    if (rc == 0)
        rc = refused_open(strbuf_text(&refused), &q->refused_files);
    if (rc == 0)
        atomic_store(&q->committed, spool_next_sequence(q->spool) - 1);
    return rc;
}

int post_queue_open(const struct post_queue_opts *opts, struct post_queue **ret,
                    struct err *err)
{
    const struct agent_opts *agent = opts->agent;
    struct post_queue *q = calloc(1, sizeof *q);
    if (!q)
        return -ENOMEM;
    q->opts = *opts;
    q->retry_after_s = -1;
    const struct net_client_opts client = {
        .url = agent->server,
        .token_file = agent->token_file,
        .ca_file = agent->ca_file,
        .timeout_ns = agent->timeout_ns,
        .reply_bytes_max = REPLY_BYTES_MAX,
    };
    int rc = spool_of(agent, q, err);
    if (rc == 0)
        rc = net_client_new(&client, &q->client, err);
    const struct sender_opts sender = {
        .spool = q->spool,
        .committed = &q->committed,
        .backoff_max_ns = agent->backoff_max_ns,
        .delivery = { .report = opts->report },
        .sink = { q, text_send, text_retry_after_s },
    };
    if (rc == 0)
        rc = sender_start(&sender, &q->sender, err);
    if (rc < 0)
        queue_free(q);
    else
        *ret = q;
    return rc;
}

void post_queue_close(struct post_queue *queue)
{
    if (queue && sender_stop(queue->sender))
        queue_free(queue);
}

bool post_queue_put(struct post_queue *queue, struct span text, uint32_t count)
{
    struct post_queue *q = queue;
    struct err err = { 0 };
    int rc = spool_append(q->spool, text, count, &err);
    if (rc < 0) {
        q->not_stored += count;
        agent_report(q->opts.report, LOG_LEVEL_ERROR, AGENT_EVENT_READ_NOT_STORED,
                     "%s could not be stored: %s", q->opts.what, err.text);
        return false;
    }
    atomic_store(&q->committed, spool_next_sequence(q->spool) - 1);
    sender_wake(q->sender);
    return true;
}

void post_queue_count(struct post_queue *queue, struct post_queue_counts *ret)
{
    struct sender_counts sender;
    struct spool_counts spool;
    sender_count(queue->sender, &sender);
    spool_count(queue->spool, &spool);
    *ret = (struct post_queue_counts){
        .sent = atomic_load(&queue->sent),
        .refused = atomic_load(&queue->refused),
        .not_stored = queue->not_stored,
        .attempts_failed = sender.attempts_failed,
        .waiting = spool.entries,
        .lost = spool.lost_entries,
    };
}
