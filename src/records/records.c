/* SPDX-License-Identifier: Apache-2.0 */
/* records - everything with rows: what is the same for both engines. */
#include "records/records.h"

#include "base/clock.h"
#include "base/span.h"
#include "base/timetext.h"
#include "records/engines.h"
#include "records/inventory/host_bounds.h"
#include "records/job/job_files_known.h"
#include "records/names.h"
#include "records/records_private.h"
#include "records/transaction.h"

static const struct config_key records_keys[] = {
    { "engine", CONFIG_TEXT, offsetof(struct records_opts, engine), "sqlite", 0, 0,
      "Where rows are stored: sqlite (one file) or postgres." },
    { "path", CONFIG_TEXT, offsetof(struct records_opts, path),
      "/var/lib/barograph/records.db", 0, 0, "SQLite's file." },
    { "connection", CONFIG_TEXT, offsetof(struct records_opts, connection), NULL, 0, 0,
      "PostgreSQL's connection string, in the syntax of libpq." },
    { "schema", CONFIG_TEXT, offsetof(struct records_opts, schema), NULL, 0, 0,
      "PostgreSQL's schema for the tables, made if it is not there; default: the first "
      "of the role's search path, mostly public." },
    { "retention", CONFIG_DURATION, offsetof(struct records_opts, retention_ns), "400d",
      3600 * NS_PER_S, 36500 * INT64_C(86400) * NS_PER_S,
      "How long rows are stored; older ones are refused and dropped by whole days." },
    { "retention_rollups", CONFIG_DURATION,
      offsetof(struct records_opts, rollups_retention_ns), "1825d", 0,
      36500 * INT64_C(86400) * NS_PER_S,
      "How long the hourly roll-ups of rows are stored; 0s: none are made." },
    { "retention_jobs", CONFIG_DURATION,
      offsetof(struct records_opts, retention_jobs_ns), "730d", 0,
      36500 * INT64_C(86400) * NS_PER_S,
      "How long jobs and summaries are stored after the job's end; 0s: for ever." },
    { "retention_provenance", CONFIG_DURATION,
      offsetof(struct records_opts, retention_provenance_ns), "90d", 0,
      36500 * INT64_C(86400) * NS_PER_S,
      "How long the files that a job ran with are stored; 0s: none are." },
    { "compress_after", CONFIG_DURATION,
      offsetof(struct records_opts, compress_after_ns), "7d", 0,
      36500 * INT64_C(86400) * NS_PER_S,
      "Age at which TimescaleDB (community edition) compresses a day; 0s: never." },
    { "timeout", CONFIG_DURATION, offsetof(struct records_opts, timeout_ns), "60s",
      NS_PER_S, 3600 * NS_PER_S,
      "How long PostgreSQL may be silent before a batch is given up, to be tried "
      "again." },
    { "series_cache", CONFIG_COUNT, offsetof(struct records_opts, series_cache_max),
      "250000", 1000, INT64_C(100000000),
      "Series known without a query to the database, about 400 B of memory each." },
};

const struct config_section records_config_section = {
    .kind = "records",
    .keys = records_keys,
    .key_count = COUNT_OF(records_keys),
    .help = "The database of rows: SQLite, or PostgreSQL with or without TimescaleDB.",
};

void records_opts_place(struct records_opts *opts, const char *text)
{
    struct span s = span_of(text);
    bool is_sqlite = span_starts(s, "sqlite:");
    bool is_uri = span_starts(s, "postgres://") || span_starts(s, "postgresql://");
    bool is_postgres = is_uri || span_starts(s, "postgres:");
    if (is_sqlite || (is_postgres && !is_uri))
        text = strchr(text, ':') + 1;
    else
        is_postgres = is_postgres || strchr(text, '=');
    opts->engine = is_postgres ? "postgres" : "sqlite";
    opts->path = is_postgres ? NULL : text;
    opts->connection = is_postgres ? text : NULL;
}

int records_opts_check(const struct records_opts *opts, struct err *err)
{
    const char *end = opts->path ? strstr(opts->path, "://") : NULL;
    if (!end)
        return 0;
    /* Behind it may be a password. */
    return err_set(err, EINVAL,
                   "records: '%.*s://' is not known: give FILE, sqlite:FILE or "
                   "postgresql://HOST/DATABASE",
                   (int)(end - opts->path), opts->path);
}

void records_close(struct records *records)
{
    if (!records)
        return;
    if (records->backend)
        records->engine->close(records->backend);
    series_cache_free(records->cache);
    job_files_known_free(records->files);
    host_bounds_free(records->host_bounds);
    records_health_free(records->health);
    arena_done(&records->arena);
    arena_done(&records->names);
    free(records);
}

