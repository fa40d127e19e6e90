/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_limits - how full every budget, queue and limit is, as Prometheus reads it.
 */
#include "daemon/metrics/metrics_limits.h"

#include "base/cleanup.h"
#include "daemon/metrics/metrics_text.h"

/* Owners that hold to their share by themselves state what they use now; what is in no
 * other account is the process's own. */
static void note_use(const struct daemon_parts *parts, uint64_t resident_bytes)
{
    struct budget *budget = parts->budget;
    struct ingest_writer_stats writer;
    struct live_stats live;
    struct cell_cache_stats hours;
    struct net_stats net;
    ingest_writer_stats(parts->writer, &writer);
    live_get_stats(parts->live, &live);
    cell_cache_get_stats(parts->cells, &hours);
    net_server_stats(parts->server, &net);
    budget_note(budget_find(budget, "queue"), writer.queue_bytes);
    budget_note(budget_find(budget, "caches"), live.bytes + hours.bytes);
    budget_note(budget_find(budget, "connections"),
                (net.connections + net.connections_socket) * NET_CONNECTION_BYTES);
    if (parts->store) {
        struct metric_store_status store;
        metric_store_status(parts->store, &store);
        budget_note(budget_find(budget, "store"), store.memory.used_bytes);
    }
    struct budget_account *process = budget_find(budget, "process");
    uint64_t others = 0;
    for (size_t i = 0; i < budget->count; i++)
        if (&budget->accounts[i] != process)
            others += budget->accounts[i].used_bytes;
    budget_note(process, resident_bytes > others ? resident_bytes - others : 0);
}

static uint64_t limit_of(const struct budget_account *a)
{
    return a->limit_bytes;
}

static uint64_t used_of(const struct budget_account *a)
{
    return a->used_bytes;
}

static uint64_t peak_of(const struct budget_account *a)
{
    return a->peak_bytes;
}

static uint64_t refusals_of(const struct budget_account *a)
{
    return a->refusal_count;
}

static uint64_t share_refusals_of(const struct budget_account *a)
{
    return a->share_refusal_count;
}

static void add_budget(const struct budget *budget, struct strbuf *out)
{
    static const struct {
        const char *name, *kind, *help;
        uint64_t (*value)(const struct budget_account *account);
    } kinds[] = {
        { "budget_limit_bytes", "gauge", "Share of [barod] memory_max.", limit_of },
        { "budget_used_bytes", "gauge", "What of it is used.", used_of },
        { "budget_peak_bytes", "gauge", "The most that was used at a time.", peak_of },
        { "budget_refusals_total", "counter",
          "Requests refused because it was full, or its sender had its share.",
          refusals_of },
        { "budget_share_refusals_total", "counter",
          "Requests refused because their sender had its share.", share_refusals_of },
    };
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        metrics_add_head(out, kinds[k].name, kinds[k].kind, kinds[k].help);
        for (size_t i = 0; i < budget->count; i++)
            metrics_add_labelled(out, kinds[k].name, "account",
                                 budget->accounts[i].name,
                                 kinds[k].value(&budget->accounts[i]));
    }
    metrics_add_count(out, "budget_memory_max_bytes", "gauge", "All shares together.",
                      budget->limit_bytes);
}

static void add_limits(const struct daemon_parts *parts, struct strbuf *out)
{
    const struct daemon_opts *opts = parts->opts;
    struct api_stats api = { 0 };
    if (parts->api)
        api_get_stats(parts->api, &api);
    const struct {
        const char *name, *help;
        uint64_t value;
        bool is_of_store;
    } limits[] = {
        { "api_queries_waiting", "Questions that wait for a worker of the database.",
          api.waiting, false },
        { "api_queries_limit", "As many as may wait.", api.waiting_max, false },
        { "api_metric_queries_waiting",
          "Questions that wait for a worker of the metric store.", api.metrics_waiting,
          true },
        { "api_metric_queries_limit", "As many as may wait.", api.metrics_waiting_max,
          true },
        { "ingest_queue_limit_bytes", "What baro_ingest_queue_bytes may be.",
          opts->barod.queue_bytes_max, false },
        { "query_live_limit_bytes", "What baro_query_live_bytes may be.",
          opts->barod.live_bytes_max, false },
        { "store_series_limit", "What baro_store_series may be.",
          opts->store.series_max, true },
        { "store_metrics_limit", "What baro_store_metrics may be.", METRICS_MAX, true },
        { "store_memory_limit_bytes", "What baro_store_memory_used_bytes may be.",
          opts->store.memory_bytes_max, true },
    };
    for (size_t i = 0; i < COUNT_OF(limits); i++)
        if (parts->store || !limits[i].is_of_store)
            metrics_add_count(out, limits[i].name, "gauge", limits[i].help,
                              limits[i].value);
}

void metrics_add_limits(const struct daemon_parts *parts, uint64_t resident_bytes,
                        struct strbuf *out)
{
    note_use(parts, resident_bytes);
    add_budget(parts->budget, out);
    add_limits(parts, out);
}
