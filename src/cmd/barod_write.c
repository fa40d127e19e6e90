/* SPDX-License-Identifier: Apache-2.0 */
/* barod_write - the joint between what takes lines in and the metric store. */
#include "cmd/barod_write.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "cmd/barod_store.h"
#include "cmd/server_metrics.h"

struct barod_write {
    struct metric_store *store;
    int64_t step_ns; /* of metrics that a line declares */
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

static int find_metric(const struct barod_write *write, const struct sink_key *key,
                       const struct metric **ret)
{
    struct metric_table *table = metric_store_metrics(write->store);
    const struct metric new = {
        .name = key->metric,
        .step_ns = key->step_ns ? key->step_ns : write->step_ns,
        .kind = key->is_counter ? METRIC_COUNTER : METRIC_GAUGE,
        .aggregation = AGGREGATE_NONE,
    };
    *ret = metric_find(table, key->metric);
    if (*ret)
        return 0;
    const struct server_metric *known = server_metric_find(key->metric);
    if (known)
        return declare_known(table, known, ret);
    return key->is_open ? metric_declare(table, &new, ret) : -ENOENT;
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

static int find_series(void *arg, const struct sink_key *key, struct sink_series **ret,
                       uint16_t *ret_shard)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    const struct barod_write *write = arg;
    const struct metric *metric;
    struct level_series *series;
    int rc = find_metric(write, key, &metric);
    if (rc == 0)
        rc = metric_store_series(write->store, key->path, metric, &series);
    if (rc == -ENOSPC)
        log_limited(&limit, LOG_LEVEL_WARN,
                    "store: too many series or metrics for " SPAN_FMT
                    ": new ones are refused, known ones go on (store.series_max)",
                    SPAN_ARG(key->path));
    if (rc < 0)
        return rc;
    *ret = (struct sink_series *)series;
    *ret_shard = (uint16_t)metric_store_shard(write->store, key->path);
    return 0;
}

static int put(void *arg, size_t shard, const struct sample *samples, size_t count,
               struct sink_taken *ret)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    const struct barod_write *write = arg;
    struct metric_taken taken = { 0 };
    AUTO_FREE struct metric_point *points = malloc(count * sizeof *points);
    if (!points)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        points[i] = (struct metric_point){
            .series = (struct level_series *)samples[i].series,
            .t_ns = samples[i].t_ns,
            .value = samples[i].value,
        };
    const struct metric_batch batch = {
        .shard = shard,
        .points = points,
        .count = count,
        .promise = METRIC_KEPT,
    };
    int rc = metric_store_put(write->store, &batch, &taken);
    if (rc < 0) {
        log_limited(&limit, LOG_LEVEL_ERROR,
                    "store: samples are refused: %s; they stay with their senders",
                    strerror(-rc));
        return rc;
    }
    *ret = (struct sink_taken){ .accepted = taken.accepted, .too_old = taken.too_old };
    return 0;
}

static int sync_all(void *arg)
{
    const struct barod_write *write = arg;
    return metric_store_sync(write->store);
}

static uint32_t generation(void *arg)
{
    const struct barod_write *write = arg;
    return metric_count(metric_store_metrics(write->store));
}

int barod_write_new(struct metric_store *store, const struct write_opts *opts,
                    struct barod_write **ret, struct err *err)
{
    AUTO_FREE struct barod_write *write = calloc(1, sizeof *write);
    if (!write)
        return err_set(err, ENOMEM, "out of memory");
    struct span step = span_of(opts->step);
    if (barod_parse_step(step, &write->step_ns) < 0)
        return err_set(err, EINVAL, "write.step: '%s' is " BAROD_STEP_IS_NONE,
                       opts->step);
    write->store = store;
    write->sink = (struct sink){
        .series = find_series,
        .put = put,
        .generation = generation,
        .arg = write,
        .shard_count = metric_store_shard_count(store),
        .sync = sync_all,
    };
    int rc = describe_known(store);
    if (rc < 0)
        return err_set(err, -rc, "metrics of servers: %s", strerror(-rc));
    *ret = TAKE(write);
    return 0;
}

void barod_write_free(struct barod_write *write)
{
    free(write);
}

const struct sink *barod_write_sink(const struct barod_write *write)
{
    return &write->sink;
}
