/* SPDX-License-Identifier: Apache-2.0 */
/* upkeep - what TimescaleDB's background jobs leave undone. */
#include "records/postgres/upkeep.h"

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

static int compress_start(struct pg_upkeep *upkeep, struct pg_conn *writer,
                          const struct records_opts *opts, int64_t now_ms,
                          struct err *err)
{
    AUTO(strbuf_done) struct strbuf chunk = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    const struct pg_session session = { .schema = opts->schema,
                                        .statement_ms = STATEMENT_MS,
                                        .lock_ms = LOCK_MS };
    int rc = pg_chunk_to_compress(writer, now_ms - opts->compress_after_ns / NS_PER_MS,
                                  &chunk, err);
    if (rc < 0 || strbuf_span(&chunk).size == 0)
        return rc;
    upkeep->conn.wait_ms = writer->wait_ms;
    rc = pg_connect(&upkeep->conn, opts->connection, NULL, NULL, err);
    if (rc == 0)
        rc = pg_session_begin(&upkeep->conn, &session, err);
    strbuf_addf(&sql,
                "SELECT compress_chunk('%s'::regclass, if_not_compressed => true)",
                strbuf_text(&chunk));
    if (rc == 0)
        rc = strbuf_error(&sql);
    if (rc == 0)
        rc = pg_start(&upkeep->conn, strbuf_text(&sql), err);
    upkeep->is_busy = rc == 0;
    return rc;
}

/* -EBUSY: it is not over yet. */
static int compress_end(struct pg_upkeep *upkeep, struct err *err)
{
    bool done = false;
    int rc = pg_poll(&upkeep->conn, &done, err);
    if (!done)
        return -EBUSY;
    pg_upkeep_close(upkeep);
    upkeep->compressed += rc == 0;
    return rc;
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
    if (rc == 0 && upkeep->is_busy)
        rc = compress_end(upkeep, &err);
    if (rc == 0 && jobs.failed > 0 && opts->compress_after_ns > 0)
        rc = compress_start(upkeep, writer, opts, now_ms, &err);
    if (rc < 0 && rc != -EBUSY)
        note(upkeep, err.text);
}
