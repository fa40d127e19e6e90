/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_page - the daemon's own counters as Prometheus reads them, and its health.
 */
#include "daemon/metrics/metrics_page.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "daemon/metrics/metrics_limits.h"
#include "daemon/metrics/metrics_store.h"
#include "daemon/metrics/metrics_text.h"
#include "daemon/nats.h"
#include "daemon/remote.h"
#include "daemon/scrape.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static void add_counter(struct strbuf *out, const char *name, const char *help,
                        uint64_t value)
{
    metrics_add_count(out, name, "counter", help, value);
}

static void add_gauge(struct strbuf *out, const char *name, const char *help,
                      uint64_t value)
{
    metrics_add_count(out, name, "gauge", help, value);
}

static void add_net(const struct net_server *server, struct strbuf *out)
{
    struct net_stats s;
    net_server_stats(server, &s);
    add_gauge(out, "net_connections", "TCP connections that are open.", s.connections);
    add_gauge(out, "net_connections_limit", "As many as may be.", s.connections_max);
    add_gauge(out, "net_connections_unauthenticated",
              "Of these, without a valid token; half of the limit at most.",
              s.connections_unauthenticated);
    add_gauge(out, "net_socket_connections", "Connections of the unix socket.",
              s.connections_socket);
    add_gauge(out, "net_socket_connections_limit", "As many as may be.",
              s.connections_socket_max);
    add_counter(out, "net_requests_total", "Requests since start.", s.requests);
    metrics_add_head(out, "net_responses_total", "counter",
                     "Responses by class of status.");
    for (unsigned class = 2; class < COUNT_OF(s.status); class ++)
        strbuf_addf(out, "baro_net_responses_total{class=\"%uxx\"} %llu\n", class,
                    (unsigned long long)s.status[class]);
    add_counter(out, "net_refused_full_total",
                "Connections refused because there were too many.", s.refused_full);
    add_counter(out, "net_swept_slow_total",
                "Connections closed because the peer was too slow.", s.swept_slow);
    add_counter(out, "net_body_bytes_total", "Bytes of bodies as received.",
                s.body_bytes);
    add_gauge(out, "net_budget_bytes", "Memory that requests hold now.",
              s.budget_bytes);
    add_gauge(out, "net_response_bytes", "Memory of responses that are not read yet.",
              s.response_bytes);
    add_counter(out, "net_response_refusals_total",
                "Responses that became 503 because these needed too much.",
                s.response_refusals);
    add_counter(out, "net_rate_refusals_total",
                "Requests refused because the sender was over its rate (429).",
                s.rate_refusals);
    add_gauge(out, "net_rate_senders", "Senders whose rates are known.",
              s.rate_senders);
    add_gauge(out, "net_rate_senders_limit", "As many as may be.", s.rate_senders_max);
    add_counter(out, "net_rate_forgotten_total",
                "Senders that were evicted for others, and begin anew.",
                s.rate_forgotten);
    add_counter(out, "net_budget_refusals_total",
                "Requests refused because all of them together held too much.",
                s.budget_refusals);
}

static void add_tokens(struct net_server *server, struct strbuf *out)
{
    int64_t left_s;
    if (token_watch_left(net_server_tokens(server), clock_now_ns() / NS_PER_S, &left_s))
        add_gauge(out, "net_token_expires_seconds",
                  "Until the first of the tokens that were shown lately ends.",
                  (uint64_t)left_s);
}

static void add_ingest(const struct daemon_parts *parts, struct strbuf *out)
{
    struct jobstats_stats s;
    jobstats_routes_stats(parts->jobstats, &s);
    add_counter(out, "ingest_batches_total", "Batches with the response 200.",
                s.batches);
    add_counter(out, "ingest_batches_replayed_total", "Of these, known already.",
                s.replayed);
    add_counter(out, "ingest_batches_failed_total",
                "Batches with an error as response.", s.failed);
    add_counter(out, "ingest_rows_accepted_total", "Rows that were new.", s.accepted);
    add_counter(out, "ingest_rows_duplicate_total", "Rows whose key was there.",
                s.duplicate);
    add_counter(out, "ingest_rows_refused_total", "Rows out of the accepted times.",
                s.refused);
    add_counter(out, "ingest_entries_bad_total", "Entries that were not understood.",
                s.bad);
    add_counter(out, "ingest_entries_foreign_total",
                "Entries of targets that the sender may not report.", s.foreign);
    add_counter(out, "records_clock_doubts_total",
                "Batches deferred because the server's clock seems to be wrong.",
                records_clock_doubts(parts->records));
    struct records_inventory_stats parts_of_nodes;
    records_inventory_stats(parts->records, &parts_of_nodes);
    add_counter(out, "records_inventory_changes_dropped_total",
                "Changes of nodes' parts over the bound of a host and day.",
                parts_of_nodes.changes_dropped);
    add_counter(out, "records_inventory_stays_pruned_total",
                "Places of gone parts deleted: their host had too many.",
                parts_of_nodes.stays_pruned);
    struct ingest_writer_stats w;
    ingest_writer_stats(parts->writer, &w);
    add_gauge(out, "ingest_queue_bytes", "Batches that wait for the database.",
              w.queue_bytes);
    add_counter(out, "ingest_queue_full_total", "Batches refused because it was full.",
                w.full_count);
}

