/* SPDX-License-Identifier: Apache-2.0 */
/* migrate - baro records migrate on PostgreSQL: older schemas, and plain tables that
 * become hypertables because the extension came later.
 */
#include "base/span.h"
#include "records/postgres/backend.h"
#include "records/postgres/place.h"

#define CONVERT_WAIT_MS (24 * MS_PER_HOUR)
#define CONVERT_BYTES_A_SECOND (8 * 1000 * 1000) /* of a table with two indices */
#define LOCK_WAIT_MS 10000

struct migration {
    struct pg_conn conn;
    struct pg_schema schema;
    int64_t version, series;
    uint64_t bytes; /* of the tables of rows */
    bool converts;
};

static int look(struct migration *m, struct err *err)
{
    AUTO_RESULT PGresult *result = NULL;
    struct pg_place place;
    int rc = pg_place_find(&m->conn, err);
    if (rc == 0)
        rc = pg_place_look(&m->conn, &place, err);
    if (rc == 0 && !place.is_ours)
        rc = *place.others ? pg_place_refuse(&place, err)
                           : err_set(err, ENODATA,
                                     "records: the database holds no tables of "
                                     "barograph; barod makes them when it starts");
    if (rc == 0)
        rc = pg_version_read(&m->conn, &m->version, err);
    if (rc == 0)
        rc = pg_detect(&m->conn, &m->schema, err);
    if (rc == 0)
        rc = pg_tables_look(&m->conn, &m->schema, err);
    if (rc == 0)
        rc = pg_query(
            &m->conn,
            "SELECT (SELECT coalesce(max(sid), 0) FROM series), "
            "(SELECT coalesce(sum(pg_total_relation_size(inhrelid)), 0)::bigint "
            "FROM pg_inherits WHERE inhparent IN (to_regclass('jobstats_mdt'), "
            "to_regclass('jobstats_ost')))",
            NULL, &result, err);
    if (rc < 0)
        return rc;
    m->series = pg_i64(result, 0, 0);
    m->bytes = (uint64_t)pg_i64(result, 0, 1);
    m->converts = m->schema.edition != PG_PLAIN && !m->schema.is_hypertable;
    return 0;
}

static void steps_report(const struct migration *m, records_step_fn *fn, void *arg)
{
    char what[256];
    migration_report(
        m->version, (uint64_t)m->series,
        "ACCESS EXCLUSIVE on series until the end: queries and batches wait",
        "ACCESS EXCLUSIVE on the views for a moment", fn, arg);
    if (!m->converts)
        return;
    (void)snprintf(
        what, sizeof what,
        "the tables of rows become hypertables of TimescaleDB %s: %.1f GB are "
        "copied, and need as much free space until the end",
        m->schema.extension, (double)m->bytes / 1e9);
    const struct records_step step = {
        .what = what,
        .locks = "ACCESS EXCLUSIVE on jobstats_mdt and jobstats_ost until the end: "
                 "queries fail after 5 s, batches stay in the agents' spools",
        .seconds = (int64_t)(m->bytes / CONVERT_BYTES_A_SECOND),
    };
    fn(arg, &step);
}

/* ---- to hypertables ---- */

/* What others were granted on the old table they have on the new one. */
static int grants_copy(struct pg_conn *c, const char *name, struct err *err)
{
    return pg_execf(
        c, err,
        "DO $do$ DECLARE g record; BEGIN FOR g IN SELECT a.privilege_type AS what, "
        "CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS who "
        "FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = "
        "'jobstats_%s_plain'::regclass AND a.grantee <> c.relowner LOOP "
        "EXECUTE format('GRANT %%s ON jobstats_%s TO %%s', g.what, g.who); "
        "END LOOP; END $do$",
        name, name);
}