int records_new(const struct records_opts *opts, const struct site *site,
                struct records **ret, struct err *err)
{
    const char *engine = opts->engine ? opts->engine : "sqlite";
    int rc = records_opts_check(opts, err);
    if (rc < 0)
        return rc;
    AUTO(records_close) struct records *records = calloc(1, sizeof *records);
    if (!records)
        return -ENOMEM;
    arena_init(&records->arena, 0);
    arena_init(&records->names, 0);
    records->opts = *opts;
    records->site = site;
    records->witness_ms = T_NONE;
    records->retention_ms = opts->retention_ns / NS_PER_MS;
    records->has_rollups = opts->rollups_retention_ns > 0;
    records->engine = engine_find(engine);
    if (!records->engine)
        return err_set(err, EINVAL,
                       "records: engine '%s' is not known; sqlite and postgres are",
                       engine);
    size_t cache_max = opts->series_cache_max ? opts->series_cache_max : 250000;
    rc = series_cache_new(cache_max, &records->cache);
    if (rc < 0)
        return rc;
    rc = host_bounds_new(&records->host_bounds);
    if (rc < 0)
        return rc;
    rc = records_health_new(&records->health);
    if (rc < 0)
        return rc;
    *ret = TAKE(records);
    return 0;
}

int records_probe(struct records *records, struct err *err)
{
    int rc = check_writable(records, err);
    if (rc < 0 || clock_monotonic_ns() - records->begun_ns < RECORDS_PROBE_S * NS_PER_S)
        return rc;
    rc = transaction_begin(records, err);
    if (rc == 0)
        transaction_rollback(records);
    return rc;
}

int records_connect(struct records *records, struct err *err)
{
    int rc = 0;
    if (!records->backend)
        rc = records->engine->open(&records->opts, &records->backend, err);
    if (rc == 0 && records->opts.access == RECORDS_WRITE)
        rc = names_note_configured(records, err);
    if (rc == 0)
        atomic_store(&records->is_connected, true);
    return rc;
}

int records_open(const struct records_opts *opts, const struct site *site,
                 struct records **ret, struct err *err)
{
    AUTO(records_close) struct records *records = NULL;
    int rc = records_new(opts, site, &records, err);
    if (rc == 0)
        rc = records_connect(records, err);
    if (rc == 0)
        *ret = TAKE(records);
    return rc;
}

bool records_may_come(int rc)
{
    return rc == -EAGAIN || rc == -EUCLEAN || rc == -ENOSPC;
}

bool records_is_connected(const struct records *records)
{
    return atomic_load(&records->is_connected);
}

int records_check_health(const struct records *records, struct err *err)
{
    int rc = check_connected(records, err);
    return rc < 0 ? rc : records_health_check(records->health, err);
}

int records_check_whole(struct records *records, records_watch_fn *watch, void *arg,
                        struct err *err)
{
    struct err why = { 0 };
    int rc = check_connected(records, err);
    if (rc < 0 || !records->engine->check_whole)
        return rc;
    rc = records->engine->check_whole(records->backend, watch, arg, &why);
    if (rc == -EUCLEAN)
        records_health_set_damage(records->health, why.text);
    return rc < 0 ? err_set(err, -rc, "%s", why.text) : 0;
}

uint64_t records_changes(const struct records *records, struct strbuf *news)
{
    return records_health_news(records->health, news);
}

const char *records_describe(const struct records *records)
{
    return records_is_connected(records) ? records->engine->describe(records->backend)
                                         : "a database that is not there yet";
}

/* A clock that is far ahead (a server that booted without one) would have every row
 * older than the retention, and drop them all. */
static int check_clock(struct records *records, int64_t now_ms, int64_t oldest_ms,
                       struct err *err)
{
    AUTO(records_reader_close) struct records_reader *reader = NULL;
    struct records_extent extent = { .last_ms = T_NONE };
    int rc = records_reader_open(records, &reader, err);
    if (rc == 0)
        rc = records_extent(reader, &extent, err);
    if (rc < 0 || extent.last_ms == T_NONE || extent.last_ms >= oldest_ms)
        return rc;
    char newest[TIMETEXT_SIZE], now[TIMETEXT_SIZE];
    (void)timetext_print_ms(newest, extent.last_ms);
    (void)timetext_print_ms(now, now_ms);
    return err_set(err, ERANGE,
                   "the newest row is of %s, older than the retention at %s: is the "
                   "clock right? nothing is dropped",
                   newest, now);
}

void records_get_background(const struct records *records,
                            struct records_background *ret)
{
    *ret = (struct records_background){ .why = "", .chunk_why = "" };
    if (records_is_connected(records) && records->engine->background)
        records->engine->background(records->backend, ret);
}

