/* SPDX-License-Identifier: Apache-2.0 */
/* barod - the daemon of the control node: takes in, keeps, answers.
 *
 *     net ──▶ ingest ──▶ writer thread ──▶ records ──▶ (after COMMIT) live
 *      ▲                                      │                          │
 *      └──────── api ◀── query ◀──────────────┴──────────────────────────┘
 *
 * This file joins the rooms; none of them knows the next one on that way.
 */
#include "base/cgroup.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "base/options.h"
#include "base/terminal.h"
#include "base/unit_file.h"
#include "cmd/barod_config.h"
#include "cmd/barod_memory.h"
#include "cmd/barod_nats.h"
#include "cmd/barod_rooms.h"
#include "cmd/barod_scrape.h"
#include "cmd/barod_tokens.h"
#include "cmd/barod_told.h"
#include "cmd/barod_waiting.h"
#include "cmd/service_user.h"

#include <libgen.h>
#include <signal.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>
#include <uv.h>

#define CONFIG_DEFAULT "/etc/barograph/barod.conf"
#define UNIT_DEFAULT "barod.service"

struct args {
    const char *config;
    struct option_list set;
    bool check;
    bool verbose;
    const char *user;
    const char *unit;
};

/* Everything that lives from start to stop, in the order of its making. */
struct daemon {
    struct config *config;
    struct barod_opts opts;
    struct budget budget;
    uint64_t memory_limit; /* of the control group, or of the unit that is checked */
    struct strbuf memory_path;
    uv_loop_t loop;
    bool has_loop;
    struct barod_rooms rooms;
    uv_signal_t signals[4];
    bool has_signals;
};

/* ---- the joints ---- */

/* On the writer thread.  What memory has of the last hour is of a database that is no
 * more: the one that is there answers for it. */
static void database_look(struct barod_rooms *rooms)
{
    AUTO(strbuf_done) struct strbuf news = STRBUF_INIT;
    if (records_changes(rooms->records, NULL) == rooms->database_changes)
        return;
    rooms->database_changes = records_changes(rooms->records, &news);
    live_doubt(rooms->live, clock_now_ms() + 3600 * MS_PER_S);
    log_error("records: the database is not as barod left it: %s; everything that was "
              "known of it is forgotten, and it is opened anew",
              strbuf_text(&news));
}

static void on_taken(void *arg, const struct series *series, const struct jobrow *row)
{
    struct barod_rooms *rooms = arg;
    database_look(rooms); /* before the first row of the new one */
    live_taken(rooms->live, series, row);
}

/* Rows that may be stored, but will never be told: memory starts anew behind them. */
static void doubt_rows(struct live *live, const struct jobbatch *batch, int64_t now_ms)
{
    int64_t last_ms = 0;
    for (size_t i = 0; i < batch->row_count; i++) {
        int64_t t_ms = batch->rows[i].t_ms;
        if (t_ms > last_ms && t_ms <= now_ms + 3600 * MS_PER_S)
            last_ms = t_ms;
    }
    live_doubt(live, last_ms);
}

/* A person must mend it, and a limit of its own lets nothing else drown it. */
static void tell_clock(const struct err *err)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    log_limited(&limit, LOG_LEVEL_ERROR,
                "records: %s; batches stay with their senders until it is set right; "
                "if it is right, a longer retention in [records] takes them",
                err->text);
}

