/* SPDX-License-Identifier: Apache-2.0 */
/* forward - the joint between the metric store and the engines that it is forwarded to.
 */
#include "daemon/forward.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"
#include "daemon/metrics/metrics_text.h"
#include "forward/forward.h"

#include <stdatomic.h>

struct daemon_forward {
    struct metric_store *store;
    int64_t retention_ns;
    struct forward *forward;
    char **directories; /* of sections that name none */
    size_t count;
    _Atomic bool is_refusing; /* the store, the last batch */
};

/* ---- what the store knows ---- */

static void describe_series(void *arg, const struct level_series *series,
                            struct series_name *ret)
{
    const struct daemon_forward *forward = arg;
    const struct level *level = series->level;
    *ret = (struct series_name){
        .path = { level->path, level->path_size },
        .metric = metric_at(metric_store_metrics(forward->store), series->metric)->name,
    };
}

static void show_times(void *arg, const struct sample *samples, size_t count,
                       int64_t *ret_ns)
{
    const struct daemon_forward *forward = arg;
    unsigned reader = metric_store_enter(forward->store);
    for (size_t i = 0; i < count; i++)
        ret_ns[i] = series_shown_ns(&samples[i].series->series, samples[i].t_ns);
    metric_store_leave(forward->store, reader);
}

static int64_t oldest_ns(void *arg)
{
    const struct daemon_forward *forward = arg;
    return forward->retention_ns ? clock_now_ns() - forward->retention_ns : INT64_MIN;
}

static void report_forward(void *arg, enum forward_notice notice, const char *text)
{
    static struct log_limit limits[] = {
        [0 ... FORWARD_NOTICE_COUNT - 1] = LOG_LIMIT_INIT,
    };
    enum log_level level = LOG_LEVEL_WARN;
    (void)arg;
    if (notice == FORWARD_WORKS)
        level = LOG_LEVEL_INFO;
    else if (notice == FORWARD_LOST || notice == FORWARD_UNSYNCED)
        level = LOG_LEVEL_ERROR;
    log_limited(&limits[notice], level, "forward: %s", text);
}

/* ---- sections ---- */

static int read_forward(const struct config *config, size_t index,
                        const char **ret_name, struct forward_opts *ret,
                        struct err *err)
{
    *ret_name = config_name(config, "forward", index);
    int rc = config_fill(config, "forward", *ret_name, ret, err);
    if (rc == 0 && !*ret->url)
        rc = err_set(err, EINVAL, "[forward %s] wants a url", *ret_name);
    return rc;
}

int daemon_forward_check(const struct config *config, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < config_name_count(config, "forward"); i++) {
        struct forward_opts opts;
        const char *name;
        rc = read_forward(config, i, &name, &opts, err);
        if (rc == 0)
            rc = forward_check(name, &opts, err);
    }
    return rc;
}

static int default_directory(struct daemon_forward *forward, const char *name,
                             const struct daemon_store_opts *store,
                             struct forward_opts *opts, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (*opts->directory)
        return 0;
    if (strcmp(store->directory, "none") == 0)
        return err_set(err, EINVAL,
                       "[forward %s] wants a directory: store.directory is none", name);
    strbuf_addf(&text, "%s-forward/%s", store->directory, name);
    char *path = strbuf_error(&text) < 0 ? NULL : span_dup(strbuf_span(&text));
    if (!path)
        return err_set(err, ENOMEM, "out of memory");
    forward->directories[forward->count++] = path;
    opts->directory = path;
    return 0;
}

static int add_targets(struct daemon_forward *forward, const struct config *config,
                       const struct daemon_store_opts *store, size_t count,
                       struct err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        struct forward_opts opts;
        const char *name;
        rc = read_forward(config, i, &name, &opts, err);
        if (rc == 0)
            rc = default_directory(forward, name, store, &opts, err);
        if (rc == 0)
            rc = forward_add(forward->forward, name, &opts, err);
    }
    return rc;
}

