/* SPDX-License-Identifier: Apache-2.0 */
/* identity - records_identity in PostgreSQL, and what the server reports of itself. */
#include "records/postgres/identity.h"

#include "base/number.h"
#include "records/postgres/statement.h"

/* Without the right to know them, the rest has to do. */
static void server_read(struct pg_conn *c, struct database_identity *identity)
{
    AUTO_RESULT PGresult *result = NULL;
    int rc = pg_query(c,
                      "SELECT system_identifier, ('x' || substr(pg_walfile_name("
                      "pg_current_wal_lsn()), 1, 8))::bit(32)::bigint "
                      "FROM pg_control_system()",
                      NULL, &result, NULL);
    if (rc < 0 || PQntuples(result) < 1)
        return;
    identity->system = pg_i64(result, 0, 0);
    identity->timeline = pg_i64(result, 0, 1);
}

int pg_identity_read(struct pg_conn *c, struct database_identity *ret, struct err *err)
{
    const struct sql_conn conn = pg_sql(c);
    struct database_identity identity;
    int rc = identity_read(&conn, &identity, err);
    if (rc < 0)
        return rc;
    server_read(c, &identity);
    if (!c->pg)
        return err_set(err, EAGAIN, "postgres: the connection broke");
    *ret = identity;
    return 0;
}

int pg_check_writable(struct pg_conn *c, struct err *err)
{
    AUTO_RESULT PGresult *result = NULL;
    int rc = pg_query(c,
                      "SELECT pg_is_in_recovery(), "
                      "current_setting('transaction_read_only') = 'on'",
                      NULL, &result, err);
    if (rc < 0)
        return rc;
    if (pg_i64(result, 0, 0))
        return err_set(err, EAGAIN,
                       "postgres: the server is a standby: nothing can be "
                       "written until it is promoted");
    if (pg_i64(result, 0, 1))
        return err_set(err, EAGAIN,
                       "postgres: the database is read only "
                       "(default_transaction_read_only); nothing can be written");
    return 0;
}