/* On the writer thread. */
static int put_batch(void *arg, const struct jobbatch *batch, struct ingest_answer *ret,
                     struct err *err)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    struct barod_rooms *rooms = arg;
    struct records_answer answer = { 0 };
    uint64_t doubts = records_doubts(rooms->records);
    uint64_t clock_doubts = records_clock_doubts(rooms->records);
    int64_t now_ms = clock_now_ms();
    int rc = records_put(rooms->records, batch, now_ms, &answer, on_taken, rooms, err);
    database_look(rooms);
    if (records_doubts(rooms->records) != doubts)
        doubt_rows(rooms->live, batch, now_ms);
    if (records_clock_doubts(rooms->records) != clock_doubts) {
        tell_clock(err);
        return rc;
    }
    if (rc < 0) {
        log_limited(&limit, LOG_LEVEL_WARN,
                    "records: %s; the batch stays with its sender%s", err->text,
                    rc == -EACCES ? ": give barod's role what is missing (GRANT), or "
                                    "the file to its user"
                                  : "");
        /* The sender may do it; it is we who may not. */
        if (rc == -EACCES)
            rc = err_set(err, EAGAIN, "the database does not let barod write");
        /* A newer program has been at it: ours is the one to be upgraded. */
        if (rc == -EBADMSG)
            rc = err_set(err, EAGAIN, "the database is newer than this barod");
        if (rc == -EUCLEAN)
            rc = err_set(err, EAGAIN, "the database is damaged: see barod's log");
        return rc;
    }
    *ret = (struct ingest_answer){
        .taken = answer.taken,
        .known = answer.known,
        .refused = answer.refused,
        .replayed = answer.replayed,
    };
    _Static_assert((int)RECORDS_REFUSALS_MAX <= (int)INGEST_REFUSALS_MAX,
                   "every refusal that records name fits the answer");
    for (size_t i = 0; i < answer.refusal_count; i++)
        ret->refusals[ret->refusal_count++] = (struct ingest_refusal){
            answer.refusals[i].row,
            answer.refusals[i].reason,
        };
    return 0;
}

/* On any HTTP thread. */
static void tell_limited(void *arg, const char *sender, const char *reason,
                         const char *outcome, const char *key)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct log_limit limit = LOG_LIMIT_INIT;
    (void)arg;
    LOCKED(&lock);
    log_limited(&limit, LOG_LEVEL_WARN, "net: %s %s and %s; see %s", sender, reason,
                outcome, key);
}

/* Also where nothing is sent: health is known, and a database that comes back is found
 * before the first batch is. */
static bool is_well(struct barod_rooms *rooms)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    struct err err = { 0 };
    int rc = records_probe(rooms->records, &err);
    database_look(rooms);
    if (rc < 0)
        log_limited(&limit, LOG_LEVEL_WARN,
                    "records: %s; nothing is stored until that is mended, batches stay "
                    "with their senders",
                    err.text);
    else if (rooms->is_unwell)
        log_notice("records: the database can be written again");
    rooms->is_unwell = rc < 0;
    return rc == 0;
}

static void background_look(struct barod_rooms *rooms)
{
    static struct log_limit limit = LOG_LIMIT_INIT, chunks = LOG_LIMIT_INIT;
    static uint64_t chunk_failures; /* that were logged */
    struct records_background background;
    records_get_background(rooms->records, &background);
    if (background.failed > 0)
        log_limited(&limit, LOG_LEVEL_WARN,
                    "records: %llu of TimescaleDB's background jobs failed (%s); barod "
                    "compresses a day at a time itself; see "
                    "timescaledb_information.job_errors",
                    (unsigned long long)background.failed, background.why);
    if (background.chunk_failures != chunk_failures)
        log_limited(&chunks, LOG_LEVEL_WARN,
                    "records: a chunk could not be compressed: %s; it is passed over, "
                    "and tried again when all others are compressed",
                    background.chunk_why);
    chunk_failures = background.chunk_failures;
}

/* On the writer thread too: it alone changes the database. */
static void keep_house(void *arg)
{
    struct barod_rooms *rooms = arg;
    struct err err = { 0 };
    if (barod_waiting_is_on(rooms->waiting) || !is_well(rooms))
        return;
    int64_t now_ms = clock_now_ms();
    int64_t passed_ms = now_ms - rooms->maintained_ms;
    /* Before the last time: the clock was set back. */
    if (rooms->maintained_ms && passed_ms >= 0 && passed_ms < rooms->maintain_ms)
        return;
    rooms->maintained_ms = now_ms;
    if (records_maintain(rooms->records, now_ms, &err) < 0)
        log_warn("records: upkeep: %s; tried again later", err.text);
    background_look(rooms);
}

