/* SPDX-License-Identifier: Apache-2.0 */
/* sender - from the spool to barod, in order, one batch at a time.
 *
 *     taken           acknowledged, the next
 *     too large       413: cut into two between its rows, each half the same way
 *     not understood  400 and 422 in barod's own words, and 413 for a single row: put
 *                     aside in refused/, counted, logged
 *     all else        nobody there, 5xx, 401, 403, a proxy, another program: it stays
 *                     where it is, and is sent again after a pause that doubles
 *
 * A thread of its own, because a server that hangs must not delay a read.
 */
#include "agent/agent.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json_reader.h"
#include "base/log.h"
#include "base/number.h"
#include "base/secret.h"
#include "net/net.h"
#include "wire/wire.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/random.h>
#include <zstd.h>

#define BACKOFF_FIRST_NS NS_PER_S
#define RETRY_AFTER_MAX_S 3600
#define JSON_BYTES_MAX (UINT64_C(256) << 20)
#define TOKEN_BYTES_MAX 8192

enum sent {
    SENT_DONE,  /* taken, known or put aside: on to the next */
    SENT_LATER, /* try this one again after a pause */
};

struct agent_sender {
    struct agent *agent;
    pthread_t thread;
    pthread_mutex_t lock; /* the four below */
    pthread_cond_t changed;
    bool is_stopping, is_idle;
    bool has_failed; /* the last attempt did */
    struct agent_send_counts counts;

    struct net_client *client;
    int64_t backoff_ns;
    int64_t retry_after_s; /* what the server asked for; -1 */
    bool was_away;
    struct split_progress progress; /* of the batch under way */
    unsigned refused_number;        /* of the file in refused/ that is written next */
    struct strbuf payload;
    struct net_answer answer;
};

static struct log_limit away_limit = LOG_LIMIT_INIT;
static struct log_limit refused_limit = LOG_LIMIT_INIT;

/* ---- one batch ---- */

static void count_accepted(struct agent_sender *s,
                           const struct batch_response *response, uint32_t entries,
                           size_t bytes)
{
    {
        LOCKED(&s->lock);
        s->counts.batches++;
        s->counts.entries += entries;
        s->counts.bytes += bytes;
        s->counts.refused_entries += response->refused;
    }
    if (response->refused)
        log_limited(&refused_limit, LOG_LEVEL_WARN,
                    "the server refused %llu entries of a batch of %u: %s",
                    (unsigned long long)response->refused, entries,
                    response->error_count ? response->errors[0].reason : "no reason");
}

/* What no server will ever take is stored for a person to look at.  Where that fails it
 * stays in the spool. */
static enum sent put_aside(struct agent_sender *s, struct span payload,
                           uint32_t entries)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    struct err err = { 0 };
    struct span body = strbuf_span(&s->answer.body);
    strbuf_addf(&path, "%s/refused", s->agent->opts.spool);
    int rc = strbuf_error(&path);
    if (rc == 0)
        rc = file_make_dirs(path.data, 0700, &err);
    strbuf_addf(&path, "/%02u.json.zst", s->refused_number);
    if (rc == 0)
        rc = strbuf_error(&path);
    if (rc == 0)
        rc = file_replace(path.data, payload.data, payload.size, 0600, &err);
    if (rc < 0) {
        log_limited(&refused_limit, LOG_LEVEL_ERROR,
                    "the server refused a batch of %u entries (%u), which cannot be "
                    "stored: %s; it stays in the spool, and those behind it wait",
                    entries, s->answer.status, err.text[0] ? err.text : strerror(-rc));
        return SENT_LATER;
    }
    {
        LOCKED(&s->lock);
        s->counts.refused_batches++;
        s->counts.set_aside_entries += entries;
    }
    s->refused_number = (s->refused_number + 1) % REFUSED_FILES_MAX;
    log_limited(&refused_limit, LOG_LEVEL_ERROR,
                "the server refused a batch of %u entries (%u): " SPAN_FMT
                "; it is stored in '%s' and not sent again",
                entries, s->answer.status, (int)(body.size < 300 ? body.size : 300),
                body.size ? body.data : "", strbuf_text(&path));
    return SENT_DONE;
}

static enum sent send_one(struct agent_sender *s, const struct uuid *name,
                          struct span payload, uint32_t entries);

