/* SPDX-License-Identifier: Apache-2.0 */
/* remote_receiver - one message of Prometheus remote write on its way into a sink. */
#include "ingest/remote/remote_receiver.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/utf8.h"
#include "ingest/sample_batches.h"

#include <stdatomic.h>

/* The store's "no sample" (model/sample.h): a number that a sender sends is one. */
#define NO_SAMPLE_BITS UINT64_C(0x7FF8000000000000)

struct remote_receiver {
    const struct remote_receiver_opts *opts;
    struct lookup_key context;
    struct lookup_entry *before; /* of the series before */
    struct sample_batches batches;
    struct remote_names names;
    struct remote_result result;
};

static void receiver_done(struct remote_receiver *in)
{
    sample_batches_done(&in->batches);
    remote_names_done(&in->names);
}
DEFINE_AUTO_DONE(struct remote_receiver, receiver_done);

/* All that decides what labels mean, besides them. */
static int make_remote_context(struct remote_receiver *in)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct remote_names_opts *names = &in->opts->names;
    strbuf_addf(&text, "remote %zu %zu ", names->cluster.size, names->only_host.size);
    strbuf_add_span(&text, names->cluster);
    strbuf_add_span(&text, names->only_host);
    strbuf_add_span(&text, names->only_cluster);
    in->context = lookup_cache_key(in->opts->cache, strbuf_span(&text));
    return strbuf_error(&text);
}

/* ---- refusals ---- */

static struct span metric_name_of(const struct remote_series *series)
{
    struct remote_labels labels;
    struct label_pair pair;
    remote_labels_init(&labels, series);
    while (remote_labels_next(&labels, &pair) > 0)
        if (span_is(pair.name, "__name__"))
            return pair.value;
    return SPAN("?");
}

static void refuse_series(struct remote_receiver *in,
                          const struct remote_series *series, const char *reason)
{
    char name[128];
    in->result.bad_series++;
    in->result.bad_samples += series->samples;
    if (in->result.first[0])
        return;
    (void)utf8_print_shown(name, sizeof name, metric_name_of(series));
    (void)snprintf(in->result.first, sizeof in->result.first, "series %llu (%s): %s",
                   (unsigned long long)in->result.series, name, reason);
}

/* ---- from a series to samples ---- */

/* Names of counters, as the exposition formats have them. */
static bool is_counter_name(struct span name)
{
    return span_ends(name, "_total") || span_ends(name, "_bucket") ||
           span_ends(name, "_count");
}

/* ret->series NULL: it is refused. */
static int resolve_series(struct remote_receiver *in,
                          const struct remote_series *series, struct lookup_key key,
                          struct lookup_meaning *ret)
{
    const struct sink *sink = in->opts->sink;
    struct sink_refusals refused = { 0 };
    const char *reason;
    int rc = remote_names_make(&in->names, &in->opts->names, series, &reason);
    if (rc == -EINVAL || rc == -EACCES) {
        refuse_series(in, series, reason);
        return 0;
    }
    if (rc < 0)
        return rc;
    const struct sink_key name = {
        .path = strbuf_span(&in->names.path),
        .metric = in->names.metric,
        .is_open = true,
        .is_counter = is_counter_name(in->names.metric),
        .step_ns = in->opts->step_ns,
        .account = in->opts->account,
    };
    ret->generation = sink->generation(sink->arg);
    rc = sink->series(sink->arg, &name, &ret->series, &ret->shard);
    if (rc == -EINVAL || rc == -ENOENT) {
        refuse_series(in, series, "its labels, or its name, are too long");
        return 0;
    }
    if (sink_count_refusal(&refused, rc)) {
        size_t count = series->samples ? series->samples : 1;
        for (size_t i = 0; i < count; i++)
            (void)sink_count_refusal(&in->result.refused, rc);
        return 0;
    }
    if (rc == 0)
        lookup_cache_put(in->opts->cache, key, ret, in->opts->account);
    return rc;
}

static struct lookup_key key_of_series(const struct remote_receiver *in,
                                       const struct remote_series *series)
{
    struct lookup_key key = in->context;
    for (size_t i = 0; i < series->run_count; i++)
        key = lookup_key_mix(key, lookup_cache_key(in->opts->cache, series->runs[i]));
    return key;
}

static int find_meaning(struct remote_receiver *in, const struct remote_series *series,
                        struct lookup_meaning *ret)
{
    struct lookup_key key = key_of_series(in, series);
    struct lookup_entry *entry = lookup_cache_find(in->opts->cache, key, in->before);
    if (!entry)
        return resolve_series(in, series, key, ret);
    in->before = entry;
    ret->series = atomic_load_explicit(&entry->series, memory_order_acquire);
    ret->shard = atomic_load_explicit(&entry->shard, memory_order_relaxed);
    return 0;
}

static int add_remote_samples(struct remote_receiver *in,
                              const struct remote_series *series,
                              const struct lookup_meaning *meaning)
{
    struct span rest = series->message;
    struct remote_sample item;
    int rc = 0;
    while (rc == 0 && remote_samples_next(&rest, &item)) {
        if (item.t_ms > INT64_MAX / NS_PER_MS || item.t_ms < INT64_MIN / NS_PER_MS) {
            in->result.too_old++;
            continue;
        }
        in->result.stale += item.bits == REMOTE_STALE_BITS;
        struct sample sample = { .series = meaning->series,
                                 .t_ns = item.t_ms * NS_PER_MS };
        uint64_t bits = item.bits == NO_SAMPLE_BITS ? REMOTE_NAN_BITS : item.bits;
        memcpy(&sample.value, &bits, sizeof bits);
        rc = sample_batches_add(&in->batches, meaning->shard, &sample);
    }
    return rc;
}

static int read_series(struct remote_receiver *in, const struct remote_series *series)
{
    struct lookup_meaning meaning = { 0 };
    in->result.series++;
    in->result.exemplars += series->exemplars;
    in->result.histograms += series->histograms;
    if (series->fault) {
        refuse_series(in, series, series->fault);
        return 0;
    }
    if (series->histograms > 0 && !in->result.first[0])
        (void)snprintf(in->result.first, sizeof in->result.first,
                       "series %llu: native histograms are not supported",
                       (unsigned long long)in->result.series);
    if (series->samples == 0)
        return 0;
    int rc = find_meaning(in, series, &meaning);
    return rc < 0 || !meaning.series ? rc : add_remote_samples(in, series, &meaning);
}

int remote_receive(const struct remote_receiver_opts *opts, struct span message,
                   struct remote_result *ret)
{
    AUTO(receiver_done)
    struct remote_receiver in = { .opts = opts, .batches = { .sink = opts->sink } };
    struct remote_reader reader = { 0 };
    struct remote_series series;
    int rc = remote_reader_init(&reader, message);
    if (rc == 0)
        rc = make_remote_context(&in);
    while (rc == 0 && remote_reader_next(&reader, &series))
        rc = read_series(&in, &series);
    if (rc == 0)
        rc = sample_batches_flush(&in.batches);
    in.result.accepted = in.batches.counts.accepted;
    in.result.too_old += in.batches.counts.too_old;
    in.result.metadata = reader.metadata;
    if (rc == 0)
        *ret = in.result;
    return rc;
}
