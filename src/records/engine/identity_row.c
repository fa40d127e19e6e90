/* SPDX-License-Identifier: Apache-2.0 */
/* identity_row - the row of records_identity, for both engines. */
#include "records/engine/identity_row.h"

static int identity_missing(struct err *err)
{
    return err_set(err, EAGAIN,
                   "records: the table records_identity is empty: is the database "
                   "being restored?");
}

struct identity_reading {
    struct database_identity identity;
    bool has_row;
};

static int identity_row(void *arg, const struct sql_row *row)
{
    struct identity_reading *read = arg;
    read->identity.epoch = sql_row_i64(row, 2);
    read->has_row = sql_row_uuid(row, 0, &read->identity.id) == 0 &&
                    sql_row_uuid(row, 1, &read->identity.writer) == 0;
    return 0;
}

int identity_read(const struct sql_conn *conn, struct database_identity *ret,
                  struct err *err)
{
    struct identity_reading read = { .identity = { .arrived_ms = T_NONE } };
    int rc = sql_run(conn, "SELECT id, writer, epoch FROM records_identity", NULL, 0,
                     identity_row, &read, err);
    if (rc < 0)
        return rc;
    if (!read.has_row)
        return identity_missing(err);
    *ret = read.identity;
    return 0;
}

static int arrived_row(void *arg, const struct sql_row *row)
{
    *(int64_t *)arg = sql_row_time(row, 0);
    return 0;
}

int identity_read_arrived(const struct sql_conn *conn, int64_t *ret_ms, struct err *err)
{
    int64_t arrived_ms = T_NONE;
    int rc = sql_run(conn, "SELECT max(arrived) FROM batches", NULL, 0, arrived_row,
                     &arrived_ms, err);
    if (rc == 0)
        *ret_ms = arrived_ms;
    return rc;
}

static int advanced_row(void *arg, const struct sql_row *row)
{
    struct identity_reading *read = arg;
    read->identity.epoch = sql_row_i64(row, 0);
    read->has_row = sql_row_uuid(row, 1, &read->identity.id) == 0;
    return 0;
}

int identity_advance(const struct sql_conn *conn, const struct database_identity *want,
                     const struct uuid *writer, int64_t *ret_epoch, struct err *err)
{
    struct identity_reading read = { 0 };
    const struct sql_value value = sql_uuid(writer);
    int rc = sql_run(conn,
                     "UPDATE records_identity SET epoch = epoch + 1, writer = $1 "
                     "RETURNING epoch, id",
                     &value, 1, advanced_row, &read, err);
    if (rc < 0)
        return rc;
    if (!read.has_row)
        return identity_missing(err);
    if (!identity_is_next(want, &read.identity.id, read.identity.epoch))
        return err_set(err, ESTALE, "records: the database is not as it was left");
    *ret_epoch = read.identity.epoch;
    return 0;
}

int identity_recognise(const struct sql_conn *conn,
                       const struct database_identity *want,
                       struct identity_found *found, bool *ret_is_same,
                       struct strbuf *why, struct err *err)
{
    if (found->version < SCHEMA_VERSION) {
        strbuf_clear(why);
        strbuf_addf(why, "it is an older copy, of schema %lld",
                    (long long)found->version);
        *ret_is_same = false;
        return strbuf_error(why);
    }
    enum identity_difference difference =
        identity_compare(want, found->pending, &found->have);
    *ret_is_same = difference == IDENTITY_SAME;
    if (*ret_is_same)
        return 0;
    int rc = difference == IDENTITY_OLDER
                 ? identity_read_arrived(conn, &found->have.arrived_ms, err)
                 : 0;
    if (rc < 0)
        return rc;
    strbuf_clear(why);
    identity_explain(difference, want, &found->have, why);
    return strbuf_error(why);
}

int identity_refuse_empty(const char *where, const struct database_identity *want,
                          struct err *err)
{
    char id[UUID_TEXT_SIZE];
    uuid_print(id, &want->id);
    return err_set(err, EAGAIN,
                   "%s has no tables of barograph any more (it was %s); nothing is "
                   "written until they are back; to begin anew there, restart barod",
                   where, id);
}
