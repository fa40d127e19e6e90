/* SPDX-License-Identifier: Apache-2.0 */
/* timescale - what TimescaleDB is asked for: hypertables, compression, old chunks. */
#include "records/postgres/timescale.h"

#include "base/span.h"

#include "base/timetext.h"
#include "records/tables/tables.h"

/* ---- statements ---- */

void pg_hypertable_sql(struct strbuf *out, enum target_kind kind)
{
    strbuf_addf(out,
                "SELECT create_hypertable('jobstats_%s', 'timestamp', "
                "chunk_time_interval => INTERVAL '1 day', "
                "create_default_indexes => false);\n",
                target_kind_name(kind));
}

/* Most series have a few rows a day.  A segment for each of them holds so few that its
 * overhead is most of it (98 bytes a row against 32); sorted by series, the rows of one
 * lie together all the same, and each batch of a thousand rows has its smallest and
 * largest sid. */
void pg_compression_sql(struct strbuf *out, enum target_kind kind)
{
    strbuf_addf(out,
                "ALTER TABLE jobstats_%s SET (timescaledb.compress, "
                "timescaledb.compress_segmentby = '', "
                "timescaledb.compress_orderby = 'sid, \"timestamp\"');\n",
                target_kind_name(kind));
}

void pg_compression_policy_sql(struct strbuf *out, enum target_kind kind,
                               int64_t after_s)
{
    const char *name = target_kind_name(kind);
    strbuf_addf(out,
                "SELECT remove_compression_policy('jobstats_%s', if_exists => true);\n",
                name);
    if (after_s > 0)
        strbuf_addf(out,
                    "SELECT add_compression_policy('jobstats_%s', "
                    "INTERVAL '%lld seconds', if_not_exists => true);\n",
                    name, (long long)after_s);
}

void pg_retention_policy_sql(struct strbuf *out, enum target_kind kind)
{
    strbuf_addf(out,
                "SELECT remove_retention_policy('jobstats_%s', if_exists => true);\n",
                target_kind_name(kind));
}

static int run(struct pg_conn *c, const struct strbuf *sql, struct err *err)
{
    return strbuf_error(sql) ? strbuf_error(sql) : pg_exec(c, strbuf_text(sql), err);
}

/* ---- what is there ---- */

int pg_detect(struct pg_conn *c, struct pg_schema *ret, struct err *err)
{
    AUTO_RESULT PGresult *result = NULL;
    int rc = pg_query(c,
                      "SELECT extversion::text, "
                      "current_setting('timescaledb.license', true) "
                      "FROM pg_extension WHERE extname = 'timescaledb'",
                      NULL, &result, err);
    if (rc < 0)
        return rc;
    struct pg_schema schema = { .edition = PG_PLAIN };
    if (PQntuples(result) > 0) {
        struct span version = pg_span(result, 0, 0), license = pg_span(result, 0, 1);
        (void)snprintf(schema.extension, sizeof schema.extension, SPAN_FMT,
                       SPAN_ARG(version));
        schema.edition = span_is(license, "apache") ? PG_APACHE : PG_COMMUNITY;
    }
    *ret = schema;
    return 0;
}

static void table_arg(struct pg_args *args, enum target_kind kind, char name[static 16])
{
    (void)snprintf(name, 16, "jobstats_%s", target_kind_name(kind));
    pg_add_span(args, span_of(name));
}

struct policies {
    bool compresses, drops;
    int64_t after_s; /* of compression */
};

static int policies_look(struct pg_conn *c, enum target_kind kind, struct policies *ret,
                         struct err *err)
{
    AUTO_RESULT PGresult *result = NULL;
    struct pg_args args = { 0 };
    char name[16];
    table_arg(&args, kind, name);
    int rc = pg_query(
        c,
        "SELECT proc_name = 'policy_compression', coalesce(extract(epoch FROM "
        "(config->>'compress_after')::interval)::bigint, 0) "
        "FROM timescaledb_information.jobs WHERE hypertable_schema = current_schema() "
        "AND hypertable_name = $1 AND proc_name IN ('policy_compression', "
        "'policy_retention')",
        &args, &result, err);
    if (rc < 0)
        return rc;
    *ret = (struct policies){ 0 };
    for (int i = 0; i < PQntuples(result); i++) {
        if (pg_i64(result, i, 0)) {
            ret->compresses = true;
            ret->after_s = pg_i64(result, i, 1);
        } else {
            ret->drops = true;
        }
    }
    return 0;
}

enum compression { COMPRESSION_NONE, COMPRESSION_OTHER, COMPRESSION_OURS };

static int compression_look(struct pg_conn *c, enum target_kind kind,
                            enum compression *ret, struct err *err)
{
    AUTO_RESULT PGresult *result = NULL;
    struct pg_args args = { 0 };
    char name[16];
    table_arg(&args, kind, name);
    int rc = pg_query(
        c,
        "SELECT count(*), coalesce(count(segmentby_column_index) = 0 AND "
        "string_agg(attname::text, ',' ORDER BY orderby_column_index) "
        "FILTER (WHERE orderby_column_index IS NOT NULL) = 'sid,timestamp', false) "
        "FROM timescaledb_information.compression_settings "
        "WHERE hypertable_schema = current_schema() AND hypertable_name = $1",
        &args, &result, err);
    if (rc < 0)
        return rc;
    *ret = pg_i64(result, 0, 0) == 0 ? COMPRESSION_NONE
           : pg_i64(result, 0, 1)    ? COMPRESSION_OURS
                                     : COMPRESSION_OTHER;
    return 0;
}

/* ---- keeping ---- */

/* Older chunks may be compressed otherwise, and the version refuse to change that: they
 * stay compressed as they are, and so does their policy. */
