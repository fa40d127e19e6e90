/* SPDX-License-Identifier: Apache-2.0 */
/* total_ring - texts of metrics that wait for barod, and the thread that sends them. */
#include "agent/agent.h"
#include "agent/totals.h"
#include "base/clock.h"
#include "base/log.h"
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

struct agent_ring {
    pthread_t thread;
    pthread_mutex_t lock; /* all but the client */
    pthread_cond_t changed;
    bool is_stopping, is_idle;
    struct strbuf texts[TEXTS_MAX];
    size_t first, count, bytes;
    int64_t unwanted_until_ns; /* real time, as all here; 0: wanted */
    struct agent_totals_counts counts;
    struct net_client *client;
    struct net_answer answer;
    bool was_away, was_told_unwanted;
};

static struct log_limit refused_limit = LOG_LIMIT_INIT;

/* ---- under the lock ---- */

static void drop_first(struct agent_ring *r)
{
    struct strbuf *text = &r->texts[r->first];
    r->bytes -= text->size;
    strbuf_done(text);
    r->first = (r->first + 1) % TEXTS_MAX;
    r->count--;
}

void agent_ring_put(struct agent_ring *r, struct strbuf *text)
{
    LOCKED(&r->lock);
    while (r->count > 0 &&
           (r->count == TEXTS_MAX || r->bytes + text->size > BYTES_MAX)) {
        drop_first(r);
        r->counts.lost++;
    }
    r->texts[(r->first + r->count++) % TEXTS_MAX] = *text;
    r->bytes += text->size;
    *text = (struct strbuf)STRBUF_INIT;
    (void)pthread_cond_broadcast(&r->changed);
}

bool agent_ring_is_wanted(struct agent_ring *r)
{
    LOCKED(&r->lock);
    return clock_monotonic_ns() >= r->unwanted_until_ns;
}

void agent_ring_count(struct agent_ring *r, struct agent_totals_counts *ret)
{
    LOCKED(&r->lock);
    ret->sent = r->counts.sent;
    ret->sent_bytes = r->counts.sent_bytes;
    ret->lost = r->counts.lost;
    ret->refused = r->counts.refused;
    ret->attempts_failed = r->counts.attempts_failed;
}

/* ---- the thread ---- */

enum outcome {
    OUTCOME_TAKEN,
    OUTCOME_REFUSED,  /* this text will never do */
    OUTCOME_UNWANTED, /* there is no store */
    OUTCOME_LATER,
};

static void tell_bad_lines(const struct agent_ring *r, const char *what)
{
    struct span body = strbuf_span(&r->answer.body);
    log_limited(&refused_limit, LOG_LEVEL_WARN,
                "barod does not take %s of the server's totals: %.*s", what,
                (int)(body.size < 300 ? body.size : 300), body.size ? body.data : "");
}

static enum outcome send_text(struct agent_ring *r, struct span text)
{
    struct err err = { 0 };
    int rc = net_client_post(r->client, "/api/write", "text/plain; charset=utf-8", NULL,
                             text, &r->answer, &err);
    unsigned status = rc < 0 ? 0 : r->answer.status;
    if (status >= 200 && status < 300) {
        if (r->answer.body.size > 0)
            tell_bad_lines(r, "some lines");
        if (r->was_away)
            log_notice("the server's totals are taken again");
        r->was_away = r->was_told_unwanted = false;
        return OUTCOME_TAKEN;
    }
    if (status == 404 || status == 405) {
        if (!r->was_told_unwanted)
            log_notice("barod has no metric store ([store]): this server's totals are "
                       "not sent");
        r->was_told_unwanted = true;
        return OUTCOME_UNWANTED;
    }
    if (status == 400 || status == 413 || status == 422) {
        tell_bad_lines(r, "a reading");
        return OUTCOME_REFUSED;
    }
    if (!r->was_away)
        log_warn("%s; the newest of the server's totals wait in memory",
                 rc < 0 ? err.text : "barod does not take metrics now");
    r->was_away = true;
    return OUTCOME_LATER;
}

static void nap(struct agent_ring *r, int64_t pause_ns)
{
    int64_t at_ns = clock_monotonic_ns() + pause_ns;
    struct timespec at = { .tv_sec = at_ns / NS_PER_S, .tv_nsec = at_ns % NS_PER_S };
    while (!r->is_stopping && clock_monotonic_ns() < at_ns)
        (void)pthread_cond_timedwait(&r->changed, &r->lock, &at);
}

/* The text that is sent is out of the ring meanwhile, and comes back where the ring
 * still has room for what is older than all in it. */
static bool take_first(struct agent_ring *r, struct strbuf *ret)
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

static void put_back(struct agent_ring *r, struct strbuf *text)
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

static void *run(void *arg)
{
    struct agent_ring *r = arg;
    int64_t pause_ns = PAUSE_FIRST_NS;
    struct strbuf text;
    while (take_first(r, &text)) {
        size_t size = text.size;
        enum outcome outcome = send_text(r, strbuf_span(&text));
        LOCKED(&r->lock);
        if (outcome == OUTCOME_LATER) {
            put_back(r, &text);
            r->counts.attempts_failed++;
            r->is_idle = true;
            nap(r, pause_ns);
            pause_ns = 2 * pause_ns < PAUSE_MAX_NS ? 2 * pause_ns : PAUSE_MAX_NS;
            continue;
        }
        pause_ns = PAUSE_FIRST_NS;
        strbuf_done(&text);
        r->counts.sent += outcome == OUTCOME_TAKEN;
        r->counts.sent_bytes += outcome == OUTCOME_TAKEN ? size : 0;
        r->counts.refused += outcome == OUTCOME_REFUSED;
        if (outcome == OUTCOME_UNWANTED) {
            r->unwanted_until_ns = clock_monotonic_ns() + UNWANTED_NS;
            while (r->count > 0)
                drop_first(r);
        }
    }
    return NULL;
}

/* ---- the door ---- */

static int client_new(const struct agent *agent, struct net_client **ret,
                      struct err *err)
{
    const struct net_client_opts opts = {
        .url = agent->opts.server,
        .token_file = agent->opts.token_file,
        .ca_file = agent->opts.ca_file,
        .timeout_ns = TIMEOUT_NS,
        .reply_bytes_max = 1 << 20,
    };
    return net_client_new(&opts, ret, err);
}

int agent_ring_new(const struct agent *agent, struct agent_ring **ret, struct err *err)
{
    struct agent_ring *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    int rc = client_new(agent, &r->client, err);
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
    rc = pthread_create(&r->thread, NULL, run, r);
    if (rc) {
        net_client_free(r->client);
        free(r);
        return err_set(err, rc, "start a thread: %s", strerror(rc));
    }
    *ret = r;
    return 0;
}

void agent_ring_stop(struct agent_ring *r)
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
        drop_first(r);
    net_client_free(r->client);
    net_answer_done(&r->answer);
    free(r);
}
