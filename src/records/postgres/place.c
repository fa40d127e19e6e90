/* SPDX-License-Identifier: Apache-2.0 */
/* place - in which schema of a PostgreSQL database our tables are, and whose others
 * are.
 */
#include "records/postgres/place.h"

#include "base/span.h"

/* A site's own limit may be shorter than a loaded server needs for one SET, and counts
 * until our own is in force: PostgreSQL begins it once for all that is sent at once. */
enum { LIMIT_TRIES = 20 };

static int limit_set(struct pg_conn *c, int64_t statement_ms, struct err *err)
{
    int rc = -EIO;
    for (int i = 0; i < LIMIT_TRIES && rc < 0 && c->pg; i++)
        rc = pg_execf(c, err, "SET statement_timeout = %lld", (long long)statement_ms);
    return rc;
}

/* A server that the network no longer reaches is noticed by it, too: a writer that died
 * with its machine must not stand in its successor's way for hours. */
static const char session_sql[] =
    "SET lock_timeout = %lld; SET idle_in_transaction_session_timeout = %lld;"
    "SET jit = off; SET TimeZone = 'UTC'; SET tcp_keepalives_idle = 30;"
    "SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3;"
    "SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN "
    "('idle_session_timeout', 'transaction_timeout')";

static int schema_enter(struct pg_conn *c, const struct pg_session *session,
                        struct err *err)
{
    struct pg_args args = { 0 };
    AUTO_RESULT PGresult *result = NULL;
    pg_add_span(&args, span_of(session->schema));
    int rc = pg_query(c,
                      "SELECT set_config('search_path', quote_ident($1) || ', ' || "
                      "current_setting('search_path'), false), quote_ident($1), "
                      "to_regnamespace(quote_ident($1)) IS NOT NULL",
                      &args, &result, err);
    if (rc < 0 || session->is_read_only || pg_i64(result, 0, 2))
        return rc;
    struct span name = pg_span(result, 0, 1);
    return pg_execf(c, err, "CREATE SCHEMA IF NOT EXISTS " SPAN_FMT, SPAN_ARG(name));
}

int pg_session_begin(struct pg_conn *c, const struct pg_session *session,
                     struct err *err)
{
    int rc = limit_set(c, session->statement_ms, err);
    if (rc == 0)
        rc = pg_execf(c, err, session_sql, (long long)session->lock_ms,
                      (long long)session->statement_ms * 4);
    if (rc == 0 && session->is_read_only)
        rc = pg_exec(c, "SET default_transaction_read_only = on", err);
    if (rc == 0 && session->schema && *session->schema)
        rc = schema_enter(c, session, err);
    return rc;
}

/* Columns that no other program's tables of these names would have all of. */
#define OUR_COLUMNS                                                         \
    "(VALUES ('schema_version', 'version'), ('jobstats_days', 'span_ms'), " \
    "('series', 'time_series_id'), ('batches', 'agent')) AS v (t, a)"
#define OUR_COLUMNS_COUNT "4"
#define OUR_NAMES                                                                 \
    "'schema_version', 'namespaces', 'namespace_names', 'servers', 'batches', "   \
    "'series', 'jobstats_days', 'jobstats_mdt', 'jobstats_ost', 'rollup_hours', " \
    "'rollup_mdt', 'rollup_ost', 'job_runs', 'job_summary_rows', 'jobstats', "    \
    "'jobstats_series', 'job_activity', 'jobs', 'job_summaries', "                \
    "'records_identity', 'id_names', 'user_names', 'target_readings', "           \
    "'target_health', 'job_steps', 'job_step_runs', 'job_footprint_rows', "       \
    "'job_footprints', 'resource_statements', 'resource_health', "                \
    "'resource_changes', 'resource_history', 'session_reports', 'user_sessions'"
#define COUNT_COLUMNS_OF(namespace)                                               \
    "(SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid " \
    "JOIN " OUR_COLUMNS " ON c.relname = v.t AND a.attname = v.a "                \
    "WHERE c.relnamespace = " namespace " AND NOT a.attisdropped)"

