/* SPDX-License-Identifier: Apache-2.0 */
/* verify - does what a database holds fit together? */
#include "base/span.h"
#include "records/engine/engine.h"

#include <stdarg.h>
#include <stdio.h>

#define RESTORE "restore a backup"
#define SERIES_FAULTS_MAX 20 /* named one by one */

void verify_fault(struct verify *verify, const char *remedy, const char *fmt, ...)
{
    AUTO(strbuf_done) struct strbuf what = STRBUF_INIT;
    va_list ap;
    va_start(ap, fmt);
    strbuf_vaddf(&what, fmt, ap);
    va_end(ap);
    verify->counts.faults++;
    verify->fn(verify->arg, strbuf_text(&what), remedy);
}

int verify_number(struct verify *verify, const struct sql_conn *conn, const char *what,
                  const char *remedy, const char *sql, struct err *err)
{
    int64_t count = 0;
    int rc = sql_number(conn, sql, NULL, 0, &count, err);
    if (rc < 0)
        return rc;
    verify->counts.checks++;
    if (count)
        verify_fault(verify, remedy, "%lld %s", (long long)count, what);
    if (verify->progress && verify->check_count > 0)
        verify->progress(verify->arg, verify->counts.checks, verify->check_count);
    return 0;
}

/* @ stands for the kind. */
static const struct {
    const char *what, *remedy, *sql;
} kind_checks[] = {
    { "rows of OSTs or MDTs (@) belong to no series", RESTORE,
      "SELECT count(*) FROM jobstats_@ r WHERE NOT EXISTS (SELECT 1 FROM series s "
      "WHERE s.sid = r.sid)" },
    { "rows (@) belong to a series of the other kind", RESTORE,
      "SELECT count(*) FROM jobstats_@ r JOIN series s ON s.sid = r.sid "
      "WHERE s.kind <> '@'" },
    { "rows (@) are of a server that has no name", RESTORE,
      "SELECT count(*) FROM jobstats_@ r WHERE r.server IS NOT NULL AND NOT EXISTS "
      "(SELECT 1 FROM servers v WHERE v.server = r.server)" },
    { "rows (@) were since or previously observed after their own time", RESTORE,
      "SELECT count(*) FROM jobstats_@ WHERE since > \"timestamp\" OR previous > "
      "\"timestamp\"" },
    { "cells (@) of hours that have no state",
      "barod makes the hours again after DELETE FROM rollup_@ for them",
      "SELECT count(*) FROM rollup_@ c WHERE NOT EXISTS (SELECT 1 FROM rollup_hours h "
      "WHERE h.kind = '@' AND h.hour = c.hour)" },
    { "cells (@) belong to no series", RESTORE,
      "SELECT count(*) FROM rollup_@ c WHERE NOT EXISTS (SELECT 1 FROM series s "
      "WHERE s.sid = c.sid)" },
    { "cells (@) have no increment, or one that ends before it begins", RESTORE,
      "SELECT count(*) FROM rollup_@ WHERE count <= 0 OR since > \"timestamp\" OR "
      "\"timestamp\" <= hour" },
};

static const struct {
    const char *what, *remedy, *sql;
    int64_t version; /* from which on the table is there */
} checks[] = {
    { "series have no id, target or identifier", RESTORE,
      "SELECT count(*) FROM series WHERE time_series_id IS NULL OR target = '' OR "
      "entry_id = '' OR kind NOT IN ('mdt', 'ost')",
      1 },
    { "batches have responses that cannot be", RESTORE,
      "SELECT count(*) FROM batches WHERE taken < 0 OR known < 0 OR refused < 0", 1 },
    { "runs of jobs end before they begin", RESTORE,
      "SELECT count(*) FROM job_runs WHERE start_ns > 0 AND end_ns < start_ns", 4 },
    { "identities of the database are missing, or too many", RESTORE,
      "SELECT abs(count(*) - 1) FROM records_identity", 5 },
};

static void add_for_kind(struct strbuf *out, const char *text, const char *kind)
{
    for (; *text; text++) {
        if (*text == '@')
            strbuf_adds(out, kind);
        else
            strbuf_addc(out, *text);
    }
}

