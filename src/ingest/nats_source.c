/* SPDX-License-Identifier: Apache-2.0 */
/* nats_source - metrics that come by NATS. */
#include "ingest/nats_source.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/secret.h"

#include <nats/nats.h>
#include <stdatomic.h>
#include <sys/random.h>

#define CONNECT_TIMEOUT_MS 5000
#define DRAIN_TIMEOUT_MS 5000
#define TAKE_IN_TIMEOUT_NS (5 * NS_PER_S)
#define PING_INTERVAL_MS 20000
#define PINGS_OUT_MAX 2
#define FIRST_WAIT_NS (250 * NS_PER_MS)

struct subscription {
    struct nats_source *source;
    const char *name, *subject;
    struct line_feed *feed;
    natsSubscription *nats; /* of the connection there is */
};

struct nats_source {
    struct nats_source_opts opts;
    natsOptions *options;
    struct subscription **subscriptions;
    size_t subscription_count;
    pthread_t thread;
    bool has_thread;
    natsConnection *connection; /* the thread's; NULL: there is none */
    pthread_mutex_t say_lock;
    pthread_mutex_t lock; /* for all that follows */
    pthread_cond_t wake;
    bool is_stopping, is_closed;
    struct nats_source_stats stats;
};

/* ---- words ---- */

