/* SPDX-License-Identifier: Apache-2.0 */
/* total_ring - texts of metrics that wait for barod, and the thread that sends them. */
#include "agent/totals/total_ring.h"

#include "base/clock.h"
#include "base/number.h"
#include "net/net.h"

#include <pthread.h>

#define TEXTS_MAX 64
#define BYTES_MAX (UINT32_C(8) << 20)
#define PAUSE_FIRST_NS NS_PER_S
#define PAUSE_MAX_NS (15 * NS_PER_S)
/* A barod without a store may have one after its next start. */
#define UNWANTED_NS (300 * NS_PER_S)
#define TIMEOUT_NS (10 * NS_PER_S)

struct total_ring {
    pthread_t thread;
    pthread_mutex_t lock; /* all but the client */
    pthread_cond_t changed;
    bool is_stopping, is_idle;
    struct strbuf texts[TEXTS_MAX];
    size_t first, count, bytes;
    int64_t unwanted_until_ns; /* real time, as all here; 0: wanted */
    struct total_ring_counts counts;
    const struct agent_report *report;
    struct net_client *client;
    struct net_response response;
    bool was_away, was_reported_unwanted;
};

/* ---- under the lock ---- */

static void ring_drop_first(struct total_ring *r)
{
    struct strbuf *text = &r->texts[r->first];
    r->bytes -= text->size;
    strbuf_done(text);
    r->first = (r->first + 1) % TEXTS_MAX;
    r->count--;
}

void total_ring_put(struct total_ring *r, struct strbuf *text)
{
    LOCKED(&r->lock);
    while (r->count > 0 &&
           (r->count == TEXTS_MAX || r->bytes + text->size > BYTES_MAX)) {
        ring_drop_first(r);
        r->counts.lost++;
    }
    r->texts[(r->first + r->count++) % TEXTS_MAX] = *text;
    r->bytes += text->size;
    *text = (struct strbuf)STRBUF_INIT;
    (void)pthread_cond_broadcast(&r->changed);
}

bool total_ring_is_wanted(struct total_ring *r)
{
    LOCKED(&r->lock);
    return clock_monotonic_ns() >= r->unwanted_until_ns;
}

void total_ring_count(struct total_ring *r, struct total_ring_counts *ret)
{
    LOCKED(&r->lock);
    *ret = r->counts;
}

/* ---- the thread ---- */

enum outcome {
    OUTCOME_ACCEPTED,
    OUTCOME_REFUSED,  /* this text will never do */
    OUTCOME_UNWANTED, /* there is no store */
    OUTCOME_LATER,
};

static void report_bad_lines(const struct total_ring *r, const char *what)
{
    struct span body = strbuf_span(&r->response.body);
    agent_report(r->report, LOG_LEVEL_WARN, AGENT_EVENT_TOTALS_REFUSED,
                 "barod does not accept %s of the server's totals: %.*s", what,
                 (int)(body.size < 300 ? body.size : 300), body.size ? body.data : "");
}

static enum outcome send_text(struct total_ring *r, struct span text)
{
    struct err err = { 0 };
    int rc = net_client_post(r->client, "/api/write", "text/plain; charset=utf-8", NULL,
                             text, &r->response, &err);
    unsigned status = rc < 0 ? 0 : r->response.status;
    if (status >= 200 && status < 300) {
        if (r->response.body.size > 0)
            report_bad_lines(r, "some lines");
        if (r->was_away)
            agent_report(r->report, LOG_LEVEL_NOTICE, AGENT_EVENT_ONCE,
                         "the server's totals are accepted again");
        r->was_away = r->was_reported_unwanted = false;
        return OUTCOME_ACCEPTED;
    }
    if (status == 404 || status == 405) {
        if (!r->was_reported_unwanted)
            agent_report(
                r->report, LOG_LEVEL_NOTICE, AGENT_EVENT_ONCE,
                "barod has no metric store ([store]): this server's totals are "
                "not sent");
        r->was_reported_unwanted = true;
        return OUTCOME_UNWANTED;
    }
    if (status == 400 || status == 413 || status == 422) {
        report_bad_lines(r, "a reading");
        return OUTCOME_REFUSED;
    }
    if (!r->was_away)
        agent_report(r->report, LOG_LEVEL_WARN, AGENT_EVENT_ONCE,
                     "%s; the newest of the server's totals wait in memory",
                     rc < 0 ? err.text : "barod does not accept metrics now");
    r->was_away = true;
    return OUTCOME_LATER;
}

