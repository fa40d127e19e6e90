/* SPDX-License-Identifier: Apache-2.0 */
/* scrape_receiver - one text of an exporter on its way into a sink. */
#include "ingest/scrape_receiver.h"

#include "base/span.h"

#include "model/model.h"

enum { SAMPLES_FIRST = 1024 };

/* All samples of one text: its length bounds them. */
struct receiver {
    const struct scrape_receiver_opts *opts;
    struct span host;
    struct sender_account *account;
    struct lookup_key context;
    struct lookup_entry *before; /* of the sample before */
    struct sample *samples;
    uint16_t *shards; /* of each sample */
    size_t count, capacity;
    struct strbuf path;
    struct scrape_result result;
    struct prometheus_reader reader;
};

static void receiver_free(struct receiver *in)
{
    if (!in)
        return;
    free(in->samples);
    free(in->shards);
    strbuf_done(&in->path);
    free(in);
}
DEFINE_AUTO(struct receiver, receiver_free);

static int receiver_new(const struct scrape_receiver_opts *opts, struct span host,
                        struct receiver **ret)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(receiver_free) struct receiver *in = calloc(1, sizeof *in);
    if (!in)
        return -ENOMEM;
    in->opts = opts;
    in->host = host;
    /* All that decides what a key means, besides its bytes. */
    strbuf_addf(&text, "scrape %s %zu ", opts->section, host.size);
    strbuf_add_span(&text, host);
    in->context = lookup_cache_key(opts->cache, strbuf_span(&text));
    int rc = strbuf_error(&text);
    if (rc == 0)
        *ret = TAKE(in);
    return rc;
}

/* ---- into the sink ---- */

static int grow(struct receiver *in)
{
    size_t capacity = in->capacity ? in->capacity * 2 : SAMPLES_FIRST;
    struct sample *samples = realloc(in->samples, capacity * sizeof *samples);
    if (!samples)
        return -ENOMEM;
    in->samples = samples;
    uint16_t *shards = realloc(in->shards, capacity * sizeof *shards);
    if (!shards)
        return -ENOMEM;
    in->shards = shards;
    in->capacity = capacity;
    return 0;
}

static int append(struct receiver *in, struct level_series *series, uint16_t shard,
                  int64_t t_ns, double value)
{
    int rc = in->count == in->capacity ? grow(in) : 0;
    if (rc < 0)
        return rc;
    in->samples[in->count] = (struct sample){ series, t_ns, value };
    in->shards[in->count++] = shard;
    return 0;
}

/* All of one host are mostly one shard, so that the samples stay where they are. */
static int put_shard(struct receiver *in, uint16_t shard)
{
    const struct sink *sink = in->opts->sink;
    struct sample_counts taken = { 0 };
    size_t count = 0;
    for (size_t i = 0; i < in->count; i++)
        count += in->shards[i] == shard;
    AUTO_FREE struct sample *some = NULL;
    if (count < in->count) {
        some = malloc(count * sizeof *some);
        if (!some)
            return -ENOMEM;
        for (size_t i = 0, n = 0; i < in->count; i++)
            if (in->shards[i] == shard)
                some[n++] = in->samples[i];
    }
    int rc = sink->put(sink->arg, shard, some ? some : in->samples, count, &taken);
    in->result.samples += taken.accepted;
    in->result.too_old += taken.too_old;
    return rc;
}

static int put_all(struct receiver *in)
{
    bool has[SINK_SHARDS_MAX] = { false };
    int rc = 0;
    for (size_t i = 0; i < in->count; i++)
        has[in->shards[i]] = true;
    for (size_t i = 0; rc == 0 && i < in->opts->sink->shard_count; i++)
        if (has[i])
            rc = put_shard(in, (uint16_t)i);
    return rc;
}

/* ---- from a text ---- */

static bool is_one_of(struct span name, const struct config_list *patterns)
{
    for (size_t i = 0; i < patterns->count; i++)
        if (span_glob(name, patterns->items[i]))
            return true;
    return false;
}

static bool is_wanted(const struct scrape_receiver_opts *opts, struct span name)
{
    return (opts->keep.count == 0 || is_one_of(name, &opts->keep)) &&
           !is_one_of(name, &opts->leave);
}

