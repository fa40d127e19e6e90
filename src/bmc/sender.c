/* SPDX-License-Identifier: Apache-2.0 */
/* sender - what was read, on its way to barod; and which hosts barod does not hear. */
#include "bmc/sender.h"

#include "base/clock.h"
#include "base/json_reader.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "model/model.h"
#include "net/net.h"

#include <stdatomic.h>
#include <time.h>

#define PAUSE_NS NS_PER_S
#define SILENT_NS (3 * NS_PER_S)     /* between two lists of silent hosts */
#define PART_BYTES ((size_t)1 << 20) /* of one request */
#define RETRY_NS (5 * NS_PER_S)
#define TIMEOUT_NS (10 * NS_PER_S)
#define STOP_NS (5 * NS_PER_S)
#define SILENT_PATH "/v1/resources/silent"

enum buffer_kind { STATEMENTS, SAMPLES, BUFFERS };

struct bmc_sender {
    struct net_client *client;    /* the thread's */
    struct net_client *publisher; /* under publish_lock */
    pthread_mutex_t publish_lock;
    int64_t publish_after_ns; /* barod did not respond: not before */
    bmc_sender_silent_fn *silent;
    void *arg;
    pthread_t thread;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t wake;
    bool is_stopping;
    struct strbuf buffers[BUFFERS];
    struct bmc_sender_counts counts;
    _Atomic uint64_t generation;
};

/* ---- in ---- */

static void buffer_add(struct bmc_sender *s, enum buffer_kind kind, struct strbuf *text)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    struct strbuf *buffer = &s->buffers[kind];
    bool is_lost =
        strbuf_error(text) < 0 || buffer->size + text->size > SENDER_BYTES_MAX;
    if (is_lost) {
        s->counts.lost_bytes += text->size;
        if (kind == STATEMENTS)
            s->generation++;
        log_limited(&limit, LOG_LEVEL_WARN,
                    "%zu bytes of %s are lost: barod does not accept them, and %zu "
                    "bytes wait already",
                    text->size, kind == STATEMENTS ? "statements" : "samples",
                    buffer->size);
    } else {
        strbuf_add_span(buffer, strbuf_span(text));
    }
    strbuf_clear(text);
}

void bmc_sender_add(struct bmc_sender *s, struct strbuf *statements,
                    struct strbuf *samples)
{
    LOCKED(&s->lock);
    if (statements->size > 0)
        buffer_add(s, STATEMENTS, statements);
    if (samples->size > 0)
        buffer_add(s, SAMPLES, samples);
}

/* ---- out ---- */

static bool is_for_later(int rc)
{
    return rc == -EAGAIN || rc == -ENOTCONN || rc == -ETIMEDOUT || rc == -EIO ||
           rc == -ENOMEM || rc == -EPERM;
}

static int bmc_sender_post(struct net_client *client, const char *path,
                           const char *type, struct span body,
                           struct net_response *response, struct err *err)
{
    int rc = net_client_post(client, path, type, NULL, body, response, err);
    return rc < 0 ? rc : net_response_check(response, err);
}

struct refusals {
    char key[16];
    uint64_t refused;
    char reason[200];
};

static int on_lines_response(void *arg, enum json_event event, struct span text,
                             unsigned depth)
{
    struct refusals *r = arg;
    if (event == JSON_KEY)
        (void)snprintf(r->key, sizeof r->key, "%.*s", (int)text.size, text.data);
    if (event == JSON_NUMBER && depth == 1 && strcmp(r->key, "refused") == 0)
        (void)number_parse_u64(text, &r->refused);
    if (event == JSON_STRING && strcmp(r->key, "reason") == 0 && !r->reason[0])
        (void)snprintf(r->reason, sizeof r->reason, "%.*s", (int)text.size, text.data);
    return 0;
}

/* Of a part that was accepted, or of one whose rest was.  Returns how many. */
static uint64_t refusals_log(struct bmc_sender *s, const char *what,
                             const struct net_response *response)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    struct refusals r = { 0 };
    (void)json_read(strbuf_span(&response->body), on_lines_response, &r, NULL);
    if (r.refused == 0)
        return 0;
    log_limited(&limit, LOG_LEVEL_WARN, "barod refuses %llu %s: %s",
                (unsigned long long)r.refused, what, r.reason);
    LOCKED(&s->lock);
    s->counts.refused += r.refused;
    return r.refused;
}

/* Whole lines of it, of at most PART_BYTES. */
static struct span lines_of(struct span text)
{
    if (text.size <= PART_BYTES)
        return text;
    const char *end = memrchr(text.data, '\n', PART_BYTES);
    return (struct span){ text.data, end ? (size_t)(end - text.data) + 1 : text.size };
}

static uint64_t line_count(struct span text)
{
    uint64_t count = 0;
    for (size_t i = 0; i < text.size; i++)
        count += text.data[i] == '\n';
    return count;
}

