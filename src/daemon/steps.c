/* SPDX-License-Identifier: Apache-2.0 */
/* steps - the rooms of barod in the order of their start. */
#include "daemon/steps.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"
#include "daemon/audit_log.h"
#include "daemon/health/resources.h"
#include "daemon/metrics/metrics_page.h"
#include "daemon/nats.h"
#include "daemon/records_sink.h"
#include "daemon/remote.h"
#include "daemon/scrape.h"
#include "daemon/store.h"
#include "daemon/submissions.h"
#include "daemon/waiting.h"

/* ---- rules of the site ---- */

static int read_rules(struct daemon *d, struct err *err)
{
    int rc = log_dirs_new(d->setup.config, &d->parts.log_dirs, err);
    if (rc == 0)
        rc = node_peaks_new(d->setup.config, &d->parts.peaks, err);
    if (rc == 0)
        rc = resource_rules_new(d->setup.config, &d->parts.resource_rules, err);
    return rc < 0 ? rc : site_rules_new(d->setup.config, &d->parts.rules, err);
}

static void free_rules(struct daemon *d)
{
    site_rules_free(d->parts.rules);
    resource_rules_free(d->parts.resource_rules);
    node_peaks_free(d->parts.peaks);
    log_dirs_free(d->parts.log_dirs);
}

/* ---- the databases ---- */

/* Without a loop (--check) barod does not wait for a database. */
int daemon_start_records(struct daemon *d, struct err *err)
{
    struct daemon_parts *parts = &d->parts;
    parts->maintain_ms = d->setup.opts.barod.maintain_ns / NS_PER_MS;
    d->setup.opts.records.is_exclusive = true;
    int rc = site_new(d->setup.config, &parts->site, err);
    if (rc == 0)
        rc = records_new(&d->setup.opts.records, parts->site, &parts->records, err);
    if (rc == 0)
        rc = records_connect(parts->records, err);
    if (records_may_come(rc) && d->has_loop)
        return daemon_waiting_new(parts, &d->loop, err, &parts->waiting);
    if (rc == 0)
        log_info("records: %s", records_describe(parts->records));
    return rc;
}

static void stop_records(struct daemon *d)
{
    records_close(d->parts.records);
    site_free(d->parts.site);
    daemon_waiting_free(d->parts.waiting);
}

static int start_store(struct daemon *d, struct err *err)
{
    struct daemon_parts *parts = &d->parts;
    int rc = running_hosts_new(&parts->running);
    if (rc == 0)
        rc = daemon_store_open(d->setup.config, &d->setup.opts.store, parts->running,
                               &parts->store, err);
    return rc;
}

static void stop_store(struct daemon *d)
{
    metric_store_close(d->parts.store);
    running_hosts_free(d->parts.running);
}

/* Of live_bytes_max so much is for hours that were read from the database. */
#define HOURS_PART 4

static int start_live(struct daemon *d, struct err *err)
{
    struct daemon_parts *parts = &d->parts;
    size_t bytes_max = d->setup.opts.barod.live_bytes_max;
    const struct live_opts opts = {
        .window_ms = d->setup.opts.barod.live_ns / NS_PER_MS,
        .bytes_max = bytes_max - bytes_max / HOURS_PART,
    };
    int rc = live_new(&opts, &parts->live);
    if (rc == 0)
        rc = cell_cache_new(bytes_max / HOURS_PART, &parts->cells);
    if (rc < 0)
        return err_set(err, -rc, "live: %s", strerror(-rc));
    if (!parts->waiting)
        daemon_warm(parts);
    return 0;
}

static void stop_live(struct daemon *d)
{
    live_free(d->parts.live);
    cell_cache_free(d->parts.cells);
}

static int start_resources(struct daemon *d, struct err *err)
{
    struct daemon_parts *parts = &d->parts;
    int rc = resource_table_new(parts->resource_rules, &parts->resources, err);
    if (rc == 0)
        rc = own_statements_new(resources_put, parts, &parts->statements);
    if (rc == 0)
        resources_load(parts);
    return rc;
}

static void stop_resources(struct daemon *d)
{
    own_statements_free(d->parts.statements);
    resource_table_free(d->parts.resources);
}

/* ---- threads of the database ---- */

static bool has_footprints(const struct daemon *d)
{
    const char *patterns = d->setup.opts.barod.footprints;
    return d->parts.store && *patterns && strcmp(patterns, RUN_FOOTPRINT_NONE) != 0;
}

/* Runs that ended before have no samples, or their own rows go at once. */
static int64_t footprints_retention(const struct daemon *d)
{
    int64_t of_store = d->setup.opts.store.retention_ns;
    int64_t of_jobs = d->setup.opts.records.retention_jobs_ns;
    return of_jobs > 0 && (of_store <= 0 || of_jobs < of_store) ? of_jobs : of_store;
}