/* ---- start and stop ---- */

/* Who checks is not in the unit's control group: there the unit itself counts, too. */
static int divide_memory(struct daemon *d, const struct args *args, struct err *err)
{
    AUTO(strbuf_done) struct strbuf warning = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf unit = STRBUF_INIT;
    struct barod_memory_limit limit = { cgroup_memory_limit("", &d->memory_path), "" };
    uint64_t ram = cgroup_machine_memory();
    d->rooms.budget = &d->budget;
    d->rooms.opts = &d->opts;
    bool has_store =
        config_has(d->config, "store") || config_name_count(d->config, "metric") > 0;
    if (args->check) {
        const char *name = args->unit ? args->unit : UNIT_DEFAULT;
        uint64_t bytes = unit_file_memory_max("", name, ram, &unit);
        if (args->unit && unit.size == 0)
            return err_set(err, EINVAL, "--unit: there is no '%s'", args->unit);
        if (bytes < limit.bytes || (unit.size && d->memory_path.size == 0)) {
            limit.bytes = bytes;
            strbuf_clear(&d->memory_path);
            strbuf_add_span(&d->memory_path, strbuf_span(&unit));
        }
    }
    limit.path = strbuf_text(&d->memory_path);
    d->memory_limit = limit.bytes;
    int rc = barod_memory_divide(&d->opts, d->config,
                                 has_store ? BAROD_WITH_STORE : BAROD_WITHOUT_STORE,
                                 &limit, &d->budget, &warning, err);
    if (rc == 0 && warning.size)
        log_warn("%s", strbuf_text(&warning));
    if (rc == 0 && ram && d->budget.limit_bytes > ram)
        barod_memory_warn_ram(d->budget.limit_bytes, ram);
    return rc;
}

static int load_config(const struct args *args, struct daemon *d, struct err *err)
{
    size_t count;
    const struct config_section *sections = barod_config_sections(&count);
    const char *path = args->config ? args->config : CONFIG_DEFAULT;
    int rc;
    if (!args->config && access(path, F_OK) < 0) {
        log_notice("there is no %s; the defaults hold", path);
        rc = config_parse("defaults", (struct span){ 0 }, sections, count, &d->config,
                          err);
    } else {
        rc = config_load(path, sections, count, &d->config, err);
        if (rc == 0)
            rc = barod_config_check_secrets(path, d->config, err);
    }
    for (size_t i = 0; rc == 0 && i < args->set.count; i++)
        rc = config_set(d->config, span_of(args->set.items[i]), err);
    if (rc == 0)
        rc = barod_config_fill(d->config, &d->opts, err);
    return rc < 0 ? rc : divide_memory(d, args, err);
}

/* Without a loop there is nobody to wait for it: --check. */
static int open_records(struct daemon *d, struct err *err)
{
    struct barod_rooms *rooms = &d->rooms;
    rooms->maintain_ms = d->opts.barod.maintain_ns / NS_PER_MS;
    d->opts.records.is_exclusive = true;
    int rc = site_new(d->config, &rooms->site, err);
    if (rc == 0)
        rc = records_new(&d->opts.records, rooms->site, &rooms->records, err);
    if (rc == 0)
        rc = records_connect(rooms->records, err);
    if (records_may_come(rc) && d->has_loop)
        return barod_waiting_new(rooms, &d->loop, err, &rooms->waiting);
    if (rc == 0)
        log_info("records: %s", records_describe(rooms->records));
    return rc;
}

static int start_live(struct daemon *d, struct err *err)
{
    struct barod_rooms *rooms = &d->rooms;
    const struct live_opts opts = {
        .keep_ms = d->opts.barod.live_ns / NS_PER_MS,
        .bytes_max = d->opts.barod.live_bytes_max,
    };
    int rc = live_new(&opts, &rooms->live);
    if (rc < 0)
        return err_set(err, -rc, "live: %s", strerror(-rc));
    if (!rooms->waiting)
        barod_warm(rooms);
    return 0;
}

