/* SPDX-License-Identifier: Apache-2.0 */
/* identity - records_identity in PostgreSQL, and what the server says of itself. */
#include "records/postgres/identity.h"

#include "base/number.h"
#include "model/model.h"

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
    AUTO_RESULT PGresult *result = NULL;
    struct database_identity identity = { .arrived_ms = T_NONE };
    int rc = pg_query(c, "SELECT id, writer, epoch FROM records_identity", NULL,
                      &result, err);
    if (rc < 0)
        return rc;
    if (PQntuples(result) != 1)
        return err_set(err, EAGAIN,
                       "postgres: the table records_identity is empty: is "
                       "the database being restored?");
    pg_uuid(result, 0, 0, &identity.id);
    pg_uuid(result, 0, 1, &identity.writer);
    identity.epoch = pg_i64(result, 0, 2);
    server_read(c, &identity);
    if (!c->pg)
        return err_set(err, EAGAIN, "postgres: the connection broke");
    *ret = identity;
    return 0;
}

int pg_identity_arrived(struct pg_conn *c, int64_t *ret_ms, struct err *err)
{
    AUTO_RESULT PGresult *result = NULL;
    int rc = pg_query(c, "SELECT max(arrived) FROM batches", NULL, &result, err);
    if (rc < 0)
        return rc;
    *ret_ms = PQntuples(result) == 1 ? pg_time(result, 0, 0) : T_NONE;
    return 0;
}

int pg_identity_advance(struct pg_conn *c, const struct database_identity *want,
                        const struct uuid *writer, int64_t *ret_epoch, struct err *err)
{
    AUTO_RESULT PGresult *result = NULL;
    struct pg_args args = { 0 };
    pg_add_uuid(&args, writer);
    int rc = pg_query(c,
                      "UPDATE records_identity SET epoch = epoch + 1, writer = $1 "
                      "RETURNING epoch, id",
                      &args, &result, err);
    if (rc < 0)
        return rc;
    if (PQntuples(result) != 1)
        return err_set(err, EAGAIN,
                       "postgres: the table records_identity is empty: is "
                       "the database being restored?");
    struct uuid id;
    int64_t epoch = pg_i64(result, 0, 0);
    pg_uuid(result, 0, 1, &id);
    if (!identity_is_next(want, &id, epoch))
        return err_set(err, ESTALE, "postgres: the database is not as it was left");
    *ret_epoch = epoch;
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