/* Errors: it is to be sent later; what is refused for ever is lost. */
static int text_send(struct bmc_sender *s, enum buffer_kind kind, struct span *text)
{
    static const struct {
        const char *path, *type, *what;
    } kinds[] = { { "/v1/resources", "application/x-ndjson", "statements" },
                  { "/api/write?open=1&precision=ns", "text/plain", "samples" } };
    static struct log_limit limit = LOG_LIMIT_INIT;
    AUTO(net_response_done) struct net_response response = { 0 };
    struct span part = lines_of(*text);
    struct err err = { 0 };
    int rc = bmc_sender_post(s->client, kinds[kind].path, kinds[kind].type, part,
                             &response, &err);
    if (rc < 0)
        log_limited(&limit, LOG_LEVEL_WARN, "%s are %s: %s", kinds[kind].what,
                    is_for_later(rc) ? "not sent, and will be again" : "lost",
                    err.text);
    if (is_for_later(rc))
        return rc;
    *text = span_skip(*text, part.size);
    uint64_t refused =
        rc == 0 || rc == -EBADMSG ? refusals_log(s, kinds[kind].what, &response) : 0;
    LOCKED(&s->lock);
    if (rc < 0) {
        s->counts.lost_bytes += refused == 0 ? part.size : 0;
        s->generation += kind == STATEMENTS;
    } else if (kind == STATEMENTS) {
        s->counts.statements += line_count(part);
    }
    return 0;
}

/* What could not be sent goes before what came meanwhile. */
static void text_return(struct bmc_sender *s, enum buffer_kind kind, struct span text)
{
    AUTO(strbuf_done) struct strbuf all = STRBUF_INIT;
    strbuf_add_span(&all, text);
    LOCKED(&s->lock);
    struct strbuf later = s->buffers[kind];
    s->buffers[kind] = (struct strbuf)STRBUF_INIT;
    buffer_add(s, kind, &all);
    if (later.size > 0)
        buffer_add(s, kind, &later);
    strbuf_done(&later);
}

static int buffer_send(struct bmc_sender *s, enum buffer_kind kind)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    {
        LOCKED(&s->lock);
        text = s->buffers[kind];
        s->buffers[kind] = (struct strbuf)STRBUF_INIT;
    }
    struct span rest = strbuf_span(&text);
    int rc = 0;
    while (rest.size > 0 && rc == 0)
        rc = text_send(s, kind, &rest);
    if (rest.size > 0)
        text_return(s, kind, rest);
    return rc;
}

/* ---- who is silent ---- */

/* {"columns":[...],"rows":[["alex/a1","2026-...Z","..."],...],"notes":[]} */
struct silent_reading {
    struct bmc_sender *sender;
    bool is_in_rows;
    unsigned column;
    char component[RESOURCE_COMPONENT_BYTES_MAX];
};

static int on_silent(void *arg, enum json_event event, struct span text, unsigned depth)
{
    struct silent_reading *r = arg;
    int64_t since_ns = 0;
    if (event == JSON_KEY && depth == 0)
        r->is_in_rows = span_is(text, "rows");
    if (event == JSON_ARRAY && depth == 2)
        r->column = 0;
    if (event != JSON_STRING || depth != 3 || !r->is_in_rows)
        return 0;
    if (r->column == 0 && text.size < sizeof r->component) {
        memcpy(r->component, text.data, text.size);
        r->component[text.size] = '\0';
    }
    if (r->column == 1 && timetext_parse(text, &since_ns) == 0)
        r->sender->silent(r->sender->arg, span_of(r->component), since_ns);
    r->column++;
    return 0;
}

static int silent_read(struct bmc_sender *s, struct err *err)
{
    AUTO(net_response_done) struct net_response response = { 0 };
    struct silent_reading reading = { .sender = s };
    int rc = net_client_get(s->client, SILENT_PATH, &response, err);
    if (rc == 0)
        rc = net_response_check(&response, err);
    if (rc == 0 && s->silent)
        rc = json_read(strbuf_span(&response.body), on_silent, &reading, err);
    /* Without that nothing is known of what is not listed. */
    if (rc == 0 && s->silent)
        s->silent(s->arg, (struct span){ 0 }, 0);
    return rc;
}

/* ---- the thread ---- */

static bool bmc_sender_pause(struct bmc_sender *s, int64_t pause_ns)
{
    int64_t end_ns = clock_monotonic_ns() + pause_ns;
    const struct timespec until = { .tv_sec = end_ns / NS_PER_S,
                                    .tv_nsec = end_ns % NS_PER_S };
    LOCKED(&s->lock);
    while (!s->is_stopping &&
           pthread_cond_timedwait(&s->wake, &s->lock, &until) != ETIMEDOUT)
        ;
    return !s->is_stopping;
}