static int start_rollups(struct daemon *d, struct err *err)
{
    const struct rollup_worker_opts opts = {
        .records = d->rooms.records,
        .every_ms = d->opts.barod.rollup_ns / NS_PER_MS,
        .retention_ms = d->opts.records.rollups_retention_ns / NS_PER_MS,
    };
    int rc = barod_scrub_start(d->rooms.records, &d->rooms.scrub, err);
    if (rc < 0 || opts.retention_ms == 0)
        return rc;
    return rollup_worker_start(&opts, &d->rooms.roller, err);
}

static int start_api(struct daemon *d, struct err *err)
{
    struct barod_rooms *rooms = &d->rooms;
    struct api_opts opts = {
        .records = rooms->records,
        .live = rooms->live,
        .store = rooms->store,
        .timeout_ns = d->opts.barod.question_timeout_ns,
        .questions = budget_find(&d->budget, "questions"),
    };
    int rc = barod_strictness(&d->opts.store, &opts.strictness, err);
    if (rc == 0)
        rc = api_new(&opts, &rooms->api, err);
    return rc < 0 ? rc : api_register(rooms->api, rooms->server);
}

/* The ways in for metrics; without a store there are none. */
static int start_writing(struct daemon *d, struct err *err)
{
    struct barod_rooms *rooms = &d->rooms;
    const struct net_opts *net = &d->opts.net;
    bool has_tokens = *net->key || *net->jwt_public_key;
    enum metric_strictness strictness;
    if (!rooms->store)
        return 0;
    int rc = barod_strictness(&d->opts.store, &strictness, err);
    if (rc == 0)
        rc = barod_write_new(rooms->store, d->opts.store.series_max, &d->opts.write,
                             &rooms->write, err);
    if (rc == 0)
        rc = write_routes_new(
            rooms->server, &d->opts.write, barod_write_sink(rooms->write),
            strictness == METRIC_STRICT, has_tokens, &rooms->writing, err);
    return rc;
}

/* Before anything is taken in. */
static int load_senders(struct daemon *d, struct err *err)
{
    struct barod_rooms *rooms = &d->rooms;
    if (!rooms->write)
        return 0;
    int rc =
        barod_senders_load(d->opts.store.directory,
                           barod_write_sink(rooms->write)->quota, &rooms->senders, err);
    return rc < 0 ? rc : barod_senders_start(rooms->senders, &d->loop);
}

/* Metrics that are not sent by HTTP. */
static int prepare_senders(struct daemon *d, struct err *err)
{
    struct barod_rooms *rooms = &d->rooms;
    bool is_wanted = config_name_count(d->config, "nats_subscription") > 0 ||
                     config_name_count(d->config, "scrape") > 0;
    if (!rooms->store)
        return is_wanted ? err_set(err, EINVAL,
                                   "there is no [store] for the metrics of "
                                   "[nats_subscription] and [scrape]")
                         : 0;
    int rc = barod_nats_new(d->config, &d->opts.write, barod_write_sink(rooms->write),
                            rooms->writing, &rooms->nats, err);
    if (rc == 0)
        rc = barod_scrape_new(d->config, &d->opts.write, barod_write_sink(rooms->write),
                              rooms->writing, &rooms->scrape, err);
    return rc;
}

static int start_senders(struct daemon *d, struct err *err)
{
    struct barod_rooms *rooms = &d->rooms;
    int rc = rooms->nats ? nats_source_start(rooms->nats, err) : 0;
    if (rc == 0 && rooms->scrape)
        rc = scrape_source_start(rooms->scrape, err);
    return rc;
}

static int new_server(struct daemon *d, struct err *err)
{
    int rc = net_server_new(&d->opts.net, &d->rooms.server, err);
    if (rc == 0 && net_server_warning(d->rooms.server)[0])
        log_warn("net: %s", net_server_warning(d->rooms.server));
    return rc;
}

/* All that a start makes of the configuration beside the databases, for --check too:
 * what a start refuses here, a check refuses. */