static int rows_copy(struct pg_conn *c, const char *name, struct err *err)
{
    AUTO_RESULT PGresult *copied = NULL, *there = NULL;
    char copy[128], count[64];
    uint64_t rows = 0;
    (void)snprintf(copy, sizeof copy,
                   "INSERT INTO jobstats_%s SELECT * FROM jobstats_%s_plain", name,
                   name);
    (void)snprintf(count, sizeof count, "SELECT count(*) FROM jobstats_%s", name);
    int rc = pg_query(c, copy, NULL, &copied, err);
    if (rc == 0)
        rc = pg_query(c, count, NULL, &there, err);
    if (rc < 0)
        return rc;
    (void)number_parse_u64(span_of(PQcmdTuples(copied)), &rows);
    if (pg_i64(there, 0, 0) != (int64_t)rows)
        return err_set(err, EIO,
                       "postgres: %llu rows of jobstats_%s were copied, %lld "
                       "are there: nothing was changed",
                       (unsigned long long)rows, name, (long long)pg_i64(there, 0, 0));
    return 0;
}

static int convert_kind(struct pg_conn *c, enum target_kind kind, struct err *err)
{
    const char *name = target_kind_name(kind);
    int rc = pg_execf(c, err,
                      "LOCK TABLE jobstats_%s IN ACCESS EXCLUSIVE MODE;"
                      "ALTER TABLE jobstats_%s RENAME TO jobstats_%s_plain;"
                      "ALTER INDEX jobstats_%s_pkey RENAME TO jobstats_%s_plain_pkey;"
                      "ALTER INDEX jobstats_%s_sid RENAME TO jobstats_%s_plain_sid",
                      name, name, name, name, name, name, name);
    if (rc == 0)
        rc = pg_rows_table(c, kind, true, err);
    if (rc == 0)
        rc = rows_copy(c, name, err);
    return rc < 0 ? rc : grants_copy(c, name, err);
}

/* Views are made anew before the tables they stood on go; a view that is not ours keeps
 * its table, and the transaction fails with its name. */
static int convert_in(struct pg_conn *c, struct err *err)
{
    int rc = 0;
    for (int kind = 0; kind < TARGET_KIND_COUNT && rc == 0; kind++)
        rc = convert_kind(c, (enum target_kind)kind, err);
    if (rc == 0)
        rc = pg_views_make(c, err);
    return rc < 0
               ? rc
               : pg_exec(c,
                         "DROP TABLE jobstats_mdt_plain; DROP TABLE jobstats_ost_plain",
                         err);
}

static int convert(struct pg_conn *c, struct err *err)
{
    c->wait_ms = CONVERT_WAIT_MS;
    int rc = pg_exec(c, "BEGIN; SET LOCAL statement_timeout = 0", err);
    if (rc == 0)
        rc = convert_in(c, err);
    if (rc == 0)
        rc = pg_exec(c, "COMMIT", err);
    if (rc < 0)
        (void)(c->pg && pg_exec(c, "ROLLBACK", NULL));
    return rc;
}

/* ---- the whole ---- */

static int migrate(struct migration *m, struct err *err)
{
    struct pg_writer writer = { 0 };
    int rc = pg_writer_lock(&m->conn, &writer, err);
    if (rc < 0)
        return rc == -EAGAIN ? -EBUSY : rc;
    rc = pg_migrate(&m->conn, &m->schema, err);
    return rc == 0 && m->converts ? convert(&m->conn, err) : rc;
}

int pg_engine_migrate(const struct records_opts *opts, bool is_dry, records_step_fn *fn,
                      void *arg, struct err *err)
{
    struct migration m = { .conn = { .wait_ms = PG_WAIT_MS } };
    const struct pg_session session = { .schema = opts->schema,
                                        .statement_ms = PG_WAIT_MS / 2,
                                        .lock_ms = LOCK_WAIT_MS,
                                        .is_read_only = is_dry };
    int rc = pg_connect(&m.conn, opts->connection, NULL, NULL, err);
    if (rc == 0)
        rc = pg_session_begin(&m.conn, &session, err);
    if (rc == 0)
        rc = look(&m, err);
    if (rc == 0)
        steps_report(&m, fn, arg);
    if (rc == 0 && !is_dry && (m.converts || m.version < SCHEMA_VERSION))
        rc = migrate(&m, err);
    pg_close(&m.conn);
    return rc;
}