static int start_background(struct daemon *d, struct err *err)
{
    const struct rollup_worker_opts opts = {
        .records = d->parts.records,
        .every_ms = d->setup.opts.barod.rollup_ns / NS_PER_MS,
        .retention_ms = d->setup.opts.records.rollups_retention_ns / NS_PER_MS,
    };
    int rc = daemon_scrub_start(d->parts.records, &d->parts.scrub, err);
    if (rc == 0 && d->parts.store)
        rc = running_hosts_start(d->parts.running, d->parts.records,
                                 has_footprints(d) ? footprints_retention(d) : -1, err);
    if (rc < 0 || opts.retention_ms == 0)
        return rc;
    return rollup_worker_start(&opts, &d->parts.roller, err);
}

static void stop_background(struct daemon *d)
{
    running_hosts_stop(d->parts.running);
    rollup_worker_free(d->parts.roller);
    daemon_scrub_free(d->parts.scrub);
}

static int start_writer(struct daemon *d, struct err *err)
{
    struct daemon_parts *parts = &d->parts;
    const struct ingest_writer_opts opts = {
        .put = records_sink_put,
        .idle = records_sink_upkeep,
        .idle_ns = parts->waiting ? NS_PER_S : 0,
        .arg = parts,
        .queue_bytes_max = d->setup.opts.barod.queue_bytes_max,
    };
    int rc = ingest_writer_start(&opts, &parts->writer, err);
    if (rc == 0)
        own_statements_attach(parts->statements, parts->writer);
    return rc;
}

static void stop_writer(struct daemon *d)
{
    if (d->parts.statements)
        own_statements_attach(d->parts.statements, NULL);
    ingest_writer_free(d->parts.writer);
}

/* It stores through the writer, and ends before it. */
static int start_footprints(struct daemon *d, struct err *err)
{
    struct daemon_parts *parts = &d->parts;
    const struct footprint_worker_opts opts = {
        .records = parts->records,
        .store = parts->store,
        .writer = parts->writer,
        .patterns = span_of(d->setup.opts.barod.footprints),
        .delay_ns = d->setup.opts.barod.footprint_delay_ns,
        .retention_ns = footprints_retention(d),
    };
    return has_footprints(d) ? footprint_worker_start(&opts, &parts->footprints, err)
                             : 0;
}

static void stop_footprints(struct daemon *d)
{
    footprint_worker_free(d->parts.footprints);
}

static int start_presence(struct daemon *d, struct err *err)
{
    struct daemon_parts *parts = &d->parts;
    const struct host_presence_opts opts = {
        .rules = parts->resource_rules,
        .table = parts->resources,
        .store = parts->store,
        .statements = parts->statements,
    };
    return host_presence_start(&opts, &parts->presence, err);
}

static void stop_presence(struct daemon *d)
{
    host_presence_stop(d->parts.presence);
}

/* ---- the server, and what it accepts ---- */

static int new_server(struct daemon *d, struct err *err)
{
    int rc = net_server_new(&d->setup.opts.net, &d->parts.server, err);
    if (rc == 0 && net_server_warning(d->parts.server)[0])
        log_warn("net: %s", net_server_warning(d->parts.server));
    return rc;
}

/* While it waits for deferred requests, the writer still responds to them. */
static void stop_server(struct daemon *d)
{
    api_stop(d->parts.api);
    resource_routes_stop(d->parts.resource_routes);
    daemon_session_close_routes(d->parts.session);
    login_stop(d->parts.login);
    net_server_free(d->parts.server);
    d->parts.server = NULL;
}

/* --check makes no queue. */
static int new_forward(struct daemon *d, struct err *err)
{
    if (!d->has_loop)
        return daemon_forward_check(d->setup.config, err);
    return daemon_forward_new(d->setup.config, &d->setup.opts.store, d->parts.store,
                              &d->parts.forward, err);
}

static int start_forward(struct daemon *d, struct err *err)
{
    return daemon_forward_start(d->parts.forward, err);
}

static void stop_forward(struct daemon *d)
{
    daemon_forward_free(d->parts.forward);
}

/* The ways in for metrics; without a store there are none. */
static int start_writing(struct daemon *d, struct err *err)
{
    struct daemon_parts *parts = &d->parts;
    const struct net_opts *net = &d->setup.opts.net;
    bool has_tokens = *net->key || *net->jwt_public_key;
    enum metric_strictness strictness;
    int rc = daemon_strictness(&d->setup.opts.store, &strictness, err);
    if (rc < 0 || !parts->store)
        return rc;
    rc = store_sink_new(parts->store, d->setup.opts.store.series_max,
                        &d->setup.opts.write, &parts->write, err);
    if (rc == 0)
        store_sink_forward(parts->write, parts->forward);
    if (rc == 0)
        rc = write_routes_new(parts->server, &d->setup.opts.write,
                              store_sink_get(parts->write), strictness == METRIC_STRICT,
                              has_tokens, &parts->writing, err);
    if (rc == 0)
        rc = daemon_remote_new(parts, has_tokens, err);
    return rc;
}

