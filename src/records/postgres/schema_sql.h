/* SPDX-License-Identifier: Apache-2.0 */
/* schema_sql - PostgreSQL's tables and their versions; TimescaleDB's where it is there.
 */
#ifndef RECORDS_POSTGRES_SCHEMA_SQL_H
#define RECORDS_POSTGRES_SCHEMA_SQL_H

#include "records/postgres/timescale.h"
#include "records/postgres/version.h"

/* Bring the database to SCHEMA_VERSION.
 * Errors: -EBADMSG (it is newer), -EINVAL (tables of others have our names). */
int pg_migrate(struct pg_conn *c, const struct pg_schema *schema, struct err *err);
/* The table of rows of a kind, and all views, inside of a migration. */
int pg_rows_table(struct pg_conn *c, enum target_kind kind, bool is_hypertable,
                  struct err *err);
int pg_views_make(struct pg_conn *c, struct err *err);
/* No role but the owner has rights on what is of users alone. */
int pg_private_revoke(struct pg_conn *c, struct err *err);
/* How the tables were made.  Errors: -EBADMSG (the extension is gone). */
int pg_tables_look(struct pg_conn *c, struct pg_schema *schema, struct err *err);

#endif
