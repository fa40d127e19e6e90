/* SPDX-License-Identifier: Apache-2.0 */
/* version - of which version the tables of a SQLite file are. */
#include "records/sqlite/version.h"

#include "records/tables/tables.h"

int sqlite_version_read(sqlite3 *db, int64_t *ret, struct err *err)
{
    int64_t tables = 0, ours = 0;
    int rc = db_number(db, "SELECT count(*) FROM sqlite_master", &tables, err);
    if (rc < 0)
        return rc;
    rc = db_number(db,
                   "SELECT count(*) FROM sqlite_master WHERE name = 'schema_version'",
                   &ours, err);
    if (rc < 0)
        return rc;
    if (!ours && tables)
        return err_set(err, EBADMSG,
                       "sqlite: the file holds other tables than barograph's; "
                       "give records another path");
    *ret = 0;
    return ours ? db_number(db, "SELECT version FROM schema_version", ret, err) : 0;
}

int sqlite_schema_check(sqlite3 *db, struct err *err)
{
    int64_t version = 0;
    int rc = db_number(db, "SELECT version FROM schema_version", &version, err);
    return rc < 0 ? rc : schema_version_check(version, err);
}

int sqlite_schema_look(sqlite3 *db, int64_t *ret_version, struct err *err)
{
    int64_t version = 0;
    int rc = sqlite_version_read(db, &version, err);
    if (rc == 0)
        rc = schema_version_check_readable(version, err);
    if (rc == 0)
        *ret_version = version;
    return rc;
}
