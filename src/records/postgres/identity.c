/* SPDX-License-Identifier: Apache-2.0 */
/* identity - is this the database that we wrote to, and as far as we wrote? */
#include "records/postgres/identity.h"

#include "base/number.h"
#include "base/timetext.h"
#include "model/model.h"

/* Without the right to know them, the rest has to do. */
static void server_read(struct pg_conn *c, struct pg_identity *identity)
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

int pg_identity_read(struct pg_conn *c, struct pg_identity *ret, struct err *err)
{
    AUTO_RESULT PGresult *result = NULL;
    struct pg_identity identity = { 0 };
    int rc = pg_query(c,
                      "SELECT id, writer, epoch, (SELECT max(arrived) FROM batches) "
                      "FROM records_identity",
                      NULL, &result, err);
    if (rc < 0)
        return rc;
    if (PQntuples(result) != 1)
        return err_set(err, EAGAIN,
                       "postgres: the table records_identity is empty: is "
                       "the database being restored?");
    pg_uuid(result, 0, 0, &identity.id);
    pg_uuid(result, 0, 1, &identity.writer);
    identity.epoch = pg_i64(result, 0, 2);
    identity.arrived_ms = pg_time(result, 0, 3);
    server_read(c, &identity);
    if (!c->pg)
        return err_set(err, EAGAIN, "postgres: the connection broke");
    *ret = identity;
    return 0;
}

static bool is_same(const struct uuid *a, const struct uuid *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

int pg_identity_advance(struct pg_conn *c, const struct pg_identity *want,
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
    if (epoch != want->epoch + 1 || !is_same(&id, &want->id))
        return err_set(err, ESTALE, "postgres: the database is not as it was left");
    *ret_epoch = epoch;
    return 0;
}

/* 0: it cannot be compared. */
static bool is_other(int64_t a, int64_t b)
{
    return a && b && a != b;
}

static void lost_add(const struct pg_identity *want, const struct pg_identity *have,
                     struct strbuf *why)
{
    char newest[TIMETEXT_SIZE] = "none", last[TIMETEXT_SIZE] = "none";
    if (have->arrived_ms != T_NONE)
        (void)timetext_print_ms(newest, have->arrived_ms);
    if (want->arrived_ms != T_NONE)
        (void)timetext_print_ms(last, want->arrived_ms);
    strbuf_addf(why,
                "it is an older copy: %lld transactions that were acknowledged are not "
                "in it (newest batch in it: %s; newest acknowledged: %s); their rows "
                "are lost where no other copy has them",
                (long long)(want->epoch - have->epoch), newest, last);
}

bool pg_identity_differs(const struct pg_identity *want, const struct uuid *pending,
                         const struct pg_identity *have, struct strbuf *why)
{
    bool is_as_left =
        (have->epoch == want->epoch && is_same(&have->writer, &want->writer)) ||
        (pending && have->epoch == want->epoch + 1 && is_same(&have->writer, pending));
    if (!is_same(&want->id, &have->id))
        strbuf_adds(why, "it is another database (its identity is another)");
    else if (have->epoch < want->epoch)
        lost_add(want, have, why);
    else if (!is_as_left)
        strbuf_adds(why, "another program has written to it meanwhile, perhaps after "
                         "it was restored from a copy");
    else if (is_other(want->system, have->system))
        strbuf_adds(why, "it is on another server (restored there); nothing that was "
                         "acknowledged is missing");
    else if (is_other(want->timeline, have->timeline))
        strbuf_addf(why,
                    "it has failed over (timeline %lld to %lld); nothing that was "
                    "acknowledged is missing",
                    (long long)want->timeline, (long long)have->timeline);
    else
        return false;
    return true;
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