static int expand(struct span payload, struct strbuf *json)
{
    unsigned long long size = ZSTD_getFrameContentSize(payload.data, payload.size);
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN ||
        size > JSON_BYTES_MAX)
        return -EBADMSG;
    int rc = strbuf_reserve(json, (size_t)size + 1);
    if (rc < 0)
        return rc;
    size_t got = ZSTD_decompress(json->data, (size_t)size, payload.data, payload.size);
    if (ZSTD_isError(got))
        return -EBADMSG;
    json->size = got;
    json->data[got] = '\0';
    return 0;
}

static enum sent send_half(struct agent_sender *s, const struct jobstats_half *half)
{
    const struct strbuf *json = &half->json;
    if (split_progress_get(&s->progress, &half->name) == SPLIT_DONE)
        return SENT_DONE;
    size_t room = ZSTD_compressBound(json->size);
    AUTO_FREE char *payload = malloc(room);
    if (!payload)
        return SENT_LATER;
    size_t size = ZSTD_compress(payload, room, json->data, json->size, 3);
    if (ZSTD_isError(size))
        return SENT_LATER;
    enum sent sent =
        send_one(s, &half->name, (struct span){ payload, size }, half->rows);
    if (sent == SENT_DONE)
        split_progress_set(&s->progress, &half->name, SPLIT_DONE);
    return sent;
}

static void count_split(struct agent_sender *s, const struct jobstats_halves *halves)
{
    {
        LOCKED(&s->lock);
        s->counts.split_batches++;
        s->counts.refused_entries += halves->bad;
    }
    if (halves->bad)
        log_limited(&refused_limit, LOG_LEVEL_WARN,
                    "%llu entries of a batch that was too large for the server are "
                    "not entries (%s), and are left out of its halves",
                    (unsigned long long)halves->bad, strbuf_text(&halves->bad_reason));
}

static int on_problem_json(void *arg, enum json_event event, struct span text,
                           unsigned depth)
{
    bool *has_title = arg;
    *has_title |= event == JSON_KEY && depth == 0 && span_is(text, "title");
    return 0;
}

/* A problem in barod's own words, not those of a proxy? */
static bool is_problem(const struct agent_sender *s)
{
    bool has_title = false;
    return json_read(strbuf_span(&s->answer.body), on_problem_json, &has_title, NULL) ==
               0 &&
           has_title;
}

/* What is too large, and cannot be split. */
static enum sent refuse_whole(struct agent_sender *s, struct span payload,
                              uint32_t entries, const char *reason)
{
    log_limited(&refused_limit, LOG_LEVEL_ERROR,
                "a batch of %u entries is too large for the server (413), and cannot "
                "be split: %s; see body_max in barod.conf",
                entries, reason);
    return is_problem(s) ? put_aside(s, payload, entries) : SENT_LATER;
}

/* Both halves, in order.  When the second has to wait only what is not done is sent
 * again; after a restart all is, and found to be known by its identifier. */
static enum sent send_halves(struct agent_sender *s, const struct uuid *name,
                             struct span payload, uint32_t entries)
{
    AUTO(jobstats_halves_done) struct jobstats_halves halves = { .bad = 0 };
    struct err err = { 0 };
    {
        AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
        int rc = expand(payload, &json);
        if (rc == 0)
            rc = jobstats_split(strbuf_span(&json), &halves, &err);
        if (rc == -ENOMEM)
            return SENT_LATER;
        if (rc < 0)
            return refuse_whole(s, payload, entries,
                                err.text[0] ? err.text : strerror(-rc));
    }
    if (split_progress_get(&s->progress, name) == SPLIT_NONE) {
        count_split(s, &halves);
        split_progress_set(&s->progress, name, SPLIT_CUT);
    }
    enum sent sent = SENT_DONE;
    for (int i = 0; i < 2 && sent == SENT_DONE; i++) {
        sent = send_half(s, &halves.half[i]);
        if (split_progress_get(&s->progress, &halves.half[i].name) >= SPLIT_BEGUN)
            split_progress_set(&s->progress, name, SPLIT_BEGUN);
    }
    return sent;
}

/* Was it barod that accepted it?  A proxy, or whatever else listens at a wrong address,
 * may say 200 to anything, and would make us forget what no database has. */
static bool is_accepted(const struct agent_sender *s, struct batch_response *ret)
{
    return s->answer.status == 200 &&
           batch_response_parse(strbuf_span(&s->answer.body), ret, NULL) == 0;
}

/* Did barod itself say that this batch will never do?  One row is as small as a batch
 * can be. */