static void add_submissions(const struct submission_routes *submissions,
                            enum submission_kind kind, const char *what,
                            struct strbuf *out)
{
    struct submission_stats s;
    submission_routes_stats(submissions, kind, &s);
    const struct {
        const char *name, *help;
        uint64_t value;
    } counters[] = {
        { "bodies", "Bodies with the response 200.", s.bodies },
        { "failed", "Bodies with an error as response.", s.failed },
        { "accepted", "Lines that were new.", s.accepted },
        { "changed", "Lines that replaced earlier ones.", s.changed },
        { "duplicate", "Lines that changed nothing.", s.duplicate },
        { "refused", "Lines that are not stored.", s.refused },
    };
    for (size_t i = 0; i < COUNT_OF(counters); i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "ingest_%s_%s_total", what, counters[i].name);
        add_counter(out, name, counters[i].help, counters[i].value);
    }
}

static void add_refusals(const struct sink_refusals *refused, struct strbuf *out)
{
    struct sink_refusal refusal;
    add_counter(out, "ingest_metric_samples_refused_total",
                "Samples refused: their series or metric could not be created.",
                sink_refused(refused));
    for (size_t i = 0; sink_refusal_at(refused, i, &refusal); i++) {
        char name[80], help[256];
        (void)snprintf(name, sizeof name, "ingest_metric_samples_refused_%s_total",
                       refusal.key);
        (void)snprintf(help, sizeof help, "Of these, %s.", refusal.text);
        add_counter(out, name, help, refusal.count);
    }
}

static void add_writing(struct write_routes *writing, struct strbuf *out)
{
    struct write_stats s;
    write_routes_stats(writing, &s);
    add_counter(out, "ingest_metric_requests_total", "Requests that wrote metrics.",
                s.requests);
    add_counter(out, "ingest_metric_requests_failed_total",
                "Of these, to be sent again.", s.failed);
    add_counter(out, "ingest_metric_lines_total", "Lines of metrics.", s.lines);
    add_counter(out, "ingest_metric_lines_bad_total", "Lines refused.", s.bad);
    add_counter(out, "ingest_metric_lines_unaddressed_total",
                "Lines refused that name no host or no cluster.", s.unaddressed);
    add_counter(out, "ingest_metric_samples_total", "Samples that are stored.",
                s.accepted);
    add_counter(out, "ingest_metric_samples_too_old_total",
                "Samples older than the retention.", s.too_old);
    add_counter(out, "ingest_metric_samples_unknown_total",
                "Samples of metrics that are not declared.", s.unknown_metric);
    add_refusals(&s.refused, out);
    add_counter(out, "ingest_metric_unknown_tags_total",
                "Lines with tags that were not looked at.", s.unknown_tag);
    add_counter(out, "ingest_metric_samples_collapsed_total",
                "Samples of such lines that had the series and time of another line "
                "of the same request: the last one is stored.",
                s.collapsed);
    add_counter(out, "ingest_metric_strings_total", "Texts, which are left out.",
                s.strings);
    add_gauge(out, "ingest_lookup_cache_keys", "Lines whose series is cached.",
              s.cache.entries);
    add_gauge(out, "ingest_lookup_cache_bytes", "Memory that they occupy.",
              s.cache.bytes);
    add_counter(out, "ingest_lookup_cache_forgone_total",
                "Lines whose series was looked up because the cache is full.",
                s.cache.forgone);
}