static int prepare(struct daemon *d, struct err *err)
{
    enum metric_strictness strictness;
    int rc = barod_strictness(&d->opts.store, &strictness, err);
    if (rc == 0)
        rc = new_server(d, err);
    if (rc == 0)
        rc = start_writing(d, err);
    if (rc == 0)
        rc = prepare_senders(d, err);
    return rc;
}

static int start_writer(struct daemon *d, struct err *err)
{
    struct barod_rooms *rooms = &d->rooms;
    const struct ingest_writer_opts opts = {
        .put = put_batch,
        .idle = keep_house,
        .idle_ns = rooms->waiting ? NS_PER_S : 0,
        .arg = rooms,
        .queue_bytes_max = d->opts.barod.queue_bytes_max,
    };
    return ingest_writer_start(&opts, &rooms->writer, err);
}

/* Ctrl+Z.  What others put between the sync and the stop is in the log all the same. */
static void suspend(const struct daemon *d)
{
    struct metric_store *store = d->rooms.store;
    struct err err = { 0 };
    log_notice("SIGTSTP: what is in memory only is written, then this stops until "
               "SIGCONT");
    int rc = store ? metric_store_shutdown(store, &err) : 0;
    if (rc < 0)
        log_error("store: %s; the log has it", err.text);
    rc = store ? metric_store_sync(store) : 0;
    if (rc < 0)
        log_error("store: sync: %s", strerror(-rc));
    (void)raise(SIGSTOP);
    log_notice("continued");
}

static void on_signal(uv_signal_t *handle, int signum)
{
    if (signum == SIGTSTP) {
        suspend(handle->data);
        return;
    }
    if (signum == SIGHUP) {
        log_info(
            "SIGHUP: the configuration is read at start only; restart to change it");
        return;
    }
    log_info("signal %d: stopping", signum);
    uv_stop(handle->loop);
}

/* Before anything answers: who has seen it up may stop it. */
static void signals_start(struct daemon *d)
{
    static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGTSTP };
    _Static_assert(COUNT_OF(signals) == COUNT_OF(d->signals), "a handle for each");
    for (size_t i = 0; i < COUNT_OF(signals); i++) {
        (void)uv_signal_init(&d->loop, &d->signals[i]);
        d->signals[i].data = d;
        (void)uv_signal_start(&d->signals[i], on_signal, signals[i]);
    }
    d->has_signals = true;
}

static void signals_stop(struct daemon *d)
{
    for (size_t i = 0; d->has_signals && i < COUNT_OF(d->signals); i++)
        uv_close((uv_handle_t *)&d->signals[i], NULL);
    d->has_signals = false;
}

static int start_rooms(struct daemon *d, struct err *err)
{
    struct barod_rooms *rooms = &d->rooms;
    int rc = open_records(d, err);
    if (rc == 0)
        rc = barod_store_open(d->config, &d->opts.store, &rooms->store, err);
    if (rc == 0)
        rc = start_live(d, err);
    if (rc == 0)
        rc = start_writer(d, err);
    if (rc == 0)
        rc = start_rollups(d, err);
    if (rc == 0)
        rc = prepare(d, err);
    if (rc == 0)
        net_server_on_limited(rooms->server, tell_limited, NULL);
    if (rc == 0)
        rc = ingest_new(rooms->server, rooms->writer, rooms->site, 0, &rooms->ingest);
    if (rc == 0)
        rc = barod_told_new(rooms, &rooms->told);
    if (rc == 0)
        rc = load_senders(d, err);
    if (rc == 0)
        rc = barod_metrics_register(rooms);
    if (rc == 0)
        rc = start_api(d, err);
    if (rc == 0)
        rc = start_senders(d, err);
    if (rc < 0)
        return rc;
    signals_start(d);
    return net_server_start(rooms->server, err);
}

/* In reverse; every pointer may still be NULL.  The server goes first: while it waits
 * for deferred requests, the writer still answers them. */