static bool is_refused(const struct agent_sender *s, uint32_t entries)
{
    unsigned status = s->answer.status;
    bool is_final = status == 400 || status == 422 || (status == 413 && entries == 1);
    return is_final && is_problem(s);
}

/* Who we are, or how we speak, is not what is wanted there: a person must mend it. */
static bool is_unwanted(unsigned status)
{
    return status < 500 && status != 408 && status != 425 && status != 429;
}

static enum sent judge(struct agent_sender *s, const struct uuid *name,
                       struct span payload, uint32_t entries)
{
    unsigned status = s->answer.status;
    struct err err = { 0 };
    struct batch_response response;
    if (is_accepted(s, &response)) {
        count_accepted(s, &response, entries, payload.size);
        return SENT_DONE;
    }
    if (status == 413 && entries != 1)
        return send_halves(s, name, payload, entries);
    s->retry_after_s = s->answer.retry_after_s;
    if (is_refused(s, entries))
        return put_aside(s, payload, entries);
    if (is_unwanted(status)) {
        if (net_answer_check(&s->answer, &err) == 0)
            err_set(&err, EPROTO, "what answers %u there is not barod", status);
        log_limited(&away_limit, LOG_LEVEL_ERROR,
                    "%s: our batches are not taken, and wait in the spool; see server "
                    "and token_file",
                    err.text);
    }
    return SENT_LATER;
}

/* A batch, or the part of one that has this name. */
static enum sent send_one(struct agent_sender *s, const struct uuid *name,
                          struct span payload, uint32_t entries)
{
    struct err err = { 0 };
    s->retry_after_s = -1;
    if (split_progress_get(&s->progress, name) == SPLIT_BEGUN)
        return send_halves(s, name, payload, entries);
    int rc = net_client_post(s->client, "/v1/jobstats", "application/json", "zstd",
                             payload, &s->answer, &err);
    enum sent sent = rc < 0 ? SENT_LATER : judge(s, name, payload, entries);
    if (sent == SENT_LATER && !s->was_away) {
        s->was_away = true;
        if (rc < 0)
            log_warn("%s; batches wait in the spool", err.text);
        else if (!is_unwanted(s->answer.status)) /* that was told, with its reason */
            log_warn("the server answers %u; batches wait in the spool",
                     s->answer.status);
    } else if (sent == SENT_DONE && s->was_away) {
        s->was_away = false;
        log_notice("the server takes batches again");
    }
    return sent;
}

/* ---- the thread ---- */

/* Sleep until something changes or, with until_ns (of clock_steady_ns), the time has
 * come. */
static void nap(struct agent_sender *s, int64_t until_ns)
{
    if (until_ns == T_NONE) {
        (void)pthread_cond_wait(&s->changed, &s->lock);
        return;
    }
    int64_t wait_ns = clock_steady_wait_ms(until_ns) * NS_PER_MS;
    int64_t at_ns = clock_monotonic_ns() + wait_ns;
    struct timespec at = { .tv_sec = at_ns / NS_PER_S, .tv_nsec = at_ns % NS_PER_S };
    (void)pthread_cond_timedwait(&s->changed, &s->lock, &at);
}

/* Between half of the pause and all of it, so that agents that lost one server do not
 * come back as one. */
static int64_t pause_ns(struct agent_sender *s)
{
    int64_t max_ns = s->agent->opts.backoff_max_ns;
    s->backoff_ns = s->backoff_ns ? s->backoff_ns * 2 : BACKOFF_FIRST_NS;
    if (s->backoff_ns > max_ns)
        s->backoff_ns = max_ns;
    uint32_t random = 0;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
        random = (uint32_t)clock_monotonic_ns();
    int64_t ns =
        s->backoff_ns / 2 + s->backoff_ns / 2 / 1000 * (int64_t)(random % 1000);
    if (s->retry_after_s > 0 && s->retry_after_s <= RETRY_AFTER_MAX_S &&
        s->retry_after_s * NS_PER_S > ns)
        ns = s->retry_after_s * NS_PER_S;
    return ns;
}

static bool has_work(struct agent_sender *s)
{
    return spool_acked(s->agent->spool) < atomic_load(&s->agent->committed);
}