/* One ledger whose clock is in doubt keeps the other's upkeep from nothing. */
static int drop_old_jobs(struct records *records, int64_t now_ms, struct err *err)
{
    const struct ledger *const ledgers[] = { &ledger_jobs, ledger_summaries(),
                                             &ledger_job_steps, &ledger_job_metrics };
    int64_t oldest_ns = now_ms * NS_PER_MS - records->opts.retention_jobs_ns;
    int first = 0;
    for (size_t i = 0; records->opts.retention_jobs_ns > 0 && i < COUNT_OF(ledgers);
         i++) {
        struct err why = { 0 };
        int rc =
            records->engine->ledger_drop(records->backend, ledgers[i], oldest_ns, &why);
        /* Footprints that are made no longer are no doubt about the clock. */
        if (rc >= 0 || first < 0 || (rc == -ERANGE && i == COUNT_OF(ledgers) - 1))
            continue;
        first = err_set(err, -rc, "%s", why.text);
    }
    return first;
}

/* A name stays as long as there may be anything that bears its number. */
static int drop_old_names(struct records *records, int64_t now_ms, struct err *err)
{
    const struct records_opts *opts = &records->opts;
    int64_t longest_ns = records->retention_ms * NS_PER_MS;
    if (opts->retention_jobs_ns <= 0)
        return 0;
    if (opts->retention_jobs_ns > longest_ns)
        longest_ns = opts->retention_jobs_ns;
    if (opts->rollups_retention_ns > longest_ns)
        longest_ns = opts->rollups_retention_ns;
    return records->engine->ledger_drop(records->backend, &ledger_id_names,
                                        now_ms * NS_PER_MS - longest_ns, err);
}

/* They are about the rows of their time.  A recorder that ended long ago is no doubt
 * about the clock, which was checked by the rows: its last ones stay. */
static int drop_old_readings(struct records *records, int64_t now_ms, struct err *err)
{
    struct err why = { 0 };
    int rc = records->engine->ledger_drop(records->backend, &ledger_target_readings,
                                          (now_ms - records->retention_ms) * NS_PER_MS,
                                          &why);
    if (rc == -ERANGE)
        return 0;
    return rc < 0 ? err_set(err, -rc, "%s", why.text) : 0;
}

/* Of a ledger whose last rows stay where nothing was submitted for so long. */
static int drop_old_of(struct records *records, const struct ledger *ledger,
                       int64_t now_ms, struct err *err)
{
    struct err why = { 0 };
    int64_t oldest_ns = now_ms * NS_PER_MS - records->opts.retention_jobs_ns;
    if (records->opts.retention_jobs_ns <= 0)
        return 0;
    int rc = records->engine->ledger_drop(records->backend, ledger, oldest_ns, &why);
    if (rc == -ERANGE)
        return 0;
    return rc < 0 ? err_set(err, -rc, "%s", why.text) : 0;
}

/* The history of resources, of which what holds now stays, however long ago it was
 * stated; sessions of users; datasets of jobs; parts that were seen last long ago. */
static int drop_old_changes(struct records *records, int64_t now_ms, struct err *err)
{
    const struct ledger *const ledgers[] = { &ledger_resource_changes,
                                             &ledger_session_reports,
                                             &ledger_job_datasets, &ledger_part_stays,
                                             &ledger_part_changes };
    int first = 0;
    for (size_t i = 0; i < COUNT_OF(ledgers); i++) {
        int rc = drop_old_of(records, ledgers[i], now_ms, first < 0 ? NULL : err);
        first = first < 0 ? first : rc;
    }
    return first;
}

/* The clock was checked by the rows. */
static int drop_old_files(struct records *records, int64_t now_ms, struct err *err)
{
    return records->engine->ledger_drop(
        records->backend, &ledger_job_files,
        now_ms * NS_PER_MS - records->opts.retention_provenance_ns, err);
}

int records_maintain(struct records *records, int64_t now_ms, struct err *err)
{
    int64_t oldest_ms = now_ms - records->retention_ms;
    int rc = check_writable(records, err);
    if (rc == 0)
        rc = check_clock(records, now_ms, oldest_ms, err);
    if (rc < 0)
        return rc;
    /* A row that comes late, but in time, still finds what it goes on from: the hour it
     * touches can be made anew. */
    if (records->has_rollups)
        oldest_ms -= RECORDS_LOOKBACK_MS + MS_PER_DAY;
    int64_t batch_oldest_ms = now_ms - RECORDS_BATCH_DAYS * MS_PER_DAY;
    if (batch_oldest_ms < oldest_ms)
        batch_oldest_ms = oldest_ms;
    rc = records->engine->maintain(records->backend, now_ms, oldest_ms, batch_oldest_ms,
                                   err);
    if (rc < 0)
        return rc;
    rc = drop_old_jobs(records, now_ms, err);
    int names_rc = drop_old_names(records, now_ms, rc < 0 ? NULL : err);
    int readings_rc = drop_old_readings(records, now_ms, rc < 0 ? NULL : err);
    int changes_rc = drop_old_changes(records, now_ms, rc < 0 ? NULL : err);
    int files_rc = drop_old_files(records, now_ms, rc < 0 ? NULL : err);
    if (rc == 0)
        rc = names_rc;
    if (rc == 0)
        rc = readings_rc;
    if (rc == 0)
        rc = changes_rc;
    return rc < 0 ? rc : files_rc;
}
