/* SPDX-License-Identifier: Apache-2.0 */
/* verify - baro records verify on PostgreSQL: checksums, then our own tables. */
#include "records/postgres/backend.h"
#include "records/postgres/statement.h"

#define VERIFY_WAIT_MS (24 * MS_PER_HOUR)

#define DAY_OF "to_char(r.\"timestamp\", 'YYYYMMDD')::integer"
#define SPAN_OF "extract(epoch FROM r.\"timestamp\" - r.since) * 1000"

static const struct {
    const char *what, *remedy, *sql;
} checks[] = {
    { "pages failed their checksum since the statistics were reset",
      "see the server's log, and restore a backup",
      "SELECT coalesce(checksum_failures, 0) FROM pg_stat_database WHERE datname = "
      "current_database()" },
    { "series have a sid that will be given again: the sequence is behind",
      "stop barod, and: SELECT setval(pg_get_serial_sequence('series', 'sid'), "
      "(SELECT max(sid) FROM series))",
      "SELECT count(*) FROM series WHERE sid > (SELECT last_value FROM pg_sequences "
      "WHERE format('%I.%I', schemaname, sequencename) = "
      "pg_get_serial_sequence('series', 'sid'))" },
    { "rows of OSTs reach back further than their day states, or have no day",
      "restore a backup",
      "SELECT count(*) FROM jobstats_ost r LEFT JOIN jobstats_days d ON d.kind = 'ost' "
      "AND d.day = " DAY_OF " WHERE d.day IS NULL OR " SPAN_OF " > d.span_ms" },
    { "rows of MDTs reach back further than their day states, or have no day",
      "restore a backup",
      "SELECT count(*) FROM jobstats_mdt r LEFT JOIN jobstats_days d ON d.kind = 'mdt' "
      "AND d.day = " DAY_OF " WHERE d.day IS NULL OR " SPAN_OF " > d.span_ms" },
};

static int verify_in(struct pg_conn *c, struct verify *verify, struct err *err)
{
    const struct sql_conn conn = pg_sql(c);
    int64_t version = 0;
    int rc = pg_place_find(c, err);
    if (rc == 0)
        rc = pg_schema_look(c, &version, err);
    if (rc == 0) /* of one moment, while barod writes */
        rc = pg_exec(c, "BEGIN ISOLATION LEVEL REPEATABLE READ", err);
    for (size_t i = 0; i < COUNT_OF(checks) && rc == 0; i++)
        rc = verify_number(verify, &conn, checks[i].what, checks[i].remedy,
                           checks[i].sql, err);
    return rc < 0 ? rc : verify_common(verify, &conn, version, err);
}

int pg_verify(const struct records_opts *opts, struct verify *verify, struct err *err)
{
    struct pg_conn conn = { .wait_ms = VERIFY_WAIT_MS };
    struct err why = { 0 };
    const struct pg_session session = { .schema = opts->schema,
                                        .lock_ms = PG_READ_LOCK_MS,
                                        .is_read_only = true };
    int rc = pg_connect(&conn, opts->connection, NULL, NULL, err);
    if (rc == 0)
        rc = pg_session_begin(&conn, &session, err);
    if (rc == 0)
        rc = verify_in(&conn, verify, &why);
    pg_close(&conn);
    if (rc == -EUCLEAN) {
        verify_fault(verify, "see the server's log, and restore a backup",
                     "it cannot be read to its end: %s", why.text);
        return 0;
    }
    return rc < 0 && *why.text ? err_set(err, -rc, "%s", why.text) : rc;
}