static void add_records(const struct records *records, struct strbuf *out)
{
    struct records_background background;
    records_get_background(records, &background);
    add_gauge(
        out, "records_background_jobs_failed",
        "TimescaleDB's jobs of our tables whose last run failed; barod compresses "
        "in their place.",
        background.failed);
    add_counter(out, "records_background_failures_total",
                "Runs of them that failed, by TimescaleDB's count.",
                background.failures);
    add_counter(out, "records_chunks_compressed_total",
                "Chunks that barod has compressed itself.", background.compressed);
    add_counter(out, "records_chunk_failures_total",
                "Attempts of barod to compress a chunk that failed.",
                background.chunk_failures);
    add_gauge(out, "records_healthy",
              "1: the last transaction, or probe, of the database was well.",
              records_check_health(records, NULL) == 0);
    add_counter(out, "records_database_changes_total",
                "Times that the database was found to be another than was left: "
                "restored, failed over, replaced.",
                records_changes(records, NULL));
    add_gauge(out, "records_connected",
              "1 once the database was there; batches before were refused.",
              records_is_connected(records));
}

static void add_live(struct live *live, struct cell_cache *cells, struct strbuf *out)
{
    struct live_stats s;
    struct cell_cache_stats hours;
    live_get_stats(live, &s);
    cell_cache_get_stats(cells, &hours);
    add_counter(out, "query_live_rows_total", "Rows accepted into memory.", s.rows);
    add_counter(out, "query_live_rows_lost_total",
                "Rows not in memory for lack of it; the database has them.",
                s.lost_rows);
    add_counter(out, "query_live_shortened_total",
                "Times that memory was out and its time range became shorter.",
                s.shortened);
    add_gauge(out, "query_live_series", "Series in memory.", s.series);
    add_gauge(out, "query_live_bytes",
              "Memory that they occupy, and hours that were read of the database.",
              s.bytes + hours.bytes);
}

static void add_rollups(const struct rollup_worker *roller, struct strbuf *out)
{
    struct rollup_worker_stats s;
    rollup_worker_stats(roller, &s);
    add_counter(out, "records_rollup_hours_total",
                "Hours of rows that were added up, anew ones too.", s.hours);
    add_counter(out, "records_rollup_cells_total", "Cells that they became.", s.cells);
    add_counter(out, "records_rollup_stale_total",
                "Hours begun anew because rows came for them meanwhile.", s.stale);
    add_counter(out, "records_rollup_errors_total",
                "Times that the database would not have it.", s.errors);
    add_counter(out, "records_rollup_dropped_total", "Hours dropped by their age.",
                s.dropped);
    add_gauge(out, "records_rollup_backlog_hours",
              "Hours that are over and not added up.", s.backlog);
    metrics_add_double(out, "records_rollup_cpu_seconds_total", "counter",
                       "Processor time of it.", (double)s.busy_ms / 1000);
}

static void add_footprints(const struct footprint_worker *worker, struct strbuf *out)
{
    struct footprint_worker_stats s;
    footprint_worker_stats(worker, &s);
    add_counter(out, "jobs_footprints_total",
                "Runs of jobs that got a footprint after they ended.", s.runs);
    add_counter(out, "jobs_footprints_unobserved_total",
                "Of those: the store had no sample of them.", s.unobserved);
    add_counter(out, "jobs_footprint_rows_total", "Rows of footprints stored.", s.rows);
    add_counter(out, "jobs_footprint_errors_total",
                "Times that they could not be made, and were tried again.", s.errors);
    metrics_add_double(out, "jobs_footprint_cpu_seconds_total", "counter",
                       "Processor time of it.", (double)s.busy_ms / 1000);
}