static void stop_writing(struct daemon *d)
{
    remote_routes_free(d->parts.remote);
    write_routes_free(d->parts.writing);
    store_sink_free(d->parts.write);
}

/* Metrics that are not sent by HTTP. */
static int new_pullers(struct daemon *d, struct err *err)
{
    struct daemon_parts *parts = &d->parts;
    bool is_wanted = config_name_count(d->setup.config, "nats_subscription") > 0 ||
                     config_name_count(d->setup.config, "scrape") > 0;
    if (!parts->store)
        return is_wanted ? err_set(err, EINVAL,
                                   "there is no [store] for the metrics of "
                                   "[nats_subscription] and [scrape]")
                         : 0;
    int rc = daemon_nats_new(d->setup.config, &d->setup.opts.write,
                             store_sink_get(parts->write), parts->writing, &parts->nats,
                             err);
    if (rc == 0)
        rc = daemon_scrape_new(d->setup.config, &d->setup.opts.write,
                               store_sink_get(parts->write), parts->writing,
                               &parts->scrape, err);
    return rc;
}

static int start_pullers(struct daemon *d, struct err *err)
{
    struct daemon_parts *parts = &d->parts;
    int rc = parts->nats ? nats_source_start(parts->nats, err) : 0;
    if (rc == 0 && parts->scrape)
        rc = scrape_source_start(parts->scrape, err);
    return rc;
}

/* Their threads write through the routes' lookup cache: they end before it. */
static void stop_pullers(struct daemon *d)
{
    nats_source_free(d->parts.nats);
    scrape_source_free(d->parts.scrape);
}

/* On any HTTP thread. */
static void report_limited(void *arg, const char *sender, const char *reason,
                           const char *outcome, const char *key)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct log_limit limit = LOG_LIMIT_INIT;
    (void)arg;
    LOCKED(&lock);
    log_limited(&limit, LOG_LEVEL_WARN, "net: %s %s and %s; see %s", sender, reason,
                outcome, key);
}

/* On any HTTP thread. */
static void report_audit(void *arg, const struct net_audit *audit)
{
    static struct audit_log log = AUDIT_LOG_INIT;
    (void)arg;
    audit_log_write(&log, audit);
}

static int start_ingest(struct daemon *d, struct err *err)
{
    struct daemon_parts *parts = &d->parts;
    (void)err;
    net_server_on_limited(parts->server, report_limited, NULL);
    net_server_on_audit(parts->server, report_audit, NULL);
    int rc = jobstats_routes_new(parts->server, parts->writer, parts->site, 0,
                                 &parts->jobstats);
    return rc < 0 ? rc : submissions_new(parts, &parts->submissions);
}

static void stop_ingest(struct daemon *d)
{
    jobstats_routes_free(d->parts.jobstats);
    submission_routes_free(d->parts.submissions);
}

/* Before anything is taken in. */
static int load_senders(struct daemon *d, struct err *err)
{
    struct daemon_parts *parts = &d->parts;
    if (!parts->write)
        return 0;
    int rc =
        daemon_senders_load(d->setup.opts.store.directory,
                            store_sink_get(parts->write)->quota, &parts->senders, err);
    return rc < 0 ? rc : daemon_senders_start(parts->senders, &d->loop);
}

static void stop_senders(struct daemon *d)
{
    daemon_senders_stop(d->parts.senders);
}

static int start_metrics_page(struct daemon *d, struct err *err)
{
    (void)err;
    return metrics_page_register(&d->parts);
}

static int start_api(struct daemon *d, struct err *err)
{
    struct daemon_parts *parts = &d->parts;
    const char *map = d->setup.opts.barod.climate_map;
    struct api_opts opts = {
        .records = parts->records,
        .site = parts->site,
        .live = parts->live,
        .cells = parts->cells,
        .store = parts->store,
        .climate_map = map[0] ? map : RUNS_MAP_DEFAULT,
        .log_dirs = parts->log_dirs,
        .peaks = parts->peaks,
        .rules = parts->rules,
        .resource_rules = parts->resource_rules,
        .timeout_ns = d->setup.opts.barod.query_timeout_ns,
        .queries = budget_find(&d->setup.budget, "queries"),
    };
    int rc = daemon_strictness(&d->setup.opts.store, &opts.strictness, err);
    if (rc == 0)
        rc = api_new(&opts, &parts->api, err);
    return rc < 0 ? rc : api_register(parts->api, parts->server);
}

static void stop_api(struct daemon *d)
{
    api_free(d->parts.api);
}

