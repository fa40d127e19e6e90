/* SPDX-License-Identifier: Apache-2.0 */
/* reading_queue - readings of targets, from the spool to barod. */
#include "agent/readings/reading_queue.h"

#include "agent/send/send.h"
#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"
#include "net/net.h"

#include <pthread.h>

#define REPLY_BYTES_MAX (1 << 20)
#define BODY_SHOWN 300

struct reading_queue {
    const struct agent_report *report;
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

struct response_reading {
    uint64_t counts[4]; /* accepted, changed, duplicate, refused */
    int at;             /* the count that comes next; -1: another value */
    unsigned seen;
};

static int on_response_json(void *arg, enum json_event event, struct span text,
                            unsigned depth)
{
    static const char *const names[] = { "accepted", "changed", "duplicate",
                                         "refused" };
    struct response_reading *r = arg;
    if (depth == 0 && event == JSON_KEY) {
        r->at = -1;
        for (size_t i = 0; i < COUNT_OF(names); i++)
            r->at = span_is(text, names[i]) ? (int)i : r->at;
    } else if (depth == 1 && event == JSON_NUMBER && r->at >= 0) {
        r->seen |= number_parse_u64(text, &r->counts[r->at]) == 0 ? 1U << r->at : 0;
    }
    return 0;
}

/* Only barod's own form counts: a proxy may respond 200 to anything. */
static bool is_accepted(const struct reading_queue *q, struct response_reading *ret)
{
    *ret = (struct response_reading){ .at = -1 };
    return q->response.status == 200 &&
           json_read(strbuf_span(&q->response.body), on_response_json, ret, NULL) ==
               0 &&
           ret->seen == 15;
}

static int body_shown(const struct reading_queue *q)
{
    size_t size = q->response.body.size;
    return (int)(size < BODY_SHOWN ? size : BODY_SHOWN);
}

static enum delivery_outcome accept_readings(struct reading_queue *q,
                                             const struct response_reading *r)
{
    atomic_fetch_add(&q->sent, r->counts[0] + r->counts[1] + r->counts[2]);
    atomic_fetch_add(&q->refused, r->counts[3]);
    if (r->counts[3] > 0)
        agent_report(q->report, LOG_LEVEL_WARN, AGENT_EVENT_READINGS_REFUSED,
                     "barod does not accept some readings of targets: %.*s",
                     body_shown(q), strbuf_text(&q->response.body));
    if (q->was_away)
        agent_report(q->report, LOG_LEVEL_NOTICE, AGENT_EVENT_ONCE,
                     "readings of targets are accepted again");
    q->was_away = false;
    return DELIVERY_DONE;
}

static enum delivery_outcome set_readings_aside(struct reading_queue *q,
                                                struct span lines, uint32_t count)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    struct err err = { 0 };
    int rc = refused_store(q->refused_files, lines, &path, &err);
    bool is_stored = rc == 0;
    agent_report(q->report, LOG_LEVEL_ERROR, AGENT_EVENT_READINGS_REFUSED,
                 "barod refused %u readings of targets (%u): %.*s; %s %s", count,
                 q->response.status, body_shown(q), strbuf_text(&q->response.body),
                 is_stored ? "they are stored in" : "they wait, and cannot be stored:",
                 is_stored ? strbuf_text(&path) : err.text);
    if (!is_stored)
        return DELIVERY_LATER;
    atomic_fetch_add(&q->refused, count);
    return DELIVERY_DONE;
}

static enum delivery_outcome readings_wait(struct reading_queue *q, const char *why)
{
    if (!q->was_away)
        agent_report(q->report, LOG_LEVEL_WARN, AGENT_EVENT_ONCE,
                     "%s; readings of targets wait in the spool", why);
    q->was_away = true;
    return DELIVERY_LATER;
}

/* ---- on the sender's thread ---- */