int daemon_forward_new(const struct config *config,
                       const struct daemon_store_opts *opts, struct metric_store *store,
                       struct daemon_forward **ret, struct err *err)
{
    size_t count = config_name_count(config, "forward");
    if (count == 0)
        return 0;
    if (!store)
        return err_set(err, EINVAL,
                       "there is no [store] whose samples [forward] sends");
    AUTO(daemon_forward_free)
    struct daemon_forward *forward = calloc(1, sizeof *forward);
    if (!forward || !(forward->directories = calloc(count, sizeof(char *))))
        return err_set(err, ENOMEM, "out of memory");
    forward->store = store;
    forward->retention_ns = opts->retention_ns;
    const struct forward_source source = {
        .describe = describe_series,
        .show_times = show_times,
        .oldest_ns = oldest_ns,
        .report = report_forward,
        .arg = forward,
        .sync_interval_ns = opts->sync_ns,
    };
    int rc = forward_new(&source, &forward->forward, err);
    if (rc == 0)
        rc = add_targets(forward, config, opts, count, err);
    if (rc == 0)
        *ret = TAKE(forward);
    return rc;
}

int daemon_forward_start(struct daemon_forward *forward, struct err *err)
{
    return forward ? forward_start(forward->forward, err) : 0;
}

void daemon_forward_free(struct daemon_forward *forward)
{
    if (!forward)
        return;
    forward_free(forward->forward);
    for (size_t i = 0; i < forward->count; i++)
        free(forward->directories[i]);
    free(forward->directories);
    free(forward);
}

/* ---- samples ---- */

int daemon_forward_store(struct daemon_forward *forward, struct metric_store *store,
                         const struct metric_batch *batch, struct sample_counts *ret)
{
    bool was_refusing = forward && atomic_load(&forward->is_refusing);
    if (forward && !was_refusing)
        forward_put(forward->forward, batch->samples, batch->count);
    int rc = metric_store_put(store, batch, ret);
    if (forward && was_refusing && rc == 0)
        forward_put(forward->forward, batch->samples, batch->count);
    if (forward && (rc < 0) != was_refusing)
        atomic_store(&forward->is_refusing, rc < 0);
    return rc;
}

int daemon_forward_sync(struct daemon_forward *forward)
{
    return forward ? forward_sync(forward->forward) : 0;
}

/* ---- counters ---- */

#define FIELD(name) offsetof(struct forward_stats, name)

static const struct {
    const char *name, *kind, *help;
    size_t offset;
} counters[] = {
    { "forward_samples_queued_total", "counter", "Samples that were queued.",
      FIELD(queued) },
    { "forward_samples_sent_total", "counter", "Samples that the target accepted.",
      FIELD(sent) },
    { "forward_samples_refused_total", "counter",
      "Samples that the target refused for good.", FIELD(refused) },
    { "forward_samples_lost_total", "counter",
      "Samples lost: the queue was full, damaged, or could not be written.",
      FIELD(lost) },
    { "forward_requests_total", "counter", "Requests.", FIELD(requests) },
    { "forward_retries_total", "counter", "Of these, to be sent again.",
      FIELD(retries) },
    { "forward_queue_samples", "gauge", "Samples that wait.", FIELD(waiting_samples) },
    { "forward_queue_bytes", "gauge", "Bytes of the queue.", FIELD(waiting_bytes) },
    { "forward_queue_bytes_limit", "gauge", "As many as may be.", FIELD(bytes_max) },
};

void daemon_forward_print(const struct daemon_forward *forward, struct strbuf *out)
{
    for (size_t i = 0; i < COUNT_OF(counters); i++) {
        metrics_add_head(out, counters[i].name, counters[i].kind, counters[i].help);
        for (size_t t = 0; t < forward_count(forward->forward); t++) {
            struct forward_stats stats;
            const char *name;
            uint64_t value;
            forward_stats(forward->forward, t, &name, &stats);
            memcpy(&value, (const char *)&stats + counters[i].offset, sizeof value);
            metrics_add_labelled(out, counters[i].name, "forward", name, value);
        }
    }
}
