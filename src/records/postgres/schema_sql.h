/* SPDX-License-Identifier: Apache-2.0 */
/* schema_sql - PostgreSQL's tables and their versions; TimescaleDB's where it is there.
 */
#ifndef RECORDS_POSTGRES_SCHEMA_SQL_H
#define RECORDS_POSTGRES_SCHEMA_SQL_H

#include "records/engine.h"
#include "records/postgres/conn.h"

enum pg_edition {
    PG_PLAIN,     /* native partitions, one a day */
    PG_APACHE,    /* hypertables; we drop chunks ourselves */
    PG_COMMUNITY, /* hypertables, compression and retention policies */
};

struct pg_schema {
    enum pg_edition edition;
    char extension[32];    /* TimescaleDB's version; empty: it is not there */
    bool is_hypertable;    /* the tables were made as such */
    char compression[160]; /* why there is none, where there should be; else empty */
};

/* What the server offers. */
int pg_detect(struct pg_conn *c, struct pg_schema *ret, struct err *err);
/* Bring the database to SCHEMA_VERSION.  Errors: -EBADMSG (it is newer). */
int pg_migrate(struct pg_conn *c, const struct records_opts *opts,
               struct pg_schema *schema, struct err *err);

/* In a transaction that writes: has a newer program brought it further since?  It
 * cannot do so before the transaction ends.  What it relies on (hours that late rows
 * touch) an older one would not do.  Errors: -EBADMSG. */
int pg_schema_check(struct pg_conn *c, struct err *err);

/* The statements that turn a table into a hypertable, and those that set its policies:
 * each ends in ";\n".  Pure, so that a test can hold them against a golden file. */
void pg_hypertable_sql(struct strbuf *out, enum target_kind kind);
void pg_compression_sql(struct strbuf *out, enum target_kind kind);
void pg_policies_sql(struct strbuf *out, enum target_kind kind,
                     const struct records_opts *opts);

#endif