static int new_resource_routes(struct daemon *d, struct err *err)
{
    struct daemon_parts *parts = &d->parts;
    const struct resource_routes_opts opts = { .table = parts->resources,
                                               .put = resources_put,
                                               .arg = parts };
    return resource_routes_new(&opts, &parts->resource_routes, err);
}

static int add_resource_routes(struct daemon *d, struct err *err)
{
    struct daemon_parts *parts = &d->parts;
    (void)err;
    return resource_routes_register(parts->resource_routes, parts->writer,
                                    parts->server);
}

static void stop_resource_routes(struct daemon *d)
{
    resource_routes_free(d->parts.resource_routes);
}

/* A check makes a plan of it; nothing else can be checked without its peers. */
static int start_session(struct daemon *d, struct err *err)
{
    const struct daemon_session_opts opts = {
        .session = &d->setup.opts.session,
        .plugins = &d->setup.opts.plugins,
        .store = d->parts.store,
        .write = d->parts.write,
        .forward = d->parts.forward,
        .server = d->parts.server,
        .statements = d->parts.statements,
        .presence = d->parts.presence,
    };
    return daemon_session_start(&opts, &d->parts.session, err);
}

static void stop_session(struct daemon *d)
{
    daemon_session_stop(d->parts.session);
}

/* On a worker. */
static void report_login(void *arg, const char *text)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    (void)arg;
    log_limited(&limit, LOG_LEVEL_WARN, "login: %s", text);
}

static int new_login(struct daemon *d, struct err *err)
{
    struct daemon_parts *parts = &d->parts;
    return login_new(&d->setup.opts.login, parts->server, report_login, NULL,
                     &parts->login, err);
}

static int start_login(struct daemon *d, struct err *err)
{
    return login_start(d->parts.login, err);
}

static void stop_login(struct daemon *d)
{
    login_free(d->parts.login);
}

static int start_signals(struct daemon *d, struct err *err)
{
    (void)err;
    signals_start(&d->signals, &d->loop, d->parts.store);
    return 0;
}

static int start_listening(struct daemon *d, struct err *err)
{
    return net_server_start(d->parts.server, err);
}

/* ---- the order ---- */

/* A stop is called for a part that was not started, too, and then does nothing. */
static const struct {
    int (*start)(struct daemon *d, struct err *err);
    void (*stop)(struct daemon *d);
    bool is_checked; /* by --check, too: what a start refuses here, a check refuses */
} steps[] = {
    { read_rules, free_rules, true },
    { daemon_start_records, stop_records, false },
    { start_store, stop_store, false },
    { start_live, stop_live, false },
    { start_resources, stop_resources, false },
    { start_background, stop_background, false },
    /* They stop behind the writer, which wakes those that wait for changes. */
    { new_resource_routes, stop_resource_routes, false },
    /* Batches count up to the writer's end: it stops behind that. */
    { start_presence, stop_presence, false },
    { start_writer, stop_writer, false },
    { start_footprints, stop_footprints, false },
    { new_server, NULL, true },
    { new_forward, stop_forward, true },
    { start_writing, stop_writing, true },
    { new_pullers, NULL, true },
    { new_login, stop_login, true },
    { start_ingest, stop_ingest, false },
    { load_senders, stop_senders, false },
    { start_metrics_page, NULL, false },
    { start_api, stop_api, false },
    { add_resource_routes, NULL, false },
    { start_forward, NULL, false },
    { start_pullers, stop_pullers, false },
    { start_session, stop_session, false },
    { start_login, NULL, false },
    /* Before the server listens: a program that sees it up may stop it. */
    { start_signals, NULL, false },
    { start_listening, stop_server, false },
};

static void join_parts(struct daemon *d)
{
    d->parts.budget = &d->setup.budget;
    d->parts.opts = &d->setup.opts;
}

int daemon_start(struct daemon *d, struct err *err)
{
    int rc = 0;
    join_parts(d);
    for (size_t i = 0; rc == 0 && i < COUNT_OF(steps); i++)
        rc = steps[i].start(d, err);
    return rc;
}

int daemon_start_checked(struct daemon *d, struct err *err)
{
    int rc = 0;
    join_parts(d);
    for (size_t i = 0; rc == 0 && i < COUNT_OF(steps); i++)
        if (steps[i].is_checked)
            rc = steps[i].start(d, err);
    return rc;
}

void daemon_stop(struct daemon *d)
{
    for (size_t i = COUNT_OF(steps); i > 0; i--)
        if (steps[i - 1].stop)
            steps[i - 1].stop(d);
    if (d->has_loop) {
        signals_stop(&d->signals);
        (void)uv_run(&d->loop, UV_RUN_DEFAULT);
        (void)uv_loop_close(&d->loop);
    }
    daemon_setup_done(&d->setup);
}