static enum delivery_outcome readings_send(void *arg, uint64_t sequence,
                                           struct span payload, uint32_t count)
{
    struct reading_queue *q = arg;
    struct err err = { 0 };
    struct batch_response none;
    struct response_reading accepted;
    char status[96];
    (void)sequence;
    q->retry_after_s = -1;
    int rc = net_client_post(q->client, "/v1/health", "application/x-ndjson", NULL,
                             payload, &q->response, &err);
    if (rc < 0)
        return readings_wait(q, err.text[0] ? err.text : strerror(-rc));
    q->retry_after_s = q->response.retry_after_s;
    if (is_accepted(q, &accepted))
        return accept_readings(q, &accepted);
    struct span body = strbuf_span(&q->response.body);
    if (delivery_judge(q->response.status, body, 1, &none) == VERDICT_REFUSED)
        return set_readings_aside(q, payload, count);
    (void)snprintf(status, sizeof status, "the server responds with %u to /v1/health",
                   q->response.status);
    return readings_wait(q, status);
}

static int64_t readings_retry_after_s(const void *arg)
{
    return ((const struct reading_queue *)arg)->retry_after_s;
}

/* ---- the door ---- */

static void queue_free(struct reading_queue *q)
{
    spool_close(q->spool);
    net_client_free(q->client);
    net_response_done(&q->response);
    refused_free(q->refused_files);
    free(q);
}

static int spool_of(const struct agent_opts *opts, struct reading_queue *q,
                    struct err *err)
{
    AUTO(strbuf_done) struct strbuf dir = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf refused = STRBUF_INIT;
    strbuf_addf(&dir, "%s/readings", opts->spool);
    strbuf_addf(&refused, "%s/readings/refused", opts->spool);
    if (strbuf_error(&dir) < 0 || strbuf_error(&refused) < 0)
        return -ENOMEM;
    const struct spool_opts spool = {
        .dir = strbuf_text(&dir),
        .bytes_max = opts->spool_bytes_max < READING_QUEUE_BYTES_MAX
                         ? opts->spool_bytes_max
                         : READING_QUEUE_BYTES_MAX,
        .sync = opts->spool_sync,
    };
    int rc = spool_open(&spool, &q->spool, err);
    if (rc == 0)
        rc = refused_open(strbuf_text(&refused), &q->refused_files);
    if (rc == 0)
        atomic_store(&q->committed, spool_next_sequence(q->spool) - 1);
    return rc;
}

int reading_queue_open(const struct agent_opts *opts, const struct agent_report *report,
                       struct reading_queue **ret, struct err *err)
{
    struct reading_queue *q = calloc(1, sizeof *q);
    if (!q)
        return -ENOMEM;
    q->report = report;
    q->retry_after_s = -1;
    const struct net_client_opts client = {
        .url = opts->server,
        .token_file = opts->token_file,
        .ca_file = opts->ca_file,
        .timeout_ns = opts->timeout_ns,
        .reply_bytes_max = REPLY_BYTES_MAX,
    };
    int rc = spool_of(opts, q, err);
    if (rc == 0)
        rc = net_client_new(&client, &q->client, err);
    const struct sender_opts sender = {
        .spool = q->spool,
        .committed = &q->committed,
        .backoff_max_ns = opts->backoff_max_ns,
        .delivery = { .report = report },
        .sink = { q, readings_send, readings_retry_after_s },
    };
    if (rc == 0)
        rc = sender_start(&sender, &q->sender, err);
    if (rc < 0)
        queue_free(q);
    else
        *ret = q;
    return rc;
}

void reading_queue_close(struct reading_queue *queue)
{
    if (queue && sender_stop(queue->sender))
        queue_free(queue);
}

bool reading_queue_put(struct reading_queue *queue, struct span lines, uint32_t count)
{
    struct reading_queue *q = queue;
    struct err err = { 0 };
    int rc = spool_append(q->spool, lines, count, &err);
    if (rc < 0) {
        q->not_stored += count;
        agent_report(q->report, LOG_LEVEL_ERROR, AGENT_EVENT_READ_NOT_STORED,
                     "readings of targets could not be stored: %s", err.text);
        return false;
    }
    atomic_store(&q->committed, spool_next_sequence(q->spool) - 1);
    sender_wake(q->sender);
    return true;
}

void reading_queue_count(struct reading_queue *queue, struct reading_queue_counts *ret)
{
    struct sender_counts sender;
    struct spool_counts spool;
    sender_count(queue->sender, &sender);
    spool_count(queue->spool, &spool);
    *ret = (struct reading_queue_counts){
        .sent = atomic_load(&queue->sent),
        .refused = atomic_load(&queue->refused),
        .not_stored = queue->not_stored,
        .attempts_failed = sender.attempts_failed,
        .waiting = spool.entries,
        .lost = spool.lost_entries,
    };
}