/* One record out of the spool.  Returns -ENOENT when there is none that may be sent. */
static int send_next(struct agent_sender *s, enum sent *ret)
{
    struct spool *spool = s->agent->spool;
    struct spool_record record;
    struct err err = { 0 };
    int rc = spool_read(spool, spool_acked(spool), &s->payload, &record, &err);
    if (rc == 0 && record.sequence > atomic_load(&s->agent->committed))
        rc = -ENOENT;
    if (rc < 0)
        return rc;
    static const struct uuid whole = { .bytes = { 0 } };
    split_progress_of(&s->progress, record.sequence);
    *ret = send_one(s, &whole, strbuf_span(&s->payload), record.count);
    if (*ret == SENT_DONE) {
        rc = spool_ack(spool, record.sequence, &err);
        if (rc < 0) {
            log_limited(&away_limit, LOG_LEVEL_ERROR, "%s: a batch is sent twice",
                        err.text);
            *ret = SENT_LATER;
        }
    }
    return 0;
}

static void *run(void *arg)
{
    struct agent_sender *s = arg;
    int64_t until_ns = T_NONE;
    for (;;) {
        {
            LOCKED(&s->lock);
            while (!s->is_stopping &&
                   (!has_work(s) ||
                    (until_ns != T_NONE && clock_steady_ns() < until_ns))) {
                s->is_idle = true;
                (void)pthread_cond_broadcast(&s->changed);
                nap(s, has_work(s) ? until_ns : T_NONE);
            }
            if (s->is_stopping)
                return NULL;
            s->is_idle = false;
        }
        enum sent sent = SENT_DONE;
        int rc = send_next(s, &sent);
        bool has_failed = rc < 0 || sent == SENT_LATER;
        until_ns = has_failed ? clock_steady_ns() + pause_ns(s) : T_NONE;
        if (!has_failed)
            s->backoff_ns = 0;
        LOCKED(&s->lock);
        s->has_failed = has_failed;
        s->counts.attempts_failed += has_failed;
    }
}

/* ---- from the loop's thread ---- */

int agent_load_token(const char *path, struct strbuf *token, struct err *err)
{
    if (!path || !*path)
        return 0;
    int rc = secret_read(path, TOKEN_BYTES_MAX, token, err);
    if (rc < 0)
        return rc;
    while (token->size && (token->data[token->size - 1] == '\n' ||
                           token->data[token->size - 1] == ' '))
        token->data[--token->size] = '\0';
    return 0;
}

int agent_send_start(struct agent *agent, struct err *err)
{
    struct agent_sender *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    agent->sender = s;
    s->agent = agent;
    AUTO(strbuf_done) struct strbuf refused = STRBUF_INIT;
    strbuf_addf(&refused, "%s/refused", agent->opts.spool);
    s->refused_number = refused_next(strbuf_text(&refused));
    struct net_client_opts opts = {
        .url = agent->opts.server,
        .token_file = agent->opts.token_file,
        .ca_file = agent->opts.ca_file,
        .timeout_ns = agent->opts.timeout_ns,
        .reply_bytes_max = 1 << 20,
    };
    int rc = net_client_new(&opts, &s->client, err);
    if (rc < 0)
        return rc;
    (void)pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&s->changed, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    rc = pthread_create(&s->thread, NULL, run, s);
    return rc ? err_set(err, rc, "start a thread: %s", strerror(rc)) : 0;
}

void agent_send_wake(struct agent *agent)
{
    if (!agent->sender)
        return;
    LOCKED(&agent->sender->lock);
    (void)pthread_cond_broadcast(&agent->sender->changed);
}

int agent_send_drain(struct agent *agent)
{
    struct agent_sender *s = agent->sender;
    LOCKED(&s->lock);
    while (!s->is_idle || (has_work(s) && !s->has_failed))
        (void)pthread_cond_wait(&s->changed, &s->lock);
    return has_work(s) ? -EAGAIN : 0;
}

void agent_send_stop(struct agent *agent)
{
    struct agent_sender *s = agent->sender;
    if (!s || !s->client)
        return;
    bool is_idle;
    {
        LOCKED(&s->lock);
        s->is_stopping = true;
        is_idle = s->is_idle;
        (void)pthread_cond_broadcast(&s->changed);
    }
    /* Amid a request it is not waited for: what it sends is kept until acknowledged,
     * and known when it comes again. */
    if (is_idle)
        (void)pthread_join(s->thread, NULL);
}

void agent_send_count(struct agent *agent, struct agent_send_counts *ret)
{
    *ret = (struct agent_send_counts){ 0 };
    if (!agent->sender)
        return;
    LOCKED(&agent->sender->lock);
    *ret = agent->sender->counts;
}
