/* SPDX-License-Identifier: Apache-2.0 */
/* version - of which version the tables of a PostgreSQL database are. */
#ifndef RECORDS_POSTGRES_VERSION_H
#define RECORDS_POSTGRES_VERSION_H

#include "records/postgres/conn.h"

/* An advisory lock: shared by who writes, alone for who migrates. */
#define SCHEMA_LOCK "6512369771"

/* 0: there are no tables of ours.  Errors: -EINVAL (tables of others have our names).
 */
int pg_version_read(struct pg_conn *c, int64_t *ret, struct err *err);
/* Of a database that is only read.  Errors: as schema_version_check_readable. */
int pg_schema_look(struct pg_conn *c, int64_t *ret_version, struct err *err);

/* In a transaction that writes: has a newer program brought it further since?  It
 * cannot do so before the transaction ends.  What it relies on (hours that late rows
 * touch) an older one would not do.  Errors: -EBADMSG. */
int pg_schema_check(struct pg_conn *c, struct err *err);

#endif
