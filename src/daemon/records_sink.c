/* SPDX-License-Identifier: Apache-2.0 */
/* records_sink - batches of rows from the writer's queue into the records, and upkeep.
 */
#include "daemon/records_sink.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "daemon/database_error.h"
#include "daemon/health/resources.h"
#include "daemon/waiting.h"

/* On the writer thread.  What memory has of the last hour is of a database that is no
 * more: it is queried instead. */
static void note_database(struct daemon_parts *parts)
{
    AUTO(strbuf_done) struct strbuf news = STRBUF_INIT;
    if (records_changes(parts->records, NULL) == parts->database_changes)
        return;
    parts->database_changes = records_changes(parts->records, &news);
    live_doubt(parts->live, clock_now_ms() + 3600 * MS_PER_S);
    cell_cache_forget(parts->cells);
    log_error("records: the database is not as barod left it: %s; everything that was "
              "known of it is forgotten, and it is opened anew",
              strbuf_text(&news));
}

static void on_stored(void *arg, const struct series *series, const struct jobrow *row)
{
    struct daemon_parts *parts = arg;
    note_database(parts); /* before the first row of the new one */
    live_accept(parts->live, series, row);
}

/* Rows that may be stored, but are never acknowledged: memory starts anew behind them.
 */
static void doubt_live(struct live *live, const struct jobbatch *batch, int64_t now_ms)
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
static void report_clock(const struct err *err)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    log_limited(&limit, LOG_LEVEL_ERROR,
                "records: %s; batches stay with their senders until it is set right; "
                "if it is right, a longer retention in [records] accepts them",
                err->text);
}

/* On the writer thread. */
int records_sink_put(void *arg, const struct jobbatch *batch, struct batch_result *ret,
                     struct err *err)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    struct daemon_parts *parts = arg;
    struct records_response response = { 0 };
    uint64_t doubts = records_doubts(parts->records);
    uint64_t clock_doubts = records_clock_doubts(parts->records);
    int64_t now_ms = clock_now_ms();
    live_store_begin(parts->live);
    int rc =
        records_put(parts->records, batch, now_ms, &response, on_stored, parts, err);
    live_store_end(parts->live);
    note_database(parts);
    if (records_doubts(parts->records) != doubts)
        doubt_live(parts->live, batch, now_ms);
    if (records_clock_doubts(parts->records) != clock_doubts) {
        report_clock(err);
        return rc;
    }
    if (rc < 0) {
        log_limited(&limit, LOG_LEVEL_WARN,
                    "records: %s; the batch stays with its sender%s", err->text,
                    rc == -EACCES ? ": give barod's role what is missing (GRANT), or "
                                    "the file to its user"
                                  : "");
        return database_error(rc, err);
    }
    host_presence_batch(parts->presence, batch->server);
    *ret = (struct batch_result){
        .accepted = response.accepted,
        .duplicate = response.duplicate,
        .refused = response.refused,
        .replayed = response.replayed,
    };
    _Static_assert((int)RECORDS_REFUSALS_MAX <= (int)BATCH_REFUSALS_MAX,
                   "every refusal that records name fits the result");
    for (size_t i = 0; i < response.refusal_count; i++)
        ret->refusals[ret->refusal_count++] = (struct batch_refusal){
            response.refusals[i].row,
            response.refusals[i].reason,
        };
    return 0;
}

/* Also where nothing is sent: health is known, and a database that comes back is found
 * before the first batch is. */
static bool probe(struct daemon_parts *parts)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    struct err err = { 0 };
    int rc = records_probe(parts->records, &err);
    note_database(parts);
    if (rc < 0)
        log_limited(&limit, LOG_LEVEL_WARN,
                    "records: %s; nothing is stored until that is mended, batches stay "
                    "with their senders",
                    err.text);
    else if (parts->is_unwell)
        log_notice("records: the database can be written again");
    parts->is_unwell = rc < 0;
    return rc == 0;
}

static void report_background(struct daemon_parts *parts)
{
    static struct log_limit limit = LOG_LIMIT_INIT, chunks = LOG_LIMIT_INIT;
    static uint64_t chunk_failures; /* that were logged */
    struct records_background background;
    records_get_background(parts->records, &background);
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
void records_sink_upkeep(void *arg)
{
    struct daemon_parts *parts = arg;
    struct err err = { 0 };
    if (daemon_waiting_is_on(parts->waiting) || !probe(parts))
        return;
    resources_load(parts);
    own_statements_flush(parts->statements);
    int64_t now_ms = clock_now_ms();
    int64_t passed_ms = now_ms - parts->maintained_ms;
    /* Before the last time: the clock was set back. */
    if (parts->maintained_ms && passed_ms >= 0 && passed_ms < parts->maintain_ms)
        return;
    parts->maintained_ms = now_ms;
    if (records_maintain(parts->records, now_ms, &err) < 0)
        log_warn("records: upkeep: %s; tried again later", err.text);
    report_background(parts);
}