static void say(struct nats_source *source, unsigned notice, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Addresses may have passwords in them, also those that the library prints. */
static void say(struct nats_source *source, unsigned notice, const char *fmt, ...)
{
    AUTO(strbuf_done) struct strbuf clean = STRBUF_INIT;
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    secret_print(&clean, span_of(text));
    LOCKED(&source->say_lock);
    source->opts.say(source->opts.arg, notice, strbuf_text(&clean));
}

static void on_feed_says(void *arg, enum line_feed_notice notice, const char *text)
{
    struct subscription *s = arg;
    say(s->source, NATS_FEED + notice, "%s: %s", s->name, text);
}

static void on_feed_counts(void *arg, const struct line_result *result)
{
    struct subscription *s = arg;
    struct nats_source *source = s->source;
    if (source->opts.count)
        source->opts.count(source->opts.arg, result);
}

/* ---- the library's threads ---- */

static void release_message(void *owner)
{
    natsMsg_Destroy(owner);
}

static void on_message(natsConnection *connection, natsSubscription *nats, natsMsg *msg,
                       void *arg)
{
    struct subscription *s = arg;
    struct span text = { natsMsg_GetData(msg), (size_t)natsMsg_GetDataLength(msg) };
    (void)connection;
    (void)nats;
    if (line_feed_push(s->feed, text, msg, release_message) < 0)
        natsMsg_Destroy(msg);
}

static void on_closed(natsConnection *connection, void *arg)
{
    struct nats_source *source = arg;
    (void)connection;
    LOCKED(&source->lock);
    source->is_closed = true;
    (void)pthread_cond_signal(&source->wake);
}

static void on_error(natsConnection *connection, natsSubscription *nats,
                     natsStatus status, void *arg)
{
    const char *words = NULL;
    (void)natsConnection_GetLastError(connection, &words);
    (void)nats;
    say(arg, NATS_TROUBLE, "%s%s%s", natsStatus_GetText(status),
        words && *words ? ": " : "", words ? words : "");
}

/* ---- one connection ---- */

static void disconnect(struct nats_source *source)
{
    for (size_t i = 0; i < source->subscription_count; i++) {
        struct subscription *s = source->subscriptions[i];
        natsSubscription_Destroy(s->nats);
        s->nats = NULL;
    }
    natsConnection_Destroy(source->connection);
    source->connection = NULL;
}

/* Its queue only has to hold what our thread has not yet moved on. */
static natsStatus subscribe(struct nats_source *source, struct subscription *s)
{
    const struct nats_opts *opts = source->opts.nats;
    natsStatus status = natsConnection_Subscribe(&s->nats, source->connection,
                                                 s->subject, on_message, s);
    if (status == NATS_OK)
        status = natsSubscription_SetPendingLimits(
            s->nats, (int)opts->queue_messages_max, (int)opts->queue_bytes_max);
    return status;
}

static natsStatus connect_all(struct nats_source *source)
{
    {
        LOCKED(&source->lock);
        source->is_closed = false;
    }
    natsStatus status = natsConnection_Connect(&source->connection, source->options);
    for (size_t i = 0; status == NATS_OK && i < source->subscription_count; i++)
        status = subscribe(source, source->subscriptions[i]);
    /* Whoever hears that we are connected may publish: the server has heard of all. */
    if (status == NATS_OK)
        status = natsConnection_FlushTimeout(source->connection, CONNECT_TIMEOUT_MS);
    if (status != NATS_OK)
        disconnect(source);
    return status;
}

static void wait_closed(struct nats_source *source, int64_t timeout_ns)
{
    int64_t end_ns = clock_monotonic_ns() + timeout_ns;
    const struct timespec until = { .tv_sec = end_ns / NS_PER_S,
                                    .tv_nsec = end_ns % NS_PER_S };
    LOCKED(&source->lock);
    while (!source->is_closed)
        if (pthread_cond_timedwait(&source->wake, &source->lock, &until) == ETIMEDOUT)
            break;
}

/* Until the connection ends by itself, or is to end. */
static void stay(struct nats_source *source)
{
    char url[256] = "";
    bool is_to_end;
    (void)natsConnection_GetConnectedUrl(source->connection, url, sizeof url);
    say(source, NATS_CONNECTED, "connected to %s, %zu subscriptions", url,
        source->subscription_count);
    {
        LOCKED(&source->lock);
        source->stats.is_connected = true;
        source->stats.connections++;
        while (!source->is_closed && !source->is_stopping)
            (void)pthread_cond_wait(&source->wake, &source->lock);
        is_to_end = !source->is_closed;
    }
    if (is_to_end &&
        natsConnection_DrainTimeout(source->connection, DRAIN_TIMEOUT_MS) == NATS_OK)
        wait_closed(source, (DRAIN_TIMEOUT_MS + 500) * NS_PER_MS);
    if (!is_to_end)
        say(source, NATS_ENDED, "the connection to %s has ended; it is made anew", url);
    disconnect(source);
    LOCKED(&source->lock);
    source->stats.is_connected = false;
}

/* ---- the thread ---- */

/* Half of it to all of it: many that lost one server shall not come back together. */
static int64_t with_jitter(int64_t wait_ns)
{
    uint32_t random = 0;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
        random = (uint32_t)clock_monotonic_ns();
    return wait_ns / 2 + wait_ns / 2 / 1000 * (int64_t)(random % 1000);
}

/* False: it is time to stop. */
static bool rest(struct nats_source *source, int64_t wait_ns)
{
    int64_t end_ns = clock_monotonic_ns() + wait_ns;
    const struct timespec until = { .tv_sec = end_ns / NS_PER_S,
                                    .tv_nsec = end_ns % NS_PER_S };
    LOCKED(&source->lock);
    while (!source->is_stopping)
        if (pthread_cond_timedwait(&source->wake, &source->lock, &until) == ETIMEDOUT)
            break;
    return !source->is_stopping;
}

static void tell_away(struct nats_source *source, natsStatus status)
{
    bool is_refused =
        status == NATS_CONNECTION_AUTH_FAILED || status == NATS_NOT_PERMITTED;
    say(source, is_refused ? NATS_REFUSED : NATS_AWAY,
        "cannot connect to %s%s: %s; tried again", source->opts.nats->address.items[0],
        source->opts.nats->address.count > 1 ? " and the others" : "",
        natsStatus_GetText(status));
    LOCKED(&source->lock);
    source->stats.failures++;
}

static void *run(void *arg)
{
    struct nats_source *source = arg;
    int64_t wait_ns = FIRST_WAIT_NS, max_ns = source->opts.nats->reconnect_max_ns;
    do {
        natsStatus status = connect_all(source);
        int64_t began_ns = clock_monotonic_ns();
        if (status == NATS_OK)
            stay(source);
        else
            tell_away(source, status);
        /* A server that throws us out at once is not one that was lost. */
        if (status == NATS_OK && clock_monotonic_ns() - began_ns > max_ns)
            wait_ns = FIRST_WAIT_NS;
        else
            wait_ns = wait_ns < max_ns / 2 ? wait_ns * 2 : max_ns;
    } while (rest(source, with_jitter(wait_ns)));
    return NULL;
}

/* ---- options ---- */

static bool is_tls(const struct nats_opts *opts)
{
    bool is_tls = *opts->tls_ca != '\0';
    for (size_t i = 0; i < opts->address.count; i++)
        is_tls |= span_starts(span_of(opts->address.items[i]), "tls://");
    return is_tls;
}

static natsStatus set_identity(natsOptions *options, const struct nats_opts *opts)
{
    natsStatus status = NATS_OK;
    if (*opts->username || *opts->password)
        status = natsOptions_SetUserInfo(options, opts->username, opts->password);
    if (status == NATS_OK && *opts->token)
        status = natsOptions_SetToken(options, opts->token);
    if (status == NATS_OK && *opts->credentials_file)
        status = natsOptions_SetUserCredentialsFromFiles(options,
                                                         opts->credentials_file, NULL);
    if (status == NATS_OK && is_tls(opts))
        status = natsOptions_SetSecure(options, true);
    if (status == NATS_OK && *opts->tls_ca)
        status = natsOptions_LoadCATrustedCertificates(options, opts->tls_ca);
    return status;
}

/* Connections are made anew by our own thread: the library gives up for good after a
 * refused password, and has no word for a person when it tries. */
static natsStatus set_manners(natsOptions *options, struct nats_source *source)
{
    natsStatus status = natsOptions_SetAllowReconnect(options, false);
    if (status == NATS_OK)
        status = natsOptions_SetName(options, "barod");
    if (status == NATS_OK)
        status = natsOptions_SetTimeout(options, CONNECT_TIMEOUT_MS);
    if (status == NATS_OK)
        status = natsOptions_SetPingInterval(options, PING_INTERVAL_MS);
    if (status == NATS_OK)
        status = natsOptions_SetMaxPingsOut(options, PINGS_OUT_MAX);
    if (status == NATS_OK)
        status = natsOptions_SetClosedCB(options, on_closed, source);
    if (status == NATS_OK)
        status = natsOptions_SetErrorHandler(options, on_error, source);
    return status;
}

static int refuse_address(const char *address, natsStatus status, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    secret_print(&text, span_of(address));
    return err_set(err, EINVAL, "nats.address: '%s': %s", strbuf_text(&text),
                   natsStatus_GetText(status));
}

static int make_options(struct nats_source *source, struct err *err)
{
    const struct nats_opts *opts = source->opts.nats;
    int ways = (*opts->username || *opts->password) + (*opts->token != '\0') +
               (*opts->credentials_file != '\0');
    if (ways > 1)
        return err_set(err, EINVAL,
                       "nats: either username and password, or token, or "
                       "credentials_file");
    int rc = *opts->credentials_file ? secret_check(opts->credentials_file, err) : 0;
    if (rc < 0)
        return err_prefix(err, rc, "nats.credentials_file");
    natsStatus status = natsOptions_Create(&source->options);
    if (status == NATS_OK)
        status = natsOptions_SetServers(source->options, opts->address.items,
                                        (int)opts->address.count);
    if (status != NATS_OK)
        return refuse_address(opts->address.items[0], status, err);
    status = set_identity(source->options, opts);
    if (status == NATS_OK)
        status = set_manners(source->options, source);
    if (status != NATS_OK)
        return err_set(err, EINVAL, "nats: credentials or certificates: %s",
                       natsStatus_GetText(status));
    return 0;
}

/* ---- the door ---- */

int nats_source_new(const struct nats_source_opts *opts, struct nats_source **ret,
                    struct err *err)
{
    pthread_condattr_t attr;
    AUTO(nats_source_free) struct nats_source *source = calloc(1, sizeof *source);
    if (!source)
        return err_set(err, ENOMEM, "out of memory");
    source->opts = *opts;
    (void)pthread_mutex_init(&source->say_lock, NULL);
    (void)pthread_mutex_init(&source->lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&source->wake, &attr);
    (void)pthread_condattr_destroy(&attr);
    int rc = make_options(source, err);
    if (rc == 0)
        *ret = TAKE(source);
    return rc;
}

static bool is_subject(struct span subject)
{
    for (size_t i = 0; i < subject.size; i++)
        if (subject.data[i] <= ' ' || subject.data[i] == 0x7f)
            return false;
    return subject.size > 0;
}

static int subscription_fill(struct subscription *s,
                             const struct nats_subscription_opts *opts, struct err *err)
{
    struct span form = span_of(opts->form);
    const struct nats_source_opts *all = &s->source->opts;
    struct line_feed_opts feed = {
        .receiver = all->receiver,
        .texts_max = all->nats->queue_messages_max,
        .bytes_max = all->nats->queue_bytes_max,
        .say = on_feed_says,
        .count = on_feed_counts,
        .arg = s,
    };
    if (!is_subject(span_of(opts->subscribe_to)))
        return err_set(err, EINVAL,
                       "nats_subscription %s: subscribe_to: '%s' is not "
                       "a subject such as alex.metrics",
                       s->name, opts->subscribe_to);
    if (!span_is(form, "clustercockpit") && !span_is(form, "influx"))
        return err_set(err, EINVAL,
                       "nats_subscription %s: form: '%s' is neither "
                       "clustercockpit nor influx",
                       s->name, opts->form);
    feed.receiver.names.form =
        span_is(form, "influx") ? LINE_INFLUX : LINE_CLUSTERCOCKPIT;
    feed.receiver.is_open |= feed.receiver.names.form == LINE_INFLUX;
    if (*opts->cluster_tag)
        feed.receiver.names.cluster = span_of(opts->cluster_tag);
    if (feed.receiver.sink->quota) {
        char name[SENDER_NAME_MAX];
        (void)snprintf(name, sizeof name, "nats %s", s->name);
        feed.receiver.account = sender_quota_account(feed.receiver.sink->quota,
                                                     span_of(name), SENDER_SHARED);
    }
    int rc = line_feed_new(&feed, &s->feed);
    return rc < 0 ? err_set(err, -rc, "nats: %s", strerror(-rc)) : 0;
}

int nats_source_subscribe(struct nats_source *source, const char *name,
                          const struct nats_subscription_opts *opts, struct err *err)
{
    size_t count = source->subscription_count;
    struct subscription **list =
        realloc(source->subscriptions, (count + 1) * sizeof(struct subscription *));
    if (!list)
        return err_set(err, ENOMEM, "out of memory");
    source->subscriptions = list;
    AUTO_FREE struct subscription *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(err, ENOMEM, "out of memory");
    s->source = source;
    s->name = name;
    s->subject = opts->subscribe_to;
    int rc = subscription_fill(s, opts, err);
    if (rc < 0)
        return rc;
    list[source->subscription_count++] = TAKE(s);
    return 0;
}

int nats_source_start(struct nats_source *source, struct err *err)
{
    int rc = pthread_create(&source->thread, NULL, run, source);
    if (rc != 0)
        return err_set(err, EAGAIN, "nats: no thread: %s", strerror(rc));
    source->has_thread = true;
    return 0;
}

static void stop(struct nats_source *source)
{
    {
        LOCKED(&source->lock);
        source->is_stopping = true;
        (void)pthread_cond_signal(&source->wake);
    }
    if (source->has_thread)
        (void)pthread_join(source->thread, NULL);
    natsOptions_Destroy(source->options);
    /* No callback runs after this. */
    (void)nats_CloseAndWait(DRAIN_TIMEOUT_MS);
    int64_t deadline_ns = clock_monotonic_ns() + TAKE_IN_TIMEOUT_NS;
    for (size_t i = 0; i < source->subscription_count; i++)
        line_feed_stop(source->subscriptions[i]->feed, deadline_ns);
}

void nats_source_free(struct nats_source *source)
{
    if (!source)
        return;
    stop(source);
    for (size_t i = 0; i < source->subscription_count; i++) {
        line_feed_free(source->subscriptions[i]->feed);
        free(source->subscriptions[i]);
    }
    (void)pthread_cond_destroy(&source->wake);
    (void)pthread_mutex_destroy(&source->lock);
    (void)pthread_mutex_destroy(&source->say_lock);
    free(source->subscriptions);
    free(source);
}

void nats_source_stats(struct nats_source *source, struct nats_source_stats *ret)
{
    LOCKED(&source->lock);
    *ret = source->stats;
}

size_t nats_source_feed_count(const struct nats_source *source)
{
    return source->subscription_count;
}

void nats_source_feed_stats(struct nats_source *source, size_t index,
                            const char **ret_name, struct line_feed_stats *ret)
{
    *ret_name = source->subscriptions[index]->name;
    line_feed_stats(source->subscriptions[index]->feed, ret);
}