/* *ret->series NULL: there is no room for it, which is counted. */
static int resolve(struct receiver *in, const struct prometheus_sample *sample,
                   struct lookup_key key, struct lookup_meaning *ret)
{
    const struct sink *sink = in->opts->sink;
    strbuf_clear(&in->path);
    int rc = scrape_names_make(&in->opts->names, in->host, sample, &in->path);
    if (rc < 0)
        return rc;
    const struct sink_key name = {
        .path = strbuf_span(&in->path),
        .metric = sample->name,
        .is_open = true,
        .is_counter = sample->is_counter,
        .step_ns = in->opts->step_ns,
        .account = in->account,
    };
    ret->generation = sink->generation(sink->arg);
    rc = sink->series(sink->arg, &name, &ret->series, &ret->shard);
    if (rc == -EINVAL || rc == -ENOENT)
        in->result.refused.name++;
    if (rc == -EINVAL || rc == -ENOENT || sink_count_refusal(&in->result.refused, rc))
        return 0;
    if (rc == 0)
        lookup_cache_put(in->opts->cache, key, ret, in->account);
    return rc;
}

static int take_sample(struct receiver *in, const struct prometheus_sample *sample)
{
    struct lookup_key key =
        lookup_key_mix(in->context, lookup_cache_key(in->opts->cache, sample->key));
    struct lookup_entry *entry = lookup_cache_find(in->opts->cache, key, in->before);
    if (entry) {
        struct level_series *series =
            atomic_load_explicit(&entry->series, memory_order_acquire);
        in->before = entry;
        return append(in, series,
                      atomic_load_explicit(&entry->shard, memory_order_relaxed),
                      sample->t_ns, sample->value);
    }
    struct lookup_meaning meaning = { 0 };
    int rc = resolve(in, sample, key, &meaning);
    if (rc < 0 || !meaning.series)
        return rc;
    return append(in, meaning.series, meaning.shard, sample->t_ns, sample->value);
}

static int take_text(struct receiver *in, struct span text, int64_t t_ns)
{
    struct prometheus_sample sample;
    enum prometheus_outcome outcome;
    int rc = 0;
    prometheus_reader_init(&in->reader, text, t_ns);
    while (rc == 0 &&
           (outcome = prometheus_reader_next(&in->reader, &sample)) != PROMETHEUS_END) {
        if (outcome == PROMETHEUS_FAULT) {
            if (in->result.bad++ == 0)
                in->result.first = in->reader.fault;
        } else if (is_wanted(in->opts, sample.name)) {
            rc = take_sample(in, &sample);
        } else {
            in->result.left++;
        }
    }
    return rc;
}

/* ---- the door ---- */

int scrape_receive(const struct scrape_receiver_opts *opts,
                   const struct scrape_text *text, struct scrape_result *ret)
{
    AUTO(receiver_free) struct receiver *in = NULL;
    int rc = receiver_new(opts, text->host, &in);
    if (rc < 0)
        return rc;
    in->account = text->account;
    rc = take_text(in, text->text, text->t_ns);
    if (rc == 0)
        rc = put_all(in);
    if (rc == 0)
        *ret = in->result;
    return rc;
}

int scrape_receive_verdict(const struct scrape_receiver_opts *opts, struct span host,
                           int64_t t_ns, const struct scrape_verdict *verdict)
{
    const struct {
        struct span metric;
        double value;
    } values[] = {
        { SPAN("scrape_up"), verdict->is_up },
        { SPAN("scrape_seconds"), verdict->seconds },
        { SPAN("scrape_samples"), (double)verdict->samples },
    };
    const struct sink *sink = opts->sink;
    const struct component component = {
        .cluster = opts->names.cluster,
        .host = host,
        .type = SPAN("scrape"),
        .id = span_of(opts->section),
    };
    AUTO(receiver_free) struct receiver *in = NULL;
    int rc = receiver_new(opts, host, &in);
    if (rc < 0)
        return rc;
    component_print(&in->path, &component);
    rc = strbuf_error(&in->path);
    for (size_t i = 0; rc == 0 && i < COUNT_OF(values); i++) {
        struct level_series *series;
        uint16_t shard;
        const struct sink_key name = {
            .path = strbuf_span(&in->path),
            .metric = values[i].metric,
            .is_open = true,
            .step_ns = opts->step_ns,
        };
        rc = sink->series(sink->arg, &name, &series, &shard);
        if (rc == 0)
            rc = append(in, series, shard, t_ns, values[i].value);
    }
    return rc < 0 ? rc : put_all(in);
}