int pg_place_look(struct pg_conn *c, struct pg_place *ret, struct err *err)
{
    AUTO_RESULT PGresult *result = NULL;
    struct pg_place place = { 0 };
    int rc = pg_query(
        c,
        "SELECT n.nspname::text, " COUNT_COLUMNS_OF(
            "n.oid") " = " OUR_COLUMNS_COUNT ", (SELECT string_agg(relname::text, ', ' "
                     "ORDER BY relname) FROM pg_class "
                     "WHERE relnamespace = n.oid AND relkind IN ('r', 'p', 'v', 'm', "
                     "'f') "
                     "AND relname IN (" OUR_NAMES ")) FROM pg_namespace n "
                     "WHERE n.nspname = current_schema()",
        NULL, &result, err);
    if (rc < 0)
        return rc;
    if (PQntuples(result) > 0) {
        struct span others = pg_span(result, 0, 2);
        (void)snprintf(place.schema, sizeof place.schema, SPAN_FMT,
                       SPAN_ARG(pg_span(result, 0, 0)));
        place.is_ours = pg_i64(result, 0, 1) != 0;
        if (!place.is_ours && others.data)
            (void)snprintf(place.others, sizeof place.others, "%.*s",
                           (int)(others.size < 150 ? others.size : 150), others.data);
    }
    *ret = place;
    return 0;
}

int pg_place_refuse(const struct pg_place *place, struct err *err)
{
    return err_set(err, EINVAL,
                   "records: schema %s of the database has tables of these names that "
                   "are not barograph's: %s; set schema = barograph in [records], or "
                   "give barod a database of its own",
                   place->schema, place->others);
}

int pg_place_find(struct pg_conn *c, struct err *err)
{
    struct pg_place place;
    AUTO_RESULT PGresult *result = NULL;
    int rc = pg_place_look(c, &place, err);
    if (rc < 0 || place.is_ours)
        return rc;
    rc = pg_query(c,
                  "SELECT set_config('search_path', quote_ident(min(nspname)) || ', ' "
                  "|| current_setting('search_path'), false) FROM (SELECT "
                  "n.nspname::text FROM pg_namespace n WHERE has_schema_privilege("
                  "n.oid, 'USAGE') AND " COUNT_COLUMNS_OF(
                      "n.oid") " = " OUR_COLUMNS_COUNT ") AS ours HAVING count(*) = 1",
                  NULL, &result, err);
    return rc;
}

/* ---- one writer ---- */

#define WRITER_LOCK "651236977, hashtext(current_schema()::text)"

static int holder_read(struct pg_conn *c, PGresult **ret, struct err *err)
{
    return pg_query(c,
                    "SELECT a.pid, a.pid || ' ' || a.backend_start, "
                    "coalesce(host(a.client_addr), 'a local process') || ', connected "
                    "since ' || to_char(a.backend_start, 'YYYY-MM-DD HH24:MI:SS') "
                    "FROM pg_locks l JOIN pg_stat_activity a USING (pid) "
                    "WHERE l.locktype = 'advisory' AND l.classid = 651236977 AND "
                    "l.objid::bigint = hashtext(current_schema()::text)::bigint & "
                    "4294967295 AND l.objsubid = 2 AND l.granted AND l.database = "
                    "(SELECT oid FROM pg_database WHERE datname = current_database())",
                    NULL, ret, err);
}

static int holder_report(const PGresult *result, struct err *err)
{
    struct span who = SPAN("another session");
    if (PQntuples(result) > 0 && !pg_is_null(result, 0, 2))
        who = pg_span(result, 0, 2);
    return err_set(err, EAGAIN,
                   "another barod writes these records already (%lld, " SPAN_FMT
                   "): stop it, or set another schema in [records]",
                   (long long)(PQntuples(result) > 0 ? pg_i64(result, 0, 0) : 0),
                   SPAN_ARG(who));
}

int pg_writer_lock(struct pg_conn *c, struct pg_writer *writer, struct err *err)
{
    AUTO_RESULT PGresult *result = NULL, *holder = NULL;
    int rc = pg_query(c,
                      "SELECT pg_try_advisory_lock(" WRITER_LOCK "), "
                      "(SELECT pid || ' ' || backend_start FROM pg_stat_activity "
                      "WHERE pid = pg_backend_pid())",
                      NULL, &result, err);
    if (rc < 0)
        return rc;
    if (pg_i64(result, 0, 0)) {
        (void)snprintf(writer->session, sizeof writer->session, SPAN_FMT,
                       SPAN_ARG(pg_span(result, 0, 1)));
        return 0;
    }
    rc = holder_read(c, &holder, err);
    if (rc < 0)
        return rc;
    if (*writer->session && PQntuples(holder) > 0 &&
        span_is(pg_span(holder, 0, 1), writer->session))
        (void)pg_execf(c, NULL, "SELECT pg_terminate_backend(%lld)",
                       (long long)pg_i64(holder, 0, 0));
    return holder_report(holder, err);
}