static void stop_rooms(struct daemon *d)
{
    struct barod_rooms *rooms = &d->rooms;
    api_stop(rooms->api);
    net_server_free(rooms->server);
    nats_source_free(rooms->nats);
    scrape_source_free(rooms->scrape);
    api_free(rooms->api);
    ingest_free(rooms->ingest);
    told_routes_free(rooms->told);
    barod_senders_stop(rooms->senders);
    write_routes_free(rooms->writing);
    barod_write_free(rooms->write);
    ingest_writer_free(rooms->writer);
    rollup_worker_free(rooms->roller);
    barod_scrub_free(rooms->scrub);
    live_free(rooms->live);
    metric_store_close(rooms->store);
    records_close(rooms->records);
    site_free(rooms->site);
    barod_waiting_free(rooms->waiting);
    if (d->has_loop) {
        signals_stop(d);
        (void)uv_run(&d->loop, UV_RUN_DEFAULT);
        (void)uv_loop_close(&d->loop);
    }
    config_free(d->config);
    strbuf_done(&d->memory_path);
}

static void run_loop(struct daemon *d)
{
    struct err err = { 0 };
    if (barod_own_start(&d->rooms, &d->opts, &d->loop, &err) < 0)
        log_warn("own metrics: %s; none are kept", err.text);
    barod_tokens_start(d->rooms.server, &d->loop);
    /* Also while the database is away: it listens and answers, and that is what others
     * are started after; a start of more than TimeoutStartSec would be ended. */
    (void)sd_notify(0, d->rooms.waiting ? "READY=1"
                                        : "READY=1\nSTATUS=takes in and answers");
    (void)uv_run(&d->loop, UV_RUN_DEFAULT);
    (void)sd_notify(0, "STOPPING=1");
    barod_own_stop(&d->rooms);
    barod_tokens_stop();
    signals_stop(d); /* a second one ends what stopping hangs in */
}

/* A file made here would be of whoever asks, often root, and barod could not write it.
 * Returns 1: there is none yet, and its place is good. */
static int check_file(const struct records_opts *opts, struct err *err)
{
    bool is_file = !opts->engine || strcmp(opts->engine, "sqlite") == 0;
    if (!is_file || !opts->path || access(opts->path, F_OK) == 0)
        return 0;
    AUTO_FREE char *dir = strdup(opts->path);
    if (!dir)
        return err_set(err, ENOMEM, "out of memory");
    const char *parent = dirname(dir);
    if (access(parent, W_OK | X_OK) < 0)
        return err_set(err, errno, "records: '%s' cannot be made: '%s': %s", opts->path,
                       parent, strerror(errno));
    return 1;
}

/* Nothing is made or migrated, and who asks need not be the role that barod is.
 * Returns 1: there is none yet. */
static int check_records(struct daemon *d, struct err *err)
{
    int rc = check_file(&d->opts.records, err);
    if (rc > 0)
        return site_new(d->config, &d->rooms.site, err) < 0 ? -EINVAL : rc;
    d->opts.records.access = RECORDS_READ;
    if (rc == 0)
        rc = open_records(d, err);
    return rc == -ENODATA ? 1 : rc;
}

/* --check: all that can be wrong before anything listens; nothing is made. */
static int check(struct daemon *d, struct err *err)
{
    int absent = check_records(d, err);
    int rc = absent < 0 ? absent : 0;
    if (rc == 0)
        rc = barod_store_check(d->config, &d->opts.store, &d->rooms.store, err);
    if (rc == 0)
        rc = prepare(d, err);
    if (rc < 0)
        return rc;
    printf("configuration: good\nrecords: %s%s\nnet: %s\n",
           absent ? d->opts.records.connection ? "tables" : d->opts.records.path
                  : records_describe(d->rooms.records),
           absent ? " would be created" : "", net_server_describe(d->rooms.server));
    if (d->rooms.store)
        printf("store: %s, %u metrics\n", d->opts.store.directory,
               metric_count(metric_store_metrics(d->rooms.store)));
    const struct barod_memory_limit limit = { d->memory_limit,
                                              strbuf_text(&d->memory_path) };
    barod_memory_print(&d->budget, &limit);
    return 0;
}

