/* SPDX-License-Identifier: Apache-2.0 */
/* upkeep - what TimescaleDB's background jobs leave undone. */
#include "records/postgres/upkeep.h"

#include "base/clock.h"
#include "base/number.h"
#include "records/postgres/place.h"

#define STATEMENT_MS (6 * INT64_C(3600000)) /* a chunk of a day */
#define LOCK_MS 10000

void pg_upkeep_close(struct pg_upkeep *upkeep)
{
    pg_close(&upkeep->conn);
    upkeep->is_busy = false;
}

static void note(struct pg_upkeep *upkeep, const char *text)
{
    (void)snprintf(upkeep->why, sizeof upkeep->why, "%.159s", text);
}

static void chunk_failed(struct pg_upkeep *upkeep, const char *why)
{
    upkeep->chunk_failures++;
    (void)snprintf(upkeep->chunk_why, sizeof upkeep->chunk_why, "%.140s: %.159s",
                   upkeep->chunk.name, why);
}

/* The connection stays from one chunk to the next. */
static int chunk_begin(struct pg_upkeep *upkeep, const struct pg_conn *writer,
                       struct err *err)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    const struct pg_session session = { .schema = upkeep->opts->schema,
                                        .statement_ms = STATEMENT_MS,
                                        .lock_ms = LOCK_MS };
    int rc = 0;
    upkeep->conn.wait_ms = writer->wait_ms;
    if (!upkeep->conn.pg) {
        rc = pg_connect(&upkeep->conn, upkeep->opts->connection, NULL, NULL, err);
        if (rc == 0)
            rc = pg_session_begin(&upkeep->conn, &session, err);
    }
    strbuf_addf(&sql,
                "SELECT compress_chunk('%s'::regclass, if_not_compressed => true)",
                upkeep->chunk.name);
    if (rc == 0)
        rc = strbuf_error(&sql);
    if (rc == 0)
        rc = pg_start(&upkeep->conn, strbuf_text(&sql), err);
    return rc;
}

/* The next one behind the last, where there is one. */
static int chunk_next(struct pg_upkeep *upkeep, struct pg_conn *writer, struct err *err)
{
    struct pg_chunk next = { .name = "" };
    int rc = 0;
    if (clock_monotonic_ns() < upkeep->end_ns)
        rc = pg_chunk_to_compress(writer, upkeep->older_ms, &upkeep->chunk, &next, err);
    if (rc == 0 && *next.name) {
        upkeep->chunk = next;
        rc = chunk_begin(upkeep, writer, err);
    }
    if (rc < 0 || !*next.name)
        pg_upkeep_close(upkeep);
    else
        upkeep->is_busy = true;
    return rc;
}

void pg_upkeep_poll(struct pg_upkeep *upkeep, struct pg_conn *writer)
{
    struct err err = { 0 };
    bool done = false;
    if (!upkeep->is_busy)
        return;
    int rc = pg_poll(&upkeep->conn, &done, &err);
    if (!done)
        return;
    if (rc < 0) /* the connection is closed then */
        chunk_failed(upkeep, err.text);
    upkeep->compressed += rc == 0;
    rc = chunk_next(upkeep, writer, &err);
    if (rc < 0)
        note(upkeep, err.text);
}

void pg_upkeep_step(struct pg_upkeep *upkeep, struct pg_conn *writer,
                    const struct records_opts *opts, int64_t now_ms)
{
    struct pg_jobs jobs = { 0 };
    struct err err = { 0 };
    int rc = pg_jobs_look(writer, &jobs, &err);
    if (rc == 0) {
        upkeep->failed = jobs.failed;
        upkeep->failures = jobs.failures;
        note(upkeep, jobs.why);
    }
    upkeep->opts = opts;
    upkeep->older_ms = now_ms - opts->compress_after_ns / NS_PER_MS;
    upkeep->end_ns = clock_monotonic_ns() + PG_UPKEEP_MS * NS_PER_MS;
    pg_upkeep_poll(upkeep, writer);
    if (rc < 0 || upkeep->is_busy || jobs.failed == 0 || opts->compress_after_ns <= 0) {
        if (rc < 0)
            note(upkeep, err.text);
        return;
    }
    rc = chunk_next(upkeep, writer, &err);
    if (rc == 0 && !upkeep->is_busy) /* none is left behind it: the next step begins */
        upkeep->chunk = (struct pg_chunk){ .name = "" }; /* with the oldest again */
    if (rc < 0)
        note(upkeep, err.text);
}