static int kind_verify(struct verify *verify, const struct sql_conn *conn,
                       const char *kind, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; i < COUNT_OF(kind_checks) && rc == 0; i++) {
        AUTO(strbuf_done) struct strbuf what = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf remedy = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
        add_for_kind(&what, kind_checks[i].what, kind);
        add_for_kind(&remedy, kind_checks[i].remedy, kind);
        add_for_kind(&sql, kind_checks[i].sql, kind);
        if (strbuf_error(&what) || strbuf_error(&remedy) || strbuf_error(&sql))
            return -ENOMEM;
        rc = verify_number(verify, conn, strbuf_text(&what), strbuf_text(&remedy),
                           strbuf_text(&sql), err);
    }
    return rc;
}

/* ---- ids ---- */

struct ids {
    struct verify *verify;
    struct uuid *namespaces;
    size_t count;
    uint64_t wrong;
};

static void ids_done(struct ids *ids)
{
    free(ids->namespaces);
}
DEFINE_AUTO_DONE(struct ids, ids_done);

static int namespace_store(void *arg, const struct uuid *ns)
{
    struct ids *ids = arg;
    struct uuid *more =
        reallocarray(ids->namespaces, ids->count + 1, sizeof *ids->namespaces);
    if (!more)
        return -ENOMEM;
    ids->namespaces = more;
    ids->namespaces[ids->count++] = *ns;
    return 0;
}

/* Which namespace a series was made with is not stored: the last one that fitted is
 * tried first. */
static int series_verify(void *arg, const struct series *series)
{
    struct ids *ids = arg;
    ids->verify->counts.series++;
    for (size_t i = 0; i < ids->count; i++) {
        struct uuid id, first = ids->namespaces[0];
        int rc = series_id(&ids->namespaces[i], series->target, series->entry_id, &id);
        if (rc < 0)
            return rc;
        if (memcmp(&id, &series->id, sizeof id) != 0)
            continue;
        ids->namespaces[0] = ids->namespaces[i];
        ids->namespaces[i] = first;
        return 0;
    }
    if (ids->wrong++ < SERIES_FAULTS_MAX)
        verify_fault(ids->verify, RESTORE,
                     "series %lld (" SPAN_FMT
                     "): its time_series_id is not that of its "
                     "target and identifier in any namespace",
                     (long long)series->sid, SPAN_ARG(series->target));
    return 0;
}

static int ids_verify(struct verify *verify, const struct sql_conn *conn,
                      struct err *err)
{
    const struct records_engine *engine = verify->engine;
    AUTO(ids_done) struct ids ids = { .verify = verify };
    struct records_backend *backend = NULL;
    struct engine_reader *reader = NULL;
    const struct series_filter all = { 0 };
    int rc = namespace_each(conn, namespace_store, &ids, err);
    if (rc == 0)
        rc = engine->open(verify->opts, &backend, err);
    if (rc == 0)
        rc = engine->reader_open(backend, &reader, err);
    if (rc == 0)
        rc = engine->reader_series(reader, &all, series_verify, &ids, err);
    if (reader)
        engine->reader_close(reader);
    if (backend)
        engine->close(backend);
    if (rc == 0 && ids.wrong > SERIES_FAULTS_MAX)
        verify_fault(verify, RESTORE, "%llu series in all have such an id",
                     (unsigned long long)ids.wrong);
    return rc;
}

int verify_common(struct verify *verify, const struct sql_conn *conn, int64_t version,
                  struct err *err)
{
    int rc = 0;
    /* Those of the engine before these were some, too. */
    verify->check_count = verify->counts.checks +
                          TARGET_KIND_COUNT * COUNT_OF(kind_checks) + COUNT_OF(checks);
    for (int kind = 0; kind < TARGET_KIND_COUNT && rc == 0; kind++)
        rc = kind_verify(verify, conn, target_kind_name((enum target_kind)kind), err);
    for (size_t i = 0; i < COUNT_OF(checks) && rc == 0; i++)
        if (version >= checks[i].version)
            rc = verify_number(verify, conn, checks[i].what, checks[i].remedy,
                               checks[i].sql, err);
    return rc < 0 ? rc : ids_verify(verify, conn, err);
}
