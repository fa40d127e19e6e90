/* SPDX-License-Identifier: Apache-2.0 */
/* schema_sql - PostgreSQL's tables and their versions; TimescaleDB's where it is there.
 */
#ifndef RECORDS_POSTGRES_SCHEMA_SQL_H
#define RECORDS_POSTGRES_SCHEMA_SQL_H

#include "records/postgres/timescale.h"

/* Bring the database to SCHEMA_VERSION.
 * Errors: -EBADMSG (it is newer), -EINVAL (tables of others have our names). */
int pg_migrate(struct pg_conn *c, const struct pg_schema *schema, struct err *err);
/* 0: there are no tables of ours.  Errors: -EINVAL (tables of others have our names).
 */
int pg_version_read(struct pg_conn *c, int64_t *ret, struct err *err);
/* The table of rows of a kind, and all views, inside of a migration. */
int pg_rows_table(struct pg_conn *c, enum target_kind kind, bool is_hypertable,
                  struct err *err);
int pg_views_make(struct pg_conn *c, struct err *err);
/* Of a database that is only read.  Errors: as schema_version_check_readable. */
int pg_schema_look(struct pg_conn *c, int64_t *ret_version, struct err *err);
/* How the tables were made.  Errors: -EBADMSG (the extension is gone). */
int pg_tables_look(struct pg_conn *c, struct pg_schema *schema, struct err *err);

/* In a transaction that writes: has a newer program brought it further since?  It
 * cannot do so before the transaction ends.  What it relies on (hours that late rows
 * touch) an older one would not do.  Errors: -EBADMSG. */
int pg_schema_check(struct pg_conn *c, struct err *err);

#endif