static void ring_nap(struct total_ring *r, int64_t pause_ns)
{
    int64_t at_ns = clock_monotonic_ns() + pause_ns;
    struct timespec at = { .tv_sec = at_ns / NS_PER_S, .tv_nsec = at_ns % NS_PER_S };
    while (!r->is_stopping && clock_monotonic_ns() < at_ns)
        (void)pthread_cond_timedwait(&r->changed, &r->lock, &at);
}

/* The text that is sent is out of the ring meanwhile, and comes back where the ring
 * still has capacity for what is older than all in it. */
static bool ring_take_first(struct total_ring *r, struct strbuf *ret)
{
    LOCKED(&r->lock);
    r->is_idle = true;
    while (!r->is_stopping && r->count == 0)
        (void)pthread_cond_wait(&r->changed, &r->lock);
    r->is_idle = false;
    if (r->is_stopping)
        return false;
    *ret = r->texts[r->first];
    r->bytes -= ret->size;
    r->texts[r->first] = (struct strbuf)STRBUF_INIT;
    r->first = (r->first + 1) % TEXTS_MAX;
    r->count--;
    return true;
}

static void ring_put_back(struct total_ring *r, struct strbuf *text)
{
    if (r->count == TEXTS_MAX || r->bytes + text->size > BYTES_MAX) {
        strbuf_done(text);
        r->counts.lost++;
        return;
    }
    r->first = (r->first + TEXTS_MAX - 1) % TEXTS_MAX;
    r->texts[r->first] = *text;
    r->bytes += text->size;
    r->count++;
}

static void *ring_run(void *arg)
{
    struct total_ring *r = arg;
    int64_t pause_ns = PAUSE_FIRST_NS;
    struct strbuf text;
    while (ring_take_first(r, &text)) {
        size_t size = text.size;
        enum outcome outcome = send_text(r, strbuf_span(&text));
        LOCKED(&r->lock);
        if (outcome == OUTCOME_LATER) {
            ring_put_back(r, &text);
            r->counts.attempts_failed++;
            r->is_idle = true;
            ring_nap(r, pause_ns);
            pause_ns = 2 * pause_ns < PAUSE_MAX_NS ? 2 * pause_ns : PAUSE_MAX_NS;
            continue;
        }
        pause_ns = PAUSE_FIRST_NS;
        strbuf_done(&text);
        r->counts.sent += outcome == OUTCOME_ACCEPTED;
        r->counts.sent_bytes += outcome == OUTCOME_ACCEPTED ? size : 0;
        r->counts.refused += outcome == OUTCOME_REFUSED;
        if (outcome == OUTCOME_UNWANTED) {
            r->unwanted_until_ns = clock_monotonic_ns() + UNWANTED_NS;
            while (r->count > 0)
                ring_drop_first(r);
        }
    }
    return NULL;
}

/* ---- the door ---- */

int total_ring_new(const struct agent_opts *opts, const struct agent_report *report,
                   struct total_ring **ret, struct err *err)
{
    struct total_ring *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    const struct net_client_opts client = {
        .url = opts->server,
        .token_file = opts->token_file,
        .ca_file = opts->ca_file,
        .timeout_ns = TIMEOUT_NS,
        .reply_bytes_max = 1 << 20,
    };
    r->report = report;
    int rc = net_client_new(&client, &r->client, err);
    if (rc < 0) {
        free(r);
        return rc;
    }
    (void)pthread_mutex_init(&r->lock, NULL);
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&r->changed, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    rc = pthread_create(&r->thread, NULL, ring_run, r);
    if (rc) {
        net_client_free(r->client);
        free(r);
        return err_set(err, rc, "start a thread: %s", strerror(rc));
    }
    *ret = r;
    return 0;
}

void total_ring_stop(struct total_ring *r)
{
    bool is_idle;
    {
        LOCKED(&r->lock);
        r->is_stopping = true;
        is_idle = r->is_idle;
        (void)pthread_cond_broadcast(&r->changed);
    }
    if (!is_idle)
        return; /* the process ends, and the request with it */
    (void)pthread_join(r->thread, NULL);
    while (r->count > 0)
        ring_drop_first(r);
    net_client_free(r->client);
    net_response_done(&r->response);
    free(r);
}
