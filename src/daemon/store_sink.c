/* SPDX-License-Identifier: Apache-2.0 */
/* store_sink - the joint between what takes lines in and the metric store. */
#include "daemon/store_sink.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/span.h"
#include "daemon/config/config.h"
#include "daemon/server_metrics.h"

#include <inttypes.h>

#define METRICS_RESERVED 1024 /* for the administrator's sections */

struct store_sink {
    struct metric_store *store;
    struct daemon_forward *forward; /* NULL: nothing is forwarded */
    int64_t step_ns;                /* of metrics that a line declares */
    struct sink sink;
};

/* What our own agents send is known, and declared when the first of it comes. */
static int declare_known(struct metric_table *table, const struct server_metric *known,
                         const struct metric **ret)
{
    const struct metric metric = {
        .name = span_of(known->name),
        .step_ns = STEP_SOUGHT,
        .unit = span_of(known->unit),
        .kind = known->is_counter ? METRIC_COUNTER : METRIC_GAUGE,
        .aggregation = known->is_summed ? AGGREGATE_SUM : AGGREGATE_AVG,
    };
    return metric_declare(table, &metric, ret);
}

/* A line may not take the last of them: a [metric NAME] needs one at the next start. */
static int declare_new(struct metric_table *table, const struct metric *new,
                       const struct metric **ret)
{
    if (metric_count(table) >= METRICS_MAX - METRICS_RESERVED)
        return -ENOSPC;
    return metric_declare(table, new, ret);
}

/* NULL in *ret: it is to be created; as *ret_known describes it, unless that is NULL.
 */
static int find_metric(const struct store_sink *write, const struct sink_key *key,
                       const struct metric **ret,
                       const struct server_metric **ret_known)
{
    *ret = metric_find(metric_store_metrics(write->store), key->metric);
    *ret_known = *ret ? NULL : server_metric_find(key->metric);
    return *ret || *ret_known || key->is_open ? 0 : -ENOENT;
}

static int64_t step_for_key(const struct store_sink *write, const struct sink_key *key)
{
    if (key->step_ns == SINK_STEP_NONE)
        return 0;
    return key->step_ns ? key->step_ns : write->step_ns;
}

static int create(const struct store_sink *write, const struct sink_key *key,
                  const struct metric *metric, const struct server_metric *known,
                  struct level_series **ret)
{
    struct metric_table *table = metric_store_metrics(write->store);
    const struct metric new = {
        .name = key->metric,
        .step_ns = step_for_key(write, key),
        .kind = key->is_counter ? METRIC_COUNTER : METRIC_GAUGE,
        .aggregation = AGGREGATE_NONE,
    };
    int rc = 0;
    if (known)
        rc = declare_known(table, known, &metric);
    else if (!metric)
        rc = declare_new(table, &new, &metric);
    return rc < 0 ? rc : metric_store_series(write->store, key->path, metric, ret);
}

/* What does not exist is charged to the sender before it is created. */
static int find_or_create(const struct store_sink *write, const struct sink_key *key,
                          struct level_series **ret)
{
    const struct metric *metric;
    const struct server_metric *known;
    int rc = find_metric(write, key, &metric, &known);
    if (rc < 0)
        return rc;
    *ret = metric ? metric_store_find(write->store, key->path, metric) : NULL;
    if (*ret)
        return 0;
    unsigned what = SENDER_NEW_SERIES | (metric || known ? 0 : SENDER_NEW_METRIC);
    if (key->account)
        rc = sender_account_charge(key->account, what, key->metric,
                                   clock_monotonic_ns());
    if (rc < 0)
        return rc;
    rc = create(write, key, metric, known, ret);
    if (rc < 0 && key->account)
        sender_account_refund(key->account, what);
    return rc;
}

/* The log of a store tells names and steps only. */
static int describe_known(struct metric_store *store)
{
    struct metric_table *table = metric_store_metrics(store);
    const struct server_metric *known;
    int rc = 0;
    for (size_t i = 0; rc == 0 && (known = server_metric_at(i)); i++) {
        const struct metric *metric = metric_find(table, span_of(known->name));
        /* One that the configuration describes stays as that has it. */
        if (metric && metric->step_ns == STEP_SOUGHT && metric->unit.size == 0)
            rc = declare_known(table, known, &metric);
    }
    return rc;
}

static void report_refusal(const struct sink_key *key, int rc)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct log_limit limit = LOG_LIMIT_INIT;
    const char *reason = "its share is used up (series_share, exporter_share, "
                         "host_series_max, metrics_share and host_metrics_max in "
                         "[write])";
    if (rc == -EPERM)
        reason = "[write] allow and deny exclude it";
    else if (rc == -EAGAIN)
        reason = "it creates more than write.metrics_per_hour";
    LOCKED(&lock);
    log_limited(&limit, LOG_LEVEL_WARN,
                "write: %s: series " SPAN_FMT " " SPAN_FMT " is refused: %s",
                sender_account_name(key->account), SPAN_ARG(key->path),
                SPAN_ARG(key->metric), reason);
}

/* In the strict mode their sender is answered as cc-metric-store would. */
static void report_unaddressed(void *arg, const char *sender, uint64_t lines)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    (void)arg;
    log_limited(&limit, LOG_LEVEL_WARN,
                "write: %s: %" PRIu64 " lines are refused, with status 200 as in "
                "cc-metric-store (store.compat = strict): they have no tag hostname, "
                "their cluster is not known (tag cluster, write.cluster), or one of "
                "these names has '/', '\\' or '..'",
                sender, lines);
}