/* A played clock is for simulations; nobody else may be fooled by it. */
static int check_clock(const struct daemon *d, struct err *err)
{
    if (!clock_is_played())
        return 0;
    log_warn("BARO_CLOCK: time is played; nothing here is of the real world");
    for (size_t i = 0; i < d->opts.net.listen.count; i++) {
        struct span address = span_of(d->opts.net.listen.items[i]);
        if (!span_is(address, "none") && !span_starts(address, "127.") &&
            !span_starts(address, "[::1]") && !span_starts(address, "localhost"))
            return err_set(err, EINVAL,
                           "BARO_CLOCK is for simulations: net.listen '" SPAN_FMT
                           "' is not loopback",
                           SPAN_ARG(address));
    }
    return 0;
}

static int serve(struct daemon *d, struct err *err)
{
    int rc = uv_loop_init(&d->loop);
    if (rc < 0)
        return err_set(err, -rc, "a loop of events: %s", uv_strerror(rc));
    d->has_loop = true;
    rc = start_rooms(d, err);
    if (rc < 0)
        return rc;
    log_info("net: %s", net_server_describe(d->rooms.server));
    if (!d->rooms.waiting)
        log_notice("barod %s is ready", BARO_VERSION);
    run_loop(d);
    return barod_waiting_outcome(d->rooms.waiting, err);
}

static int run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    static struct daemon d; /* large, and as long-lived as the process */
    struct err err = { 0 };
    if (operand_count > 0) {
        fprintf(stderr, "barod: '%s' is not wanted here (see --help)\n", operands[0]);
        return EXIT_USAGE;
    }
    int status;
    if (args->check && service_user_check(args->config, args->user, &status))
        return status;
    (void)signal(SIGPIPE, SIG_IGN);
    int rc = load_config(args, &d, &err);
    if (rc == 0) {
        enum log_level level = d.opts.barod.level;
        log_set_level(args->verbose ? LOG_LEVEL_DEBUG : level);
        rc = check_clock(&d, &err);
    }
    if (rc == 0)
        rc = args->check ? check(&d, &err) : serve(&d, &err);
    stop_rooms(&d);
    if (rc < 0) {
        log_error("%s", err.text[0] ? err.text : strerror(-rc));
        return rc == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
    }
    if (!args->check)
        log_notice("barod has stopped");
    return EXIT_OK;
}

static const struct option option_table[] = {
    { "config", 'c', OPTION_TEXT, offsetof(struct args, config), "FILE",
      "Read FILE instead of " CONFIG_DEFAULT "." },
    { "set", 0, OPTION_LIST, offsetof(struct args, set), "SECTION.KEY=VALUE",
      "Set one key over what the file says; may be repeated." },
    { "check", 0, OPTION_FLAG, offsetof(struct args, check), NULL,
      "Check configuration, database and listeners, then end." },
    { "user", 0, OPTION_TEXT, offsetof(struct args, user), "USER",
      "With --check by root: judge as this user instead of barograph, the service's." },
    { "unit", 0, OPTION_TEXT, offsetof(struct args, unit), "UNIT",
      "With --check: judge memory by MemoryMax= of this unit, a name or a file, "
      "instead "
      "of " UNIT_DEFAULT "." },
    { "verbose", 'v', OPTION_FLAG, offsetof(struct args, verbose), NULL,
      "Log what is of interest to developers too." },
};

int main(int argc, char **argv)
{
    static const struct command command = {
        .name = "barod",
        .operands = "",
        .help = "Take in what agents observe, keep it, and answer what it means.",
        .options = option_table,
        .option_count = COUNT_OF(option_table),
        .args_size = sizeof(struct args),
        .run = run,
        .details = "barod runs in the foreground and logs to standard error; SIGTERM\n"
                   "stops it after what was accepted is kept.  See barod(8).",
    };
    struct err err = { 0 };
    if (terminal_start("barod") < 0)
        return EXIT_FAILED;
    log_start("barod");
    if (clock_start(&err) < 0) {
        log_error("%s", err.text);
        return EXIT_FAILED;
    }
    return options_main(&command, argc, argv);
}