static uint64_t resident_bytes(void)
{
    AUTO_FCLOSE FILE *statm = fopen("/proc/self/statm", "re");
    char line[128] = "";
    uint64_t pages = 0;
    if (!statm || !fgets(line, sizeof line, statm))
        return 0;
    struct span rest = span_of(line), total, resident;
    (void)span_cut(&rest, ' ', &total);
    (void)span_cut(&rest, ' ', &resident);
    if (number_parse_u64(resident, &pages) < 0)
        return 0;
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void add_process(uint64_t resident, struct strbuf *out)
{
    if (resident)
        add_gauge(out, "process_resident_bytes", "Memory of this process.", resident);
    struct rusage used;
    if (getrusage(RUSAGE_SELF, &used) == 0)
        metrics_add_double(out, "process_cpu_seconds_total", "counter",
                           "Processor time of this process.",
                           (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                               (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) /
                                   1e6);
}

static void add_resources(const struct daemon_parts *parts, struct strbuf *out)
{
    struct resource_counts counts;
    struct own_statements_stats own;
    resource_table_count(parts->resources, &counts);
    own_statements_stats(parts->statements, &own);
    struct presence_counts presence;
    host_presence_count(parts->presence, &presence);
    add_gauge(out, "resource_components", "Components whose health is known of.",
              counts.components);
    add_gauge(out, "resource_statements", "Statements about them that hold.",
              counts.statements);
    add_counter(out, "resource_refused_total",
                "Statements refused because there were too many.", counts.refused);
    add_gauge(out, "resource_hosts_heard", "Hosts that send, or did.", presence.hosts);
    add_gauge(out, "resource_hosts_silent", "Of these, silent now.", presence.silent);
    add_counter(out, "resource_hosts_refused_total",
                "Times a host did not become a component by what it sends: its name, "
                "or too many.",
                presence.refused);
    add_counter(out, "resource_own_statements_total",
                "Statements that barod itself made: sinks, silent hosts.", own.stored);
    add_gauge(out, "resource_own_statements_waiting", "Of these, not stored yet.",
              own.waiting);
    add_counter(out, "resource_own_statements_lost_total",
                "Of these, lost: too many waited for the database.", own.lost);
}

void metrics_page_print(const struct daemon_parts *parts, struct strbuf *out)
{
    add_net(parts->server, out);
    add_tokens(parts->server, out);
    add_ingest(parts, out);
    add_submissions(parts->submissions, SUBMISSION_JOBS, "jobs", out);
    add_submissions(parts->submissions, SUBMISSION_SUMMARIES, "summaries", out);
    add_submissions(parts->submissions, SUBMISSION_READINGS, "readings", out);
    add_submissions(parts->submissions, SUBMISSION_INVENTORY, "inventory", out);
    if (parts->writing)
        add_writing(parts->writing, out);
    if (parts->remote)
        daemon_remote_print(parts->remote, out);
    if (parts->forward)
        daemon_forward_print(parts->forward, out);
    if (parts->nats)
        daemon_nats_print(parts->nats, out);
    if (parts->scrape)
        daemon_scrape_print(parts->scrape, out);
    add_records(parts->records, out);
    add_live(parts->live, parts->cells, out);
    add_rollups(parts->roller, out);
    add_footprints(parts->footprints, out);
    if (parts->store) {
        struct metric_store_status status;
        metric_store_status(parts->store, &status);
        metrics_add_store(&status, clock_now_ns(), out);
    }
    daemon_session_print(parts->session, out);
    add_resources(parts, out);
    uint64_t resident = resident_bytes();
    metrics_add_limits(parts, resident, out);
    add_process(resident, out);
}

static void handle_metrics(void *arg, struct net_request *request)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    metrics_page_print(arg, &out);
    net_reply(request, 200, "text/plain; version=0.0.4", &out);
}

static void handle_health(void *arg, struct net_request *request)
{
    const struct daemon_parts *parts = arg;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    if (!records_is_connected(parts->records)) {
        net_reply_problem(request, 503,
                          parts->store ? "barod waits for its database; metrics are "
                                         "accepted and queried meanwhile"
                                       : "barod waits for its database");
        return;
    }
    struct err err = { 0 };
    if (records_check_health(parts->records, &err) < 0) {
        AUTO(strbuf_done) struct strbuf why = STRBUF_INIT;
        strbuf_addf(&why, "records: %s", err.text);
        net_reply_problem(request, 503, strbuf_text(&why));
        return;
    }
    strbuf_adds(&out, "{\"status\":\"up\",\"version\":\"" BARO_VERSION "\"}\n");
    net_reply_json(request, 200, &out);
}

int metrics_page_register(struct daemon_parts *parts)
{
    const struct net_route metrics = {
        .method = "GET",
        .pattern = "/metrics",
        .roles = NET_ROLE_READER,
        .handle = handle_metrics,
        .arg = parts,
    };
    const struct net_route health = {
        .method = "GET",
        .pattern = "/healthz",
        .handle = handle_health,
        .arg = parts,
    };
    int rc = net_server_add_route(parts->server, &metrics);
    return rc < 0 ? rc : net_server_add_route(parts->server, &health);
}
