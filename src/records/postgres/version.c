/* SPDX-License-Identifier: Apache-2.0 */
/* version - of which version the tables of a PostgreSQL database are. */
#include "records/postgres/version.h"

#include "records/postgres/place.h"
#include "records/tables/tables.h"

int pg_version_read(struct pg_conn *c, int64_t *ret, struct err *err)
{
    struct pg_place place;
    int rc = pg_place_look(c, &place, err);
    if (rc < 0)
        return rc;
    *ret = 0;
    if (!place.is_ours)
        return *place.others ? pg_place_refuse(&place, err) : 0;
    AUTO_RESULT PGresult *version = NULL;
    rc = pg_query(c, "SELECT max(version) FROM schema_version", NULL, &version, err);
    if (rc == 0)
        *ret = pg_i64(version, 0, 0);
    return rc;
}

int pg_schema_check(struct pg_conn *c, struct err *err)
{
    AUTO_RESULT PGresult *result = NULL;
    int rc = pg_exec(c, "SELECT pg_advisory_xact_lock_shared(" SCHEMA_LOCK ")", err);
    if (rc == 0)
        rc = pg_query(c, "SELECT max(version) FROM schema_version", NULL, &result, err);
    return rc < 0 ? rc : schema_version_check(pg_i64(result, 0, 0), err);
}

int pg_schema_look(struct pg_conn *c, int64_t *ret_version, struct err *err)
{
    int64_t version = 0;
    int rc = pg_version_read(c, &version, err);
    if (rc == 0)
        rc = schema_version_check_readable(version, err);
    if (rc == 0)
        *ret_version = version;
    return rc;
}