static int find_series(void *arg, const struct sink_key *key, struct level_series **ret,
                       uint16_t *ret_shard)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    const struct store_sink *write = arg;
    struct level_series *series;
    int rc = find_or_create(write, key, &series);
    if (rc == -ENOSPC)
        log_limited(&limit, LOG_LEVEL_WARN,
                    "store: too many series or metrics for " SPAN_FMT
                    ": new ones are refused, known ones go on (store.series_max)",
                    SPAN_ARG(key->path));
    if (rc == -EDQUOT || rc == -EPERM || rc == -EAGAIN)
        report_refusal(key, rc);
    if (rc < 0)
        return rc;
    *ret = series;
    *ret_shard = (uint16_t)metric_store_shard(write->store, key->path);
    return 0;
}

static int put(void *arg, size_t shard, const struct sample *samples, size_t count,
               struct sample_counts *ret)
{
    static struct log_limit limit = LOG_LIMIT_INIT, old_limit = LOG_LIMIT_INIT;
    const struct store_sink *write = arg;
    struct sample_counts taken = { 0 };
    const struct metric_batch batch = {
        .shard = shard,
        .samples = samples,
        .count = count,
        .promise = METRIC_STORED,
    };
    int rc = daemon_forward_store(write->forward, write->store, &batch, &taken);
    if (rc < 0) {
        log_limited(&limit, LOG_LEVEL_ERROR,
                    "store: samples are refused: %s; they stay with their senders",
                    strerror(-rc));
        return rc;
    }
    if (taken.too_old > 0)
        log_limited(&old_limit, LOG_LEVEL_WARN,
                    "store: %zu of %zu samples of a write are refused: they are older "
                    "than store.retention, or their time is none",
                    taken.too_old, count);
    *ret = taken;
    return 0;
}

static int sync_all(void *arg)
{
    const struct store_sink *write = arg;
    int queued = daemon_forward_sync(write->forward);
    int stored = metric_store_sync(write->store);
    return stored < 0 ? stored : queued;
}

static bool has_metric(void *arg, struct span name)
{
    const struct store_sink *write = arg;
    return metric_find(metric_store_metrics(write->store), name) != NULL ||
           server_metric_find(name) != NULL;
}

static uint32_t generation(void *arg)
{
    const struct store_sink *write = arg;
    return metric_count(metric_store_metrics(write->store));
}

/* A host sends its lines in a few forms at most; with more of them remembered than this
 * one host would take the lookup cache of all. */
#define KEYS_A_SERIES 8
#define RESERVE_PERCENT 10 /* of the store: for senders that have created little */

static uint64_t percent_of(uint64_t whole, uint64_t percent)
{
    return whole / 100 * percent + whole % 100 * percent / 100;
}

static uint64_t stored_series(void *arg)
{
    const struct store_sink *write = arg;
    return metric_store_series_count(write->store);
}

static struct sender_quota_opts quota_opts(struct store_sink *write,
                                           const struct write_opts *opts,
                                           uint64_t series_max)
{
    struct sender_limits shared = {
        .series = percent_of(series_max, opts->series_share),
        .metrics = METRICS_MAX * opts->metrics_share / 100,
        .keys = opts->lookup_cache_max / 100 * opts->series_share,
        .metrics_first = opts->metrics_first,
    };
    struct sender_limits host = shared, single = shared;
    uint64_t open = percent_of(series_max, 100 - RESERVE_PERCENT);
    host.metrics_first = single.metrics_first = 0;
    if (opts->exporter_share < opts->series_share) {
        single.series = percent_of(series_max, opts->exporter_share);
        single.keys = opts->lookup_cache_max / 100 * opts->exporter_share;
    }
    if (host.series > opts->host_series_max)
        host.series = opts->host_series_max;
    if (host.metrics > opts->host_metrics_max)
        host.metrics = opts->host_metrics_max;
    if (host.keys / KEYS_A_SERIES > host.series)
        host.keys = host.series * KEYS_A_SERIES;
    return (struct sender_quota_opts){
        .host = host,
        .shared = shared,
        .single = single,
        .series_open = open > shared.series ? open : shared.series,
        .stored_series = stored_series,
        .arg = write,
        .metrics_per_hour = opts->metrics_per_hour,
        .allow = opts->allow,
        .deny = opts->deny,
    };
}

int store_sink_new(struct metric_store *store, uint64_t series_max,
                   const struct write_opts *opts, struct store_sink **ret,
                   struct err *err)
{
    AUTO_FREE struct store_sink *write = calloc(1, sizeof *write);
    if (!write)
        return err_set(err, ENOMEM, "out of memory");
    struct span step = span_of(opts->step);
    if (daemon_step_parse(step, &write->step_ns) < 0)
        return err_set(err, EINVAL, "write.step: '%s' is " DAEMON_STEP_TEXT,
                       opts->step);
    write->store = store;
    write->sink = (struct sink){
        .series = find_series,
        .put = put,
        .generation = generation,
        .has_metric = has_metric,
        .report_unaddressed = report_unaddressed,
        .arg = write,
        .shard_count = metric_store_shard_count(store),
        .sync = sync_all,
    };
    int rc = describe_known(store);
    if (rc < 0)
        return err_set(err, -rc, "metrics of servers: %s", strerror(-rc));
    const struct sender_quota_opts quota = quota_opts(write, opts, series_max);
    rc = sender_quota_new(&quota, &write->sink.quota);
    if (rc < 0)
        return err_set(err, -rc, "out of memory");
    *ret = TAKE(write);
    return 0;
}

void store_sink_forward(struct store_sink *write, struct daemon_forward *forward)
{
    write->forward = forward;
}

void store_sink_free(struct store_sink *write)
{
    if (!write)
        return;
    sender_quota_free(write->sink.quota);
    free(write);
}

const struct sink *store_sink_get(const struct store_sink *write)
{
    return &write->sink;
}
