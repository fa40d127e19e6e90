/* SPDX-License-Identifier: Apache-2.0 */
/* identity - records_identity in SQLite. */
#include "records/sqlite/identity.h"

#include "model/model.h"

static int identity_missing(struct err *err)
{
    return err_set(err, EAGAIN,
                   "sqlite: the table records_identity is empty: is the file being "
                   "restored?");
}

int sqlite_identity_read(sqlite3 *db, struct database_identity *ret, struct err *err)
{
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    struct database_identity identity = { .arrived_ms = T_NONE };
    int rc =
        db_prepare(db, "SELECT id, writer, epoch FROM records_identity", &stmt, err);
    if (rc == 0)
        rc = db_step(stmt, err);
    if (rc < 0)
        return rc;
    if (rc == 0 || db_uuid(stmt, 0, &identity.id) < 0 ||
        db_uuid(stmt, 1, &identity.writer) < 0)
        return identity_missing(err);
    identity.epoch = sqlite3_column_int64(stmt, 2);
    *ret = identity;
    return 0;
}

int sqlite_identity_arrived(sqlite3 *db, int64_t *ret_ms, struct err *err)
{
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    int rc = db_prepare(db, "SELECT max(arrived) FROM batches", &stmt, err);
    if (rc == 0)
        rc = db_step(stmt, err);
    if (rc < 0)
        return rc;
    *ret_ms = db_time(stmt, 0);
    return 0;
}

bool sqlite_identity_of_file(const char *path, struct database_identity *ret)
{
    AUTO_DB sqlite3 *db = NULL;
    return db_open_alone(path, &db, NULL) == 0 &&
           sqlite_identity_read(db, ret, NULL) == 0;
}

int sqlite_identity_advance(sqlite3 *db, const struct database_identity *want,
                            const struct uuid *writer, int64_t *ret_epoch,
                            struct err *err)
{
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    struct uuid id;
    int rc = db_prepare(db,
                        "UPDATE records_identity SET epoch = epoch + 1, writer = ?1 "
                        "RETURNING epoch, id",
                        &stmt, err);
    if (rc < 0)
        return rc;
    db_bind_uuid(stmt, 1, writer);
    rc = db_step(stmt, err);
    if (rc < 0)
        return rc;
    if (rc == 0 || db_uuid(stmt, 1, &id) < 0)
        return identity_missing(err);
    int64_t epoch = sqlite3_column_int64(stmt, 0);
    if (!identity_is_next(want, &id, epoch))
        return err_set(err, EAGAIN, "sqlite: the file is not as it was left");
    *ret_epoch = epoch;
    return 0;
}
