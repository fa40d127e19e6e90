/* SPDX-License-Identifier: Apache-2.0 */
/* nats - the joint between NATS and what takes lines in. */
#include "daemon/nats.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "base/span.h"
#include "daemon/metrics/metrics_text.h"

static void report_nats(void *arg, unsigned notice, const char *text)
{
    static struct log_limit limits[] = {
        [0 ... NATS_NOTICE_COUNT - 1] = LOG_LIMIT_INIT,
    };
    struct log_limit *limit = &limits[notice];
    enum log_level level = LOG_LEVEL_WARN;
    (void)arg;
    if (notice == NATS_CONNECTED)
        level = LOG_LEVEL_INFO;
    else if (notice == NATS_FEED + LINE_FEED_LOST)
        level = LOG_LEVEL_ERROR;
    log_limited(limit, level, "nats: %s", text);
}

static void count_lines(void *arg, const struct line_result *result)
{
    write_routes_count(arg, result);
}

static int subscribe(const struct config *config, struct nats_source *source,
                     struct err *err)
{
    size_t count = config_name_count(config, "nats_subscription");
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        const char *name = config_name(config, "nats_subscription", i);
        struct nats_subscription_opts opts;
        rc = config_fill(config, "nats_subscription", name, &opts, err);
        if (rc == 0)
            rc = nats_source_subscribe(source, name, &opts, err);
    }
    return rc;
}

int daemon_nats_new(const struct config *config, const struct write_opts *write,
                    const struct sink *sink, struct write_routes *routes,
                    struct nats_source **ret, struct err *err)
{
    static struct nats_opts nats; /* as long-lived as the configuration */
    AUTO(nats_source_free) struct nats_source *source = NULL;
    bool is_wanted = config_name_count(config, "nats_subscription") > 0;
    int rc = config_fill(config, "nats", NULL, &nats, err);
    if (rc < 0)
        return rc;
    if (is_wanted != (nats.address.count > 0))
        return err_set(err, EINVAL, "nats: %s",
                       is_wanted ? "there are subscriptions, but no address"
                                 : "there is an address, but no [nats_subscription]");
    if (!is_wanted)
        return 0;
    const struct nats_source_opts opts = {
        .nats = &nats,
        .receiver = {
            .sink = sink,
            .cache = write_routes_cache(routes),
            .names.cluster = span_of(write->cluster),
            .is_open = span_is(span_of(write->metrics), "open"),
        },
        .say = report_nats,
        .count = count_lines,
        .arg = routes,
    };
    rc = nats_source_new(&opts, &source, err);
    if (rc == 0)
        rc = subscribe(config, source, err);
    if (rc == 0)
        *ret = TAKE(source);
    return rc;
}

/* ---- counters ---- */

static const struct {
    const char *name, *kind, *help;
    size_t offset;
} counters[] = {
    { "ingest_nats_messages_total", "counter", "Messages received.",
      offsetof(struct line_feed_stats, texts) },
    { "ingest_nats_bytes_total", "counter", "Bytes of them.",
      offsetof(struct line_feed_stats, bytes) },
    { "ingest_nats_lines_total", "counter", "Lines of them.",
      offsetof(struct line_feed_stats, lines) },
    { "ingest_nats_lines_bad_total", "counter", "Lines refused.",
      offsetof(struct line_feed_stats, bad) },
    { "ingest_nats_samples_total", "counter", "Samples that are stored.",
      offsetof(struct line_feed_stats, samples) },
    { "ingest_nats_samples_refused_total", "counter",
      "Samples refused: a sender's share, a limit of the store, or a name.",
      offsetof(struct line_feed_stats, refused) },
    { "ingest_nats_messages_dropped_total", "counter",
      "Messages dropped: the queue was full.",
      offsetof(struct line_feed_stats, dropped) },
    { "ingest_nats_messages_lost_total", "counter",
      "Messages that the store could not store until barod stopped.",
      offsetof(struct line_feed_stats, lost) },
    { "ingest_nats_retries_total", "counter",
      "Times that the store could not store a message yet.",
      offsetof(struct line_feed_stats, retries) },
    { "ingest_nats_queue_messages", "gauge", "Messages that wait for the store.",
      offsetof(struct line_feed_stats, queue_texts) },
    { "ingest_nats_queue_bytes", "gauge", "Memory that they occupy.",
      offsetof(struct line_feed_stats, queue_bytes) },
    { "ingest_nats_queue_limit_messages", "gauge", "Limit of those that wait.",
      offsetof(struct line_feed_stats, queue_texts_max) },
    { "ingest_nats_queue_limit_bytes", "gauge", "Limit of that memory.",
      offsetof(struct line_feed_stats, queue_bytes_max) },
};

static void add_connection(struct nats_source *source, struct strbuf *out)
{
    struct nats_source_stats s;
    nats_source_stats(source, &s);
    metrics_add_count(out, "ingest_nats_connected", "gauge",
                      "1 while there is a connection.", s.is_connected);
    metrics_add_count(out, "ingest_nats_connections_total", "counter",
                      "Connections that were made.", s.connections);
    metrics_add_count(out, "ingest_nats_connections_failed_total", "counter",
                      "Attempts that failed.", s.failures);
}

void daemon_nats_print(struct nats_source *source, struct strbuf *out)
{
    add_connection(source, out);
    for (size_t i = 0; i < COUNT_OF(counters); i++) {
        metrics_add_head(out, counters[i].name, counters[i].kind, counters[i].help);
        for (size_t f = 0; f < nats_source_feed_count(source); f++) {
            struct line_feed_stats stats;
            const char *name;
            uint64_t value;
            nats_source_feed_stats(source, f, &name, &stats);
            memcpy(&value, (const char *)&stats + counters[i].offset, sizeof value);
            metrics_add_labelled(out, counters[i].name, "subscription", name, value);
        }
    }
}