static int compression_keep(struct pg_conn *c, enum target_kind kind,
                            const struct policies *have, int64_t after_s,
                            struct err *err)
{
    enum compression compression = COMPRESSION_NONE;
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    int rc = after_s > 0 ? compression_look(c, kind, &compression, err) : 0;
    if (rc == 0 && after_s > 0 && compression != COMPRESSION_OURS) {
        AUTO(strbuf_done) struct strbuf settings = STRBUF_INIT;
        pg_compression_sql(&settings, kind);
        rc = run(c, &settings, err);
        if (rc < 0 && compression == COMPRESSION_NONE)
            return rc;
    }
    bool is_right = have->compresses == (after_s > 0) &&
                    (!have->compresses || have->after_s == after_s);
    if (is_right || !c->pg)
        return rc;
    pg_compression_policy_sql(&sql, kind, after_s);
    int set = run(c, &sql, rc < 0 ? NULL : err);
    return rc < 0 ? rc : set;
}

static int policies_keep_kind(struct pg_conn *c, enum target_kind kind, int64_t after_s,
                              struct err *err)
{
    struct policies have;
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    int rc = policies_look(c, kind, &have, err);
    if (rc == 0 && have.drops) {
        pg_retention_policy_sql(&sql, kind);
        rc = run(c, &sql, err);
    }
    return rc < 0 ? rc : compression_keep(c, kind, &have, after_s, err);
}

int pg_policies_keep(struct pg_conn *c, const struct records_opts *opts,
                     struct pg_schema *schema, struct err *err)
{
    *schema->compression = '\0';
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++) {
        struct err why = { 0 };
        int rc = policies_keep_kind(c, (enum target_kind)kind,
                                    opts->compress_after_ns / NS_PER_S, &why);
        if (rc < 0)
            (void)snprintf(schema->compression, sizeof schema->compression, "%.159s",
                           why.text);
        if (rc < 0 && !c->pg)
            return err_set(err, EAGAIN, "%s", why.text);
    }
    return 0;
}

int pg_chunks_drop(struct pg_conn *c, enum target_kind kind, int64_t oldest_ms,
                   struct err *err)
{
    char oldest[TIMETEXT_SIZE];
    int64_t day_ms = day_start_ms(day_of(oldest_ms));
    (void)timetext_print_ms(oldest, day_ms);
    return pg_execf(c, err,
                    "SELECT drop_chunks('jobstats_%s', older_than => "
                    "TIMESTAMPTZ '%s')",
                    target_kind_name(kind), oldest);
}

/* ---- background jobs ---- */

#define OUR_TABLES                              \
    "hypertable_schema = current_schema() AND " \
    "hypertable_name IN ('jobstats_mdt', 'jobstats_ost')"

/* Who may read the errors differs with the version: without them the counts stand. */
static void jobs_why(struct pg_conn *c, struct pg_jobs *jobs)
{
    AUTO_RESULT PGresult *result = NULL;
    int rc = pg_query(c,
                      "SELECT e.err_message FROM timescaledb_information.job_errors e "
                      "JOIN timescaledb_information.jobs j USING (job_id) "
                      "WHERE " OUR_TABLES " ORDER BY e.finish_time DESC LIMIT 1",
                      NULL, &result, NULL);
    if (rc == 0 && PQntuples(result) > 0)
        (void)snprintf(jobs->why, sizeof jobs->why, SPAN_FMT,
                       SPAN_ARG(pg_span(result, 0, 0)));
}

int pg_jobs_look(struct pg_conn *c, struct pg_jobs *ret, struct err *err)
{
    AUTO_RESULT PGresult *result = NULL;
    int rc = pg_query(c,
                      "SELECT count(*) FILTER (WHERE last_run_status = 'Failed'), "
                      "coalesce(sum(total_failures), 0)::bigint "
                      "FROM timescaledb_information.job_stats WHERE " OUR_TABLES,
                      NULL, &result, err);
    if (rc < 0)
        return rc;
    *ret = (struct pg_jobs){ .failed = (uint64_t)pg_i64(result, 0, 0),
                             .failures = (uint64_t)pg_i64(result, 0, 1) };
    if (ret->failed > 0)
        jobs_why(c, ret);
    return 0;
}

int pg_chunk_to_compress(struct pg_conn *c, int64_t older_ms,
                         const struct pg_chunk *after, struct pg_chunk *ret,
                         struct err *err)
{
    AUTO_RESULT PGresult *result = NULL;
    struct pg_args args = { 0 };
    struct pg_chunk chunk = { .name = "" };
    pg_add_time(&args, older_ms);
    pg_add_span(&args, span_of(*after->name ? after->end : "-infinity"));
    pg_add_span(&args, span_of(after->name));
    int rc = pg_query(c,
                      "SELECT name, range_end::text FROM (SELECT range_end,"
                      " format('%I.%I', chunk_schema, chunk_name) AS name "
                      "FROM timescaledb_information.chunks WHERE " OUR_TABLES
                      " AND NOT is_compressed AND range_end <= $1) AS chunks "
                      "WHERE (range_end, name) > ($2::timestamptz, $3::text) "
                      "ORDER BY range_end, name LIMIT 1",
                      &args, &result, err);
    if (rc < 0)
        return rc;
    if (PQntuples(result) > 0) {
        struct span name = pg_span(result, 0, 0), end = pg_span(result, 0, 1);
        if (name.size >= sizeof chunk.name || end.size >= sizeof chunk.end)
            return err_set(err, EMSGSIZE, "postgres: the name of a chunk is too long");
        (void)snprintf(chunk.name, sizeof chunk.name, SPAN_FMT, SPAN_ARG(name));
        (void)snprintf(chunk.end, sizeof chunk.end, SPAN_FMT, SPAN_ARG(end));
    }
    *ret = chunk;
    return 0;
}