static void *bmc_sender_thread(void *arg)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    struct bmc_sender *s = arg;
    bool goes_on = true;
    int64_t listed_ns = clock_steady_ns() - SILENT_NS;
    while (goes_on) {
        struct err err = { 0 };
        int rc = buffer_send(s, STATEMENTS);
        if (rc == 0)
            rc = buffer_send(s, SAMPLES);
        /* Also where barod cannot accept what was read: who is silent is news. */
        if (clock_steady_ns() - listed_ns >= SILENT_NS) {
            listed_ns = clock_steady_ns();
            if (silent_read(s, &err) < 0)
                log_limited(&limit, LOG_LEVEL_WARN, "which hosts are silent: %s",
                            err.text);
        }
        goes_on = bmc_sender_pause(s, rc < 0 ? RETRY_NS : PAUSE_NS);
    }
    net_client_set_timeout(s->client, STOP_NS);
    if (buffer_send(s, STATEMENTS) == 0)
        (void)buffer_send(s, SAMPLES);
    return NULL;
}

/* ---- events ---- */

int bmc_sender_publish(struct bmc_sender *s, const char *name, struct span payload,
                       struct err *err)
{
    AUTO(net_response_done) struct net_response response = { 0 };
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    strbuf_addf(&path, "/v1/events/%s?once=true", name);
    LOCKED(&s->publish_lock);
    int64_t now_ns = clock_steady_ns();
    if (now_ns < s->publish_after_ns)
        return err_set(err, EAGAIN, "barod did not accept events a moment ago");
    int rc = strbuf_error(&path);
    if (rc == 0)
        rc = bmc_sender_post(s->publisher, strbuf_text(&path), "text/plain", payload,
                             &response, err);
    if (is_for_later(rc)) {
        s->publish_after_ns = now_ns + RETRY_NS;
        return err_prefix(err, -EAGAIN, "events");
    }
    LOCKED(&s->lock);
    s->counts.events += rc == 0;
    s->counts.events_lost += rc < 0;
    return rc;
}

uint64_t bmc_sender_generation(const struct bmc_sender *s)
{
    return s->generation;
}

void bmc_sender_count(struct bmc_sender *s, struct bmc_sender_counts *ret)
{
    LOCKED(&s->lock);
    *ret = s->counts;
}

/* ---- start and stop ---- */

static int client_open(const struct bmc_poller_opts *opts, struct net_client **ret,
                       struct err *err)
{
    const struct net_client_opts client = { .url = opts->server,
                                            .token_file = opts->token_file,
                                            .ca_file = opts->ca_file,
                                            .timeout_ns = TIMEOUT_NS };
    return net_client_new(&client, ret, err);
}

static void bmc_sender_free(struct bmc_sender *s)
{
    if (!s)
        return;
    net_client_free(s->client);
    net_client_free(s->publisher);
    for (size_t i = 0; i < BUFFERS; i++)
        strbuf_done(&s->buffers[i]);
    (void)pthread_mutex_destroy(&s->lock);
    (void)pthread_mutex_destroy(&s->publish_lock);
    (void)pthread_cond_destroy(&s->wake);
    free(s);
}
DEFINE_AUTO(struct bmc_sender, bmc_sender_free);

static int bmc_sender_new(const struct bmc_poller_opts *opts, struct bmc_sender **ret,
                          struct err *err)
{
    struct bmc_sender *s = calloc(1, sizeof *s);
    pthread_condattr_t clock;
    if (!s)
        return err_set(err, ENOMEM, "out of memory");
    (void)pthread_condattr_init(&clock);
    (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&s->wake, &clock);
    (void)pthread_condattr_destroy(&clock);
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_mutex_init(&s->publish_lock, NULL);
    *ret = s;
    int rc = client_open(opts, &s->client, err);
    return rc < 0 ? rc : client_open(opts, &s->publisher, err);
}

int bmc_sender_start(const struct bmc_poller_opts *opts, bmc_sender_silent_fn *fn,
                     void *arg, struct bmc_sender **ret, struct err *err)
{
    AUTO(bmc_sender_free) struct bmc_sender *s = NULL;
    int rc = bmc_sender_new(opts, &s, err);
    if (rc < 0)
        return rc;
    s->silent = fn;
    s->arg = arg;
    rc = pthread_create(&s->thread, NULL, bmc_sender_thread, s);
    if (rc != 0)
        return err_set(err, rc, "a thread: %s", strerror(rc));
    *ret = TAKE(s);
    return 0;
}

void bmc_sender_stop(struct bmc_sender *s)
{
    if (!s)
        return;
    {
        LOCKED(&s->lock);
        s->is_stopping = true;
        (void)pthread_cond_broadcast(&s->wake);
    }
    (void)pthread_join(s->thread, NULL);
    bmc_sender_free(s);
}

int bmc_sender_check(const struct bmc_poller_opts *opts, struct err *err)
{
    AUTO(bmc_sender_free) struct bmc_sender *s = NULL;
    int rc = bmc_sender_new(opts, &s, err);
    return rc < 0 ? rc : silent_read(s, err);
}
